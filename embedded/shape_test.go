package embedded

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/jetseek/jetseek/coordinator/client"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/subjects/wire"
)

const shapeSchema = `{"fields":{"title":{"type":"text","boost":2},"body":{"type":"text"},"kind":{"type":"keyword"},"year":{"type":"long"},"price":{"type":"double"}},
	"default_fields":["title","body"]}`

// world is the same history in the system and in the reference.
type world struct {
	t           *testing.T
	rng         *rand.Rand
	client      *client.Client
	collections map[string]refCollection
	vocabulary  int
	seqs        map[string]uint64
	paths       map[string]int // of searches that were asked again
}

// TestShape holds clusters of every shape against brute force, bit for bit, after random histories of puts, updates and deletes with the same ids in two
// collections. Since each equals the reference they all equal each other.
func TestShape(t *testing.T) {
	for _, shape := range []struct{ groups, members int }{{1, 1}, {1, 2}, {2, 1}, {3, 2}, {5, 1}, {8, 1}, {8, 2}} {
		for seed := range uint64(2) {
			t.Run(fmt.Sprintf("%dx%d/seed%d", shape.groups, shape.members, seed), func(t *testing.T) {
				db := open(t, Options{Groups: shape.groups, Members: shape.members})
				w := &world{t: t, rng: rand.New(rand.NewPCG(seed, 7)), client: db.Client(), collections: map[string]refCollection{"books": {}, "other": {}},
					vocabulary: 12 + int(seed)*60, seqs: map[string]uint64{}, paths: map[string]int{}}
				w.run(4, 60)
				if w.paths["believed"] < 20 || w.paths["search"] == 0 {
					t.Errorf("paths of searches: %v", w.paths)
				}
			})
		}
	}
}

// open opens a system that ends with the test.
func open(t testing.TB, o Options) *DB {
	t.Helper()
	db, err := Open(t.TempDir(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
		select {
		case err := <-db.Failed():
			t.Error(err)
		default:
		}
	})
	return db
}

// run plays rounds of writes, each followed by queries.
func (w *world) run(rounds, queries int) {
	ctx := w.t.Context()
	for name := range w.collections {
		if _, err := w.client.CreateCollection(ctx, name, json.RawMessage(shapeSchema)); err != nil {
			w.t.Fatal(err)
		}
	}
	for range rounds {
		for range 3 {
			w.bulk(ctx, w.name(), 1+w.rng.IntN(80))
		}
		for range 10 {
			w.single(ctx, w.name())
		}
		for range queries {
			w.compare(ctx, w.name())
		}
	}
}

func (w *world) name() string {
	if w.rng.IntN(4) == 0 {
		return "other"
	}
	return "books"
}

// word is a word of the vocabulary, the first ones often.
func (w *world) word() string {
	n := float64(w.vocabulary)
	return fmt.Sprintf("w%d", int(n*math.Pow(w.rng.Float64(), 2)))
}

func (w *world) words(most int) []string {
	words := make([]string, w.rng.IntN(most+1))
	for i := range words {
		words[i] = w.word()
	}
	return words
}

func (w *world) id() string { return fmt.Sprintf("doc-%d", w.rng.IntN(150)) }

// doc makes a document, fields missing now and then, and its text.
func (w *world) doc(id string) *refDoc {
	d := &refDoc{id: id, text: map[string][]string{}, keyword: map[string]string{}, long: map[string]int64{}, double: map[string]float64{}}
	fields := []string{fmt.Sprintf(`"id":%q`, id)}
	for _, field := range defaultFields {
		if w.rng.IntN(6) > 0 {
			d.text[field] = w.words(map[string]int{"title": 5, "body": 40}[field])
			fields = append(fields, fmt.Sprintf(`%q:%q`, field, strings.Join(d.text[field], " ")))
		}
	}
	if w.rng.IntN(5) > 0 {
		d.keyword["kind"] = fmt.Sprintf("k%d", w.rng.IntN(4))
		fields = append(fields, fmt.Sprintf(`"kind":%q`, d.keyword["kind"]))
	}
	if w.rng.IntN(5) > 0 {
		d.long["year"] = 1990 + int64(w.rng.IntN(12))
		fields = append(fields, fmt.Sprintf(`"year": %d`, d.long["year"]))
	}
	if w.rng.IntN(5) > 0 {
		d.double["price"] = float64(w.rng.IntN(40)) / 4
		fields = append(fields, fmt.Sprintf(`"price":%.2f`, d.double["price"]))
	}
	d.source = "{" + strings.Join(fields, ", ") + "}"
	return d
}

