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

// valued is a document with values of a long and of a double field.
type valued struct {
	longs   []int64
	doubles []float64
}

// TestColumnQueriesAreBruteForce compares ranges, sets and existence with a look at every value: several, none, extreme ones, -0.
func TestColumnQueriesAreBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	longs := []int64{math.MinInt64, math.MinInt64 + 1, -7, -1, 0, 1, 7, 300, math.MaxInt64 - 1, math.MaxInt64}
	doubles := []float64{-math.MaxFloat64, -1.5, -math.SmallestNonzeroFloat64, math.Copysign(0, -1), 0, math.SmallestNonzeroFloat64, 0.1, 2, math.MaxFloat64}
	ends := append([]float64{math.Inf(-1), math.Inf(1)}, doubles...)
	docs := make([]valued, 5000)
	var b segment.Builder
	b.Reset(1)
	for i := range docs {
		d := &docs[i]
		for range r.IntN(3) * r.IntN(2) {
			d.longs = append(d.longs, longs[(i/700+r.IntN(2))%len(longs)])
			d.doubles = append(d.doubles, doubles[(i/700+r.IntN(2))%len(doubles)])
		}
		id := fmt.Sprintf("%05d", i)
		b.Add(id, segment.HashID(id), segment.State{Version: 1}, []byte("{}"))
		if len(d.longs) > 0 {
			b.Ints("n", slices.Clone(d.longs))
			b.Floats("x", slices.Clone(d.doubles))
		}
	}
	s, _, err := b.Cut(0, b.Docs())
	if err != nil {
		t.Fatal(err)
	}
	views := []search.View{{Segment: s, Visible: docset.Full(len(docs)), Docs: len(docs)}}
	for range 300 {
		lo, hi := longs[r.IntN(len(longs))], longs[r.IntN(len(longs))]
		from, to := ends[r.IntN(len(ends))], ends[r.IntN(len(ends))]
		incLo, incHi := r.IntN(2) == 0, r.IntN(2) == 0
		for what, c := range map[string]struct {
			node  query.Node
			match func(d *valued) bool
		}{
			"range": {&query.LongRange{Field: "n", Lo: lo, Hi: hi}, func(d *valued) bool {
				return slices.ContainsFunc(d.longs, func(v int64) bool { return lo <= v && v <= hi })
			}},
			"set": {&query.LongSet{Field: "n", Values: slices.Compact(slices.Sorted(slices.Values([]int64{lo, hi, 7})))}, func(d *valued) bool {
				return slices.ContainsFunc(d.longs, func(v int64) bool { return v == lo || v == hi || v == 7 })
			}},
			"doubles": {&query.DoubleRange{Field: "x", Lo: from, Hi: to, IncLo: incLo, IncHi: incHi}, func(d *valued) bool {
				return slices.ContainsFunc(d.doubles, func(v float64) bool { return (v > from || incLo && v == from) && (v < to || incHi && v == to) })
			}},
			"double": {&query.DoubleSet{Field: "x", Values: []float64{from}}, func(d *valued) bool { return slices.Contains(d.doubles, from) }},
			"exists": {&query.FieldExists{Field: "x", Type: schema.Double}, func(d *valued) bool { return len(d.doubles) > 0 }},
		} {
			got, err := search.Run(context.Background(), views, &search.Request{Query: c.node, Limit: len(docs)})
			if err != nil {
				t.Fatal(err)
			}
			var want, found []string
			for i := range docs {
				if c.match(&docs[i]) {
					want = append(want, fmt.Sprintf("%05d", i))
				}
			}
			for _, candidate := range got.Candidates {
				found = append(found, candidate.ID)
			}
			if !slices.Equal(found, want) || got.Total != uint64(len(want)) {
				t.Fatalf("%s, %+v: %d documents, want %d", what, c.node, len(found), len(want))
			}
		}
	}
}
