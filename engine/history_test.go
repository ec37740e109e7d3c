package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/jetseek/jetseek/engine"
	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/outcome"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/schema"
	"github.com/jetseek/jetseek/engine/vfs"
)

// generator makes random schemas, operations and queries over few words and ids, so that everything collides.
type generator struct{ *rand.Rand }

func (g generator) pick(list ...string) string { return list[g.IntN(len(list))] }

// word is skewed: a few words are in most texts.
func (g generator) word() string { return string(rune('a' + int(26*g.Float64()*g.Float64()))) }

func (g generator) text() string {
	words := make([]string, g.IntN(12))
	for i := range words {
		words[i] = g.word()
	}
	return strings.Join(words, " ")
}

func (g generator) id() string { return fmt.Sprintf("id%d", g.IntN(60)) }

func slotOf(id string) uint16 {
	h := uint32(2166136261)
	for _, c := range []byte(id) {
		h = (h ^ uint32(c)) * 16777619
	}
	return uint16(h >> 18)
}

func testSchema(version uint64) *schema.Schema {
	s := &schema.Schema{Fields: []schema.Field{
		{Name: "body", Type: schema.Text, Analyzer: "standard", Boost: 1},
		{Name: "flag", Type: schema.Bool, Boost: 1},
		{Name: "note", Type: schema.Text, Analyzer: "standard", Boost: 1, Exact: true},
		{Name: "price", Type: schema.Double, Boost: 1},
		{Name: "tag", Type: schema.Keyword, Boost: 1},
		{Name: "title", Type: schema.Text, Analyzer: "standard", Boost: 2},
	}}
	if version > 1 {
		s.Fields = append(s.Fields, schema.Field{Name: "year", Type: schema.Long, Boost: 1})
	}
	return s
}

func (g generator) body() []byte {
	var b strings.Builder
	sep := "{"
	field := func(format string, args ...any) {
		b.WriteString(sep)
		fmt.Fprintf(&b, format, args...)
		sep = ","
	}
	if g.IntN(10) > 0 {
		field(`"title":%q`, g.text())
	}
	if g.IntN(4) > 0 {
		field(`"body":[%q,%q,%q]`, g.text(), g.text(), g.text())
	}
	if g.IntN(2) > 0 {
		field(`"note":[%q,%q]`, g.text(), g.word())
	}
	if g.IntN(3) > 0 {
		field(`"tag":[%q,%q]`, g.word(), g.word())
	}
	if g.IntN(3) > 0 {
		field(`"year":[%d,%d]`, g.IntN(20)-10, g.IntN(20))
	}
	if g.IntN(2) > 0 {
		field(`"price":%g`, float64(g.IntN(40)-20)/4)
	}
	if g.IntN(2) > 0 {
		field(`"flag":%v`, g.IntN(2) > 0)
	}
	if g.IntN(30) == 0 {
		field(`"tag":7`)
	}
	if sep == "{" {
		b.WriteString("{")
	}
	return []byte(b.String() + "}")
}

func (g generator) op() engine.Op {
	op := engine.Op{Collection: schema.Incarnation(1 + g.IntN(3)), ID: g.id(), IfVersion: -1}
	op.Slot = slotOf(op.ID)
	if g.IntN(8) == 0 {
		op.IfVersion = int64(g.IntN(4))
	}
	switch g.IntN(12) {
	case 0, 1, 2: // comes again, of the same id
		op.Key = fmt.Sprint(op.ID, g.IntN(2))
	case 3: // comes again, mostly of another
		op.Key = fmt.Sprint(g.IntN(20))
	}
	switch n := g.IntN(200); {
	case n == 0:
		op = engine.Op{Kind: engine.OpOwn, Epoch: g.Uint64N(100), Slots: g.slots()}
	case n == 1 && g.IntN(5) == 0:
		op = engine.Op{Kind: engine.OpDropCollection, Collection: 3}
	case n < 6:
		v := 1 + g.Uint64N(2)
		op = engine.Op{Kind: engine.OpSchema, Collection: op.Collection, Version: v, Name: "c", Schema: testSchema(v)}
	case n < 60:
		op.Kind = engine.OpDelete
	default:
		op.Kind, op.Body = engine.OpPut, g.body()
	}
	return op
}

func (g generator) slots() *engine.SlotSet {
	if g.IntN(3) == 0 {
		return engine.AllSlots()
	}
	s := &engine.SlotSet{}
	for range 3 {
		from := uint16(g.IntN(engine.Slots))
		s.AddRange(from, from+4000)
	}
	return s
}

