package termdict

import (
	"encoding/binary"
	"fmt"

	"github.com/jetseek/jetseek/engine/internal/segment/cursor"
	"github.com/jetseek/jetseek/engine/internal/segment/labels"
	"github.com/jetseek/jetseek/engine/internal/segment/postings"
)

// Dump prints a dictionary, which lies at an offset, as labelled bytes; with a term, only its block.
func Dump(p *labels.Printer, b []byte, base int, term string) {
	d, err := Open(b)
	if err != nil {
		p.Line(base, b, "CORRUPT: %v", err)
		return
	}
	first, end := 0, len(d.starts)/4
	if term != "" {
		first = d.block(term)
		end = first + 1
	}
	for i := max(first, 0); i < end && !p.Failed(); i++ {
		d.dumpBlock(p, base, i)
	}
	if term != "" {
		return
	}
	r := p.Read(b[len(d.b):], base+len(d.b))
	for i := range len(d.starts) / 4 {
		r.Fixed32(fmt.Sprintf("block %d starts at", i))
	}
	r.Fixed32("terms")
	r.Byte("flags (1: lists have frequencies and positions)")
	r.End()
}

func (d *Dict) dumpBlock(p *labels.Printer, base, block int) {
	start, end := d.bounds(block)
	if start > end || end > len(d.b) {
		p.Line(base+min(start, len(d.b)), nil, "CORRUPT: block %d from %d to %d of %d bytes", block, start, end, len(d.b))
		return
	}
	r := p.Read(d.b[start:end], base+start)
	r.Uvarint(fmt.Sprintf("block %d: its documents start at", block))
	r.Uvarint(fmt.Sprintf("block %d: its positions start at", block))
	p.In()
	defer p.Out()
	e := d.entries(block)
	var term []byte
	for e.next() && r.OK() {
		e := e
		if e.shared <= len(term) {
			term = append(term[:e.shared], e.rest...)
		}
		r.Group(func(c *cursor.Cursor) string {
			c.Bytes(e.at - start - c.Offset())
			return fmt.Sprintf("term %d %q: shares %d, %s", e.ord, term, e.shared, describe(e.ref, d.text))
		})
	}
	r.End()
}

func describe(ref postings.Ref, text bool) string {
	s := fmt.Sprintf("df %d", ref.DF)
	if ref.DF == 1 {
		s += fmt.Sprintf(", document %d", ref.Doc)
	} else {
		s += fmt.Sprintf(", documents at %d length %d", ref.DocOff, ref.DocLen)
	}
	if text && ref.DF == 1 {
		s += fmt.Sprintf(" frequency %d", ref.Freq)
	}
	if text {
		s += fmt.Sprintf(", positions at %d length %d", ref.PosOff, ref.PosLen)
	}
	return s
}

// bounds gives where a block starts and ends.
func (d *Dict) bounds(block int) (start, end int) {
	start, end = int(binary.LittleEndian.Uint32(d.starts[4*block:])), len(d.b)
	if 4*block+4 < len(d.starts) {
		end = int(binary.LittleEndian.Uint32(d.starts[4*block+4:]))
	}
	return start, end
}
