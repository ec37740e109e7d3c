package embedded

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jetseek/jetseek/coordinator/client"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects/wire"
)

// frequencies counts the documents that hold each term of a field.
func (c refCollection) frequencies(field string) map[string]uint64 {
	df := map[string]uint64{}
	for _, d := range c {
		for _, term := range distinct(d.text[field]) {
			df[term]++
		}
		if value, has := d.keyword[field]; has {
			df[value]++
		}
	}
	return df
}

// complete gives the first terms under a prefix.
func (c refCollection) complete(field, prefix string, size int) []wire.Completion {
	all := []wire.Completion{}
	for term, n := range c.frequencies(field) {
		if strings.HasPrefix(term, prefix) {
			all = append(all, wire.Completion{Term: term, DF: n})
		}
	}
	slices.SortFunc(all, func(a, b wire.Completion) int { return cmp.Or(cmp.Compare(b.DF, a.DF), cmp.Compare(a.Term, b.Term)) })
	return all[:min(len(all), size)]
}

// correct gives the first terms near a word, and the documents that hold it.
func (c refCollection) correct(field, word string, edits, size int) ([]wire.Correction, uint64) {
	df := c.frequencies(field)
	all := []wire.Correction{}
	for term, n := range df {
		if away := alignment(word, term); away > 0 && away <= edits {
			all = append(all, wire.Correction{Term: term, Edits: away, DF: n})
		}
	}
	slices.SortFunc(all, func(a, b wire.Correction) int {
		return cmp.Or(cmp.Compare(a.Edits, b.Edits), cmp.Compare(b.DF, a.DF), cmp.Compare(a.Term, b.Term))
	})
	return all[:min(len(all), size)], df[word]
}

// Clusters of several shapes suggest what brute force over the living documents does, after histories of updates and deletes.
func TestSuggestionsAreThoseOfAllDocuments(t *testing.T) {
	for _, shape := range []struct{ groups, members int }{{1, 1}, {3, 2}, {5, 1}} {
		t.Run(fmt.Sprintf("%dx%d", shape.groups, shape.members), func(t *testing.T) {
			db := open(t, Options{Groups: shape.groups, Members: shape.members})
			w := &world{t: t, rng: rand.New(rand.NewPCG(uint64(shape.groups), 11)), client: db.Client(), collections: map[string]refCollection{"books": {}, "other": {}},
				vocabulary: 150, seqs: map[string]uint64{}, paths: map[string]int{}}
			for range 3 {
				w.run(1, 0)
				for range 40 {
					w.compareCompletion()
					w.compareCorrection()
				}
			}
		})
	}
}

func (w *world) compareCompletion() {
	w.t.Helper()
	field := []string{"title", "body", "kind"}[w.rng.IntN(3)]
	typed, prefix := "W1", "w1" // folded as words are
	switch w.rng.IntN(5) {
	case 0:
		typed, prefix = "", ""
	case 1:
		typed = w.word()
		prefix = typed
	case 2:
		typed, prefix = "absent", "absent"
	case 3:
		typed, prefix = "w", "w"
	}
	if field == "kind" {
		typed = []string{"", "k", "K", "k2"}[w.rng.IntN(4)]
		prefix = typed
	}
	name, size := w.name(), 1+w.rng.IntN(20)
	got, err := w.client.Suggest(w.t.Context(), name, &wire.SuggestBody{Field: field, Prefix: &typed, Size: size, TimeoutMs: 30_000})
	if err != nil {
		w.t.Fatal(err)
	}
	if want := w.collections[name].complete(field, prefix, size); !reflect.DeepEqual(got.Completions, want) {
		w.t.Fatalf("%d terms of %s.%s from %q: %v, want %v", size, name, field, typed, got.Completions, want)
	}
	w.checkWhole(got)
}

