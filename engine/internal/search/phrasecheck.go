package search

import (
	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/internal/segment"
	"github.com/jetseek/jetseek/engine/internal/segment/postings"
	"github.com/jetseek/jetseek/engine/query"
)

// phraseCheck finds, among documents that hold all terms of a phrase, those that hold the phrase. It occurs at most as often as each term, so that
// the least of what its terms would give with the phrase's weight bounds what it gives: positions are read only of documents that can reach the floor.
type phraseCheck struct {
	env     *env
	field   *segment.Field
	refs    []postings.Ref       // of the terms in order
	its     []*postings.Iterator // of refs, from the first document on that holds all of them
	offsets []int
	weight  bm25.Weight
	lengths bm25.Lengths

	starts, positions []uint32 // scratch
}

// enter takes a phrase, and the lists of its terms in order.
func (p *phraseCheck) enter(e *env, n *query.TextPhrase, lists []*list, scoring bool) {
	f := e.view.Segment.Field(n.Field)
	base, width, data := f.Lengths.Lane()
	p.lengths = bm25.Lengths{Base: uint32(base), Width: width, Data: data}
	p.env, p.field, p.refs, p.its, p.offsets, p.weight = e, f, p.refs[:0], p.its[:0], n.Offsets, bm25.Weight{}
	if scoring {
		p.weight = e.weight(n.Leaf, scoring)
	}
	for _, l := range lists {
		p.refs = append(p.refs, l.ref)
	}
}

// bound gives the most that the phrase can score in the window.
func (p *phraseCheck) bound(lists []*list) int64 {
	least := lists[0].bound
	for _, l := range lists[1:] {
		least = min(least, l.bound)
	}
	return least
}

// narrow keeps the candidates that a list holds and that can reach floor: their sums are bounds of the phrase's score.
func (p *phraseCheck) narrow(s *sweep, l *list, n int, floor int64) int {
	kept := 0
	b, count := l.first, l.blocks.Count()
	for i := range n {
		at, sum := s.at[i], s.sums[i]
		doc := s.base + at
		if b = l.blockOf(b, count, doc); b == count {
			break
		}
		if l.boundOf(b) < floor || !l.seek(b, doc) {
			continue
		}
		s.at[kept], s.sums[kept] = at, min(sum, l.part(l.at))
		if s.sums[kept] >= floor {
			kept++
		}
	}
	return kept
}

// verify keeps the candidates that hold the phrase, with their scores.
func (p *phraseCheck) verify(s *sweep, n int, floor int64) int {
	kept := 0
	for i := range n {
		at, doc := s.at[i], s.base+s.at[i]
		if !s.counting {
			floor = s.c.floor()
		}
		if s.sums[i] < floor {
			continue
		}
		if s.sums[i] = p.score(doc); s.sums[i] < 0 {
			continue
		}
		s.env.left -= 1 + len(p.positions)/16
		s.at[kept], s.sums[kept] = at, s.sums[i]
		if s.sums[kept] >= floor {
			kept++
		}
	}
	return kept
}

// score gives the phrase's score in a document that holds all its terms, -1 when it does not hold the phrase.
func (p *phraseCheck) score(doc uint32) int64 {
	if len(p.its) == 0 {
		for _, ref := range p.refs {
			p.its = append(p.its, p.env.list(p.field.TermPostings(), ref))
		}
	}
	for k, it := range p.its {
		if it.Advance(doc) != doc {
			return -1
		}
		if k == 0 {
			p.starts = it.Positions(p.starts[:0])
			continue
		}
		p.positions = it.Positions(p.positions[:0])
		if p.starts = meeting(p.starts, p.positions, uint64(p.offsets[k])); len(p.starts) == 0 {
			return -1
		}
	}
	return bm25.Part(p.weight.W, p.weight.C0, p.weight.C1, uint32(len(p.starts)), p.lengths.Of(doc))
}
