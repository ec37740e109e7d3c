package search_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/internal/search"
	"github.com/jetseek/jetseek/engine/query"
)

// What scores too little is no match: of any query, alone or in others, with scores wanted or not.
func TestLeastScoresAreBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 7))
	c := newCorpus(r, 2500, 3, 12, 0.1)
	weights := []bm25.Weight{{W: 2, C0: 0.3, C1: 0.1}, {W: 1, C0: 0.3, C1: 0.1}}
	some := 0
	for range 120 {
		var either query.Node = &query.Bool{MinShould: 1, Should: []query.Node{
			&query.TextTerm{Field: "body", Term: "w1", Leaf: 0}, &query.TextTerm{Field: "body", Term: "w2", Leaf: 1}}}
		if r.IntN(3) == 0 {
			either = &query.Bool{Must: []query.Node{either}, Filter: []query.Node{&query.LongRange{Field: "year", Lo: 3, Hi: 20}}}
		}
		least := r.Float64() * 3
		request := search.Request{Query: &query.AtLeast{Child: either, Score: least}, Weights: weights, Limit: r.IntN(3) * 50, Score: r.IntN(2) == 0}
		if r.IntN(2) == 0 {
			request.Sort = []query.SortKey{{By: query.ByID}}
		}
		if r.IntN(3) == 0 {
			request.Filters = []query.Node{&query.KeywordSet{Field: "tag", Values: []string{"1", "2", "3"}}}
		}
		want := map[string]int64{}
		for i := range c.docs {
			d := &c.docs[i]
			matches, score := d.match(either, weights)
			if matches && !d.dead && bm25.Shown(score) >= least && (request.Filters == nil || slices.Contains([]string{"1", "2", "3"}, d.tag)) {
				want[d.id] = score
			}
		}
		got, err := search.Run(t.Context(), c.views, &request)
		if err != nil || got.Total != uint64(len(want)) || len(got.Candidates) != min(len(want), request.Limit) {
			t.Fatalf("%d of %d, want %d, %v", len(got.Candidates), got.Total, len(want), err)
		}
		for _, found := range got.Candidates {
			if score, ok := want[found.ID]; !ok || found.Score != score && (request.Score || request.Sort == nil) {
				t.Fatalf("%+v, want %d, %t", found, score, ok)
			}
		}
		checkProfile(t, c.views, &request, &got, describe(either))
		some += len(want)
	}
	if some < 1000 {
		t.Errorf("%d matches prove little", some)
	}
}
