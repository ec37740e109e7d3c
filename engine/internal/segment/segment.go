package segment

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sort"

	"github.com/jetseek/jetseek/engine/internal/segment/cursor"
	"github.com/jetseek/jetseek/engine/internal/segment/docvalues"
	"github.com/jetseek/jetseek/engine/internal/segment/postings"
	"github.com/jetseek/jetseek/engine/internal/segment/stored"
	"github.com/jetseek/jetseek/engine/internal/segment/termdict"
)

// MaxDocs bounds the documents of a segment.
const MaxDocs = 1<<31 - 1

// State is what a member knows of a document besides what it says.
type State struct {
	Version uint64   // counts its writes, from 1
	Log     [16]byte // with Seq and Index: the operation that created it
	Seq     uint64
	Index   uint32
	Slot    uint16
	Content [16]byte // first half of the SHA-256 of the source
}

// Segment reads a segment. It is immutable and may be used from any goroutine.
type Segment struct {
	bytes      []byte
	collection uint64
	docs       int
	logs       [][16]byte
	fields     []Field

	idStarts, idBytes, idTable []byte
	filter                     idFilter // of none: all ids may be there
	version, birthSeq          docvalues.Column
	birthLog, birthIndex, slot docvalues.Column
	content                    []byte
	sources                    stored.Reader
}

// Field is one field of a segment: a part is there if the segment holds documents with such values.
type Field struct {
	Name string

	HasText bool
	Lengths docvalues.Column // in tokens; 0: the document does not have the field
	Terms   termdict.Dict

	HasExact bool
	Exact    termdict.Dict
	Ordinals docvalues.Column // in Exact

	HasInts bool
	Ints    docvalues.Column

	HasFloats bool
	Floats    docvalues.Column

	terms, exact postings.Source
}

// TermPostings gives the bytes in which the lists of Terms lie.
func (f *Field) TermPostings() postings.Source { return f.terms }

// ExactPostings gives the bytes in which the lists of Exact lie.
func (f *Field) ExactPostings() postings.Source { return f.exact }

// Open reads a segment, which keeps the bytes: they must not change. It verifies every checksum and every frame.
func Open(b []byte) (*Segment, error) {
	s, err := openSections(b, readSections, nil)
	if err != nil {
		return nil, err
	}
	if err := s.sources.CheckCodecs(); err != nil {
		return nil, fmt.Errorf("%w: stored sources: %w", ErrCorrupt, err)
	}
	return s, nil
}

// OpenWritten is [Open] for a file that [Merger] has just written: the frame is verified, and of the checksums that of the table of contents.
func OpenWritten(b []byte) (*Segment, error) { return openSections(b, readUnchecked, nil) }

// openMade opens what a [Builder] or [Merger] has just made in memory: bytes without a section of sources, which are kept beside them. Their checksums were computed a moment
// ago: they are not verified again. The ids of such a segment, which is asked for them all the time, get a filter.
func openMade(b []byte, sources stored.Reader) (*Segment, error) {
	s, err := openSections(b, readUnchecked, &sources)
	if err != nil {
		return nil, fmt.Errorf("open the segment just made: %w", err)
	}
	s.filter = newIDFilter(s.idTable, s.docs)
	return s, nil
}