func (w *world) compareCorrection() {
	w.t.Helper()
	field := []string{"title", "body"}[w.rng.IntN(2)]
	var words []string
	for range 1 + w.rng.IntN(4) {
		words = append(words, w.word()+[]string{"", "1", "x", "00000"}[w.rng.IntN(4)])
	}
	body := &wire.SuggestBody{Field: field, Size: 1 + w.rng.IntN(6), Always: w.rng.IntN(2) == 0, MaxEdits: w.rng.IntN(3), TimeoutMs: 30_000}
	text := strings.Join(words, ", ") + "!"
	body.Text = &text
	name := w.name()
	got, err := w.client.Suggest(w.t.Context(), name, body)
	if err != nil {
		w.t.Fatal(err)
	}
	var want []wire.CorrectedWord
	corrected, at := slices.Clone(words), 0
	for i, word := range words {
		edits := cmp.Or(body.MaxEdits, map[bool]int{true: 1, false: 2}[len(word) <= 5])
		near, df := w.collections[name].correct(field, word, edits, body.Size)
		if df == 0 && len(near) > 0 {
			corrected[i] = near[0].Term
		}
		if df > 0 && !body.Always {
			near = []wire.Correction{}
		}
		want = append(want, wire.CorrectedWord{Word: word, Start: at, End: at + len(word), DF: df, Suggestions: near})
		at += len(word) + len(", ")
	}
	if !reflect.DeepEqual(got.Words, want) || *got.Corrected != strings.Join(corrected, ", ")+"!" {
		w.t.Fatalf("%s.%s, %+v %q: %q %+v, want %v %+v", name, field, body, text, *got.Corrected, got.Words, corrected, want)
	}
	w.checkWhole(got)
}

// checkWhole holds an answer to what it says of its groups.
func (w *world) checkWhole(r *wire.SuggestResponse) {
	w.t.Helper()
	if !r.Exact || r.Partial || r.Shards.OK != r.Shards.Total || r.Coverage.Documents != 1 || len(r.Coverage.Seq) != r.Shards.Total {
		w.t.Fatalf("%+v", r)
	}
}

