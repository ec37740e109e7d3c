package docvalues

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/jetseek/jetseek/engine/internal/segment/cursor"
)

// ErrCorrupt says that bytes are no column.
var ErrCorrupt = errors.New("corrupt column")

const (
	flagMulti  = 1
	flagSparse = 2
	flagBounds = 4
)

// BlockDocs is the number of documents of a block, the bounds of whose values a column keeps.
const BlockDocs = 128

// Column reads a column. It may be used from any goroutine. The zero value has no documents.
type Column struct {
	docs, values int
	lane         int
	base         uint64
	presence     []byte // nil: all documents have a value
	starts       []byte // nil: one value a document
	bounds       []byte // nil: those of a block are those of the column
	data         []byte
}

// Open reads a column and checks its frame, so that no later call can fail.
func Open(b []byte) (Column, error) {
	c := cursor.New(b)
	flags := c.Byte()
	col := Column{lane: int(c.Byte())}
	docs, values := uint64(c.Uint32()), uint64(c.Uint32())
	col.docs, col.values, col.base = int(docs), int(values), c.Fixed64()
	multi := flags&^flagBounds == flagMulti
	switch {
	case multi:
		col.starts = c.Bytes(4 * (col.docs + 1))
	case flags&^flagBounds == flagSparse:
		col.presence = c.Bytes((col.docs + 63) / 64 * 8)
	case flags&^flagBounds != 0:
		c.Fail()
	}
	lanes := col.lane == 0 || col.lane == 1 || col.lane == 2 || col.lane == 4 || col.lane == 8
	if !c.OK() || !lanes || !multi && docs != values {
		return Column{}, fmt.Errorf("%w: flags %d, lane %d, %d documents, %d values", ErrCorrupt, flags, col.lane, docs, values)
	}
	if flags&flagBounds != 0 && col.lane > 0 {
		col.bounds = c.Bytes(2 * col.lane * col.Blocks())
	}
	if col.data = c.Bytes(col.values * col.lane); !c.OK() {
		return Column{}, fmt.Errorf("%w: %d values of %d bytes in %d", ErrCorrupt, values, col.lane, len(b))
	}
	if col.starts != nil && !col.ascending() {
		return Column{}, fmt.Errorf("%w: starts", ErrCorrupt)
	}
	return col, nil
}

// ascending checks that starts lead from 0 to the number of values without going back.
func (c *Column) ascending() bool {
	prev := uint32(0)
	for d := range c.docs + 1 {
		s := binary.LittleEndian.Uint32(c.starts[4*d:])
		if s < prev || d == 0 && s != 0 {
			return false
		}
		prev = s
	}
	return int(prev) == c.values
}

// Docs gives the number of documents.
func (c *Column) Docs() int { return c.docs }

// Plain tells whether every document has one value, so that value number i is that of document i.
func (c *Column) Plain() bool { return c.starts == nil && c.presence == nil }

// Range gives the indexes from..to-1 of a document's values, ascending; empty when it has none.
func (c *Column) Range(doc uint32) (from, to int) {
	d := int(doc)
	if d >= c.docs {
		return 0, 0
	}
	if c.starts != nil {
		return int(binary.LittleEndian.Uint32(c.starts[4*d:])), int(binary.LittleEndian.Uint32(c.starts[4*d+4:]))
	}
	if c.presence != nil && c.presence[d>>3]>>(d&7)&1 == 0 {
		return 0, 0
	}
	return d, d + 1
}

// Has tells whether a document has a value.
func (c *Column) Has(doc uint32) bool {
	from, to := c.Range(doc)
	return from < to
}

// Int gives value number i, which comes from [Column.Range].
func (c *Column) Int(i int) int64 {
	return int64(c.base + c.number(c.data, i))
}

// number gives number i of a string of lanes.
func (c *Column) number(lanes []byte, i int) uint64 {
	switch c.lane {
	case 1:
		return uint64(lanes[i])
	case 2:
		return uint64(binary.LittleEndian.Uint16(lanes[2*i:]))
	case 4:
		return uint64(binary.LittleEndian.Uint32(lanes[4*i:]))
	case 8:
		return binary.LittleEndian.Uint64(lanes[8*i:])
	}
	return 0
}

// Float gives value number i of a column of doubles.
func (c *Column) Float(i int) float64 { return Double(c.Int(i)) }

// Ordered gives a double as a number: numbers are ordered as their doubles are. It tells -0 from 0, which no column holds.
func Ordered(x float64) int64 { return flip(int64(math.Float64bits(x))) }

// Double gives the double of a number that [Ordered] gave.
func Double(v int64) float64 { return math.Float64frombits(uint64(flip(v))) }

// flip turns the order of negative numbers round, and is its own inverse.
func flip(v int64) int64 { return v ^ int64(uint64(v>>63)>>1) }

// Length gives a document's value in a plain column, as a count.
func (c *Column) Length(doc uint32) uint32 { return uint32(c.Int(int(doc))) }

// Lane gives a plain column as it lies, for loops: value number i is base plus the little-endian number in the width bytes of data from i*width on.
func (c *Column) Lane() (base uint64, width int, data []byte) { return c.base, c.lane, c.data }
