package docvalues

import (
	"encoding/binary"
	"math"
)

// Report takes a finding: where in the column, and what is wrong there.
type Report func(off int, format string, args ...any)

// Verify checks what [Open] has not: that the values of a document ascend, strictly where they are distinct, and that the bounds of blocks are theirs.
func (c *Column) Verify(distinct bool, report Report) {
	c.verifyBounds(report)
	c.each(func(doc uint32, from, to int) {
		for i := from + 1; i < to; i++ {
			if c.Int(i) < c.Int(i-1) || distinct && c.Int(i) == c.Int(i-1) {
				report(c.offset(i), "document %d: value %d does not lie behind %d", doc, c.Int(i), c.Int(i-1))
			}
		}
	})
}

// VerifyFloats checks a column of doubles: numbers that are finite, not minus zero, and ascend within a document.
func (c *Column) VerifyFloats(report Report) {
	c.verifyBounds(report)
	c.each(func(doc uint32, from, to int) {
		for i := from; i < to; i++ {
			x := c.Float(i)
			if math.IsNaN(x) || math.IsInf(x, 0) || x == 0 && math.Signbit(x) {
				report(c.offset(i), "document %d: %v is no value of a field", doc, x)
			}
			if i > from && x < c.Float(i-1) {
				report(c.offset(i), "document %d: value %v does not lie behind %v", doc, x, c.Float(i-1))
			}
		}
	})
}

// VerifyWithin checks that every document has one value, from lo to hi.
func (c *Column) VerifyWithin(lo, hi int64, report Report) {
	if !c.Plain() {
		report(0, "not every document has exactly one value")
		return
	}
	for doc := range c.docs {
		if v := c.Int(doc); v < lo || v > hi {
			report(c.offset(doc), "document %d: value %d, want %d to %d", doc, v, lo, hi)
		}
	}
}

func (c *Column) verifyBounds(report Report) {
	if c.bounds == nil {
		return
	}
	for block := range c.Blocks() {
		least, greatest := c.most(), uint64(0)
		for doc := block * BlockDocs; doc < min((block+1)*BlockDocs, c.docs); doc++ {
			from, to := c.Range(uint32(doc))
			for i := from; i < to; i++ {
				u := c.number(c.data, i)
				least, greatest = min(least, u), max(greatest, u)
			}
		}
		if l, g := c.block(block); l != least || g != greatest {
			report(c.offset(0)-len(c.bounds)+2*block*c.lane, "block %d has values from %d to %d above the base, its bounds are %d and %d", block, least, greatest, l, g)
		}
	}
}

func (c *Column) each(visit func(doc uint32, from, to int)) {
	for doc := range c.docs {
		if from, to := c.Range(uint32(doc)); from < to {
			visit(uint32(doc), from, to)
		}
	}
}

// offset gives where value number i lies in the column.
func (c *Column) offset(i int) int {
	head := binary.AppendUvarint(binary.AppendUvarint(nil, uint64(c.docs)), uint64(c.values))
	return 2 + len(head) + 8 + len(c.presence) + len(c.starts) + len(c.bounds) + i*c.lane
}
