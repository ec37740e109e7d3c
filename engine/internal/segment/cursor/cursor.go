// Package cursor reads integers and slices from bytes that nobody vouches for: every read is bounded by what is there, and the first one that does
// not fit makes all later ones give zero. It imports nothing of the project.
package cursor

import (
	"encoding/binary"
	"math/bits"
)

// Cursor reads forward through bytes. The zero value reads nothing.
type Cursor struct {
	b   []byte
	off int
	bad bool
}

// New reads b from its beginning. The slices that the cursor gives alias b.
func New(b []byte) Cursor { return Cursor{b: b} }

// At reads b from an offset; an offset outside of b fails at once.
func At(b []byte, off int) Cursor {
	if off < 0 || off > len(b) {
		return Cursor{bad: true}
	}
	return Cursor{b: b, off: off}
}

// OK tells whether everything read so far was there.
func (c *Cursor) OK() bool { return !c.bad }

// Offset gives the position of the next byte.
func (c *Cursor) Offset() int { return c.off }

// Left gives how many bytes are left, 0 after a failure.
func (c *Cursor) Left() int {
	if c.bad {
		return 0
	}
	return len(c.b) - c.off
}

// Fail makes the cursor fail: for callers that find a value out of range.
func (c *Cursor) Fail() { c.bad = true }

// Byte reads one byte.
func (c *Cursor) Byte() byte {
	if c.Left() < 1 {
		c.bad = true
		return 0
	}
	v := c.b[c.off]
	c.off++
	return v
}

// Uvarint reads a varint of at most 64 bits.
func (c *Cursor) Uvarint() uint64 {
	if !c.bad && c.off < len(c.b) && c.b[c.off] < 0x80 {
		v := c.b[c.off]
		c.off++
		return uint64(v)
	}
	return c.long()
}

func (c *Cursor) long() uint64 {
	if c.bad {
		return 0
	}
	v, n := binary.Uvarint(c.b[c.off:])
	if n <= 0 {
		c.bad = true
		return 0
	}
	c.off += n
	return v
}

// Uvarint reads the varint at an offset of b, for loops that read so much that a [Cursor] shows. It gives the offset behind it; one above len(b) when it is not all there or
// has more than 64 bits, and when at is above len(b) already: so a loop may read on and look once whether all was there.
func Uvarint(b []byte, at int) (uint64, int) {
	if at+8 <= len(b) {
		// Lengths up to four bytes come mixed: a branch for each would be foretold badly.
		v := binary.LittleEndian.Uint64(b[at:])
		last := ^v & 0x80808080
		if last != 0 {
			v &= last ^ (last - 1)
			return v&0x7f | v>>1&0x3f80 | v>>2&0x1fc000 | v>>3&0xfe00000, at + (bits.TrailingZeros64(last)+1)/8
		}
	}
	if at < len(b) {
		if v, n := binary.Uvarint(b[at:]); n > 0 {
			return v, at + n
		}
	}
	return 0, len(b) + 1
}

// Uint32 reads a varint that must fit 32 bits.
func (c *Cursor) Uint32() uint32 {
	v := c.Uvarint()
	if v > 1<<32-1 {
		c.bad = true
		return 0
	}
	return uint32(v)
}

// Len reads a varint that counts bytes or things of at least one byte each, so that it cannot exceed what is left.
func (c *Cursor) Len() int {
	v := c.Uvarint()
	if v > uint64(c.Left()) {
		c.bad = true
		return 0
	}
	return int(v)
}

// Fixed32 reads four bytes, little-endian.
func (c *Cursor) Fixed32() uint32 {
	b := c.Bytes(4)
	if c.bad {
		return 0
	}
	return binary.LittleEndian.Uint32(b)
}

// Fixed64 reads eight bytes, little-endian.
func (c *Cursor) Fixed64() uint64 {
	b := c.Bytes(8)
	if c.bad {
		return 0
	}
	return binary.LittleEndian.Uint64(b)
}

// Bytes gives the next n bytes, capped so that an append cannot reach what follows; nil when there are fewer.
func (c *Cursor) Bytes(n int) []byte {
	if n < 0 || n > c.Left() {
		c.bad = true
		return nil
	}
	b := c.b[c.off : c.off+n : c.off+n]
	c.off += n
	return b
}
