package docvalues

import (
	"encoding/binary"
	"math/bits"
)

// Span is the values of a column from one to another: what can be asked of blocks without looking at each document.
type Span struct {
	c      *Column
	lo, hi uint64 // as numbers of lanes
	empty  bool
}

// Cover tells which documents of a block have a value in a span.
type Cover uint8

const (
	// None: no document has one.
	None Cover = iota
	// Some: it depends on the document.
	Some
	// All: every document that has a value has one.
	All
)

// Span gives the values of the column from lo to hi; none when lo > hi.
func (c *Column) Span(lo, hi int64) Span {
	s := Span{c: c, empty: lo > hi || hi < int64(c.base)}
	if s.empty {
		return s
	}
	if lo > int64(c.base) {
		s.lo = uint64(lo) - c.base
	}
	s.hi = min(uint64(hi)-c.base, c.most())
	s.empty = s.lo > s.hi
	return s
}

// most gives the greatest number that a lane holds.
func (c *Column) most() uint64 { return 1<<(8*c.lane) - 1 }

// Blocks gives the number of blocks of [BlockDocs] documents.
func (c *Column) Blocks() int { return (c.docs + BlockDocs - 1) / BlockDocs }

// block gives bounds of the numbers of a block; least is above greatest when it has no values.
func (c *Column) block(block int) (least, greatest uint64) {
	if c.bounds == nil {
		return 0, c.most()
	}
	return c.number(c.bounds, 2*block), c.number(c.bounds, 2*block+1)
}

// Bounds gives bounds of the values of a block, which are the values' own where the column keeps bounds; false when the block has none.
func (c *Column) Bounds(block int) (least, greatest int64, any bool) {
	l, g := c.block(block)
	return int64(c.base + l), int64(c.base + g), l <= g
}

// Cover tells what is known of a block without looking at its documents.
func (s *Span) Cover(block int) Cover {
	if s.empty {
		return None
	}
	least, greatest := s.c.block(block)
	switch {
	case greatest < s.lo || least > s.hi || least > greatest:
		return None
	case s.lo <= least && greatest <= s.hi:
		return All
	}
	return Some
}

// Has tells whether a document has a value in the span.
func (s *Span) Has(doc uint32) bool {
	if s.empty {
		return false
	}
	from, to := s.c.Range(doc)
	for i := from; i < to; i++ {
		if s.c.number(s.c.data, i)-s.lo <= s.hi-s.lo {
			return true
		}
	}
	return false
}

// Among tells which of at most [BlockDocs] documents have a value in the span, a bit each by their place in docs. They need not lie in a block.
func (s *Span) Among(docs []uint32) (set [BlockDocs / 64]uint64) {
	if s.empty {
		return set
	}
	for w := range set {
		n := min(len(docs), 64)
		set[w] = s.among(docs[:n])
		docs = docs[n:]
	}
	return set
}

// among is Among for up to 64 documents.
func (s *Span) among(docs []uint32) (w uint64) {
	c, lo, hi := s.c, s.lo, s.hi
	switch {
	case c.starts != nil:
		for i, d := range docs {
			if s.Has(d) {
				w |= 1 << (i & 63)
			}
		}
		return w
	case c.lane == 1:
		for i, d := range docs {
			w |= between(uint64(c.data[d]), lo, hi) << (i & 63)
		}
	case c.lane == 2:
		for i, d := range docs {
			w |= between(uint64(binary.LittleEndian.Uint16(c.data[2*int(d):])), lo, hi) << (i & 63)
		}
	default:
		for i, d := range docs {
			w |= within(c.number(c.data, int(d))-lo, hi-lo) << (i & 63)
		}
	}
	if c.presence != nil {
		for i, d := range docs {
			w &^= uint64(^c.presence[d>>3]>>(d&7)&1) << (i & 63)
		}
	}
	return w
}

// Mark gives the documents of a block that have a value in the span, a bit each, and how many values it looked at to find them.
func (s *Span) Mark(block int) (set [BlockDocs / 64]uint64, looked int) {
	switch s.Cover(block) {
	case None:
		return set, 0
	case All:
		return s.c.Present(block), 0
	}
	first := block * BlockDocs
	docs := min(s.c.docs-first, BlockDocs)
	if s.c.starts != nil {
		return s.markMulti(first, docs)
	}
	for w := range set {
		if n := min(docs-64*w, 64); n > 0 {
			set[w] = s.word(first+64*w, n)
		}
	}
	if s.c.presence != nil {
		here := s.c.Present(block)
		for w := range set {
			set[w] &= here[w]
		}
	}
	return set, docs
}