// history makes messages: schemas and ownership first, mostly.
func (g generator) history(messages int) []engine.Message {
	var all []engine.Message
	seq := uint64(0)
	message := func(ops ...engine.Op) {
		seq += 1 + g.Uint64N(3)
		all = append(all, engine.Message{Log: [16]byte{byte(1 + seq%3)}, Seq: seq, Ops: ops})
	}
	message(g.op())
	message(engine.Op{Kind: engine.OpOwn, Epoch: 1, Slots: engine.AllSlots()})
	for c := range schema.Incarnation(2) {
		message(engine.Op{Kind: engine.OpSchema, Collection: c + 1, Version: 1, Name: "c", Schema: testSchema(1)})
	}
	for range messages {
		ops := make([]engine.Op, g.IntN(6))
		for i := range ops {
			ops[i] = g.op()
		}
		message(ops...)
	}
	return all
}

func (g generator) node(depth int, leaves *[]query.Node, scoring bool) query.Node {
	boost := float64(g.IntN(5)) / 2
	if depth > 0 && g.IntN(3) > 0 {
		many := func(scoring bool) []query.Node {
			nodes := make([]query.Node, g.IntN(4))
			for i := range nodes {
				nodes[i] = g.node(depth-1, leaves, scoring)
			}
			return nodes
		}
		if scoring && g.IntN(4) == 0 {
			return g.functions(depth, leaves)
		}
		switch g.IntN(6) {
		case 0:
			return &query.DisMax{Children: many(scoring), Tie: g.Float64()}
		case 1:
			return &query.ConstantScore{Child: g.node(depth-1, leaves, false), Boost: boost}
		default:
			b := &query.Bool{Must: many(scoring), Should: many(scoring)}
			if g.IntN(3) == 0 {
				b.MustNot = many(false)
			}
			if g.IntN(3) == 0 {
				b.Filter = many(false)
			}
			if len(b.Must) == 0 || g.IntN(3) == 0 {
				b.MinShould = min(len(b.Should), 1+g.IntN(3))
			}
			return b
		}
	}
	leaf := func() int {
		if !scoring {
			return -1
		}
		return len(*leaves)
	}
	text := g.pick("title", "body", "note", "nowhere")
	exact := g.pick("tag", "note", "title")
	switch g.IntN(14) {
	case 0:
		return &query.MatchAll{Boost: boost}
	case 1:
		return &query.MatchNone{}
	case 2:
		values := []string{g.word(), g.word(), g.text()}
		if g.IntN(3) == 0 {
			for range 20 {
				values = append(values, g.word())
			}
		}
		slices.Sort(values)
		return &query.KeywordSet{Field: exact, Values: slices.Compact(values), Boost: boost}
	case 3:
		r := &query.KeywordRange{Field: exact, IncLo: g.IntN(2) > 0, IncHi: g.IntN(2) > 0, Boost: boost}
		if lo := g.word(); g.IntN(3) > 0 {
			r.Lo = &lo
		}
		if hi := g.pick("c", "m", "m a", "zz"); g.IntN(3) > 0 {
			r.Hi = &hi
		}
		return r
	case 4:
		return &query.LongRange{Field: g.pick("year", "flag"), Lo: int64(g.IntN(20) - 10), Hi: int64(g.IntN(20) - 5), Boost: boost}
	case 5:
		return &query.LongSet{Field: "year", Values: []int64{-3, 0, int64(1 + g.IntN(9))}, Boost: boost}
	case 6:
		r := &query.DoubleRange{Field: "price", Lo: float64(g.IntN(8)-6) / 2, Hi: float64(g.IntN(9)) / 2, IncLo: g.IntN(2) > 0, IncHi: g.IntN(2) > 0, Boost: boost}
		if g.IntN(3) == 0 {
			r.Lo = math.Inf(-1)
		}
		return r
	case 7:
		return &query.DoubleSet{Field: "price", Values: []float64{-1.25, 0, 2.5}, Boost: boost}
	case 8:
		fields := map[string]schema.Type{"title": schema.Text, "note": schema.Text, "tag": schema.Keyword, "year": schema.Long, "price": schema.Double, "flag": schema.Bool}
		name := g.pick("title", "note", "tag", "year", "price", "flag")
		return &query.FieldExists{Field: name, Type: fields[name], Boost: boost}
	case 9:
		ids := []string{g.id(), g.id(), "none"}
		slices.Sort(ids)
		return &query.IDs{Values: slices.Compact(ids), Boost: boost}
	case 10, 11:
		p := &query.TextPhrase{Field: text, Terms: []string{g.word(), g.word()}, Offsets: []int{0, 1 + g.IntN(2)}, Leaf: leaf()}
		if g.IntN(3) == 0 {
			p.Terms, p.Offsets = append(p.Terms, g.word()), append(p.Offsets, p.Offsets[1]+1)
		}
		if scoring {
			*leaves = append(*leaves, p)
		}
		return p
	default:
		t := &query.TextTerm{Field: text, Term: g.word(), Leaf: leaf()}
		if scoring {
			*leaves = append(*leaves, t)
		}
		return t
	}
}

