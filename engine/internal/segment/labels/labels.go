// Package labels prints bytes with what they mean: each line has an offset, a length, the bytes in hexadecimal and a label. It imports only package cursor.
package labels

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"io"
	"strings"

	"github.com/jetseek/jetseek/engine/internal/segment/cursor"
)

const (
	lineBytes = 12 // printed of each piece
	lineItems = 8  // values named in one line
)

// Printer prints labelled bytes. It holds one line at a time, whatever the size of what it prints. Errors of the writer end it: later lines are not
// printed, and Flush tells.
type Printer struct {
	out  *bufio.Writer
	full bool
	deep int
	err  error
}

// New makes a printer, which cuts the bytes of a piece at twelve unless full is set.
func New(w io.Writer, full bool) *Printer { return &Printer{out: bufio.NewWriter(w), full: full} }

// Flush writes what is left, and tells the first error of the writer.
func (p *Printer) Flush() error {
	if p.err == nil {
		p.err = p.out.Flush()
	}
	return p.err
}

// Failed tells whether printing on is in vain.
func (p *Printer) Failed() bool { return p.err != nil }

// In moves the labels that follow to the right, Out back.
func (p *Printer) In() { p.deep++ }

// Out ends what In began.
func (p *Printer) Out() { p.deep-- }

// Line prints a piece of the bytes that lies at an offset.
func (p *Printer) Line(off int, piece []byte, format string, args ...any) {
	shown := piece
	if len(shown) > lineBytes {
		shown = shown[:lineBytes]
	}
	more := ""
	if len(shown) < len(piece) && !p.full {
		more = "…"
	}
	p.printf("%10d %8d  %s%s%*s %s%s\n", off, len(piece), hex.EncodeToString(shown), more, 2*lineBytes+1-2*len(shown)-len([]rune(more)), "",
		strings.Repeat("  ", p.deep), fmt.Sprintf(format, args...))
	if !p.full {
		return
	}
	for at := lineBytes; at < len(piece); at += lineBytes {
		p.printf("%10d %8s  %s\n", off+at, "", hex.EncodeToString(piece[at:min(at+lineBytes, len(piece))]))
	}
}

// Title prints a line that belongs to no bytes.
func (p *Printer) Title(format string, args ...any) { p.printf("%s\n", fmt.Sprintf(format, args...)) }

func (p *Printer) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.out, format, args...)
	}
}

// Few gives numbers as text: at most eight of them unless the printer prints all in full.
func Few[T any](p *Printer, values []T) string {
	rest := 0
	if len(values) > lineItems && !p.full {
		values, rest = values[:lineItems], len(values)-lineItems
	}
	var b strings.Builder
	for i, v := range values {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprint(&b, v)
	}
	if rest > 0 {
		fmt.Fprintf(&b, " and %d more", rest)
	}
	return b.String()
}

// Reader reads bytes forward, as a cursor does, and prints each piece that it reads.
type Reader struct {
	p    *Printer
	b    []byte
	base int // offset of b
	c    cursor.Cursor
}

// Read makes a reader of bytes that lie at an offset.
func (p *Printer) Read(b []byte, base int) *Reader {
	return &Reader{p: p, b: b, base: base, c: cursor.New(b)}
}

// OK tells whether everything read so far was there.
func (r *Reader) OK() bool { return r.c.OK() }

// Left gives how many bytes are left, 0 after a failure.
func (r *Reader) Left() int { return r.c.Left() }

// Offset gives the position of the next byte in what the reader reads.
func (r *Reader) Offset() int { return r.c.Offset() }

// Byte reads one byte.
func (r *Reader) Byte(label string) byte {
	return byte(r.number(label, func() uint64 { return uint64(r.c.Byte()) }))
}

// Uvarint reads a varint.
func (r *Reader) Uvarint(label string) uint64 { return r.number(label, r.c.Uvarint) }

// Fixed32 reads four bytes.
func (r *Reader) Fixed32(label string) uint32 {
	return uint32(r.number(label, func() uint64 { return uint64(r.c.Fixed32()) }))
}

// Fixed64 reads eight bytes.
func (r *Reader) Fixed64(label string) uint64 { return r.number(label, r.c.Fixed64) }

func (r *Reader) number(label string, read func() uint64) uint64 {
	from := r.c.Offset()
	v := read()
	if r.c.OK() {
		r.p.Line(r.base+from, r.b[from:r.c.Offset()], "%s %d", label, v)
	}
	return v
}

// Bytes reads n bytes.
func (r *Reader) Bytes(n int, format string, args ...any) []byte {
	from := r.c.Offset()
	b := r.c.Bytes(n)
	if r.c.OK() {
		r.p.Line(r.base+from, b, format, args...)
	}
	return b
}

// Group reads with a cursor what makes one line: read gives its label.
func (r *Reader) Group(read func(c *cursor.Cursor) string) {
	from := r.c.Offset()
	label := read(&r.c)
	if r.c.OK() {
		r.p.Line(r.base+from, r.b[from:r.c.Offset()], "%s", label)
	}
}

// End prints what stands between the last piece and the end: bytes without a meaning, or that the last piece is not whole. It tells whether neither
// was found.
func (r *Reader) End() bool {
	switch from := r.c.Offset(); {
	case !r.c.OK():
		r.p.Line(r.base+min(from, len(r.b)), r.b[min(from, len(r.b)):], "CORRUPT: what should be here does not end within these bytes")
		return false
	case r.c.Left() > 0:
		r.p.Line(r.base+from, r.b[from:], "CORRUPT: bytes without a meaning")
		return false
	}
	return true
}
