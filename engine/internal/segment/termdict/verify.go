package termdict

import (
	"bytes"

	"github.com/jetseek/jetseek/engine/internal/segment/postings"
)

// Report takes a finding: where in the dictionary, at which term, and what is wrong there.
type Report func(off int, term []byte, format string, args ...any)

// Verify checks a dictionary whole: terms ascend strictly and share what they say, blocks follow each other without gaps, every lookup finds its term, and the
// lists lie one behind the other, from the beginning of documents and positions of these sizes to their end. visit gets every term with its list; the bytes
// are its own until it returns. What does not decode ends the walk.
func (d *Dict) Verify(docBytes, posBytes uint64, visit func(off, ord int, term []byte, ref postings.Ref), report Report) {
	var prev, term []byte
	var docEnd, posEnd uint64
	at, ord := 0, 0
	for block := range len(d.starts) / 4 {
		start, end := d.bounds(block)
		if start != at || end > len(d.b) || end < start {
			report(start, nil, "block %d lies from %d to %d, the one before ends at %d of %d", block, start, end, at, len(d.b))
			return
		}
		e := d.entries(block)
		at = e.at
		if e.docEnd != docEnd || e.posEnd != posEnd {
			report(start, nil, "lists of block %d start at %d and %d, those before end at %d and %d", block, e.docEnd, e.posEnd, docEnd, posEnd)
		}
		for e.next() {
			off := at
			at = e.at
			if e.shared > len(term) {
				report(off, term, "the term behind it shares %d bytes with it", e.shared)
				return
			}
			prev, term = append(prev[:0], term...), append(term[:e.shared], e.rest...)
			if e.ord != ord {
				report(off, term, "ordinal %d, want %d", e.ord, ord)
			}
			if ord > 0 && bytes.Compare(prev, term) >= 0 {
				report(off, term, "does not lie behind %q", prev)
			} else if ord%blockLen != 0 && e.shared != commonPrefix(prev, term) || ord%blockLen == 0 && e.shared != 0 {
				report(off, term, "says that it shares %d bytes with %q", e.shared, prev)
			}
			if found, ref, ok := d.Lookup(string(term)); !ok || found != ord || ref != e.ref {
				report(off, term, "a lookup does not find it")
			}
			d.verifyRef(off, term, e.ref, docBytes, posBytes, report)
			visit(off, ord, term, e.ref)
			docEnd, posEnd = e.docEnd, e.posEnd
			ord++
		}
		if !e.ok() || at != end {
			report(at, term, "block %d does not decode up to its end at %d", block, end)
			return
		}
	}
	switch {
	case ord != d.terms:
		report(len(d.b), nil, "%d terms, the dictionary says %d", ord, d.terms)
	case at != len(d.b):
		report(at, nil, "bytes behind the last block")
	case docEnd != docBytes:
		report(at, nil, "lists take %d bytes of documents, there are %d", docEnd, docBytes)
	case d.text && posEnd != posBytes:
		report(at, nil, "lists take %d bytes of positions, there are %d", posEnd, posBytes)
	}
}

func (d *Dict) verifyRef(off int, term []byte, ref postings.Ref, docBytes, posBytes uint64, report Report) {
	if ref.DF == 0 {
		report(off, term, "no document holds it")
	}
	if ref.DocOff > docBytes || ref.DocLen > docBytes-ref.DocOff {
		report(off, term, "documents at %d, length %d: outside of %d bytes", ref.DocOff, ref.DocLen, docBytes)
	}
	if d.text && (ref.PosOff > posBytes || ref.PosLen > posBytes-ref.PosOff) {
		report(off, term, "positions at %d, length %d: outside of %d bytes", ref.PosOff, ref.PosLen, posBytes)
	}
}
