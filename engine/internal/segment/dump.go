package segment

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/jetseek/jetseek/engine/internal/segment/cursor"
	"github.com/jetseek/jetseek/engine/internal/segment/docvalues"
	"github.com/jetseek/jetseek/engine/internal/segment/labels"
	"github.com/jetseek/jetseek/engine/internal/segment/postings"
	"github.com/jetseek/jetseek/engine/internal/segment/stored"
	"github.com/jetseek/jetseek/engine/internal/segment/termdict"
)

// DumpOptions narrow what [Dump] prints. The zero value prints everything, long pieces cut.
type DumpOptions struct {
	Section int    // only sections of this kind; 0: all
	Field   string // only sections of this field; "": all
	Term    string // only what belongs to this term or exact value; "": all
	Full    bool   // long pieces whole
}

// Dump prints a segment as lines of offset, length, bytes and meaning. What does not decode is a line that says CORRUPT. The error is the writer's, or that there
// is nothing of what the options ask for.
func Dump(w io.Writer, b []byte, o DumpOptions) error {
	p := labels.New(w, o.Full)
	list, err := layout(b)
	if err != nil {
		return fmt.Errorf("dump segment: %w", err)
	}
	d := dumper{p: p, b: b, o: o, sections: list}
	d.readNames()
	p.Title("%10s %8s  %-25s %s", "offset", "length", "bytes", "meaning")
	if d.whole() {
		d.header()
	}
	for i := range list {
		if d.wanted(&list[i]) {
			d.found = true
			d.section(&list[i])
		}
	}
	if d.whole() {
		d.contents()
	}
	if err := p.Flush(); err != nil {
		return fmt.Errorf("dump segment: %w", err)
	}
	if !d.found {
		return fmt.Errorf("no such section; this segment has the fields %q", d.names)
	}
	return nil
}

type dumper struct {
	p        *labels.Printer
	b        []byte
	o        DumpOptions
	sections []sectionAt
	docs     int
	names    []string
	found    bool
}

// readNames takes what the labels need from meta.
func (d *dumper) readNames() {
	var s Segment
	for i := range d.sections {
		if d.sections[i].kind == kindMeta && s.openMeta(d.sections[i].bytes) == nil {
			d.docs = s.docs
			for _, f := range s.fields {
				d.names = append(d.names, f.Name)
			}
		}
	}
}

func (d *dumper) whole() bool { return d.o.Section == 0 && d.o.Field == "" && d.o.Term == "" }

func (d *dumper) wanted(s *sectionAt) bool {
	switch s.kind {
	case kindTerms, kindPostings, kindPositions, kindExact, kindExactPostings:
	default:
		if d.o.Term != "" {
			return false
		}
	}
	if d.o.Field != "" && (s.kind < kindLengths || d.name(s) != d.o.Field) {
		return false
	}
	return d.o.Section == 0 || d.o.Section == int(s.kind)
}

func (d *dumper) name(s *sectionAt) string {
	if s.field < len(d.names) {
		return d.names[s.field]
	}
	return ""
}

func (d *dumper) header() {
	r := d.p.Read(d.b[:headerLen], 0)
	r.Bytes(4, "magic")
	r.Group(func(c *cursor.Cursor) string { return fmt.Sprintf("format %d", binary.LittleEndian.Uint16(c.Bytes(2))) })
	r.Bytes(2, "zero")
}

// contents prints the table of contents and the footer.
func (d *dumper) contents() {
	end := len(d.b) - footerLen
	start := end - int(binary.LittleEndian.Uint32(d.b[end:]))
	d.p.Title("table of contents")
	r := d.p.Read(d.b[start:end], start)
	for range r.Uvarint("sections") {
		r.Group(func(c *cursor.Cursor) string {
			return fmt.Sprintf("%v (kind %d) of field %d, length %d, crc32c %08x", kind(d.b[start+c.Offset()]), c.Byte(), c.Uvarint(), c.Uvarint(), c.Fixed32())
		})
	}
	r.End()
	r = d.p.Read(d.b[end:], end)
	r.Fixed32("length of the table of contents")
	r.Bytes(4, "crc32c of the table of contents, right")
	r.Bytes(4, "magic")
}

