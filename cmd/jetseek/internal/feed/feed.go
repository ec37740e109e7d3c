// Package feed reads documents from files and packs them into batches, each with the place it came from. It may import nothing of the project.
//
// A file holds documents in one of three forms, which its first bytes tell: a JSON array of them; one document a line (NDJSON), when its first line
// is a whole JSON value; or one document after the other, each over as many lines as it likes.
package feed

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// MaxLine bounds one document, in bytes.
const MaxLine = 16 << 20

// Document is one of a file: its JSON in one line, the line of the file on which it begins, from 1, and the offset in bytes behind it, that of the
// next line in the form of lines.
type Document struct {
	Line int
	End  int64
	JSON []byte
}

// Reader gives the documents of one file.
type Reader struct {
	next func() (Document, error)
}

// New looks at the first bytes of a file and makes its reader.
func New(r io.Reader) (*Reader, error) {
	b := bufio.NewReaderSize(r, 1<<20)
	head, err := b.Peek(1 << 20)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
		return nil, err
	}
	head = bytes.TrimLeft(head, " \t\r\n")
	line, _, whole := bytes.Cut(head, []byte("\n"))
	switch {
	case len(head) > 0 && head[0] == '[':
		return &Reader{values(b, true)}, nil
	case json.Valid(line) || !whole && len(head) >= 1<<20-64:
		return &Reader{lines(b)}, nil
	}
	return &Reader{values(b, false)}, nil
}

// Next gives the next document, or io.EOF. Its memory is the caller's. In the form of lines a line that is no JSON is given as it is: the cluster says what is wrong
// with it, and the others stand. In the other forms it is the end.
func (r *Reader) Next() (Document, error) { return r.next() }

// lines reads one document a line.
func lines(b *bufio.Reader) func() (Document, error) {
	at, end := 0, int64(0)
	return func() (Document, error) {
		for {
			line, err := readLine(b)
			end += int64(len(line))
			if err != nil && (len(line) == 0 || !errors.Is(err, io.EOF)) {
				if errors.Is(err, io.EOF) {
					return Document{}, io.EOF
				}
				return Document{}, fmt.Errorf("line %d: %w", at+1, err)
			}
			at++
			if line = bytes.TrimSpace(line); len(line) > 0 {
				return Document{Line: at, End: end, JSON: line}, nil
			}
		}
	}
}

// readLine gives a line of at most MaxLine bytes.
func readLine(b *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := b.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > MaxLine {
			return nil, fmt.Errorf("more than %d bytes", MaxLine)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// values reads one JSON value after the other, or those of an array.
func values(b *bufio.Reader, array bool) func() (Document, error) {
	count := &counter{r: b}
	d := json.NewDecoder(count)
	begun, ended := !array, false
	return func() (Document, error) {
		if ended {
			return Document{}, io.EOF
		}
		if !begun {
			if _, err := d.Token(); err != nil {
				return Document{}, fmt.Errorf("line %d: %w", count.line(d.InputOffset()), err)
			}
			begun = true
		}
		if array && !d.More() {
			if _, err := d.Token(); err != nil {
				return Document{}, fmt.Errorf("line %d: the array does not end: %w", count.line(d.InputOffset()), err)
			}
			ended = true
			return Document{}, io.EOF
		}
		var raw json.RawMessage
		err := d.Decode(&raw)
		if errors.Is(err, io.EOF) && !array {
			return Document{}, io.EOF
		}
		if err != nil {
			return Document{}, fmt.Errorf("line %d: %w", count.line(faultAt(d, err)), err)
		}
		line := count.line(d.InputOffset() - int64(len(raw)))
		var one bytes.Buffer
		if err := json.Compact(&one, raw); err != nil {
			return Document{}, fmt.Errorf("line %d: %w", line, err)
		}
		if one.Len() > MaxLine {
			return Document{}, fmt.Errorf("line %d: a document of more than %d bytes", line, MaxLine)
		}
		return Document{Line: line, End: d.InputOffset(), JSON: one.Bytes()}, nil
	}
}

// faultAt is about where a decoder met a fault; it stands itself before the value that has it.
func faultAt(d *json.Decoder, err error) int64 {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return max(syntax.Offset, d.InputOffset())
	}
	return d.InputOffset()
}

// counter counts the lines of what is read through it. Ends of lines behind the last place asked for are remembered; the others are counted and forgotten.
type counter struct {
	r    io.Reader
	read int64
	ends []int64 // offsets of ends of lines, ascending
	done int     // how many were before them
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	for i, b := range p[:n] {
		if b == '\n' {
			c.ends = append(c.ends, c.read+int64(i))
		}
	}
	c.read += int64(n)
	return n, err
}

// line gives the line of an offset; offsets must not fall.
func (c *counter) line(offset int64) int {
	for len(c.ends) > 0 && c.ends[0] < offset {
		c.ends, c.done = c.ends[1:], c.done+1
	}
	return c.done + 1
}
