package search_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/jetseek/jetseek/engine/internal/search"
	"github.com/jetseek/jetseek/engine/query"
)

// TestGuessedFloorsAreBruteForce: floors guessed for long lists, alone and together, leave out nothing, whatever is filtered.
func TestGuessedFloorsAreBruteForce(t *testing.T) {
	queries := 150
	if testing.Short() || raceDetector {
		queries = 30
	}
	for seed, shape := range []struct {
		segments, words int
		dead            float64
	}{{1, 3, 0}, {1, 60, 0.3}, {4, 12, 0.05}} {
		t.Run(fmt.Sprintf("%+v", shape), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(uint64(seed), 17))
			c := newCorpus(r, 16000, shape.segments, shape.words, shape.dead)
			for n := range queries {
				a := &asker{r: r, words: shape.words}
				request := search.Request{Query: a.term(), Limit: []int{1, 10, 100, 300}[r.IntN(4)], CountTo: uint64(r.IntN(3)), Filters: a.filters(8)}
				if r.IntN(3) == 0 {
					request.Query = &query.Bool{Should: a.terms(2 + r.IntN(3)), MinShould: 1}
				}
				request.Weights = a.weights
				check(t, c, &request, fmt.Sprintf("query %d: %s, filters %s, limit %d", n, describe(request.Query), describe(&query.Bool{Filter: request.Filters}), request.Limit))
			}
		})
	}
}

// TestGuessThatIsTooHigh: where the best documents are deleted, or all have another tag than those that are asked for, fewer than expected reach the floor guessed.
func TestGuessThatIsTooHigh(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	c := &corpus{}
	for i := range 12000 {
		d := document{id: fmt.Sprintf("%05d", i*7919%12000), tag: fmt.Sprint(1 + r.IntN(2)), words: slices.Repeat([]string{"other"}, 1+r.IntN(9))}
		d.words = append(d.words, "word")
		if i%4 == 0 {
			d.words = append(d.words, slices.Repeat([]string{"word"}, 5+r.IntN(20))...)
			d.tag, d.dead = fmt.Sprint(2+i/4%2), i%8 != 0
		}
		c.docs = append(c.docs, d)
	}
	c.views = append(c.views, view(c.docs[:9000]), view(c.docs[9000:]))
	for _, limit := range []int{1, 10, 100} {
		for _, tag := range []string{"1", "2", "3"} {
			for _, word := range []string{"word", "other"} {
				a := &asker{r: r}
				request := search.Request{Query: &query.TextTerm{Field: "body", Term: word, Leaf: a.leaf()}, Limit: limit, CountTo: uint64(r.IntN(2))}
				request.Filters = []query.Node{&query.KeywordSet{Field: "tag", Values: []string{tag}, Boost: 1}}
				if limit == 10 {
					request.Filters = nil
					request.Query = &query.Bool{Should: []query.Node{request.Query, &query.TextTerm{Field: "body", Term: "word", Leaf: a.leaf()}}, MinShould: 1}
				}
				request.Weights = a.weights
				check(t, c, &request, fmt.Sprintf("%s among %s, limit %d", word, tag, limit))
			}
		}
	}
}