// bulk writes a bulk of puts and deletes, the same ids more than once.
func (w *world) bulk(ctx context.Context, name string, lines int) {
	c := w.collections[name]
	var body strings.Builder
	var indexed, deleted, notFound int
	for range lines {
		id := w.id()
		if w.rng.IntN(5) == 0 {
			fmt.Fprintf(&body, "{\"_delete\":%q}\n", id)
			if c[id] != nil {
				deleted++
			} else {
				notFound++
			}
			delete(c, id)
			continue
		}
		d := w.doc(id)
		c.put(d)
		indexed++
		body.WriteString(d.source + "\n")
	}
	reply, err := w.client.Bulk(ctx, name, []byte(body.String()), client.WriteOptions{Timeout: time.Minute})
	if err != nil {
		w.t.Fatal(err)
	}
	if reply.Failed != 0 || !reply.Visible || reply.Indexed != indexed || reply.Deleted != deleted || reply.NotFound != notFound {
		w.t.Fatalf("bulk: %+v, want %d indexed, %d deleted, %d not found", reply, indexed, deleted, notFound)
	}
}

// single writes or deletes one document, sometimes under a condition that fails.
func (w *world) single(ctx context.Context, name string) {
	c := w.collections[name]
	id := w.id()
	var standing uint64
	if c[id] != nil {
		standing = c[id].version
	}
	o := client.WriteOptions{Timeout: time.Minute}
	conflict := false
	if w.rng.IntN(3) == 0 {
		condition := uint64(w.rng.IntN(3))
		o.IfVersion = &condition
		conflict = condition != standing
	}
	outcome, version := "created", uint64(1)
	var reply *wire.WriteReply
	var err error
	if w.rng.IntN(3) == 0 {
		reply, err = w.client.Delete(ctx, name, id, o)
		if outcome, version = "deleted", standing; standing == 0 {
			outcome = "not_found"
		}
		if !conflict {
			delete(c, id)
		}
	} else {
		d := w.doc(id)
		reply, err = w.client.Index(ctx, name, []byte(d.source), o)
		if standing > 0 {
			outcome, version = "updated", standing+1
		}
		if !conflict {
			c.put(d)
		}
	}
	if conflict {
		outcome, version = "version_conflict", standing
	}
	if reply == nil || reply.Outcome != outcome || reply.Version != version || conflict != (err != nil) {
		w.t.Fatalf("%s: %+v, %v; want %s of version %d", id, reply, err, outcome, version)
	}
}

// query makes a random query.
func (w *world) query(depth int) refQuery {
	if depth > 0 && w.rng.IntN(3) > 0 {
		op := []string{"AND", "OR", "OR", "NOT", "+"}[w.rng.IntN(5)]
		n := 2
		if op != "NOT" {
			n += w.rng.IntN(2)
		}
		q := refBool{op: op, boost: w.boost()}
		for range n {
			q.clauses = append(q.clauses, w.query(depth-1))
		}
		return q
	}
	switch w.rng.IntN(11) {
	case 9:
		return refFuzzy{field: []string{"title", "body"}[w.rng.IntN(2)], word: w.word() + []string{"", "1", "x"}[w.rng.IntN(3)], edits: 1 + w.rng.IntN(2), boost: w.boost()}
	case 10:
		return refNear{field: []string{"title", "body"}[w.rng.IntN(2)], terms: [2]string{w.word(), w.word()}, slop: 1 + w.rng.IntN(4)}
	case 8:
		return w.pattern()
	case 0:
		return refKey{"kind", fmt.Sprintf("k%d", w.rng.IntN(5))}
	case 1:
		return w.numbers()
	case 2:
		if w.rng.IntN(3) == 0 {
			return refAll{}
		}
	}
	q := refWord{field: []string{"", "", "title", "body"}[w.rng.IntN(4)], terms: []string{w.word()}, boost: w.boost()}
	if w.rng.IntN(4) == 0 {
		q.terms = append(q.terms, w.word())
	}
	return q
}

// pattern makes a random prefix, wildcard or expression.
func (w *world) pattern() refQuery {
	word := w.word()
	like := func(expression string) *regexp.Regexp { return regexp.MustCompile(`\A(?:` + expression + `)\z`) }
	switch w.rng.IntN(5) {
	case 0:
		return refPattern{"", word + "*", like(word + ".*")}
	case 1:
		return refPattern{"", "?" + word[1:] + "?", like("." + word[1:] + ".")}
	case 2:
		return refPattern{"", "W*" + word[len(word)-1:], like("w.*" + word[len(word)-1:])}
	case 3:
		return refPattern{"kind", "/k[0-2]|x/", like("k[0-2]|x")}
	}
	return refPattern{"", "/" + word + "[0-4]+/", like(word + "[0-4]+")}
}

