package search_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/jetseek/jetseek/engine/internal/docset"
	"github.com/jetseek/jetseek/engine/internal/search"
	"github.com/jetseek/jetseek/engine/internal/segment"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/schema"
)

// keyed is a document with values to sort by; alive ones count.
type keyed struct {
	id      string
	longs   []int64
	doubles []float64
	words   []string
	alive   bool
}

// TestSortsAreBruteForce compares searches sorted by fields with a sort of all documents: several values, none, equal and extreme ones, over segments
// some of which have no such field.
func TestSortsAreBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 10))
	longs := []int64{math.MinInt64, -5, 0, 5, math.MaxInt64}
	doubles := []float64{-math.MaxFloat64, -0.5, math.Copysign(0, -1), 0, 0.5, math.MaxFloat64}
	for round := range 6 {
		var docs []keyed
		var views []search.View
		for segments := range 1 + r.IntN(4) {
			n := 1 + r.IntN(6000)
			var b segment.Builder
			b.Reset(1)
			visible := docset.New(n)
			empty := segments > 0 && r.IntN(3) == 0
			for i := range n {
				d := keyed{id: fmt.Sprintf("%05d-%d", r.IntN(100_000), len(docs)), alive: r.IntN(20) > 0}
				for range (r.IntN(3)) * r.IntN(2+round%2) {
					if empty {
						break
					}
					long := longs[r.IntN(len(longs))]
					if round%3 > 0 {
						long = int64(i*(round%3*2-3)) + r.Int64N(50) // falling or growing
					}
					d.longs = append(d.longs, long)
					d.doubles = append(d.doubles, doubles[r.IntN(len(doubles))])
					d.words = append(d.words, fmt.Sprintf("%03d", (i/40+r.IntN(3)+segments)%200))
				}
				b.Add(d.id, segment.HashID(d.id), segment.State{Version: 1}, nil)
				if len(d.longs) > 0 {
					b.Ints("n", slices.Clone(d.longs))
					b.Floats("x", slices.Clone(d.doubles))
					d.words = slices.Compact(slices.Sorted(slices.Values(d.words)))
					b.Exact("k", slices.Clone(d.words))
				}
				if d.alive {
					visible.Add(uint32(i))
				}
				docs = append(docs, d)
			}
			s, _, err := b.Cut(0, b.Docs())
			if err != nil {
				t.Fatal(err)
			}
			views = append(views, search.View{Segment: s, Visible: visible, Docs: visible.Count()})
		}
		for range 60 {
			request := search.Request{Query: &query.MatchAll{Boost: 1}, Limit: []int{1, 10, 300}[r.IntN(3)], CountTo: []uint64{0, 1, 700}[r.IntN(3)], Score: r.IntN(2) == 0}
			for range r.IntN(3) {
				request.Filters = append(request.Filters, sortFilter(r, longs))
			}
			for range 1 + r.IntN(2) {
				key := query.SortKey{By: query.ByField, Field: []string{"n", "x", "k"}[r.IntN(3)], Desc: r.IntN(2) == 0, MissingFirst: r.IntN(2) == 0}
				key.Type = map[string]schema.Type{"n": schema.Long, "x": schema.Double, "k": schema.Keyword}[key.Field]
				request.Sort = append(request.Sort, key)
			}
			checkSort(t, docs, views, &request)
		}
	}
}

func checkSort(t *testing.T, docs []keyed, views []search.View, r *search.Request) {
	t.Helper()
	var want []query.Candidate
	for i := range docs {
		d := &docs[i]
		if !d.alive {
			continue
		}
		if !d.match(&query.Bool{Filter: r.Filters}) {
			continue
		}
		c := query.Candidate{ID: d.id}
		if r.Score {
			c.Score = 1 << 32
		}
		for _, k := range r.Sort {
			c.Keys = append(c.Keys, d.key(k))
		}
		want = append(want, c)
	}
	total := uint64(len(want))
	slices.SortFunc(want, func(a, b query.Candidate) int { return query.CompareKeys(r.Sort, &a, &b) })
	want = want[:min(len(want), r.Limit)]
	got, err := search.Run(context.Background(), views, r)
	if err != nil {
		t.Fatal(err)
	}
	if !got.Inexact && got.Total != total || got.Inexact && (r.CountTo == 0 || got.Total <= r.CountTo || got.Total > total) {
		t.Fatalf("%+v: total %d, inexact %v, want %d", r, got.Total, got.Inexact, total)
	}
	for i := range want {
		if i >= len(got.Candidates) || !same(got.Candidates[i], want[i]) {
			t.Fatalf("%+v: number %d of %d (want %d) is not %+v: %+v", r, i, len(got.Candidates), len(want), want[i], got.Candidates[min(i, len(got.Candidates)):min(i+1, len(got.Candidates))])
		}
	}
	if len(got.Candidates) != len(want) {
		t.Fatalf("%+v: %d candidates, want %d", r, len(got.Candidates), len(want))
	}
}

// sortFilter makes a clause of ranges and sets of values, now and then what must not be.
func sortFilter(r *rand.Rand, longs []int64) query.Node {
	switch r.IntN(4) {
	case 0:
		return &query.LongRange{Field: "n", Lo: longs[r.IntN(3)], Hi: longs[2+r.IntN(3)]}
	case 1:
		return &query.Bool{MustNot: []query.Node{sortFilter(r, longs)}}
	case 2:
		return &query.Bool{Should: []query.Node{sortFilter(r, longs), sortFilter(r, longs)}, MinShould: 1}
	}
	var values []string
	for v := r.IntN(100); v < 200 && len(values) < 40; v += 1 + r.IntN(10) {
		values = append(values, fmt.Sprintf("%03d", v))
	}
	return &query.KeywordSet{Field: "k", Values: values[:1+r.IntN(len(values))]}
}

// match evaluates a filter.
func (d *keyed) match(n query.Node) bool {
	switch n := n.(type) {
	case *query.LongRange:
		return slices.ContainsFunc(d.longs, func(v int64) bool { return n.Lo <= v && v <= n.Hi })
	case *query.KeywordSet:
		return slices.ContainsFunc(d.words, func(w string) bool { return slices.Contains(n.Values, w) })
	case *query.Bool:
		return !slices.ContainsFunc(n.Filter, func(c query.Node) bool { return !d.match(c) }) && !slices.ContainsFunc(n.MustNot, d.match) &&
			(n.MinShould == 0 || slices.ContainsFunc(n.Should, d.match))
	}
	panic(fmt.Sprintf("no %T", n))
}

// key gives the document's value under a sort key: the least when ascending, the greatest when descending.
func (d *keyed) key(k query.SortKey) query.Key {
	if len(d.longs) == 0 {
		return query.Key{}
	}
	switch k.Field {
	case "n":
		return query.Key{Kind: query.KeyInt, Int: first(d.longs, k.Desc)}
	case "x":
		return query.Key{Kind: query.KeyFloat, Float: first(d.doubles, k.Desc) + 0}
	}
	return query.Key{Kind: query.KeyString, Str: first(d.words, k.Desc)}
}

func first[T int64 | float64 | string](values []T, greatest bool) T {
	if greatest {
		return slices.Max(values)
	}
	return slices.Min(values)
}
