package engine

import (
	"cmp"
	"slices"

	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/internal/docset"
	"github.com/jetseek/jetseek/engine/internal/segment"
	"github.com/jetseek/jetseek/engine/schema"
)

// state is all that an index holds at one sequence. Published states share whatever did not change: Apply copies a thing before it
// changes it for the first time, and knows by the thing's round whether it has done so ([Index.round]).
type state struct {
	seq         uint64
	contentSeq  uint64
	epoch       uint64
	owned       *SlotSet             // never changed in place
	collections []*collection        // by incarnation
	dropped     []schema.Incarnation // ascending
	quarantine  quarantine
	window      window   // of outcomes of operations with a request key
	attachment  []byte   // the caller's, as of seq; never changed in place
	files       *fileSet // what the parts need
}

// collection is one collection's documents.
type collection struct {
	round       uint64
	incarnation schema.Incarnation
	name        string
	version     uint64
	schema      *schema.Schema
	canonical   []byte // the schema's canonical JSON
	parts       []*part
	slots       slotTable
	documents   Digest // of all live documents
}

// part is one segment as of one sequence: which of its documents count.
type part struct {
	round   uint64
	seg     *segment.Segment
	file    *segmentFile      // nil: in memory
	live    docset.Set        // not deleted, not superseded
	visible docset.Set        // live and owned; the same memory as live when all slots of the segment's documents are owned
	shared  bool              // visible is live
	alive   int               // documents in live
	docs    int               // documents in visible
	fields  []bm25.FieldStats // of visible documents, by field of the segment
	df      *frequencies      // shared by the copies of the part
	lost    int               // how many of the documents that df has noted as lost are not visible in this copy
}

// newPart makes a part of a segment: live nil means all.
func newPart(round uint64, seg *segment.Segment, live docset.Set, owned *SlotSet) *part {
	p := &part{round: round, seg: seg, live: live, alive: seg.Docs()}
	if live == nil {
		p.live = docset.Full(seg.Docs())
	} else {
		p.alive = live.Count()
	}
	p.see(owned)
	return p
}

// see works out which documents are visible under an ownership, and their statistics.
func (p *part) see(owned *SlotSet) {
	p.df, p.lost = &frequencies{}, 0
	p.visible, p.shared, p.docs = p.live, true, p.alive
	if owned.Count() < Slots {
		hidden := p.hidden(owned)
		if len(hidden) > 0 {
			p.visible, p.shared = p.live.Clone(), false
			for _, d := range hidden {
				p.visible.Remove(d)
			}
			p.docs -= len(hidden)
		}
	}
	fields := p.seg.Fields()
	p.fields = make([]bm25.FieldStats, len(fields))
	for i := range fields {
		if fields[i].HasText {
			p.fields[i] = p.sum(&fields[i])
		}
	}
}

// hidden gives the live documents whose slots are not owned.
func (p *part) hidden(owned *SlotSet) []uint32 {
	var hidden []uint32
	for d := p.live.Next(0); d != segment.Gone; d = p.live.Next(d + 1) {
		if !owned.Has(p.seg.Slot(d)) {
			hidden = append(hidden, d)
		}
	}
	return hidden
}

func (p *part) sum(f *segment.Field) bm25.FieldStats {
	var st bm25.FieldStats
	for d := p.visible.Next(0); d != segment.Gone; d = p.visible.Next(d + 1) {
		if n := f.Lengths.Length(d); n > 0 {
			st.Docs++
			st.TotalLen += uint64(n)
		}
	}
	return st
}

// whole tells whether all documents of the segment are visible, so that its dictionary's df are exact.
func (p *part) whole() bool { return p.docs == p.seg.Docs() }

// mutable gives the part itself when it was made in this round, else a copy of that round.
func (p *part) mutable(round uint64) *part {
	if p.round == round {
		return p
	}
	c := *p
	c.round, c.live, c.fields = round, p.live.Clone(), slices.Clone(p.fields)
	c.visible = c.live
	if !c.shared {
		c.visible = p.visible.Clone()
	}
	return &c
}

