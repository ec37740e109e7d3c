package search_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/internal/search"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/schema"
)

// asker makes random queries with weights that need not have to do with the corpus.
type asker struct {
	r       *rand.Rand
	words   int
	weights []bm25.Weight
}

// leaf gives the number of a new scoring leaf, whose weight is now and then extreme.
func (a *asker) leaf() int {
	w := bm25.Weight{W: a.r.Float64() * 8, C0: 0.3, C1: a.r.Float64() / 5}
	switch a.r.IntN(12) {
	case 0:
		w = bm25.Weight{W: float64(a.r.IntN(2)) * bm25.MaxWeight / 64, C0: 0.3}
	case 1:
		w = bm25.Weight{W: 1e-9, C0: 0.3, C1: 1e6}
	case 2:
		w = bm25.Weight{W: 1}
	}
	a.weights = append(a.weights, w)
	return len(a.weights) - 1
}

// word is mostly one of the frequent ones, now and then one that is nowhere.
func (a *asker) word() string {
	if a.r.IntN(20) == 0 {
		return "nowhere"
	}
	return fmt.Sprint("w", a.r.IntN(1+a.r.IntN(a.words)))
}

func (a *asker) term() query.Node {
	return &query.TextTerm{Field: "body", Term: a.word(), Leaf: a.leaf()}
}

func (a *asker) terms(n int) []query.Node {
	var nodes []query.Node
	for range n {
		nodes = append(nodes, a.term())
	}
	return nodes
}

// filter makes a clause that does not score.
func (a *asker) filter() query.Node {
	switch a.r.IntN(10) {
	case 8:
		return a.pattern()
	case 0:
		return a.tags(1)
	case 1:
		lo := int64(a.r.IntN(150))
		return &query.LongRange{Field: "year", Lo: lo, Hi: lo + int64(a.r.IntN(60)), Boost: 1}
	case 2:
		return &query.Bool{Must: []query.Node{a.unscored()}, MustNot: []query.Node{a.tags(1)}}
	case 3:
		return a.tags(2 + a.r.IntN(3))
	case 4:
		return a.tags(20) // as many as are gathered; most of them are nowhere
	case 5:
		return &query.Bool{Should: []query.Node{a.unscored(), a.tags(1), &query.Bool{MustNot: []query.Node{a.tags(3)}}}, MinShould: 1 + a.r.IntN(2)}
	case 6:
		return &query.ConstantScore{Child: &query.TextPhrase{Field: "body", Terms: []string{"w0", "w1"}, Offsets: []int{0, 1}, Leaf: -1}, Boost: 1}
	}
	return a.unscored()
}

func (a *asker) unscored() query.Node {
	return &query.TextTerm{Field: "body", Term: a.word(), Leaf: -1}
}

// tags makes a set of n tags of 40, of which documents have ten.
func (a *asker) tags(n int) query.Node {
	values := []string{"3"}
	for len(values) < n {
		values = append(values, fmt.Sprint(a.r.IntN(40)))
		slices.Sort(values)
		values = slices.Compact(values)
	}
	if n == 1 {
		values[0] = fmt.Sprint(a.r.IntN(10))
	}
	return &query.KeywordSet{Field: "tag", Values: values, Boost: 1}
}

func (a *asker) filters(some int) []query.Node {
	var nodes []query.Node
	for range max(a.r.IntN(some)-some+3, 0) {
		nodes = append(nodes, a.filter())
	}
	return nodes
}

