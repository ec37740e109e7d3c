package embedded

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/jetseek/jetseek/coordinator/client"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects/wire"
)

// refLike finds documents like another: by the words of its texts whose occurrences times idf are most, a third of which (30 %, rounded down) must be there.
type refLike struct {
	of       *refDoc
	fields   []string
	maxTerms int
	minFreq  int
	minDF    uint64
	boost    float64
	include  bool
}

func (q refLike) String() string {
	options := ""
	if !slices.Equal(q.fields, defaultFields) {
		options += fmt.Sprintf(`,"fields":["%s"]`, strings.Join(q.fields, `","`))
	}
	if q.include {
		options += `,"include":true`
	}
	return fmt.Sprintf(`{"like":{"id":%q,"max_terms":%d,"min_term_freq":%d,"min_doc_freq":%d,"boost":%g%s}}`, q.of.id, q.maxTerms, q.minFreq, q.minDF, q.boost, options)
}

// words gives the chosen words, each as a query for it.
func (q refLike) words(s refStats) []refQuery {
	type word struct {
		field, term string
		weight      float64
	}
	var words []word
	for _, field := range q.fields {
		for _, term := range distinct(q.of.text[field]) {
			tf := 0
			for _, token := range q.of.text[field] {
				if token == term {
					tf++
				}
			}
			if tf >= q.minFreq && s.df[field+"\x00"+term] >= q.minDF {
				words = append(words, word{field, term, float64(tf) * s.idf(field, term)})
			}
		}
	}
	slices.SortFunc(words, func(a, b word) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), strings.Compare(a.field, b.field), strings.Compare(a.term, b.term))
	})
	var queries []refQuery
	for _, w := range words[:min(len(words), q.maxTerms)] {
		queries = append(queries, refWord{field: w.field, terms: []string{w.term}, boost: 1})
	}
	return queries
}

func (q refLike) eval(s refStats, d *refDoc, boost float64) (bool, int64) {
	words := q.words(s)
	hits, sum := 0, int64(0)
	for _, w := range words {
		if ok, score := w.eval(s, d, boost*q.boost); ok {
			hits++
			sum += score
		}
	}
	ok := hits >= max(1, len(words)*30/100) && (q.include || d.id != q.of.id)
	return ok, pick(ok, sum)
}

// Documents like another are those that brute force finds, with its scores, in clusters of every shape: what words are chosen depends on the whole collection.
func TestLike(t *testing.T) {
	for _, shape := range []struct{ groups, members int }{{1, 1}, {3, 2}, {5, 1}} {
		t.Run(fmt.Sprintf("%dx%d", shape.groups, shape.members), func(t *testing.T) {
			db := open(t, Options{Groups: shape.groups, Members: shape.members})
			w := &world{t: t, rng: rand.New(rand.NewPCG(uint64(shape.groups), 6)), client: db.Client(), collections: map[string]refCollection{"books": {}, "other": {}}, vocabulary: 60}
			w.run(2, 0)
			books := w.collections["books"]
			ids := make([]string, 0, len(books))
			for id := range books {
				ids = append(ids, id)
			}
			slices.Sort(ids)
			found := 0
			for range 60 {
				q := refLike{of: books[ids[w.rng.IntN(len(ids))]], fields: defaultFields, maxTerms: 1 + w.rng.IntN(12), minFreq: 1 + w.rng.IntN(2), minDF: uint64(w.rng.IntN(4)), boost: 1, include: w.rng.IntN(3) == 0}
				if w.rng.IntN(3) == 0 {
					q.fields, q.boost = []string{"body"}, 2.5
				}
				body := wire.NewSearch("")
				body.Query, body.TimeoutMs, body.TrackTotal = json.RawMessage(q.String()), 30_000, wire.TrackExact
				asFilter := w.rng.IntN(4) == 0
				if asFilter {
					body.Query, body.Filters = nil, []json.RawMessage{body.Query}
				}
				got, err := w.client.Search(t.Context(), "books", body)
				if err != nil {
					t.Fatalf("%s: %v", q, err)
				}
				hits, total := books.search(q, nil, nil, 0, 10)
				if asFilter {
					hits, total = books.search(refAll{}, []refQuery{q}, nil, 0, 10)
				}
				if difference := differ(got, hits, total, true); difference != "" {
					t.Fatalf("%s: %s", q, difference)
				}
				found += len(hits)
				if len(hits) == 0 || asFilter {
					continue
				}
				explained, err := w.client.Explain(t.Context(), "books", &wire.ExplainBody{Query: body.Query, ID: hits[0].id})
				if err != nil || explained.Score != *got.Hits[0].Score {
					t.Fatalf("%s explained: %+v, %v", q, explained, err)
				}
			}
			if found < 100 {
				t.Errorf("%d hits in all: the test does not test much", found)
			}
		})
	}
}

// A document that several queries are like is read once: four times this one would be more than a reply may have.
func TestLikeOfOneDocumentManyTimes(t *testing.T) {
	s := setStage(t, 2, 1)
	if _, err := s.Client().CreateCollection(t.Context(), "c", json.RawMessage(`{"fields":{"t":{"type":"text"}},"dynamic":false}`)); err != nil {
		t.Fatal(err)
	}
	big := fmt.Sprintf(`{"id":"big","t":"one two","rest":%q}`, strings.Repeat("x", 9<<20))
	for _, doc := range []string{big, `{"id":"a","t":"one"}`, `{"id":"b","t":"three"}`} {
		if _, err := s.Client().Index(t.Context(), "c", json.RawMessage(doc), client.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	body := wire.NewSearch("")
	body.Query = json.RawMessage(`{"bool":{"should":[` + strings.Repeat(`{"like":{"id":"big"}},`, 3) + `{"like":{"id":"big"}}]}}`)
	body.TimeoutMs = 30_000
	found, err := s.Client().Search(t.Context(), "c", body)
	if err != nil || len(found.Hits) != 1 || found.Hits[0].ID != "a" {
		t.Errorf("%+v, %v, want a", found, err)
	}
}

// What cannot be liked is refused, and says so.
func TestLikeRefused(t *testing.T) {
	s := setStage(t, 2, 1)
	if _, err := s.Client().CreateCollection(t.Context(), "c", json.RawMessage(`{"fields":{"t":{"type":"text"},"k":{"type":"keyword"}}}`)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		query string
		code  fault.Code
	}{
		{`{"like":{"id":"nobody"}}`, fault.NotFound},
		{`{"like":{}}`, fault.BadQuery},
		{`{"like":{"id":1.5}}`, fault.BadQuery},
		{`{"like":{"id":""}}`, fault.BadQuery},
		{`{"like":{"id":"` + strings.Repeat("a", 1025) + `"}}`, fault.BadQuery},
		{`{"like":{"id":"` + strings.Repeat("a", 1024) + `"}}`, fault.NotFound},
		{`{"like":{"id":"a","fields":["k"]}}`, fault.BadField},
		{`{"like":{"id":"a","max_terms":257}}`, fault.LimitExceeded},
		{`{"like":{"id":"a","texts":1}}`, fault.BadQuery},
		{`{"bool":{"should":[` + strings.Repeat(`{"like":{"id":"a"}},`, 16) + `{"like":{"id":"a"}}]}}`, fault.LimitExceeded},
	} {
		body := wire.NewSearch("")
		body.Query = json.RawMessage(c.query)
		if _, err := s.Client().Search(t.Context(), "c", body); fault.CodeOf(err) != c.code {
			t.Errorf("%.80s: %v, want %s", c.query, err, c.code)
		}
	}
}