// kill takes a live document out. The part is of the present round.
func (p *part) kill(doc uint32) {
	seen := p.visible.Has(doc)
	p.live.Remove(doc)
	p.alive--
	if !seen {
		return
	}
	p.visible.Remove(doc)
	p.docs--
	p.df.lose(doc)
	p.lost++
	fields := p.seg.Fields()
	for i := range fields {
		if !fields[i].HasText {
			continue
		}
		if n := fields[i].Lengths.Length(doc); n > 0 {
			p.fields[i].Docs--
			p.fields[i].TotalLen -= uint64(n)
		}
	}
}

// find gives a collection, nil when there is none.
func (s *state) find(c schema.Incarnation) *collection {
	i, ok := s.place(c)
	if !ok {
		return nil
	}
	return s.collections[i]
}

// place gives where a collection stands, or would stand.
func (s *state) place(c schema.Incarnation) (int, bool) {
	return slices.BinarySearchFunc(s.collections, c, func(c *collection, want schema.Incarnation) int { return cmp.Compare(c.incarnation, want) })
}

func (s *state) isDropped(c schema.Incarnation) bool {
	_, ok := slices.BinarySearch(s.dropped, c)
	return ok
}

// slotTable keeps, for each slot, the digest and the number of its live documents: a tree of pages, so that an Apply copies little and a collection of few documents
// takes little. The zero value is empty.
type slotTable struct {
	round    uint64
	chapters *[Slots / chapterSlots]*slotChapter
}

const (
	pageSlots    = 16
	chapterSlots = 32 * pageSlots
)

type slotChapter struct {
	round uint64
	pages [chapterSlots / pageSlots]*slotPage
}

type slotPage struct {
	round  uint64
	digest [pageSlots]Digest
	docs   [pageSlots]uint32
}

// at gives the place of a slot for changing it in this round.
func (t *slotTable) at(slot uint16, round uint64) (*Digest, *uint32) {
	if t.chapters == nil || t.round != round {
		chapters := [Slots / chapterSlots]*slotChapter{}
		if t.chapters != nil {
			chapters = *t.chapters
		}
		t.chapters, t.round = &chapters, round
	}
	chapter := &t.chapters[slot/chapterSlots]
	switch {
	case *chapter == nil:
		*chapter = &slotChapter{round: round}
	case (*chapter).round != round:
		mine := **chapter
		mine.round = round
		*chapter = &mine
	}
	page := &(*chapter).pages[slot%chapterSlots/pageSlots]
	switch {
	case *page == nil:
		*page = &slotPage{round: round}
	case (*page).round != round:
		mine := **page
		mine.round = round
		*page = &mine
	}
	return &(*page).digest[slot%pageSlots], &(*page).docs[slot%pageSlots]
}

// get gives the digest and the number of the live documents of a slot.
func (t *slotTable) get(slot uint16) (Digest, uint32) {
	if t.chapters == nil || t.chapters[slot/chapterSlots] == nil {
		return Digest{}, 0
	}
	p := t.chapters[slot/chapterSlots].pages[slot%chapterSlots/pageSlots]
	if p == nil {
		return Digest{}, 0
	}
	return p.digest[slot%pageSlots], p.docs[slot%pageSlots]
}

// each visits the slots that have live documents, ascending.
func (t *slotTable) each(visit func(slot uint16, d Digest, docs uint32)) {
	if t.chapters == nil {
		return
	}
	for i, chapter := range t.chapters {
		if chapter == nil {
			continue
		}
		for j, p := range chapter.pages {
			if p == nil {
				continue
			}
			for k := range p.docs {
				if p.docs[k] > 0 {
					visit(uint16(i*chapterSlots+j*pageSlots+k), p.digest[k], p.docs[k])
				}
			}
		}
	}
}
