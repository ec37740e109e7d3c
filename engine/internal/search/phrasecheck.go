package search

import (
	"slices"

	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/query"
)

// phraseCheck finds the documents that hold a phrase among those that hold all its terms. It occurs at most as often as each term, and all share one weight and the
// document's length, so that the least of the terms' frequencies bounds the score: positions are read only of documents that can reach the floor, from the blocks
// in which the document was found.
type phraseCheck struct {
	terms   []phraseTerm // the rarest first
	weight  bm25.Weight
	lengths *bm25.Lengths

	positions []uint32 // scratch
}

// phraseTerm is a term of a phrase and where it stands in it.
type phraseTerm struct {
	list   *list
	offset uint32
	block  int // of the list, in which the last candidate was looked for
}

// enter takes a phrase, and the lists of its terms in order.
func (p *phraseCheck) enter(n *query.TextPhrase, lists []*list) {
	p.weight, p.lengths, p.terms = lists[0].weight, &lists[0].lengths, p.terms[:0]
	for i, l := range lists {
		p.terms = append(p.terms, phraseTerm{list: l, offset: uint32(n.Offsets[i])})
	}
	slices.SortStableFunc(p.terms, func(a, b phraseTerm) int { return int(a.list.blocks.DF()) - int(b.list.blocks.DF()) })
}

// forget lets go of the segment.
func (p *phraseCheck) forget() {
	clear(p.terms[:cap(p.terms)])
	p.lengths = nil
}

// phrases does one window of a phrase.
func (s *sweep) phrases() {
	floor := int64(minScore)
	if !s.counting {
		floor = s.c.floor()
	}
	for _, l := range s.all {
		if l.bound < floor {
			return
		}
	}
	reading := s.postings(s.all[0])
	if !s.filter(reading, reading) {
		return
	}
	for _, l := range s.all[1:] {
		if marksPay(reading, s.postings(l)) {
			s.hits = bitset{}
			s.mark(l, &s.hits)
			for i, w := range s.hits {
				s.allow[i] &= w
			}
			s.few = true
		}
	}
	s.check.window(s, floor)
}

// window goes over the documents of the rarest term in the window. They are scored only where that can leave any of them out.
func (p *phraseCheck) window(s *sweep, floor int64) {
	l := p.terms[0].list
	p.start()
	for b := l.first; b < l.blocks.Count() && l.starts(b) < s.end; b++ {
		if !s.counting {
			floor = s.c.floor()
		}
		if floor > minScore && (l.boundOf(b) < floor || !p.reach(max(s.base, l.starts(b)), min(s.end-1, l.last(b)), floor)) {
			continue
		}
		docs := l.load(b)
		from, to := within(docs, s.base, s.end)
		docs = docs[from:to]
		var parts []int64
		var which []uint8
		if floor > minScore {
			docs, parts, which = s.parts(l, docs, from, l.leastFreq(0, floor))
		} else {
			docs, which = s.passing(docs)
		}
		n := 0
		for i, d := range docs {
			place := uint8(from + i)
			if which != nil {
				place = uint8(from) + which[i]
			}
			if at := d - s.base; s.allow[at>>6&63]>>(at&63)&1 != 0 && (parts == nil || parts[i] >= floor) {
				s.docs[n], s.which[n] = d, place
				n++
			}
		}
		if !p.offer(s, n, floor) {
			return
		}
	}
}

// leap goes over the documents of a block of the rarest term.
func (p *phraseCheck) leap(s *sweep, docs []uint32, floor int64) {
	p.start()
	var parts []int64
	if floor > minScore {
		parts = p.terms[0].list.score()
	}
	n := 0
	for i, d := range docs {
		if s.env.view.Visible.Has(d) && (parts == nil || parts[i] >= floor) {
			s.docs[n], s.which[n] = d, uint8(i)
			n++
		}
	}
	p.offer(s, n, floor)
}

// start stands before the documents to come.
func (p *phraseCheck) start() {
	for k := range p.terms {
		p.terms[k].block = p.terms[k].list.first
	}
}

// offer collects, and counts, those of the first n documents of scratch that hold the phrase and pass; which tells their places in the block that the rarest term has loaded. It
// tells whether the search goes on.
func (p *phraseCheck) offer(s *sweep, n int, floor int64) bool {
	found := 0
	for i, d := range s.docs[:n] {
		p.terms[0].list.at = int(s.which[i])
		if score := p.score(s, d, floor); score >= 0 {
			found++
			s.c.add(d, score)
		}
	}
	if s.counting {
		s.count(found)
	}
	return s.env.steps(1 + n)
}

// reach tells whether all terms but the first have blocks with documents between two that can reach floor. The first of the two rises.
func (p *phraseCheck) reach(from, to uint32, floor int64) bool {
	for k := range p.terms[1:] {
		t := &p.terms[k+1]
		l := t.list
		count := l.blocks.Count()
		t.block = l.blockOf(t.block, count, from)
		b := t.block
		for b < count && l.boundOf(b) < floor {
			if b++; b == count || l.starts(b) > to {
				return false
			}
		}
		if b == count {
			return false
		}
	}
	return true
}

// score gives the phrase's score in a document, on which the first term's list stands; -1 when it does not hold the phrase, cannot reach floor, or does not pass.
func (p *phraseCheck) score(s *sweep, doc uint32, floor int64) int64 {
	lead := p.terms[0].list
	freqs := lead.blocks.Freqs()
	if lead.at >= len(freqs) {
		return -1 // positions read for an earlier document were damaged: the list holds nothing any more, and its error ends the search
	}
	least := freqs[lead.at]
	for k := range p.terms[1:] {
		t := &p.terms[k+1]
		l := t.list
		if t.block == l.blocks.Count() {
			return -1
		}
		if l.last(t.block) < doc {
			if t.block = l.blocks.Find(t.block, doc); t.block == l.blocks.Count() || l.last(t.block) < doc {
				return -1
			}
		}
		if floor > minScore && l.boundOf(t.block) < floor || !l.seek(t.block, doc) {
			return -1
		}
		least = min(least, l.blocks.Freqs()[l.at])
	}
	length := p.lengths.Of(doc)
	if floor > minScore && bm25.Part(p.weight.W, p.weight.C0, p.weight.C1, least, length) < floor || !s.admits(doc) {
		return -1
	}
	freq := p.occurrences()
	if freq == 0 {
		return -1
	}
	return bm25.Part(p.weight.W, p.weight.C0, p.weight.C1, freq, length)
}

// occurrences counts where the phrase stands in the document that all lists stand on.
func (p *phraseCheck) occurrences() uint32 {
	lead := &p.terms[0]
	p.positions = lead.list.blocks.Positions(p.positions[:0], lead.list.at)
	starts := p.positions[:0]
	for _, pos := range p.positions {
		if pos >= lead.offset {
			starts = append(starts, pos-lead.offset)
		}
	}
	for _, t := range p.terms[1:] {
		if len(starts) == 0 {
			return 0
		}
		starts = t.list.blocks.Meet(starts, t.offset, t.list.at)
	}
	return uint32(len(starts))
}