// openSections opens a segment whose sections read gives. Sources are those kept; nil: a section.
func openSections(b []byte, read func(b []byte, visit func(k kind, field int, section []byte) error) error, kept *stored.Reader) (*Segment, error) {
	s := &Segment{bytes: b}
	var seen uint64 // bit k: section k of the segment
	err := read(b, func(k kind, field int, section []byte) error {
		if k >= 64 || (k == kindMeta) != (seen == 0) || k < kindLengths && seen>>k&1 != 0 {
			return fmt.Errorf("%w: order of sections", ErrCorrupt)
		}
		if k < kindLengths {
			seen |= 1 << k
			return s.openSection(k, section)
		}
		if field >= len(s.fields) {
			return fmt.Errorf("%w: %d fields", ErrCorrupt, len(s.fields))
		}
		return s.fields[field].open(k, section, s.docs)
	})
	if err != nil && !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrNewer) {
		err = fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	if err != nil {
		return nil, err
	}
	if kept != nil {
		s.sources = *kept
		seen |= 1 << kindStored
	}
	for k := kindMeta; k <= kindStored; k++ {
		if seen>>k&1 == 0 {
			return nil, fmt.Errorf("%w: no section %d", ErrCorrupt, k)
		}
	}
	if s.sources.Docs() != s.docs {
		return nil, fmt.Errorf("%w: %d sources of %d documents", ErrCorrupt, s.sources.Docs(), s.docs)
	}
	for i := range s.fields {
		if err := s.fields[i].check(); err != nil {
			return nil, fmt.Errorf("field %d: %w", i, err)
		}
	}
	return s, nil
}

func (s *Segment) openSection(k kind, section []byte) error {
	switch k {
	case kindMeta:
		return s.openMeta(section)
	case kindIDs:
		return s.openIDs(section)
	case kindIDTable:
		return s.openIDTable(section)
	case kindVersion:
		return openColumn(&s.version, section, s.docs)
	case kindBirthSeq:
		return openColumn(&s.birthSeq, section, s.docs)
	case kindBirthLog:
		return openColumn(&s.birthLog, section, s.docs)
	case kindBirthIndex:
		return openColumn(&s.birthIndex, section, s.docs)
	case kindSlot:
		return openColumn(&s.slot, section, s.docs)
	case kindContent:
		if s.content = section; len(section) != 16*s.docs {
			return fmt.Errorf("%w: content hashes", ErrCorrupt)
		}
		return nil
	case kindStored:
		var err error
		s.sources, err = stored.Open(section)
		return err
	}
	return fmt.Errorf("%w: unknown section", ErrCorrupt)
}

func (s *Segment) openMeta(section []byte) error {
	c := cursor.New(section)
	s.collection = c.Fixed64()
	docs := c.Uvarint()
	for range c.Len() {
		var log [16]byte
		copy(log[:], c.Bytes(16))
		s.logs = append(s.logs, log)
		if !c.OK() {
			break
		}
	}
	fields := c.Len()
	if !c.OK() || docs > MaxDocs || fields > maxFields {
		return fmt.Errorf("%w: meta", ErrCorrupt)
	}
	s.docs = int(docs)
	s.fields = make([]Field, fields)
	for i := range s.fields {
		s.fields[i].Name = string(c.Bytes(c.Len()))
		if i > 0 && s.fields[i].Name <= s.fields[i-1].Name {
			c.Fail()
		}
	}
	if !c.OK() || c.Left() > 0 {
		return fmt.Errorf("%w: meta", ErrCorrupt)
	}
	return nil
}

func openColumn(col *docvalues.Column, section []byte, docs int) error {
	var err error
	if *col, err = docvalues.Open(section); err == nil && col.Docs() != docs {
		err = fmt.Errorf("%w: column of %d documents in a segment of %d", ErrCorrupt, col.Docs(), docs)
	}
	return err
}

// open reads one section of the field.
func (f *Field) open(k kind, section []byte, docs int) (err error) {
	switch k {
	case kindLengths:
		f.HasText = true
		return openColumn(&f.Lengths, section, docs)
	case kindTerms:
		f.Terms, err = termdict.Open(section)
	case kindPostings:
		f.terms = postings.Source{Docs: section, Positions: f.terms.Positions, Text: true, MaxDoc: uint32(docs)}
	case kindPositions:
		f.terms.Positions = section
	case kindExact:
		f.Exact, err = termdict.Open(section)
	case kindExactPostings:
		f.exact = postings.Source{Docs: section, MaxDoc: uint32(docs)}
	case kindOrdinals:
		f.HasExact = true
		return openColumn(&f.Ordinals, section, docs)
	case kindInts:
		f.HasInts = true
		return openColumn(&f.Ints, section, docs)
	case kindFloats:
		f.HasFloats = true
		return openColumn(&f.Floats, section, docs)
	default:
		err = fmt.Errorf("%w: unknown section", ErrCorrupt)
	}
	return err
}

