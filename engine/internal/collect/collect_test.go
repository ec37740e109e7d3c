package collect_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/jetseek/jetseek/engine/agg"
	"github.com/jetseek/jetseek/engine/internal/collect"
	"github.com/jetseek/jetseek/engine/internal/docset"
	"github.com/jetseek/jetseek/engine/internal/segment"
	"github.com/jetseek/jetseek/engine/schema"
)

// Runs, buckets and hashes equal what a map counts, of values that lie close together and far apart, one, none or several a document, of all documents and of some.
func TestCountingEqualsMaps(t *testing.T) {
	const docs = 3000
	r := rand.New(rand.NewPCG(3, 9))
	fields, err := schema.Parse([]byte(`{"fields":{"v":{"type":"long"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	defs, err := agg.Parse([]byte(`{"p":{"percentiles":{"field":"v"}},"t":{"terms":{"field":"v"}},"h":{"histogram":{"field":"v","interval":9,"offset":4}},"c":{"cardinality":{"field":"v"}},"s":{"stats":{"field":"v"}}}`), fields)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name      string
		span      int64
		most      int // values of a document
		one, some bool
	}{{"close", 50, 1, true, false}, {"far", 1 << 62, 1, true, false}, {"absent", 50, 1, false, true}, {"several", 300, 4, false, true}, {"several far", 1 << 50, 3, false, false}} {
		var b segment.Builder
		b.Reset(1)
		values := make([][]int64, docs)
		for i := range values {
			n := 1
			if !c.one {
				n = r.IntN(c.most + 1)
			}
			for range n {
				values[i] = append(values[i], r.Int64N(c.span)-c.span/2)
			}
			slices.Sort(values[i])
			id := fmt.Sprint(i)
			b.Add(id, segment.HashID(id), segment.State{Version: 1}, nil)
			b.Ints("v", values[i])
		}
		s, order, err := b.Cut(0, b.Docs())
		if err != nil {
			t.Fatal(err)
		}
		set := docset.Full(docs)
		for i := range uint32(docs) {
			if c.some && i%3 == 0 {
				set.Remove(i)
			}
		}
		counts, terms, steps, total, n := map[int64]uint64{}, map[int64]uint64{}, map[int64]uint64{}, int64(0), uint64(0)
		for _, doc := range order {
			if at := slices.Index(order, doc); !set.Has(uint32(at)) {
				continue
			}
			seen := map[int64]bool{}
			for j, v := range values[doc] {
				counts[v]++
				n++
				total += v
				if j == 0 || v != values[doc][j-1] {
					terms[v]++
				}
				step := (v - 4) / 9
				if (v-4)%9 < 0 {
					step--
				}
				if !seen[step] {
					seen[step] = true
					steps[step]++
				}
			}
		}
		var budget agg.Budget
		got, err := collect.Collect(context.Background(), collect.Source{Segment: s}, set, defs, &budget)
		if err != nil {
			t.Fatal(err)
		}
		runs := map[int64]uint64{}
		for _, run := range got[0].Runs {
			runs[run.Value] = run.Count
		}
		hashes := []uint64{}
		for v := range counts {
			hashes = append(hashes, agg.HashInt(v))
		}
		slices.Sort(hashes)
		switch {
		case fmt.Sprint(runs) != fmt.Sprint(counts) || !slices.IsSortedFunc(got[0].Runs, func(a, b agg.Run) int { return int(max(min(a.Value-b.Value, 1), -1)) }):
			t.Errorf("%s: runs %v, want %v", c.name, runs, counts)
		case fmt.Sprint(bucketCounts(got[1])) != fmt.Sprint(terms):
			t.Errorf("%s: terms %v, want %v", c.name, bucketCounts(got[1]), terms)
		case fmt.Sprint(bucketCounts(got[2])) != fmt.Sprint(steps):
			t.Errorf("%s: histogram %v, want %v", c.name, bucketCounts(got[2]), steps)
		case !slices.Equal(got[3].Hashes, hashes):
			t.Errorf("%s: %d hashes, want %d", c.name, len(got[3].Hashes), len(hashes))
		case got[4].Count != n || c.span < 1<<51 && got[4].Sum.Int64() != total:
			t.Errorf("%s: %d values, sum %v, want %d, %d", c.name, got[4].Count, got[4].Sum, n, total)
		}
	}
}

func bucketCounts(p agg.Partial) map[int64]uint64 {
	counts := map[int64]uint64{}
	for _, b := range p.Buckets {
		counts[b.Key] = b.Count
	}
	return counts
}

// stopAt is a context that ends at the n-th look at it.
type stopAt struct {
	context.Context
	left int
}

func (s *stopAt) Err() error {
	if s.left--; s.left < 0 {
		return context.Canceled
	}
	return nil
}

// Every kind looks at the context at least every 8,192 documents.
func TestContextIsLookedAt(t *testing.T) {
	const docs = 40_000
	fields, err := schema.Parse([]byte(`{"fields":{"v":{"type":"long"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	var b segment.Builder
	b.Reset(1)
	for i := range docs {
		id := fmt.Sprint(i)
		b.Add(id, segment.HashID(id), segment.State{Version: 1}, nil)
		b.Ints("v", []int64{int64(i) * 1e9, int64(i)*1e9 + 5})
	}
	s, _, err := b.Cut(0, b.Docs())
	if err != nil {
		t.Fatal(err)
	}
	for _, body := range []string{`{"percentiles":{"field":"v"}}`, `{"terms":{"field":"v"}}`, `{"cardinality":{"field":"v"}}`, `{"sum":{"field":"v"}}`, `{"histogram":{"field":"v","interval":1e12}}`} {
		defs, err := agg.Parse([]byte(`{"a":`+body+`}`), fields)
		if err != nil {
			t.Fatal(err)
		}
		var budget agg.Budget
		ctx := &stopAt{Context: context.Background(), left: docs/8192 - 1}
		if _, err := collect.Collect(ctx, collect.Source{Segment: s}, docset.Full(docs), defs, &budget); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", body, err)
		}
	}
}
