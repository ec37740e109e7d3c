package search

import (
	"math/bits"

	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/internal/segment/docvalues"
)

// span walks the documents that have a value of a column in a span, a block at a time: most blocks of a column whose values are alike in neighbours hold none
// or nothing else.
type span struct {
	env    *env
	values docvalues.Span
	among  []int64 // not nil: only these values of the span, ascending
	col    *docvalues.Column
	block  int // of set
	set    [2]uint64
	doc    uint32
	cost   int
	score  int64
}

// span makes the scorer of an interval.
func (e *env) span(in interval) scorer {
	if in.col == nil {
		return nil
	}
	s := &span{env: e, values: in.col.Span(in.lo, in.hi), among: in.among, col: in.col, block: -1, score: bm25.Units(in.boost)}
	for block := range in.col.Blocks() {
		if block%windowDocs == 0 && !e.step() {
			return nil
		}
		if s.values.Cover(block) != docvalues.None {
			s.cost += docvalues.BlockDocs
		}
	}
	return nonEmpty(s, s.from(0) == noDoc)
}

func (s *span) Doc() uint32  { return s.doc }
func (s *span) Cost() int    { return s.cost }
func (s *span) Score() int64 { return s.score }
func (s *span) Next() uint32 { return s.from(s.doc + 1) }

func (s *span) Advance(target uint32) uint32 {
	if s.doc < target {
		s.from(target)
	}
	return s.doc
}

// from goes to the first document at or behind doc.
func (s *span) from(doc uint32) uint32 {
	s.doc = noDoc
	for block := int(doc / docvalues.BlockDocs); block < s.col.Blocks(); block++ {
		if block != s.block {
			if s.block, s.set = block, s.read(block); s.env.err != nil {
				return noDoc
			}
		}
		at := doc % docvalues.BlockDocs
		for w := at / 64; w < 2; w++ {
			if left := s.set[w] >> (at % 64) << (at % 64); left != 0 {
				s.doc = uint32(block*docvalues.BlockDocs) + 64*w + uint32(bits.TrailingZeros64(left))
				return s.doc
			}
			at = 0
		}
		doc = uint32(block+1) * docvalues.BlockDocs
	}
	return noDoc
}

// read gives the documents of a block, none when the search has ended.
func (s *span) read(block int) (set [2]uint64) {
	looked := 0
	if s.among == nil {
		set, looked = s.values.Mark(block)
	} else {
		set, looked = s.readAmong(block)
	}
	if !s.env.steps(1 + looked/32) {
		return [2]uint64{}
	}
	return set
}

// readAmong looks the values of a block up, unless none of those looked for lies within its bounds.
func (s *span) readAmong(block int) (set [2]uint64, looked int) {
	least, greatest, any := s.col.Bounds(block)
	if !any || !overlaps(s.among, least, greatest) {
		return set, 0
	}
	first := uint32(block * docvalues.BlockDocs)
	for at := range min(uint32(s.col.Docs())-first, docvalues.BlockDocs) {
		from, to := s.col.Range(first + at)
		looked += 4 * (to - from) // a search costs more than a comparison
		for ; from < to; from++ {
			if among(s.among, s.col.Int(from)) {
				set[at/64] |= 1 << (at % 64)
				break
			}
		}
	}
	return set, looked
}

// mark sets the bits of a window's documents; it leaves the scorer where it stands.
func (s *span) mark(base, end uint32, set []uint64) {
	for block := int(base / docvalues.BlockDocs); block*docvalues.BlockDocs < int(end); block++ {
		here := s.read(block)
		at := block*2 - int(base/64)
		set[at] |= here[0]
		if here[1] != 0 {
			set[at+1] |= here[1]
		}
	}
}

// sift tells which of at most 128 documents match, a bit each by their place in docs; it leaves the scorer where it stands.
func (s *span) sift(docs []uint32) (set [2]uint64) {
	if s.among == nil {
		return s.values.Among(docs)
	}
	for i, d := range docs {
		from, to := s.col.Range(d)
		for ; from < to; from++ {
			if among(s.among, s.col.Int(from)) {
				set[i/64] |= 1 << (i % 64)
				break
			}
		}
	}
	return set
}
