package search_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/jetseek/jetseek/engine/internal/search"
	"github.com/jetseek/jetseek/engine/query"
)

// child makes a clause whose score is itself made of several, of words that are in all segments, some or none.
func (a *asker) child() query.Node {
	switch a.r.IntN(4) {
	case 0:
		return a.term()
	case 1:
		return &query.Bool{Must: a.terms(2), Should: a.terms(a.r.IntN(2))}
	case 2:
		return &query.DisMax{Children: a.terms(2), Tie: float64(a.r.IntN(2)) / 2}
	}
	return &query.Bool{Should: a.terms(2 + a.r.IntN(2)), MinShould: 1 + a.r.IntN(2)}
}

// The best of some clauses is theirs in every segment, also where only one of them has its words: what a document scores does not depend on what lies beside it.
func TestTheBestOfClausesIsBruteForce(t *testing.T) {
	for seed, shape := range []struct{ docs, segments, words int }{{40, 1, 40}, {900, 60, 60}, {3000, 3, 300}} {
		r := rand.New(rand.NewPCG(uint64(seed), 9))
		c := newCorpus(r, shape.docs, shape.segments, shape.words, 0.1)
		for n := range 120 {
			a := &asker{r: r, words: shape.words}
			best := &query.DisMax{Tie: []float64{0, 0, 0.3, 1}[r.IntN(4)]}
			for range 1 + r.IntN(3) {
				best.Children = append(best.Children, a.child())
			}
			request := search.Request{Query: best, Limit: []int{1, 10, 1000}[r.IntN(3)]}
			if r.IntN(3) == 0 {
				request.Query = &query.Bool{Must: []query.Node{best}, Should: a.terms(1)}
			}
			request.Weights = a.weights
			check(t, c, &request, fmt.Sprintf("%+v, query %d: %s, limit %d", shape, n, describe(request.Query), request.Limit))
		}
	}
}