// markMulti marks documents of which some have several values.
func (s *Span) markMulti(first, docs int) (set [BlockDocs / 64]uint64, looked int) {
	from := int(binary.LittleEndian.Uint32(s.c.starts[4*first:]))
	start := from
	for d := range docs {
		to := int(binary.LittleEndian.Uint32(s.c.starts[4*(first+d)+4:]))
		hit := uint64(0)
		for i := from; i < to; i++ {
			hit |= within(s.c.number(s.c.data, i)-s.lo, s.hi-s.lo)
		}
		set[d>>6] |= hit << (d & 63)
		from = to
	}
	return set, from - start
}

// word gives a bit for each of up to 64 numbers: whether it lies in the span.
func (s *Span) word(from, n int) (w uint64) {
	i := 0
	for ; i+8 <= n; i += 8 {
		w |= s.eight(s.c.data[(from+i)*s.c.lane:]) << (i & 63)
	}
	for ; i < n; i++ {
		w |= within(s.c.number(s.c.data, from+i)-s.lo, s.hi-s.lo) << (i & 63)
	}
	return w
}

// eight is word for eight numbers. A bit costs no branch, since nobody can foretell it.
func (s *Span) eight(lanes []byte) uint64 {
	lo, hi := s.lo, s.hi
	le := binary.LittleEndian
	switch s.c.lane {
	case 1:
		p := (*[8]byte)(lanes)
		return between(uint64(p[0]), lo, hi) | between(uint64(p[1]), lo, hi)<<1 | between(uint64(p[2]), lo, hi)<<2 | between(uint64(p[3]), lo, hi)<<3 |
			between(uint64(p[4]), lo, hi)<<4 | between(uint64(p[5]), lo, hi)<<5 | between(uint64(p[6]), lo, hi)<<6 | between(uint64(p[7]), lo, hi)<<7
	case 2:
		p := (*[16]byte)(lanes)
		a, b := le.Uint64(p[:]), le.Uint64(p[8:])
		return between(a&0xffff, lo, hi) | between(a>>16&0xffff, lo, hi)<<1 | between(a>>32&0xffff, lo, hi)<<2 | between(a>>48, lo, hi)<<3 |
			between(b&0xffff, lo, hi)<<4 | between(b>>16&0xffff, lo, hi)<<5 | between(b>>32&0xffff, lo, hi)<<6 | between(b>>48, lo, hi)<<7
	case 4:
		p := (*[32]byte)(lanes)
		a, b, c, d := le.Uint64(p[:]), le.Uint64(p[8:]), le.Uint64(p[16:]), le.Uint64(p[24:])
		return between(a&0xffffffff, lo, hi) | between(a>>32, lo, hi)<<1 | between(b&0xffffffff, lo, hi)<<2 | between(b>>32, lo, hi)<<3 |
			between(c&0xffffffff, lo, hi)<<4 | between(c>>32, lo, hi)<<5 | between(d&0xffffffff, lo, hi)<<6 | between(d>>32, lo, hi)<<7
	}
	p := (*[64]byte)(lanes)
	width := hi - lo
	return within(le.Uint64(p[:])-lo, width) | within(le.Uint64(p[8:])-lo, width)<<1 | within(le.Uint64(p[16:])-lo, width)<<2 |
		within(le.Uint64(p[24:])-lo, width)<<3 | within(le.Uint64(p[32:])-lo, width)<<4 | within(le.Uint64(p[40:])-lo, width)<<5 |
		within(le.Uint64(p[48:])-lo, width)<<6 | within(le.Uint64(p[56:])-lo, width)<<7
}

// between gives 1 when u lies from lo to hi, all below 2^32, else 0.
func between(u, lo, hi uint64) uint64 { return ^((u - lo) | (hi - u)) >> 63 }

// within gives 1 when u is at most width, else 0.
func within(u, width uint64) uint64 {
	_, beyond := bits.Sub64(width, u, 0)
	return beyond ^ 1
}

// Present gives the documents of a block that have a value, a bit each.
func (c *Column) Present(block int) (set [BlockDocs / 64]uint64) {
	first := block * BlockDocs
	docs := min(c.docs-first, BlockDocs)
	if c.starts != nil {
		from := binary.LittleEndian.Uint32(c.starts[4*first:])
		for d := range docs {
			to := binary.LittleEndian.Uint32(c.starts[4*(first+d)+4:])
			set[d>>6] |= uint64(min(to-from, 1)) << (d & 63)
			from = to
		}
		return set
	}
	for w := range set {
		n := docs - 64*w
		if n <= 0 {
			break
		}
		set[w] = ^uint64(0) >> (64 - min(n, 64))
		if c.presence != nil {
			set[w] &= binary.LittleEndian.Uint64(c.presence[first/8+8*w:])
		}
	}
	return set
}
