package docvalues

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// edges gives ends of spans: around the values of a column, and the most extreme ones.
func edges(r *rand.Rand, all [][]int64) []int64 {
	ends := []int64{math.MinInt64, math.MinInt64 + 1, -1, 0, 1, math.MaxInt64 - 1, math.MaxInt64}
	for range 12 {
		if len(all) == 0 {
			break
		}
		for _, v := range all[r.IntN(len(all))] {
			ends = append(ends, v, v-1, v+1)
		}
	}
	return ends
}

// TestSpansAreBruteForce compares what spans say of documents and blocks with a look at all values.
func TestSpansAreBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	shapes := columns(r)
	for _, values := range []int64{1, 200, 50_000, 1 << 31, math.MaxInt64} {
		for _, most := range []int{1, 2, 4} {
			var all [][]int64
			for d := range 128*3 + r.IntN(140) {
				var doc []int64
				for range r.IntN(most + 1) {
					v := r.Int64N(values) - values/2
					if r.IntN(2) == 0 { // alike in neighbours, so that blocks differ
						v = int64(d) * (values / 1000)
					}
					doc = append(doc, v)
				}
				slices.Sort(doc)
				all = append(all, doc)
			}
			copy(all[128:], slices.Repeat([][]int64{nil}, 128)) // a block without values
			shapes[fmt.Sprintf("%d of %d", most, values)] = all
		}
	}
	for name, all := range shapes {
		c, err := Open(encode(all))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		ends := edges(r, all)
		for range 150 {
			lo, hi := ends[r.IntN(len(ends))], ends[r.IntN(len(ends))]
			s := c.Span(lo, hi)
			for block := range c.Blocks() {
				checkBlock(t, fmt.Sprintf("%s, %d to %d, block %d", name, lo, hi, block), &s, all, block, lo, hi)
			}
		}
	}
}

func checkBlock(t *testing.T, what string, s *Span, all [][]int64, block int, lo, hi int64) {
	t.Helper()
	var want, there [2]uint64
	least, greatest := int64(math.MaxInt64), int64(math.MinInt64)
	for d := block * 128; d < min(len(all), block*128+128); d++ {
		in := slices.ContainsFunc(all[d], func(v int64) bool { return lo <= v && v <= hi })
		if in {
			want[d/64%2] |= 1 << (d % 64)
		}
		if len(all[d]) > 0 {
			there[d/64%2] |= 1 << (d % 64)
			least, greatest = min(least, all[d][0]), max(greatest, all[d][len(all[d])-1])
		}
		if s.Has(uint32(d)) != in {
			t.Fatalf("%s: document %d with %v: %v", what, d, all[d], !in)
		}
	}
	if got, _ := s.Mark(block); got != want {
		t.Fatalf("%s: marked %x, want %x", what, got, want)
	}
	var docs []uint32
	var some [2]uint64
	for d := block * 128; d < min(len(all), block*128+128); d += 1 + d%3 {
		some[len(docs)/64] |= want[d/64%2] >> (d % 64) & 1 << (len(docs) % 64)
		docs = append(docs, uint32(d))
	}
	if got := s.Among(docs); got != some {
		t.Fatalf("%s: of %d %x are in, want %x", what, docs, got, some)
	}
	if got := s.c.Present(block); got != there {
		t.Fatalf("%s: present %x, want %x", what, got, there)
	}
	if l, g, any := s.c.Bounds(block); s.c.bounds != nil && (any != (there != [2]uint64{}) || any && (l != least || g != greatest)) {
		t.Fatalf("%s: bounds %d, %d, %v, want %d, %d", what, l, g, any, least, greatest)
	}
	cover := s.Cover(block)
	if cover == None && want != [2]uint64{} || cover == All && want != there {
		t.Fatalf("%s: cover %d, marked %x of %x", what, cover, want, there)
	}
	if disjoint := least > greatest || lo > hi || hi < least || lo > greatest; s.c.bounds != nil && disjoint != (cover == None) {
		t.Fatalf("%s: cover %d, values %d to %d", what, cover, least, greatest)
	}
}

func TestDoublesAreOrdered(t *testing.T) {
	list := []float64{math.Inf(-1), -math.MaxFloat64, -1.5, -1, -math.SmallestNonzeroFloat64, 0, math.SmallestNonzeroFloat64, 0.1, 1, math.MaxFloat64, math.Inf(1)}
	for i, x := range list {
		if Double(Ordered(x)) != x {
			t.Errorf("%v comes back as %v", x, Double(Ordered(x)))
		}
		if i > 0 && Ordered(list[i-1]) >= Ordered(x) {
			t.Errorf("%v is not below %v", list[i-1], x)
		}
	}
	if v := Ordered(math.Copysign(0, -1)); v != -1 || Ordered(0) != 0 || Ordered(-math.SmallestNonzeroFloat64) != -2 {
		t.Errorf("around zero: %d", v)
	}
}

// BenchmarkSpan marks a million documents whose values are in no order, so that no block helps, and in order.
func BenchmarkSpan(b *testing.B) {
	const docs = 1 << 20
	r := rand.New(rand.NewPCG(6, 6))
	for _, top := range []int64{200, 60_000, 1 << 30, 1 << 60} {
		values := make([]int64, docs)
		for i := range values {
			values[i] = r.Int64N(top)
		}
		for _, order := range []string{"random", "sorted"} {
			if order == "sorted" {
				slices.Sort(values)
			}
			c, err := Open(AppendMulti(nil, slices.Collect(counting(docs)), values))
			if err != nil {
				b.Fatal(err)
			}
			b.Run(fmt.Sprintf("lane=%d/%s", c.lane, order), func(b *testing.B) {
				s, hits := c.Span(top/4, top/2), uint64(0)
				for b.Loop() {
					for block := range c.Blocks() {
						set, _ := s.Mark(block)
						hits += set[0]&1 + set[1]&1
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/docs, "ns/document")
			})
		}
	}
}

// counting gives the starts of one value a document.
func counting(docs int) func(func(uint32) bool) {
	return func(yield func(uint32) bool) {
		for d := range uint32(docs + 1) {
			if !yield(d) {
				return
			}
		}
	}
}
