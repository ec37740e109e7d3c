package docvalues

import (
	"fmt"

	"github.com/jetseek/jetseek/engine/internal/segment/labels"
)

// As says how values of a column are printed.
type As uint8

// The ways to print a value.
const (
	AsInt As = iota
	AsFloat
)

// Dump prints a column, which lies at an offset, as labelled bytes.
func Dump(p *labels.Printer, b []byte, base int, as As) {
	r := p.Read(b, base)
	flags := r.Byte("flags (1: several values, 2: some documents without, 4: bounds of blocks)")
	lane := int(r.Byte("bytes a value"))
	docs := r.Uvarint("documents")
	values := r.Uvarint("values")
	r.Fixed64("base")
	col, err := Open(b)
	if err != nil {
		p.Line(base, b, "CORRUPT: %v", err)
		return
	}
	switch flags &^ flagBounds {
	case flagSparse:
		r.Bytes(len(col.presence), "which of %d documents have a value, a bit each", docs)
	case flagMulti:
		r.Bytes(len(col.starts), "where the values of %d documents start", docs)
	}
	for block := 0; len(col.bounds) > 0 && block < col.Blocks() && !p.Failed(); block++ {
		least, greatest := col.block(block)
		if least > greatest {
			r.Bytes(2*lane, "bounds of block %d, which has no values", block)
			continue
		}
		r.Bytes(2*lane, "bounds of block %d: %s, %s", block, col.shown(least, as), col.shown(greatest, as))
	}
	if lane == 0 && values > 0 {
		r.Bytes(0, "all values: %s", col.text(0, as))
	}
	for d := uint32(0); uint64(d) < docs && lane > 0 && !p.Failed(); {
		d = col.dumpLine(p, r, d, as)
	}
	r.End()
}

// dumpLine prints the values of about eight documents, and gives the document behind them.
func (c *Column) dumpLine(p *labels.Printer, r *labels.Reader, first uint32, as As) uint32 {
	var shown []string
	doc, n := first, 0
	for ; int(doc) < c.docs && len(shown) < 8 && n < 64; doc++ {
		from, to := c.Range(doc)
		text := "-"
		for i := from; i < to; i++ {
			if i == from {
				text = c.text(i, as)
			} else {
				text += "," + c.text(i, as)
			}
		}
		shown = append(shown, text)
		if n += to - from; c.starts == nil && from == to {
			n++ // its place is there all the same
		}
	}
	r.Bytes(n*c.lane, "from document %d: %s", first, labels.Few(p, shown))
	return doc
}

func (c *Column) text(i int, as As) string { return c.shown(c.number(c.data, i), as) }

// shown gives a number of a lane as the value it stands for.
func (c *Column) shown(number uint64, as As) string {
	v := int64(c.base + number)
	if as == AsFloat {
		return fmt.Sprint(Double(v))
	}
	return fmt.Sprint(v)
}