// request makes a random search of a collection whose weights come from the statistics of the model.
func (g generator) request(m *model, c schema.Incarnation) engine.SearchRequest {
	r := engine.SearchRequest{Collection: c, Limit: g.IntN(3) * g.IntN(30)}
	var leaves []query.Node
	r.Query = g.node(3, &leaves, true)
	for range g.IntN(5) - 2 {
		r.Filters = append(r.Filters, g.node(2, nil, false))
	}
	for _, l := range leaves {
		field, terms := "", []string(nil)
		switch l := l.(type) {
		case *query.TextTerm:
			field, terms = l.Field, []string{l.Term}
		case *query.TextPhrase:
			field, terms = l.Field, l.Terms
		}
		idf, st := 0.0, m.stats(r.Collection, []string{field}, nil)
		for _, t := range terms {
			df := m.stats(r.Collection, nil, []bm25.FieldTerm{{Field: field, Term: t}}).DF[0]
			idf += math.Log(1 + (float64(st.Fields[0].Docs)-float64(df)+0.5)/(float64(df)+0.5))
		}
		w := bm25.Weight{W: idf * float64(1+g.IntN(3)), C0: 0.3}
		if st.Fields[0].Docs > 0 {
			w.C1 = 0.9 / (float64(st.Fields[0].TotalLen) / float64(st.Fields[0].Docs))
		}
		r.Weights = append(r.Weights, w)
	}
	for range g.IntN(4) - 1 {
		r.Sort = append(r.Sort, g.sortKey())
	}
	r.Score = g.IntN(2) > 0
	return r
}

func (g generator) sortKey() query.SortKey {
	keys := []query.SortKey{
		{By: query.ByScore}, {By: query.ByID}, {By: query.ByField, Field: "nowhere"},
		{By: query.ByField, Field: "tag", Type: schema.Keyword}, {By: query.ByField, Field: "note", Type: schema.Keyword},
		{By: query.ByField, Field: "year", Type: schema.Long}, {By: query.ByField, Field: "price", Type: schema.Double},
		{By: query.ByField, Field: "flag", Type: schema.Bool},
	}
	k := keys[g.IntN(len(keys))]
	k.Desc, k.MissingFirst = g.IntN(2) > 0, g.IntN(2) > 0
	return k
}

// TestHistories applies random histories to a model and to indexes that get them in other batches, merge at other times and hold other numbers of
// segments: outcomes, statistics, digests, documents and searches are the same everywhere, bit for bit.
func TestHistories(t *testing.T) {
	seeds := 16
	if testing.Short() || engine.RaceDetector {
		seeds = 4
	}
	for seed := range uint64(seeds) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			checkHistory(t, generator{rand.New(rand.NewPCG(seed, 7))})
		})
	}
}

func checkHistory(t *testing.T, g generator) {
	m := newModel()
	indexes := []*indexUnderTest{
		{name: "one batch a message", size: 1},
		{name: "large batches, no inline merges", size: 40, options: engine.Options{InlineMergeBytes: 1}},
		{name: "small batches, merges beside", size: 7, options: engine.Options{InlineMergeBytes: 8 << 10}, merge: true},
		{name: "in files, opened again and again", size: 7, options: engine.Options{InlineMergeBytes: 8 << 10, Folder: vfs.NewMemory()}, merge: true},
	}
	for _, x := range indexes {
		x.open(t)
	}
	for round := range 6 {
		for _, msg := range g.history(30)[min(round, 1)*4:] {
			msg.Seq += uint64(round) * 1000
			want := m.apply(msg)
			for _, x := range indexes {
				x.feed(t, g, msg, want)
			}
		}
		for _, x := range indexes {
			x.flush(t)
			x.check(t, m)
			if got, want := x.Snapshot().Digest(), indexes[0].Snapshot().Digest(); got != want {
				t.Fatalf("%s: digest %s, want %s", x.name, got, want)
			}
		}
		for range 30 {
			r := g.request(m, schema.Incarnation(1+g.IntN(3)))
			want := m.search(r)
			for _, x := range indexes {
				x.search(t, r, want)
			}
		}
	}
}

