package search

import (
	"math"
	"slices"

	"github.com/jetseek/jetseek/engine/internal/segment"
	"github.com/jetseek/jetseek/engine/internal/segment/docvalues"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/schema"
)

// interval is what a leaf asks of a column: documents with a value from lo to hi.
type interval struct {
	col    *docvalues.Column // nil: nothing matches
	lo, hi int64
	among  []int64 // not nil: only these values, ascending and distinct; lo is the first, hi the last
	boost  float64
}

// interval gives what a leaf asks of a column of the segment entered; false for other nodes.
func (e *env) interval(n query.Node) (interval, bool) {
	switch n := n.(type) {
	case *query.KeywordRange:
		return e.keywordRange(n), true
	case *query.LongRange:
		if f := e.view.Segment.Field(n.Field); f != nil && f.HasInts {
			return interval{&f.Ints, n.Lo, n.Hi, nil, n.Boost}, true
		}
	case *query.LongSet:
		if f := e.view.Segment.Field(n.Field); f != nil && f.HasInts {
			return oneOf(&f.Ints, n.Values, n.Boost), true
		}
	case *query.DoubleRange:
		return e.doubleRange(n), true
	case *query.DoubleSet:
		return e.doubleSet(n), true
	case *query.FieldExists:
		return e.exists(n), true
	case *query.TermPattern:
		if n.Exact && n.Kind == query.PrefixPattern {
			return e.exactPrefix(n), true
		}
		return interval{}, false
	default:
		return interval{}, false
	}
	return interval{}, true
}

// oneOf is the interval of some values, ascending and distinct.
func oneOf(col *docvalues.Column, values []int64, boost float64) interval {
	switch n := len(values); n {
	case 0:
		return interval{}
	case 1:
		return interval{col, values[0], values[0], nil, boost}
	default:
		return interval{col, values[0], values[n-1], values, boost}
	}
}

// keywordRange turns the ends into ordinals, of which the column then tells.
func (e *env) keywordRange(n *query.KeywordRange) interval {
	f := e.view.Segment.Field(n.Field)
	if f == nil || !f.HasExact {
		return interval{}
	}
	lo, hi := int64(0), int64(f.Exact.Len())
	if n.Lo != nil {
		lo = ceil(f, *n.Lo, !n.IncLo)
	}
	if n.Hi != nil {
		hi = ceil(f, *n.Hi, n.IncHi)
	}
	return interval{&f.Ordinals, lo, hi - 1, nil, n.Boost}
}

// ceil gives the ordinal of the first exact value at or behind v, or behind it.
func ceil(f *segment.Field, v string, behind bool) int64 {
	ord := f.Exact.Ceil(v)
	if behind {
		if at, _, ok := f.Exact.Lookup(v); ok {
			return int64(at) + 1
		}
	}
	return int64(ord)
}

// doubleRange turns the ends into numbers of the doubles' order; 0 stands for -0 too.
func (e *env) doubleRange(n *query.DoubleRange) interval {
	f := e.view.Segment.Field(n.Field)
	if f == nil || !f.HasFloats || !(n.Lo <= n.Hi) {
		return interval{}
	}
	lo, hi := docvalues.Ordered(n.Lo+0), docvalues.Ordered(n.Hi+0)
	if !n.IncLo {
		lo++
	}
	if !n.IncHi {
		hi--
	}
	return interval{&f.Floats, lo, hi, nil, n.Boost}
}

func (e *env) doubleSet(n *query.DoubleSet) interval {
	f := e.view.Segment.Field(n.Field)
	if f == nil || !f.HasFloats {
		return interval{}
	}
	values := make([]int64, len(n.Values))
	for i, v := range n.Values {
		values[i] = docvalues.Ordered(v + 0)
	}
	return oneOf(&f.Floats, values, n.Boost)
}

func (e *env) exists(n *query.FieldExists) interval {
	all := interval{nil, math.MinInt64, math.MaxInt64, nil, n.Boost}
	f := e.view.Segment.Field(n.Field)
	if f == nil {
		return interval{}
	}
	switch {
	case n.Type == schema.Text && f.HasText:
		all.col, all.lo = &f.Lengths, 1
	case n.Type == schema.Keyword && f.HasExact:
		all.col = &f.Ordinals
	case n.Type == schema.Double && f.HasFloats:
		all.col = &f.Floats
	case (n.Type == schema.Long || n.Type == schema.Date || n.Type == schema.Bool) && f.HasInts:
		all.col = &f.Ints
	}
	return all
}

func among(values []int64, v int64) bool {
	_, ok := slices.BinarySearch(values, v)
	return ok
}

// overlaps tells whether any of values lies from lo to hi.
func overlaps(values []int64, lo, hi int64) bool {
	at, _ := slices.BinarySearch(values, lo)
	return at < len(values) && values[at] <= hi
}