// More terms than groups tell at first are asked for until it is proven which are the first; the term of a document that was deleted is gone with the acknowledgement.
func TestCompletionsAreAskedForUntilTheyAreProven(t *testing.T) {
	db := open(t, Options{Groups: 3, Members: 1})
	ctx, c := t.Context(), db.Client()
	if _, err := c.CreateCollection(ctx, "books", json.RawMessage(`{"fields":{"tags":{"type":"keyword"}}}`)); err != nil {
		t.Fatal(err)
	}
	const terms = 4000 // each in one document, so that none stands out
	var lines strings.Builder
	for i := range terms / 20 {
		var tags []string
		for j := range 20 {
			tags = append(tags, fmt.Sprintf("%q", fmt.Sprintf("t%04d", i*20+j)))
		}
		fmt.Fprintf(&lines, "{\"id\":\"d%d\",\"tags\":[%s]}\n", i, strings.Join(tags, ","))
	}
	for i := range 6 { // but one, which is in every group, the last by bytes
		fmt.Fprintf(&lines, "{\"id\":\"e%d\",\"tags\":\"tzz\"}\n", i)
	}
	if r, err := c.Bulk(ctx, "books", []byte(lines.String()), client.WriteOptions{Timeout: time.Minute}); err != nil || !r.OK {
		t.Fatalf("%+v, %v", r, err)
	}
	prefix := "t"
	first := func() []wire.Completion {
		t.Helper()
		got, err := c.Suggest(ctx, "books", &wire.SuggestBody{Field: "tags", Prefix: &prefix, Size: 3, TimeoutMs: 30_000})
		if err != nil || !got.Exact {
			t.Fatalf("%+v, %v", got, err)
		}
		return got.Completions
	}
	if got, want := first(), []wire.Completion{{Term: "tzz", DF: 6}, {Term: "t0000", DF: 1}, {Term: "t0001", DF: 1}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if _, err := c.Delete(ctx, "books", "d0", client.WriteOptions{Timeout: time.Minute}); err != nil {
		t.Fatal(err)
	}
	if got, want := first(), []wire.Completion{{Term: "tzz", DF: 6}, {Term: "t0020", DF: 1}, {Term: "t0021", DF: 1}}; !slices.Equal(got, want) {
		t.Errorf("after a delete: %v, want %v", got, want)
	}
}

// What cannot be answered is refused, through both doors.
func TestSuggestionsThatAreRefused(t *testing.T) {
	s := &stage{t: t, DB: open(t, Options{Groups: 2, Members: 1})}
	ctx, c := t.Context(), s.Client()
	if _, err := c.CreateCollection(ctx, "books", json.RawMessage(`{"fields":{"title":{"type":"text"},"year":{"type":"long"}}}`)); err != nil {
		t.Fatal(err)
	}
	many := make([]string, wire.MaxCorrectedWords+1)
	for i := range many {
		many[i] = fmt.Sprintf("word%d", i)
	}
	for _, r := range []struct {
		body   string
		status int
		code   string
	}{
		{`{"field":"title"}`, 400, "bad_request"}, {`{"field":"absent","prefix":"a"}`, 400, "bad_field"}, {`{"field":"year","prefix":"1"}`, 400, "bad_field"},
		{`{"field":"year","text":"1999"}`, 400, "bad_field"}, {`{"field":"title","prefix":"a","min_seq":{"g7":1}}`, 400, "bad_request"},
		{fmt.Sprintf(`{"field":"title","text":%q}`, strings.Join(many, " ")), 422, "limit_exceeded"},
	} {
		s.expect(refused{"suggest " + r.body, request{op: "read.books.suggest", body: r.body, http: "POST /collections/books/suggest"}, r.status, r.code, "", "", -1})
	}
	prefix := "a"
	if _, err := c.Suggest(ctx, "nowhere", &wire.SuggestBody{Field: "title", Prefix: &prefix}); codeOf(err) != fault.NoCollection {
		t.Errorf("a collection that is not there: %v", err)
	}
	if got, err := c.Suggest(ctx, "books", &wire.SuggestBody{Field: "title", Prefix: &prefix}); err != nil || got.Completions == nil || len(got.Completions) > 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

// A group that is away is told of, or refused.
func TestSuggestionsWithoutAGroup(t *testing.T) {
	db := open(t, Options{Groups: 3, Members: 1})
	ctx, c := t.Context(), db.Client()
	var lines strings.Builder
	for i := range 60 {
		fmt.Fprintf(&lines, "{\"id\":\"d%d\",\"title\":\"apple\"}\n", i)
	}
	if r, err := c.Bulk(ctx, "default", []byte(lines.String()), client.WriteOptions{Timeout: time.Minute}); err != nil || !r.OK {
		t.Fatalf("%+v, %v", r, err)
	}
	member, err := db.running("g1/n1")
	if err != nil {
		t.Fatal(err)
	}
	member.stop()
	prefix, text := "app", "aple"
	for _, body := range []*wire.SuggestBody{{Field: "title", Prefix: &prefix}, {Field: "title", Text: &text}} {
		got, err := c.Suggest(ctx, "default", body)
		if err != nil || !got.Partial || got.Exact || !slices.Equal(got.Shards.FailedGroups, []string{"g1"}) || got.Coverage.Documents >= 1 {
			t.Fatalf("%+v, %v", got, err)
		}
		body.Partial = "fail"
		if got, err := c.Suggest(ctx, "default", body); codeOf(err) != fault.Unavailable {
			t.Errorf("%+v, %v", got, err)
		}
	}
}

// Real misspellings, against a collection that holds the words that were meant: how often these come first, and among five. The figures are logged; what must hold is that a word that
// lies near enough is suggested.
func TestMisspellings(t *testing.T) {
	shared := cmp.Or(os.Getenv("JETSEEK_SHARED"), filepath.Join("..", "..", "shared"))
	for _, list := range []string{"birkbeck", "codespell"} {
		file := filepath.Join(shared, "data", "conformance", "misspell", list+".tsv.gz")
		pairs, err := misspellings(file)
		if err != nil {
			t.Skipf("the list of misspellings is not there: %v", err)
		}
		t.Run(list, func(t *testing.T) { measureMisspellings(t, pairs) })
	}
}

// misspellings reads lines of a misspelling and the word meant, both of letters of ASCII in lower case.
func misspellings(file string) (pairs [][2]string, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	plain := func(s string) bool {
		return s != "" && strings.IndexFunc(s, func(r rune) bool { return r < 'a' || r > 'z' }) < 0
	}
	lines := bufio.NewScanner(z)
	for lines.Scan() {
		wrong, right, ok := strings.Cut(strings.ToLower(lines.Text()), "\t")
		if ok && plain(wrong) && plain(right) && wrong != right {
			pairs = append(pairs, [2]string{wrong, right})
		}
	}
	return pairs, lines.Err()
}

func measureMisspellings(t *testing.T, pairs [][2]string) {
	db := open(t, Options{Groups: 2, Members: 1})
	ctx, c := t.Context(), db.Client()
	if _, err := c.CreateCollection(ctx, "words", json.RawMessage(`{"fields":{"text":{"type":"text"}}}`)); err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	var words []string
	for _, p := range pairs {
		if !known[p[1]] {
			known[p[1]] = true
			words = append(words, p[1])
		}
	}
	var lines strings.Builder
	for i := 0; i < len(words); i += 50 {
		fmt.Fprintf(&lines, "{\"id\":\"%d\",\"text\":%q}\n", i, strings.Join(words[i:min(i+50, len(words))], " "))
	}
	if r, err := c.Bulk(ctx, "words", []byte(lines.String()), client.WriteOptions{Timeout: time.Minute}); err != nil || !r.OK {
		t.Fatalf("%+v, %v", r, err)
	}
	var sample [][2]string
	for i := 0; i < len(pairs); i += max(1, len(pairs)/640) {
		if p := pairs[i]; !known[p[0]] { // a word itself is no error that can be seen
			sample = append(sample, p)
		}
	}
	near, first, five := 0, 0, 0
	for from := 0; from < len(sample); from += wire.MaxCorrectedWords {
		batch := sample[from:min(from+wire.MaxCorrectedWords, len(sample))]
		var text []string
		for _, p := range batch {
			text = append(text, p[0])
		}
		joined := strings.Join(text, " ")
		got, err := c.Suggest(ctx, "words", &wire.SuggestBody{Field: "text", Text: &joined, Size: 1000, MaxEdits: 2, TimeoutMs: 30_000})
		if codeOf(err) == fault.LimitExceeded {
			got, err = c.Suggest(ctx, "words", &wire.SuggestBody{Field: "text", Text: &joined, Size: 5, MaxEdits: 2, TimeoutMs: 30_000})
		}
		if err != nil || len(got.Words) != len(batch) {
			t.Fatalf("%q: %+v, %v", joined, got, err)
		}
		for i, p := range batch {
			if alignment(p[0], p[1]) > 2 {
				continue
			}
			near++
			at := slices.IndexFunc(got.Words[i].Suggestions, func(s wire.Correction) bool { return s.Term == p[1] })
			if at == 0 {
				first++
			}
			if at >= 0 && at < 5 {
				five++
			}
			if at < 0 && len(got.Words[i].Suggestions) > 5 {
				t.Errorf("%s is not among those near %s: %v", p[1], p[0], got.Words[i].Suggestions)
			}
		}
	}
	share := func(n int) float64 { return math.Round(1000*float64(n)/float64(near)) / 10 }
	t.Logf("%d words, %d misspellings, %d of them at most 2 edits away: first %.1f %%, among five %.1f %%", len(words), len(sample), near, share(first), share(five))
}
