package search_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/internal/search"
	"github.com/jetseek/jetseek/engine/query"
)

// TestAllocationsDoNotGrowWithPostings counts what searches allocate once their memory is there: it is for the answer, whatever the lists and filters hold.
func TestAllocationsDoNotGrowWithPostings(t *testing.T) {
	var few, many = newCorpus(rand.New(rand.NewPCG(1, 1)), 1000, 3, 30, 0.05), newCorpus(rand.New(rand.NewPCG(1, 1)), 20000, 3, 30, 0.05)
	term := func(word string, leaf int) query.Node { return &query.TextTerm{Field: "body", Term: word, Leaf: leaf} }
	three := []query.Node{term("w0", 0), term("w1", 1), term("w2", 2)}
	weights := []bm25.Weight{{W: 1, C0: 0.3, C1: 0.1}, {W: 2, C0: 0.3, C1: 0.1}, {W: 3, C0: 0.3, C1: 0.1}}
	tags := func(values ...string) query.Node { return &query.KeywordSet{Field: "tag", Values: values} }
	filtered := func(filter ...query.Node) query.Node { return &query.Bool{Should: three, MinShould: 1, Filter: filter} }
	for name, n := range map[string]query.Node{
		"or":         &query.Bool{Should: three, MinShould: 1},
		"and":        &query.Bool{Must: three},
		"phrase":     &query.TextPhrase{Field: "body", Terms: []string{"w0", "w1"}, Offsets: []int{0, 1}},
		"by a value": filtered(tags("3")),
		"by values":  filtered(tags("3", "5", "7")),
		"by many":    filtered(tags("0", "1", "10", "11", "12", "13", "14", "15", "16", "17", "18", "19", "2", "20", "21", "22", "23")),
		"by a range": filtered(&query.LongRange{Field: "year", Lo: 5, Hi: 150}),
		"by a word":  filtered(term("w3", -1)),
		"without":    &query.Bool{Must: three[:1], MustNot: []query.Node{tags("3"), term("w3", -1)}},
		"by bool":    filtered(&query.Bool{Should: []query.Node{tags("3"), term("w3", -1)}, MinShould: 1, MustNot: []query.Node{tags("5")}}),
		"by ids":     filtered(&query.IDs{Values: []string{"000001", "000002"}}),
		"only":       &query.Bool{Filter: []query.Node{tags("3"), &query.LongRange{Field: "year", Lo: 5, Hi: 150}}},
	} {
		for _, countTo := range []uint64{0, 1} {
			r := &search.Request{Query: n, Weights: weights, Limit: 10, CountTo: countTo, Scratch: &search.Scratch{}}
			allocations := func(c *corpus) float64 {
				return testing.AllocsPerRun(5, func() {
					if _, err := search.Run(context.Background(), c.views, r); err != nil {
						t.Error(err)
					}
				})
			}
			// A pool may lose its memory to the collector, which -race also makes it do: so the least of some tries counts.
			small, large := allocations(few), allocations(many)
			for range 5 {
				small, large = min(small, allocations(few)), min(large, allocations(many))
			}
			if !raceDetector && (large > 50 || large > small+5) {
				t.Errorf("%s, count to %d: %v allocations over 1000 documents, %v over 20000", name, countTo, small, large)
			}
		}
	}
}

// TestSearchEndsWithItsContext: a context that has ended ends a search before it has done a millisecond's work.
func TestSearchEndsWithItsContext(t *testing.T) {
	c := newCorpus(rand.New(rand.NewPCG(2, 2)), 20000, 1, 30, 0)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r := &search.Request{Query: &query.Bool{Should: []query.Node{&query.TextTerm{Field: "body", Term: "w0"}}, MinShould: 1}, Weights: []bm25.Weight{{W: 1}}, Limit: 10}
	if _, err := search.Run(ctx, c.views, r); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v, want the context's", err)
	}
}
