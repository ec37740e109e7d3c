package search

import (
	"github.com/jetseek/jetseek/engine/internal/docset"
	"github.com/jetseek/jetseek/engine/internal/segment/docvalues"
	"github.com/jetseek/jetseek/engine/internal/segment/postings"
)

// mask is a clause that matches without a score, as windows ask it: which documents of a window match, or which of some documents do. Until it is asked it has cost
// next to nothing, and windows may come in any order unless it is ordered. Which question costs less depends on how many documents there are to ask about.
type mask struct {
	account *account // nil: nobody asks for a profile
	kind    maskKind
	not     bool // it stands for the documents that do not match
	ordered bool // it walks: what is asked about must lie behind what was asked about before

	docs     int // about how many match
	markCost int // of a window, in tenths of nanoseconds
	siftCost int // of a document, likewise

	blocks  postings.Blocks // of inList
	at      int             // block of them that was of use last
	columns bool            // an inList or inAny whose documents a column tells too
	span    span            // of inColumn, and where columns is set
	set     docset.Set      // of inSet
	walk    scorer          // of walked
	parts   []*mask         // of inAll and inAny
	bits    bitset          // of the window marked last
	ords    []int64         // scratch: the values of span
	refs    []postings.Ref  // scratch
}

// maskKind tells what knows a mask's documents.
type maskKind uint8

const (
	everything maskKind = iota
	inList
	inColumn
	inSet
	inAll
	inAny
	walked
)

// Costs as measured, in tenths of nanoseconds. That of a list's window grows with its postings there.
const (
	windowCost = 1500  // of any window marked: its bits are cleared and put together with the others
	postCost   = 14    // of a posting marked
	seekCost   = 700   // of a document looked up in a list
	columnCost = 12000 // of a window of a column whose bounds do not help
	valueCost  = 15    // of a document looked up in a column or set
	searchCost = 150   // of a document whose value is searched among several
	walkCost   = 100   // of a document walked over
	bitCost    = 10    // of a document looked up in a window marked
	cheapSift  = 40    // up to which it pays to ask of a document before it is scored
)

// mark gives the bits of the window's matching documents; they are the reader's until the mask is asked again. Base is a multiple of 64.
func (m *mask) mark(e *env, base, end uint32) *bitset {
	was := e.charge(m.account)
	m.bits = bitset{}
	switch m.kind {
	case everything:
		m.bits.fill(int(end - base))
	case inList:
		m.markList(e, base, end)
	case inColumn:
		m.span.mark(base, end, m.bits[:])
	case inSet:
		copy(m.bits[:(end-base+63)/64], m.set[base/64:])
	case inAny:
		for _, p := range m.parts {
			for i, w := range p.mark(e, base, end) {
				m.bits[i] |= w
			}
		}
	case inAll:
		m.bits.fill(int(end - base))
		for _, p := range m.parts {
			for i, w := range p.mark(e, base, end) {
				m.bits[i] &= w
			}
		}
	case walked:
		for d := m.walk.Advance(base); d < end; d = m.walk.Next() {
			m.bits[(d-base)>>6] |= 1 << (d & 63)
		}
	}
	if m.not {
		var all bitset
		all.fill(int(end - base))
		for i := range m.bits {
			m.bits[i] ^= all[i]
		}
	}
	e.charge(was)
	return &m.bits
}

// fill sets the first n bits.
func (b *bitset) fill(n int) {
	for i := range n / 64 {
		b[i] = ^uint64(0)
	}
	if n%64 != 0 {
		b[n/64] = 1<<(n%64) - 1
	}
}

func (m *mask) markList(e *env, base, end uint32) {
	for b := m.find(base); b < m.blocks.Count(); b++ {
		docs := m.blocks.Load(b)
		if len(docs) == 0 || docs[0] >= end || !e.step() {
			return
		}
		from, to := within(docs, base, end)
		for _, d := range docs[from:to] {
			at := d - base
			m.bits[at>>6&63] |= 1 << (at & 63)
		}
		if m.at = b; docs[len(docs)-1] >= end-1 {
			return
		}
	}
}

