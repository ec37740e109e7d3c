package segment

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"github.com/jetseek/jetseek/engine/internal/segment/postings"
	"github.com/jetseek/jetseek/engine/internal/segment/termdict"
)

// slots is how many slots there are.
const slots = 1 << 14

// Finding is one thing wrong with a segment.
type Finding struct {
	Section string // kind of the section; "": the frame
	Field   string
	Term    string
	Offset  int // in the segment
	What    string
}

// String says it in one line.
func (f Finding) String() string {
	var b strings.Builder
	if f.Section != "" {
		fmt.Fprintf(&b, "section %s, ", f.Section)
	}
	if f.Field != "" {
		fmt.Fprintf(&b, "field %q, ", f.Field)
	}
	if f.Term != "" {
		fmt.Fprintf(&b, "term %q, ", f.Term)
	}
	fmt.Fprintf(&b, "offset %d: %s", f.Offset, f.What)
	return b.String()
}

// verifier checks one segment.
type verifier struct {
	ctx      context.Context
	seg      *Segment
	sections map[sectionKey]sectionAt
	report   func(Finding)
}

type sectionKey struct {
	kind  kind
	field int
}

// Verify checks everything that a segment holds against everything else in it, and reports what does not hold: checksums first, then, if the segment opens,
// each structure. A segment without a finding answers every query as its documents would. It takes about as long as a merge, and 4 bytes of memory a
// document. The error is ctx's.
func Verify(ctx context.Context, b []byte, report func(Finding)) error {
	list, err := layout(b)
	if err != nil {
		report(Finding{What: err.Error()})
		return ctx.Err()
	}
	v := verifier{ctx: ctx, sections: map[sectionKey]sectionAt{}, report: report}
	for _, p := range list {
		if sum := checksum(p.bytes); sum != p.crc {
			report(Finding{Section: p.kind.String(), Offset: p.offset, What: fmt.Sprintf("checksum %08x, want %08x", sum, p.crc)})
		}
		v.sections[sectionKey{p.kind, p.field}] = p
	}
	if v.seg, err = openSections(b, readUnchecked, nil); err != nil {
		report(Finding{What: err.Error()})
		return ctx.Err()
	}
	v.documents()
	v.sources()
	for i := range v.seg.fields {
		v.field(i, &v.seg.fields[i])
	}
	return ctx.Err()
}

// readUnchecked is readSections for those who have looked at the checksums.
func readUnchecked(b []byte, visit func(k kind, field int, section []byte) error) error {
	return readFrame(b, func(k kind, field int, section []byte, _ uint32) error { return visit(k, field, section) })
}

// finding gives the report of one section.
func (v *verifier) finding(k kind, field int) func(off int, term []byte, format string, args ...any) {
	p := v.sections[sectionKey{k, field}]
	return func(off int, term []byte, format string, args ...any) {
		f := Finding{Section: k.String(), Term: string(term), Offset: p.offset + off, What: fmt.Sprintf(format, args...)}
		if k >= kindLengths {
			f.Field = v.seg.fields[field].Name
		}
		v.report(f)
	}
}

// plain is finding for sections without terms.
func (v *verifier) plain(k kind, field int) func(off int, format string, args ...any) {
	report := v.finding(k, field)
	return func(off int, format string, args ...any) { report(off, nil, format, args...) }
}

// documents checks meta, the ids and their table, and the columns of the documents' states.
func (v *verifier) documents() {
	s := v.seg
	ids, table := v.plain(kindIDs, 0), v.plain(kindIDTable, 0)
	if n := binary.LittleEndian.Uint32(s.idStarts); n != 0 {
		ids(0, "the first id starts at %d", n)
	}
	if end := 4 * s.docs; int(binary.LittleEndian.Uint32(s.idStarts[end:])) != len(s.idBytes) {
		ids(end, "ids end at %d of %d bytes", binary.LittleEndian.Uint32(s.idStarts[end:]), len(s.idBytes))
	}
	for doc := range s.docs {
		id := string(s.ID(uint32(doc)))
		if id == "" {
			ids(4*doc, "document %d has no id", doc)
		}
		if found, ok := s.Find(id, HashID(id)); !ok || found != uint32(doc) {
			table(0, "id %q of document %d leads to document %d, found %v", id, doc, found, ok)
		}
	}
	used := 0
	for i := 0; i < len(s.idTable); i += 8 {
		if binary.LittleEndian.Uint64(s.idTable[i:]) != 0 {
			used++
		}
	}
	if used != s.docs {
		table(0, "%d entries of %d documents", used, s.docs)
	}
	s.version.VerifyWithin(1, math.MaxInt64, v.plain(kindVersion, 0))
	s.birthSeq.VerifyWithin(0, math.MaxInt64, v.plain(kindBirthSeq, 0))
	s.birthLog.VerifyWithin(0, int64(len(s.logs))-1, v.plain(kindBirthLog, 0))
	s.birthIndex.VerifyWithin(0, math.MaxUint32, v.plain(kindBirthIndex, 0))
	s.slot.VerifyWithin(0, slots-1, v.plain(kindSlot, 0))
}