func (w *world) boost() float64 { return []float64{1, 1, 1, 2.5, 0.3, 0}[w.rng.IntN(6)] }

func (w *world) numbers() refQuery {
	r := refRange{field: "year", incLo: w.rng.IntN(2) == 0, incHi: w.rng.IntN(2) == 0}
	r.lo = 1990 + float64(w.rng.IntN(12))
	r.hi = r.lo + float64(w.rng.IntN(5))
	if w.rng.IntN(2) == 0 {
		r.field, r.lo, r.hi = "price", (r.lo-1990)/2, (r.hi-1990)/2
	}
	if w.rng.IntN(4) == 0 {
		r.hi = math.Inf(1)
	}
	return r
}

// compare asks the system and the reference the same.
func (w *world) compare(ctx context.Context, name string) {
	q := w.query(2)
	var filters []refQuery
	body := wire.NewSearch(q.String())
	if w.rng.IntN(4) == 0 {
		q = w.functions()
		body.Query = json.RawMessage(jsonForm(q))
	}
	body.TimeoutMs, body.TrackTotal = 30_000, wire.TrackExact
	for range w.rng.IntN(2) {
		f := w.query(1)
		filters = append(filters, f)
		raw, err := json.Marshal(f.String())
		if err != nil {
			w.t.Fatal(err)
		}
		body.Filters = append(body.Filters, raw)
	}
	var sorts []refSort
	for range w.rng.IntN(3) {
		key := refSort{[]string{"_score", "_id", "kind", "year", "price"}[w.rng.IntN(5)], w.rng.IntN(2) == 0}
		sorts = append(sorts, key)
		body.Sort = append(body.Sort, query.SortSpec{Field: key.field, Order: map[bool]string{true: "desc", false: "asc"}[key.desc]})
	}
	body.TrackScores = w.rng.IntN(2) == 0
	body.From, body.Limit = w.rng.IntN(2)*w.rng.IntN(20), w.rng.IntN(30)
	got, err := w.client.Search(ctx, name, body)
	if err != nil {
		w.t.Fatalf("%s: %v", q, err)
	}
	hits, total := w.collections[name].search(q, filters, sorts, body.From, body.Limit)
	scored := len(sorts) == 0 || body.TrackScores
	for _, key := range sorts {
		scored = scored || key.field == "_score"
	}
	if fault := differ(got, hits, total, scored); fault != "" {
		w.t.Fatalf("%s with filters %v sorted by %v, from %d, limit %d: %s", q, filters, sorts, body.From, body.Limit, fault)
	}
	body.Profile = true // the same again, by what is remembered of the first time
	if got, err = w.client.Search(ctx, name, body); err != nil {
		w.t.Fatalf("%s: %v", q, err)
	}
	if fault := differ(got, hits, total, scored); fault != "" {
		w.t.Fatalf("%s with filters %v sorted by %v, from %d, limit %d, by the path %v: %s", q, filters, sorts, body.From, body.Limit, got.Profile.Path, fault)
	}
	if w.paths != nil {
		w.paths[got.Profile.Path]++
	}
}

// differ says how an answer differs from the reference's, or "".
func differ(got *wire.SearchResponse, want []refHit, total uint64, scored bool) string {
	if !got.Exact || got.Partial || got.Coverage.Documents != 1 {
		return fmt.Sprintf("exact %v (%s), partial %v", got.Exact, got.ExactNote, got.Partial)
	}
	if got.Total != (wire.Total{Value: total, Relation: "eq"}) {
		return fmt.Sprintf("total %v, want %d", got.Total, total)
	}
	if len(got.Hits) != len(want) {
		return fmt.Sprintf("%d hits, want %d", len(got.Hits), len(want))
	}
	for i, hit := range got.Hits {
		if hit.ID != want[i].id {
			return fmt.Sprintf("hit %d is %s, want %s", i, hit.ID, want[i].id)
		}
		if scored != (hit.Score != nil) {
			return fmt.Sprintf("hit %d has score %v", i, hit.Score)
		}
		if scored && math.Float64bits(*hit.Score) != math.Float64bits(float64(want[i].score)/4294967296) {
			return fmt.Sprintf("hit %d, %s, scores %.17g, want %.17g", i, hit.ID, *hit.Score, float64(want[i].score)/4294967296)
		}
		if !sameJSON(hit.Source, []byte(want[i].source)) {
			return fmt.Sprintf("hit %d has source %s, want %s", i, hit.Source, want[i].source)
		}
	}
	return ""
}
