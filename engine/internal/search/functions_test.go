package search_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/internal/docset"
	"github.com/jetseek/jetseek/engine/internal/search"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/query/factor"
	"github.com/jetseek/jetseek/engine/schema"
)

// A document without a score makes a search fail if and only if it is visible and matches all of the query: whatever the segments are, which clause leads, and whether anybody wants
// scores. What has no score is never below a least score.
func TestWhatHasNoScoreFailsInAnySegments(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 9))
	c := newCorpus(r, 3000, 1, 12, 0.2)
	cut := corpus{docs: c.docs}
	for from := 0; from < len(c.docs); from += 700 {
		cut.views = append(cut.views, view(c.docs[from:min(from+700, len(c.docs))]))
	}
	weights := []bm25.Weight{{W: 2, C0: 0.3, C1: 0.1}, {W: 1, C0: 0.3, C1: 0.1}}
	failed := 0
	for range 150 {
		bad := int64(r.IntN(34))
		least := r.Float64() * 3
		// The documents of one year lack a value; those of other years score a tenth of their year.
		scored := &query.Functions{Child: &query.TextTerm{Field: "body", Term: "w1", Leaf: 0}, MaxBoost: math.MaxFloat64, Limit: query.MaxScore, List: []query.Function{
			{Filter: &query.LongRange{Field: "year", Lo: bad, Hi: bad}, Weight: 1, Of: &query.ValueOf{Field: "nowhere", Type: schema.Double, Factor: 1}},
			{Weight: 0.1, Of: &query.ValueOf{Field: "year", Type: schema.Long, Factor: 1}},
		}}
		other := &query.TextTerm{Field: "body", Term: []string{"w2", "w6", "w11"}[r.IntN(3)], Leaf: 1}
		request := search.Request{Weights: weights, Limit: r.IntN(3) * 50, Score: r.IntN(2) == 0}
		judges := r.IntN(3) > 0
		var clause query.Node = scored
		if judges {
			clause = &query.AtLeast{Child: scored, Score: least}
		}
		request.Query = &query.Bool{Must: []query.Node{other, clause}}
		if r.IntN(2) == 0 {
			request.Sort = []query.SortKey{{By: query.ByID}}
		}
		asked := judges || request.Limit > 0 && (request.Score || request.Sort == nil)
		fails := false
		want := map[string]int64{}
		for i := range c.docs {
			d := &c.docs[i]
			ok, own := d.match(scored.Child, weights)
			ok2, more := d.match(other, weights)
			switch by := bm25.Shown(own) * float64(0.1*float64(d.year)); {
			case d.dead || !ok || !ok2:
			case d.year == bad:
				fails = true
				want[d.id] = 0
			case !judges || by >= least:
				want[d.id] = bm25.Units(by) + more
			}
		}
		for _, views := range [][]search.View{c.views, cut.views} {
			got, err := search.Run(t.Context(), views, &request)
			if fails && asked {
				failed++
				if fault.CodeOf(err) != fault.BadQuery || err.Error() != query.ErrNoScore().Error() {
					t.Fatalf("%v, want the error of what has no score", err)
				}
				continue
			}
			if err != nil || got.Total != uint64(len(want)) {
				t.Fatalf("%d, want %d, %v", got.Total, len(want), err)
			}
			checkProfile(t, views, &request, &got, describe(request.Query))
			for _, found := range got.Candidates {
				if score, ok := want[found.ID]; !ok || asked && (request.Score || request.Sort == nil) && found.Score != score {
					t.Fatalf("%+v, want %d, %t", found, score, ok)
				}
			}
		}
		for _, views := range [][]search.View{c.views, cut.views} {
			sets, err := search.Matches(t.Context(), views, request.Query, nil, weights, nil)
			if fails && judges {
				if fault.CodeOf(err) != fault.BadQuery {
					t.Fatalf("matches: %v", err)
				}
				continue
			}
			if found := documentsOf(views, sets); err != nil || len(found) != len(want) || slices.ContainsFunc(found, func(id string) bool { _, ok := want[id]; return !ok }) {
				t.Fatalf("%d matches, want %d, %v", len(found), len(want), err)
			}
		}
	}
	if failed < 20 || failed > 250 {
		t.Errorf("%d failures prove little", failed)
	}
}

func documentsOf(views []search.View, sets []docset.Set) (ids []string) {
	for i, v := range views {
		for doc := range uint32(v.Segment.Docs()) {
			if sets[i].Has(doc) {
				ids = append(ids, string(v.Segment.ID(doc)))
			}
		}
	}
	return ids
}

// Scores beyond what a boost may give are summed as integers, and are an error beyond their limit.
func TestGreatScores(t *testing.T) {
	c := newCorpus(rand.New(rand.NewPCG(1, 9)), 50, 2, 3, 0)
	constant := func(weight, limit float64) query.Node {
		return &query.Functions{Child: &query.MatchAll{Boost: 1}, Mode: factor.Sum, MaxBoost: math.MaxFloat64, Limit: limit, List: []query.Function{{Weight: weight}}}
	}
	r := &search.Request{Query: &query.Bool{Should: []query.Node{constant(300_000_000.25, 1<<29), constant(1<<29, 1<<29)}, MinShould: 1}, Limit: 3}
	got, err := search.Run(t.Context(), c.views, r)
	if want := int64(300_000_000)<<32 + 1<<30 + 1<<61; err != nil || got.Candidates[0].Score != want {
		t.Errorf("%+v, want a score of %d, %v", got, want, err)
	}
	r.Query = &query.Bool{Should: []query.Node{constant(1<<29+1, 1<<29)}, MinShould: 1}
	if _, err := search.Run(t.Context(), c.views, r); fault.CodeOf(err) != fault.BadQuery {
		t.Errorf("beyond the limit: %v", err)
	}
}