// sources checks the stored sources against their hashes.
func (v *verifier) sources() {
	report, hashes := v.plain(kindStored, 0), v.plain(kindContent, 0)
	v.seg.sources.Verify(func(off int, doc uint32, source []byte) {
		sum := sha256.Sum256(source)
		if at := 16 * int(doc); string(sum[:16]) != string(v.seg.content[at:at+16]) {
			hashes(at, "document %d: its source at %d has another hash", doc, off)
		}
	}, report)
}

// field checks all parts of one field.
func (v *verifier) field(i int, f *Field) {
	if v.ctx.Err() != nil {
		return
	}
	if f.HasText {
		v.text(i, f)
	}
	if f.HasExact {
		v.exact(i, f)
	}
	if f.HasInts {
		f.Ints.Verify(false, v.plain(kindInts, i))
	}
	if f.HasFloats {
		f.Floats.VerifyFloats(v.plain(kindFloats, i))
	}
	if !f.HasText && !f.HasExact && !f.HasInts && !f.HasFloats {
		v.plain(kindMeta, 0)(0, "field %d, %q, has no section", i, f.Name)
	}
}

// text checks the analysed terms of a field: their lists, and the lengths, which are the sums of frequencies.
func (v *verifier) text(i int, f *Field) {
	lengths := v.plain(kindLengths, i)
	counted := make([]uint32, v.seg.docs)
	f.Lengths.VerifyWithin(0, MaxDocs, lengths)
	whole := v.lists(i, &f.Terms, f.terms, &f.Lengths, [3]kind{kindTerms, kindPostings, kindPositions}, func(_ int, doc, freq uint32) bool {
		counted[doc] += freq
		return true
	})
	if !whole {
		return // nearly all lengths would seem wrong
	}
	for doc, n := range counted {
		if f.Lengths.Int(doc) != int64(n) {
			lengths(0, "document %d has length %d and %d tokens", doc, f.Lengths.Int(doc), n)
		}
	}
}

// exact checks the exact values of a field: their lists and the ordinals, which say the same by document.
func (v *verifier) exact(i int, f *Field) {
	report := v.plain(kindOrdinals, i)
	f.Ordinals.Verify(true, report)
	listed, held := 0, 0
	whole := v.lists(i, &f.Exact, f.exact, nil, [3]kind{kindExact, kindExactPostings}, func(ord int, doc, _ uint32) bool {
		listed++
		from, to := f.Ordinals.Range(doc)
		for ; from < to; from++ {
			if f.Ordinals.Int(from) == int64(ord) {
				return true
			}
		}
		return false
	})
	for doc := range v.seg.docs {
		from, to := f.Ordinals.Range(uint32(doc))
		held += to - from
		for ; from < to; from++ {
			if o := f.Ordinals.Int(from); o < 0 || o >= int64(f.Exact.Len()) {
				report(0, "document %d has ordinal %d of %d", doc, o, f.Exact.Len())
			}
		}
	}
	if whole && listed != held {
		report(0, "%d ordinals, lists have %d documents", held, listed)
	}
}

// lists checks a dictionary and every list of it. Kinds are those of dictionary, documents and positions. visit gets every posting, and tells whether it
// knows of it. The result is false when some list does not decode.
func (v *verifier) lists(i int, d *termdict.Dict, src postings.Source, lengths postings.Lengths, kinds [3]kind, visit func(ord int, doc, freq uint32) bool) bool {
	dictionary, documents, positions := v.finding(kinds[0], i), v.finding(kinds[1], i), v.finding(kinds[2], i)
	for _, part := range []struct {
		bytes  []byte
		report func(off int, term []byte, format string, args ...any)
	}{{src.Docs, documents}, {src.Positions, positions}} {
		if end := bodyLen(part.bytes); strings.Trim(string(part.bytes[end:]), "\x00") != "" {
			part.report(int(end), nil, "bytes behind the last list are not zero")
		}
	}
	var checker postings.Checker
	whole := true
	d.Verify(bodyLen(src.Docs), bodyLen(src.Positions), func(off, ord int, term []byte, ref postings.Ref) {
		if v.ctx.Err() != nil {
			return
		}
		decodes := checker.Check(src, ref, lengths, func(doc, freq uint32) {
			if !visit(ord, doc, freq) {
				documents(int(ref.DocOff), term, "document %d does not have ordinal %d", doc, ord)
			}
		}, func(in postings.Part, off int, format string, args ...any) {
			if in == postings.InPositions {
				positions(off, term, format, args...)
			} else {
				documents(off, term, format, args...)
			}
		})
		whole = whole && decodes
	}, dictionary)
	return whole
}

// bodyLen gives the size of lists without what follows them.
func bodyLen(b []byte) uint64 { return uint64(max(len(b)-postings.Slack, 0)) }
