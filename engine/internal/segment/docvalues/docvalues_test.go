package docvalues

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// columns are the shapes that a column can take, by document.
func columns(r *rand.Rand) map[string][][]int64 {
	shape := func(docs int, count func() int, value func() int64) [][]int64 {
		all := make([][]int64, docs)
		for d := range all {
			for range count() {
				all[d] = append(all[d], value())
			}
			slices.Sort(all[d])
		}
		return all
	}
	one := func() int { return 1 }
	maybe := func() int { return r.IntN(2) }
	many := func() int { return r.IntN(4) }
	return map[string][][]int64{
		"empty":    nil,
		"constant": shape(100, one, func() int64 { return -5 }),
		"bytes":    shape(100, one, func() int64 { return 1000 + r.Int64N(200) }),
		"words":    shape(100, one, func() int64 { return r.Int64N(60000) - 30000 }),
		"quads":    shape(100, maybe, func() int64 { return r.Int64N(1 << 31) }),
		"longs":    shape(129, maybe, func() int64 { return int64(r.Uint64()) }),
		"extremes": shape(64, one, func() int64 { return []int64{math.MinInt64, math.MaxInt64, 0}[r.IntN(3)] }),
		"several":  shape(70, many, func() int64 { return r.Int64N(9) }),
		"absent":   shape(70, func() int { return 0 }, nil),
	}
}

func encode(all [][]int64) []byte {
	starts, values := []uint32{0}, []int64(nil)
	for _, v := range all {
		values = append(values, v...)
		starts = append(starts, uint32(len(values)))
	}
	return AppendMulti(nil, starts, values)
}

func TestEveryColumnComesBack(t *testing.T) {
	for name, all := range columns(rand.New(rand.NewPCG(1, 1))) {
		c, err := Open(encode(all))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if c.Docs() != len(all) {
			t.Fatalf("%s: %d documents, want %d", name, c.Docs(), len(all))
		}
		for d, want := range all {
			var got []int64
			from, to := c.Range(uint32(d))
			for i := from; i < to; i++ {
				got = append(got, c.Int(i))
			}
			if !slices.Equal(got, want) || c.Has(uint32(d)) != (len(want) > 0) {
				t.Fatalf("%s: document %d has %v, want %v", name, d, got, want)
			}
		}
		if c.Has(uint32(len(all))) {
			t.Fatalf("%s: a document behind the last has a value", name)
		}
	}
}

func TestPlainColumns(t *testing.T) {
	c, err := Open(Append(nil, []int64{3, 300, 0}))
	if err != nil || !c.Plain() || c.Length(1) != 300 || c.Length(2) != 0 {
		t.Fatalf("%v, plain %v", err, c.Plain())
	}
	x := []int64{Ordered(-1.5), Ordered(math.MaxFloat64)}
	c, err = Open(Append(nil, x))
	if err != nil || c.Float(0) != -1.5 || c.Float(1) != math.MaxFloat64 {
		t.Fatalf("%v, doubles %v %v", err, c.Float(0), c.Float(1))
	}
}

func TestCutColumnsAreCorrupt(t *testing.T) {
	for name, all := range columns(rand.New(rand.NewPCG(2, 2))) {
		b := encode(all)
		for n := range b {
			if _, err := Open(b[:n]); !errors.Is(err, ErrCorrupt) {
				t.Fatalf("%s cut to %d of %d bytes: %v", name, n, len(b), err)
			}
		}
	}
}

// FuzzColumn reads anything as a column, and all that it says it holds.
func FuzzColumn(f *testing.F) {
	for _, all := range columns(rand.New(rand.NewPCG(3, 3))) {
		f.Add(encode(all))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := Open(b)
		if err != nil {
			return
		}
		for d := range min(c.Docs(), 1000) {
			from, to := c.Range(uint32(d))
			for i := from; i < to; i++ {
				c.Int(i)
			}
		}
		for _, s := range []Span{c.Span(math.MinInt64, math.MaxInt64), c.Span(-5, 1<<20)} {
			for block := range min(c.Blocks(), 10) {
				s.Mark(block)
			}
		}
	})
}