// indexUnderTest is an index with a habit of batching and merging.
type indexUnderTest struct {
	*engine.Index
	name    string
	size    int
	merge   bool
	options engine.Options
	batch   []engine.Message
	want    [][]outcome.Outcome
	batches int
}

func (x *indexUnderTest) open(t *testing.T) {
	t.Helper()
	var err error
	if x.Index, err = engine.Open(x.options); err != nil {
		t.Fatal(err)
	}
}

func (x *indexUnderTest) feed(t *testing.T, g generator, m engine.Message, want []outcome.Outcome) {
	t.Helper()
	x.batch, x.want = append(x.batch, m), append(x.want, want)
	if len(x.batch) >= 1+g.IntN(x.size) {
		x.flush(t)
	}
}

func (x *indexUnderTest) flush(t *testing.T) {
	t.Helper()
	got, err := x.Apply(x.batch)
	if err != nil {
		t.Fatalf("%s: %v", x.name, err)
	}
	for i := range x.batch {
		if !slices.Equal(got[i], x.want[i]) {
			t.Fatalf("%s: message %d %+v:\n got %v\nwant %v", x.name, x.batch[i].Seq, x.batch[i].Ops, got[i], x.want[i])
		}
	}
	x.batch, x.want = nil, nil
	if x.options.Folder != nil {
		if err := x.Flush(context.Background()); err != nil {
			t.Fatalf("%s: %v", x.name, err)
		}
		x.reopen(t)
	}
	for x.merge {
		if did, err := x.Merge(context.Background()); err != nil {
			t.Fatalf("%s: %v", x.name, err)
		} else if !did {
			break
		}
	}
}

// reopen ends the index after every third batch, and opens what it has flushed.
func (x *indexUnderTest) reopen(t *testing.T) {
	t.Helper()
	if x.batches++; x.batches%3 == 0 {
		x.Close()
		x.open(t)
	}
}

// check compares documents and statistics with the model's.
func (x *indexUnderTest) check(t *testing.T, m *model) {
	t.Helper()
	s := x.Snapshot()
	defer s.Close()
	fields := []string{"title", "body", "note", "nowhere", "tag"}
	var terms []bm25.FieldTerm
	for _, f := range fields {
		for c := 'a'; c <= 'z'; c++ {
			terms = append(terms, bm25.FieldTerm{Field: f, Term: string(c)})
		}
	}
	for c := schema.Incarnation(1); c <= 4; c++ {
		if got, want := s.Stats(c, fields, terms), m.stats(c, fields, terms); !reflect.DeepEqual(got, want) {
			t.Fatalf("%s: stats of %d:\n got %v\nwant %v", x.name, c, got, want)
		}
		digests, counts := m.slotDigests(c)
		if got := s.SlotDigests(c); !reflect.DeepEqual(got, digests) || !reflect.DeepEqual(s.Slots(c), counts) {
			t.Fatalf("%s: slots of %d:\n got %v %v\nwant %v %v", x.name, c, got, s.Slots(c), digests, counts)
		}
		visible := m.visible(c)
		if info, _ := s.Collection(c); info.Documents != uint64(len(visible)) {
			t.Fatalf("%s: %d documents in %d, want %d", x.name, info.Documents, c, len(visible))
		}
		for n := range 60 {
			id := fmt.Sprintf("id%d", n)
			got, ok := s.Get(c, id)
			i := slices.IndexFunc(visible, func(d *modelDoc) bool { return d.id == id })
			if ok != (i >= 0) {
				t.Fatalf("%s: get %s of %d: %v", x.name, id, c, ok)
			}
			if !ok {
				continue
			}
			d := visible[i]
			want := engine.Doc{ID: d.id, Version: d.version, Birth: d.birth, Slot: d.slot, Source: d.source}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("%s: get %s of %d:\n got %+v\nwant %+v", x.name, id, c, got, want)
			}
		}
	}
}

func (x *indexUnderTest) search(t *testing.T, r engine.SearchRequest, want engine.SearchResult) {
	t.Helper()
	s := x.Snapshot()
	defer s.Close()
	got, err := s.Search(context.Background(), r)
	if err != nil {
		t.Fatalf("%s: %v", x.name, err)
	}
	if got.Total != want.Total || len(got.Candidates)+len(want.Candidates) > 0 && !reflect.DeepEqual(got.Candidates, want.Candidates) {
		t.Fatalf("%s: %s sort %+v limit %d\n got %d %+v\nwant %d %+v", x.name, dump(r.Query), r.Sort, r.Limit, got.Total, got.Candidates, want.Total, want.Candidates)
	}
}

func dump(n query.Node) string {
	b, err := json.Marshal(n)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%T%s", n, b)
}