// section prints one section below its title.
func (d *dumper) section(s *sectionAt) {
	of, sum := "", "right"
	if s.kind >= kindLengths {
		of = fmt.Sprintf(" of field %d %q", s.field, d.name(s))
	}
	if checksum(s.bytes) != s.crc {
		sum = "WRONG"
	}
	d.p.Title("section %d, %v%s: %d bytes at %d, crc32c %08x %s", s.kind, s.kind, of, len(s.bytes), s.offset, s.crc, sum)
	switch s.kind {
	case kindMeta:
		d.meta(s)
	case kindIDs:
		d.ids(s)
	case kindIDTable:
		d.idTable(s)
	case kindContent:
		r := d.p.Read(s.bytes, s.offset)
		for doc := range d.docs {
			r.Bytes(16, "document %d", doc)
		}
		r.End()
	case kindStored:
		stored.Dump(d.p, s.bytes, s.offset)
	case kindTerms, kindExact:
		termdict.Dump(d.p, s.bytes, s.offset, d.o.Term)
	case kindPostings, kindPositions, kindExactPostings:
		d.lists(s)
	case kindFloats:
		docvalues.Dump(d.p, s.bytes, s.offset, docvalues.AsFloat)
	default:
		docvalues.Dump(d.p, s.bytes, s.offset, docvalues.AsInt)
	}
}

func (d *dumper) meta(s *sectionAt) {
	r := d.p.Read(s.bytes, s.offset)
	r.Fixed64("collection")
	r.Uvarint("documents")
	for i := range r.Uvarint("logs") {
		if r.Bytes(16, "log %d", i); !r.OK() {
			break
		}
	}
	for i := range r.Uvarint("fields") {
		r.Group(func(c *cursor.Cursor) string { return fmt.Sprintf("field %d: %q", i, c.Bytes(c.Len())) })
		if !r.OK() {
			break
		}
	}
	r.End()
}

func (d *dumper) ids(s *sectionAt) {
	seg := Segment{docs: d.docs}
	if err := seg.openIDs(s.bytes); err != nil {
		d.p.Line(s.offset, s.bytes, "CORRUPT: %v", err)
		return
	}
	r := d.p.Read(s.bytes, s.offset)
	r.Bytes(len(seg.idStarts), "where the ids of %d documents start", d.docs)
	for doc := 0; doc < d.docs && !d.p.Failed(); doc++ {
		id := seg.ID(uint32(doc))
		r.Bytes(len(id), "document %d: %q", doc, id)
	}
	r.End()
}

func (d *dumper) idTable(s *sectionAt) {
	if want := 8 * tableSlots(d.docs); len(s.bytes) != want {
		d.p.Line(s.offset, s.bytes, "CORRUPT: the table of %d documents takes %d bytes", d.docs, want)
		return
	}
	r := d.p.Read(s.bytes, s.offset)
	for i := 0; r.Left() >= 8 && !d.p.Failed(); i++ {
		r.Group(func(c *cursor.Cursor) string {
			e := c.Fixed64()
			if e == 0 {
				return fmt.Sprintf("entry %d: empty", i)
			}
			return fmt.Sprintf("entry %d: document %d, hash %08x…", i, e&docPart-1, e>>32)
		})
	}
	r.End()
}

// lists prints posting lists, or their positions, under their terms, for which it looks into the dictionary.
func (d *dumper) lists(s *sectionAt) {
	dict, src, err := d.source(s)
	if err != nil {
		d.p.Line(s.offset, s.bytes, "CORRUPT: %v", err)
		return
	}
	it := dict.All()
	more := it.Next()
	if d.o.Term != "" {
		it = dict.Seek(d.o.Term)
		more = it.Valid() && string(it.Term()) == d.o.Term
	}
	for more && !d.p.Failed() {
		ref := it.Ref()
		if s.kind == kindPositions {
			d.p.Line(s.offset+int(ref.PosOff), nil, "positions of %q", it.Term())
			d.p.In()
			postings.DumpPositions(d.p, src, ref, s.offset)
		} else {
			d.p.Line(s.offset+int(ref.DocOff), nil, "list of %q", it.Term())
			d.p.In()
			postings.Dump(d.p, src, ref, s.offset)
		}
		d.p.Out()
		more = d.o.Term == "" && it.Next()
	}
	if d.o.Term == "" {
		end := int(bodyLen(s.bytes))
		d.p.Line(s.offset+end, s.bytes[end:], "slack")
	}
}

// source gathers what a section of lists needs to be read.
func (d *dumper) source(s *sectionAt) (dict termdict.Dict, src postings.Source, err error) {
	of := kindTerms
	if s.kind == kindExactPostings {
		of = kindExact
	}
	src = postings.Source{Text: of == kindTerms, MaxDoc: uint32(d.docs)}
	for i := range d.sections {
		p := &d.sections[i]
		if p.field != s.field {
			continue
		}
		switch {
		case p.kind == of:
			dict, err = termdict.Open(p.bytes)
		case p.kind == kindPostings && src.Text, p.kind == kindExactPostings && !src.Text:
			src.Docs = p.bytes
		case p.kind == kindPositions && src.Text:
			src.Positions = p.bytes
		}
	}
	return dict, src, err
}