func (a *asker) query() query.Node {
	switch a.r.IntN(10) {
	case 8:
		return a.pattern()
	case 9:
		return &query.Bool{Should: append(a.terms(1+a.r.IntN(3)), a.pattern()), MinShould: a.r.IntN(2), MustNot: []query.Node{a.pattern()}, Filter: a.filters(4)}
	case 0:
		return a.term()
	case 1, 2:
		return &query.Bool{Should: a.terms(1 + a.r.IntN(6)), MinShould: 1}
	case 3:
		return &query.Bool{Must: a.terms(1 + a.r.IntN(4))}
	case 4:
		p := &query.TextPhrase{Field: "body", Leaf: a.leaf()}
		for i := range 1 + a.r.IntN(3) {
			p.Terms, p.Offsets = append(p.Terms, fmt.Sprint("w", a.r.IntN(6))), append(p.Offsets, i)
		}
		if a.r.IntN(3) == 0 {
			p.Terms[0] = a.word()
		}
		switch a.r.IntN(4) {
		case 0:
			return &query.Bool{Must: []query.Node{p}, Filter: a.filters(4), MustNot: a.filters(4)}
		case 1:
			return &query.Bool{Should: []query.Node{p}, MinShould: 1, Filter: a.filters(4)}
		}
		return p
	case 5:
		return &query.Bool{Must: a.terms(1 + a.r.IntN(3)), Should: a.terms(a.r.IntN(3)), Filter: a.filters(4), MustNot: a.filters(4)}
	case 6:
		return &query.Bool{Should: append(a.terms(a.r.IntN(4)), &query.Bool{Should: a.terms(1 + a.r.IntN(3)), MinShould: 1}), MinShould: 1, Filter: a.filters(4), MustNot: a.filters(4)}
	}
	return &query.Bool{Must: []query.Node{&query.Bool{Should: a.terms(3), MinShould: 1 + a.r.IntN(2)}}, Should: a.terms(a.r.IntN(3)), MinShould: 0}
}

// TestSearchIsBruteForce compares searches of all kinds with an evaluation of every document: ids, scores and totals are the same to the bit, whatever is left out,
// however documents lie in segments, and with statistics that are not the corpus'.
func TestSearchIsBruteForce(t *testing.T) {
	queries := 100
	if testing.Short() || raceDetector {
		queries = 30
	}
	for seed, shape := range []struct {
		docs, segments, words int
		dead                  float64
	}{{30, 1, 5, 0}, {13000, 1, 30, 0}, {13000, 1, 400, 0.3}, {13000, 20, 30, 0.05}, {9000, 3, 3, 0.05}} {
		t.Run(fmt.Sprintf("%+v", shape), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(uint64(seed), 1))
			c := newCorpus(r, shape.docs, shape.segments, shape.words, shape.dead)
			var scratch search.Scratch
			for n := range queries {
				a := &asker{r: r, words: shape.words}
				request := search.Request{Query: a.query(), Filters: a.filters(5), Limit: []int{0, 1, 10, 100, 1000}[r.IntN(5)], Scratch: &scratch}
				request.CountTo = []uint64{0, 0, 1, 50, 3000}[r.IntN(5)]
				request.Weights = a.weights
				switch r.IntN(12) {
				case 0:
					request.Sort = []query.SortKey{{By: query.ByField, Field: "year", Type: schema.Long, Desc: r.IntN(2) == 0}}
					request.Score = true
				case 1:
					request.Sort = []query.SortKey{{By: query.ByScore, Desc: r.IntN(2) == 0}, {By: query.ByID, Desc: true}}
				}
				check(t, c, &request, fmt.Sprintf("query %d: %s, filters %s, limit %d, count to %d", n, describe(request.Query), describe(&query.Bool{Filter: request.Filters}), request.Limit, request.CountTo))
			}
		})
	}
}

func check(t *testing.T, c *corpus, r *search.Request, what string) {
	t.Helper()
	got, err := search.Run(context.Background(), c.views, r)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	total, want := c.find(r)
	switch {
	case !got.Inexact && got.Total != total, got.Inexact && (r.CountTo == 0 || got.Total <= r.CountTo || got.Total > total):
		t.Fatalf("%s: total %d, inexact %v, want %d", what, got.Total, got.Inexact, total)
	case !slices.EqualFunc(got.Candidates, want, same):
		for i := range want {
			if i == len(got.Candidates) || !same(got.Candidates[i], want[i]) {
				t.Fatalf("%s: of %d candidates (want %d) number %d differs from %v: %v", what, len(got.Candidates), len(want), i, want[i], got.Candidates[i:min(i+1, len(got.Candidates))])
			}
		}
		t.Fatalf("%s: %d candidates, want %d", what, len(got.Candidates), len(want))
	}
	checkProfile(t, c.views, r, &got, what)
}

func same(a, b query.Candidate) bool {
	return a.ID == b.ID && a.Score == b.Score && slices.Equal(a.Keys, b.Keys)
}
