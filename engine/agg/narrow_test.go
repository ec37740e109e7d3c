package agg_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/jetseek/jetseek/engine/agg"
)

const narrowed = `{"text":{"terms":{"field":"k","size":%d}},"long":{"terms":{"field":"n","size":%d},"aggs":{"least":{"min":{"field":"n"}}}},"ranks":{"percentiles":{"field":"x","percents":[0,1,25,50,99.9,100]}}}`

// saysOf is a group's whole result of the definitions of narrowed, of the keys and values of its documents.
func saysOf(keys, values []int64) []agg.Partial {
	counts, runs := map[int64]uint64{}, map[int64]uint64{}
	for _, k := range keys {
		counts[k]++
	}
	for _, v := range values {
		runs[v]++
	}
	whole := make([]agg.Partial, 3)
	for _, k := range slices.Sorted(maps.Keys(counts)) {
		whole[0].Buckets = append(whole[0].Buckets, agg.Bucket{Text: fmt.Sprintf("k%09d", k), Count: counts[k]})
		whole[1].Buckets = append(whole[1].Buckets, agg.Bucket{Key: k, Count: counts[k], Below: []agg.Partial{{Count: counts[k], Least: k, Greatest: k}}})
	}
	for _, v := range slices.Sorted(maps.Keys(runs)) {
		whole[2].Runs = append(whole[2].Runs, agg.Run{Value: v, Count: runs[v]})
	}
	return whole
}

// asked gives what a group sends of its whole results, as the coordinator receives it, and its bytes.
func asked(t *testing.T, defs []agg.Definition, whole []agg.Partial) ([]agg.Partial, int) {
	t.Helper()
	defs, err := agg.DecodeDefinitions(agg.AppendDefinitions(nil, defs))
	if err != nil {
		t.Fatal(err)
	}
	part := make([]agg.Partial, len(whole))
	for i := range whole {
		part[i] = whole[i]
		part[i].Buckets = slices.Clone(whole[i].Buckets)
	}
	agg.Reduce(defs, part)
	b := agg.Append(nil, defs, part)
	if part, err = agg.Decode(b, defs); err != nil {
		t.Fatal(err)
	}
	return part, len(b)
}

// gathered asks groups until it is enough, and shows the answer.
func gathered(t *testing.T, defs []agg.Definition, groups [][]agg.Partial, most int) (answer string, bytes, passes int) {
	t.Helper()
	said := make([][]agg.Partial, len(groups))
	for g := range groups {
		var n int
		said[g], n = asked(t, agg.Bounded(defs, most), groups[g])
		bytes += n
	}
	for {
		asks, places := agg.Narrow(defs, said)
		if len(asks) == 0 {
			break
		}
		if passes++; passes > 5 {
			t.Fatalf("still asking for %+v", asks)
		}
		for g := range groups {
			var whole []agg.Partial
			for _, at := range places {
				whole = append(whole, groups[g][at])
			}
			more, n := asked(t, asks, whole)
			bytes += n
			for i, at := range places {
				if err := asks[i].Refine(&said[g][at], more[i]); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	merged := agg.Empty(defs)
	for _, s := range said {
		merged = agg.Merge(defs, merged, s)
	}
	return shown(t, defs, merged), bytes, passes
}

func shown(t *testing.T, defs []agg.Definition, merged []agg.Partial) string {
	t.Helper()
	if err := agg.Cut(defs, merged); err != nil {
		t.Fatal(err)
	}
	b, err := agg.AppendJSON(nil, defs, merged, nilHit)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Asking for what is needed shows what asking for all shows, in at most three passes more: with keys that are skewed, even, all tied, or of one group alone; with values that are equal or far apart.
func TestNarrowedEqualsWhole(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 1))
		size := 1 + r.IntN(12)
		defs, err := agg.Parse(fmt.Appendf(nil, narrowed, size, size), testSchema(t))
		if err != nil {
			t.Fatal(err)
		}
		groups := make([][]agg.Partial, 1+r.IntN(5))
		docs, distinct := r.IntN(2000), 1+r.Int64N(300)
		skew, kind := 1+3*r.Float64(), r.IntN(3)
		all := [2][]int64{}
		for g := range groups {
			var keys, values []int64
			for range r.IntN(docs + 1) {
				k := int64(math.Pow(r.Float64(), skew) * float64(distinct))
				if kind == 1 {
					k = k*int64(len(groups)) + int64(g) // of this group alone
				}
				keys = append(keys, k)
				v := agg.Ordered(r.NormFloat64())
				if kind == 2 {
					v = agg.Ordered(float64(r.IntN(20)))
				}
				values = append(values, v)
			}
			if kind == 2 {
				for k := range distinct { // ties in every group
					keys = append(keys, k)
				}
			}
			groups[g] = saysOf(keys, values)
			all[0], all[1] = append(all[0], keys...), append(all[1], values...)
		}
		want := shown(t, defs, saysOf(all[0], all[1]))
		most := 1 + r.IntN(40)
		got, _, passes := gathered(t, defs, groups, most)
		if got != want || passes > 3 {
			t.Fatalf("seed %d, %d groups, size %d, %d parts: after %d passes\n%.600s, want\n%.600s", seed, len(groups), size, most, passes, got, want)
		}
	}
}

// Of many values and keys, a small part is sent.
func TestNarrowedSendsLittle(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	defs, err := agg.Parse(fmt.Appendf(nil, narrowed, 10, 10), testSchema(t))
	if err != nil {
		t.Fatal(err)
	}
	groups := make([][]agg.Partial, 3)
	whole := 0
	for g := range groups {
		var keys, values []int64
		for range 60_000 {
			keys = append(keys, int64(math.Pow(r.Float64(), 4)*50_000))
			values = append(values, agg.Ordered(r.NormFloat64()))
		}
		groups[g] = saysOf(keys, values)
		_, n := asked(t, defs, groups[g])
		whole += n
	}
	_, bytes, _ := gathered(t, defs, groups, 512)
	if bytes > whole/20 {
		t.Errorf("%d bytes, of %d", bytes, whole)
	}
}

// Values 2, 3, 3, 9 of which two runs were wanted: 2 to 3, three of them, and 9. Of keys a, b and c those of at least 4 documents: b of 5, and 3 left out, at most 2 of one.
func TestReducedResultsAsBytes(t *testing.T) {
	defs, err := agg.Parse([]byte(`{"p":{"percentiles":{"field":"n","percents":[50]}},"t":{"terms":{"field":"k"}}}`), testSchema(t))
	if err != nil {
		t.Fatal(err)
	}
	defs[0].Ask, defs[1].Ask = agg.Ask{Most: 2}, agg.Ask{AtLeast: 4}
	p := []agg.Partial{
		{Runs: []agg.Run{{Value: 2, Count: 1}, {Value: 3, Count: 2}, {Value: 9, Count: 1}}},
		{Buckets: []agg.Bucket{{Text: "a", Count: 1}, {Text: "b", Count: 5}, {Text: "c", Count: 2}}},
	}
	agg.Reduce(defs, p)
	want := "02 82808080808080808001 07 01 06 02" + // 2 runs: 2 is 2^63+2 from -2^63; 3 values, spread; 1; then 6 on, 1 value
		" 01 00 01 62 05 03 02" // 1 bucket: nothing in common, 1 byte, b, 5 documents; 3 left out, at most 2
	if got := fmt.Sprintf("%x", agg.Append(nil, defs, p)); got != strings.ReplaceAll(want, " ", "") {
		t.Errorf("%s, want %s", got, want)
	}
}