// check makes sure that the parts of a field are all there.
func (f *Field) check() error {
	if f.HasText != (f.terms.Docs != nil) || f.HasText != (f.terms.Positions != nil) || f.HasExact != (f.exact.Docs != nil) {
		return fmt.Errorf("%w: sections of %q", ErrCorrupt, f.Name)
	}
	if f.HasText && !f.Lengths.Plain() {
		return fmt.Errorf("%w: lengths of %q", ErrCorrupt, f.Name)
	}
	return nil
}

// Bytes gives the segment as it lies, in memory without the sources. Do not change it.
func (s *Segment) Bytes() []byte { return s.bytes }

// Size is how many bytes the segment takes, sources and all.
func (s *Segment) Size() int64 { return int64(len(s.bytes) + s.sources.Kept()) }

// Check verifies all checksums of a segment that was opened before, some bytes after the other; before it reads any it says how many to wait, whose error ends it. Damage is
// [ErrCorrupt].
func (s *Segment) Check(wait func(bytes int) error) error {
	if err := s.CheckSections(wait); err != nil {
		return err
	}
	err := s.sources.Check(wait)
	if errors.Is(err, stored.ErrCorrupt) {
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return err
}

// CheckSections is [Segment.Check] but for sources in memory, which a merge verifies when it reads them.
func (s *Segment) CheckSections(wait func(bytes int) error) error { return checkFrame(s.bytes, wait) }

// Collection gives the incarnation of the collection that the documents belong to.
func (s *Segment) Collection() uint64 { return s.collection }

// Docs gives the number of documents, dead and alive.
func (s *Segment) Docs() int { return s.docs }

// Fields gives the fields by name ascending.
func (s *Segment) Fields() []Field { return s.fields }

// FieldIndex gives the place of a field in [Segment.Fields], -1 when no document of the segment has it.
func (s *Segment) FieldIndex(name string) int {
	i := sort.Search(len(s.fields), func(i int) bool { return s.fields[i].Name >= name })
	if i == len(s.fields) || s.fields[i].Name != name {
		return -1
	}
	return i
}

// Field gives a field by name, nil when no document of the segment has it.
func (s *Segment) Field(name string) *Field {
	if i := s.FieldIndex(name); i >= 0 {
		return &s.fields[i]
	}
	return nil
}

// State gives what is known of a document.
func (s *Segment) State(doc uint32) State {
	st := State{
		Version: uint64(first(&s.version, doc)),
		Seq:     uint64(first(&s.birthSeq, doc)),
		Index:   uint32(first(&s.birthIndex, doc)),
		Slot:    s.Slot(doc),
	}
	st.Log = s.log(doc)
	copy(st.Content[:], s.content[16*int(doc):])
	return st
}

// log gives the log of the operation that created a document; zero when the segment does not say.
func (s *Segment) log(doc uint32) (log [16]byte) {
	if i := first(&s.birthLog, doc); i >= 0 && i < int64(len(s.logs)) {
		log = s.logs[i]
	}
	return log
}

// Slot gives the slot of a document's id.
func (s *Segment) Slot(doc uint32) uint16 { return uint16(first(&s.slot, doc)) }

// first gives a document's first value, 0 when it has none.
func first(c *docvalues.Column, doc uint32) int64 {
	from, to := c.Range(doc)
	if from == to {
		return 0
	}
	return c.Int(from)
}

// Source gives a document's source. The bytes may be the segment's: copy them to keep them.
func (s *Segment) Source(doc uint32) ([]byte, error) { return s.sources.Doc(doc) }

// Identity gives the checksum of the table of contents, which has the checksums of all sections: segments of one identity and length are the same.
func (s *Segment) Identity() uint32 {
	return binary.LittleEndian.Uint32(s.bytes[len(s.bytes)-footerLen+4:])
}