// find gives the first block that may hold a document.
func (m *mask) find(doc uint32) int {
	if m.at > 0 && m.blocks.Last(m.at-1) >= doc {
		m.at = 0
	}
	m.at = m.blocks.Find(m.at, doc)
	return m.at
}

// ahead is [mask.next], on the mask's account.
func (m *mask) ahead(e *env, base uint32) uint32 {
	was := e.charge(m.account)
	next := m.next(base)
	e.charge(was)
	return next
}

// next gives a document at or behind base before which, from base on, none matches.
func (m *mask) next(base uint32) uint32 {
	switch {
	case m.not:
		return base
	case m.kind == inList && m.blocks.Skips():
		if b := m.find(base); b == m.blocks.Count() {
			return noDoc
		} else if b > 0 {
			return max(base, m.blocks.Last(b-1)+1)
		}
	case m.kind == inColumn:
		for block := int(base / docvalues.BlockDocs); ; block++ {
			if block >= m.span.col.Blocks() {
				return noDoc
			}
			if m.span.values.Cover(block) != docvalues.None {
				return max(base, uint32(block)*docvalues.BlockDocs)
			}
		}
	case m.kind == inSet:
		return m.set.Next(base)
	case m.kind == inAll:
		for _, p := range m.parts {
			base = max(base, p.next(base))
		}
	case m.kind == inAny:
		least := noDoc
		for _, p := range m.parts {
			least = min(least, p.next(base))
		}
		return least
	case m.kind == walked:
		return max(base, m.walk.Doc()) // it may stand before base, never behind its first document there
	}
	return base
}

// sift tells which of at most 128 ascending documents match, a bit each by their place in docs, with not.
func (m *mask) sift(e *env, docs []uint32) (set [2]uint64) {
	was := e.charge(m.account)
	switch {
	case m.kind == everything:
		set = first(len(docs))
	case m.kind == inColumn || m.columns:
		set = m.span.sift(docs)
	case m.kind == inList:
		set = m.siftList(docs)
	case m.kind == inSet:
		for i, d := range docs {
			set[i>>6&1] |= m.set[d>>6] >> (d & 63) & 1 << (i & 63)
		}
	case m.kind == inAny:
		for _, p := range m.parts {
			some := p.sift(e, docs)
			set[0] |= some[0]
			set[1] |= some[1]
		}
	case m.kind == inAll:
		set = first(len(docs))
		for _, p := range m.parts {
			some := p.sift(e, docs)
			set[0] &= some[0]
			set[1] &= some[1]
		}
	case m.kind == walked:
		for i, d := range docs {
			if m.walk.Advance(d) == d {
				set[i>>6&1] |= 1 << (i & 63)
			}
		}
	}
	if m.not {
		all := first(len(docs))
		set[0] ^= all[0]
		set[1] ^= all[1]
	}
	e.charge(was)
	if !e.steps(1 + len(docs)*m.siftCost/searchCost) {
		return [2]uint64{}
	}
	return set
}

// first gives the bits 0 to n-1.
func first(n int) [2]uint64 {
	if n < 64 {
		return [2]uint64{1<<n - 1}
	}
	return [2]uint64{^uint64(0), 1<<(n-64) - 1}
}

func (m *mask) siftList(docs []uint32) (set [2]uint64) {
	for i := 0; i < len(docs); {
		b := m.find(docs[i])
		if b == m.blocks.Count() {
			break
		}
		here := m.blocks.Load(b)
		if len(here) == 0 {
			break
		}
		last := here[len(here)-1]
		for at := 0; i < len(docs) && docs[i] <= last; i++ {
			at += lowerBound(here[at:], docs[i])
			if here[at] == docs[i] {
				set[i>>6&1] |= 1 << (i & 63)
			}
		}
		if b+1 == m.blocks.Count() {
			break
		}
	}
	return set
}
