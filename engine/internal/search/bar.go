package search

import (
	"math"

	"github.com/jetseek/jetseek/engine/internal/segment/docvalues"
	"github.com/jetseek/jetseek/engine/query"
)

// bar tells which documents of the present segment may still enter a full collector that sorts by a field first: those whose value is not behind that of the worst
// document kept. One that equals it may win by the next key or its id.
type bar struct {
	on      bool // else all may enter
	missing bool // documents without a value may enter
	valued  bool // documents with a value in span may enter
	span    docvalues.Span
}

// raise sets the bar anew, when the worst document or the segment has changed.
func (c *collector) raise() {
	c.bar = bar{}
	if c.limit == 0 || len(c.heap) < c.limit || len(c.sort) == 0 || c.sort[0].By != query.ByField {
		return
	}
	key, src, worst := &c.sort[0], &c.sources[0], &c.heap[0]
	w := &c.keysOf(worst)[0]
	c.bar.on = true
	c.bar.missing = key.MissingFirst || w.Kind == query.KeyMissing
	c.bar.valued = src.kind != query.KeyMissing && !(key.MissingFirst && w.Kind == query.KeyMissing)
	if !c.bar.valued {
		return
	}
	lo, hi := int64(math.MinInt64), int64(math.MaxInt64)
	switch {
	case w.Kind == query.KeyMissing:
	case key.Desc:
		lo, _ = c.place(worst, w)
	default:
		_, hi = c.place(worst, w)
	}
	c.bar.span = src.values.Span(lo, hi)
}

// place gives where a document's first key lies among the values of the present segment: the least value not before it, and the greatest not behind it.
func (c *collector) place(e *entry, k *query.Key) (atLeast, atMost int64) {
	src := &c.sources[0]
	switch {
	case k.Kind == query.KeyInt:
		return k.Int, k.Int
	case k.Kind == query.KeyFloat:
		v := docvalues.Ordered(k.Float)
		return v, v
	case e.seg == c.seg:
		v := src.values.Int(c.valueAt(0, *e))
		return v, v
	}
	return ceil(src.terms, k.Str, false), ceil(src.terms, k.Str, true) - 1
}

// passes tells whether a document may enter.
func (c *collector) passes(doc uint32) bool {
	switch {
	case !c.bar.on || c.bar.valued && c.bar.span.Has(doc):
		return true
	case !c.bar.missing:
		return false
	}
	src := &c.sources[0]
	return src.kind == query.KeyMissing || !src.values.Has(doc)
}

// restrict takes documents that cannot enter out of a window of them from base on. Of most blocks only the bounds are looked at.
func (c *collector) restrict(base uint32, allow *bitset) {
	if !c.bar.on {
		return
	}
	src := &c.sources[0]
	for i := 0; i < len(allow); i += 2 {
		block := int(base)/docvalues.BlockDocs + i/2
		if allow[i]|allow[i+1] == 0 {
			continue
		}
		var keep [2]uint64
		if c.bar.valued {
			keep, _ = c.bar.span.Mark(block)
		}
		if c.bar.missing {
			var present [2]uint64
			if src.kind != query.KeyMissing {
				present = src.values.Present(block)
			}
			keep[0] |= ^present[0]
			keep[1] |= ^present[1]
		}
		allow[i] &= keep[0]
		allow[i+1] &= keep[1]
	}
}

// prefersLast tells whether the last documents of the segment are likely to be better than the first, as the newest are where time grows.
func (c *collector) prefersLast() bool {
	if c.limit == 0 || len(c.sort) == 0 || c.sort[0].By != query.ByField || c.sources[0].kind == query.KeyMissing {
		return false
	}
	values := c.sources[0].values
	if values.Blocks() == 0 {
		return false
	}
	least, greatest, any := values.Bounds(0)
	lastLeast, lastGreatest, lastAny := values.Bounds(values.Blocks() - 1)
	if !any || !lastAny {
		return false
	}
	return c.sort[0].Desc && lastGreatest > greatest || !c.sort[0].Desc && lastLeast < least
}
