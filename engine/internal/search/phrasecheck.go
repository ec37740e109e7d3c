package search

import (
	"slices"

	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/internal/segment/postings"
	"github.com/jetseek/jetseek/engine/query"
)

// phraseCheck finds the documents that hold a phrase among those that hold all its terms. It occurs at most as often as each term, and all share one weight and the
// document's length, so that each term's frequency bounds the score: positions are read only of documents that can reach the floor.
type phraseCheck struct {
	terms   []phraseTerm // the rarest first
	weight  bm25.Weight
	lengths *bm25.Lengths
	reach   bm25.Reach // of floor
	floor   int64

	positions []uint32 // scratch
}

// phraseTerm is a term of a phrase and where it stands in it.
type phraseTerm struct {
	list   *list
	offset uint32
	block  int              // of the list, in which the last candidate was looked for
	places []postings.Place // of its positions in candidates
}

// enter takes a phrase, and the lists of its terms in order.
func (p *phraseCheck) enter(n *query.TextPhrase, lists []*list) {
	p.weight, p.lengths = lists[0].weight, &lists[0].lengths
	p.floor, p.reach = minScore, bm25.MakeReach(p.weight, minScore)
	p.terms = slices.Grow(p.terms[:0], len(lists))[:len(lists)]
	for i, l := range lists {
		p.terms[i].list, p.terms[i].offset = l, uint32(n.Offsets[i])
	}
	slices.SortStableFunc(p.terms, func(a, b phraseTerm) int { return int(a.list.blocks.DF()) - int(b.list.blocks.DF()) })
}

// forget lets go of the segment.
func (p *phraseCheck) forget() {
	for i := range p.terms {
		p.terms[i].list = nil
	}
	p.lengths = nil
}

// phrases does one window of a phrase. Documents in blocks that cannot reach the floor, and those that terms do not hold whose bits are cheap, are left out first; then those in
// which the rarest term is too rare for the floor. In what is left the other terms are looked up, and positions compared.
func (s *sweep) phrases() {
	p, floor := &s.check, int64(minScore)
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
	p.raise(floor)
	if floor > minScore {
		for _, l := range s.all {
			s.pass(l, floor)
		}
	}
	dense := len(s.all) > 1
	for _, l := range s.all[1:] {
		if !marksPay(reading, s.postings(l)) {
			dense = false
			continue
		}
		s.hold(l)
		s.few = true
	}
	n := p.lead(s)
	switch {
	case n == 0 || !s.env.steps(n):
	case dense && n*abreastCost > s.postings(s.all[len(s.all)-1]):
		p.abreast(s, n)
	default:
		p.oneByOne(s, n)
	}
}

// raise takes a floor for the postings to come.
func (p *phraseCheck) raise(floor int64) {
	if floor != p.floor {
		p.floor, p.reach = floor, bm25.MakeReach(p.weight, floor)
	}
}

// pass leaves out the documents allowed that lie in, or before, blocks of a list that cannot reach floor.
func (s *sweep) pass(l *list, floor int64) {
	for b := l.first; b < l.blocks.Count() && l.starts(b) < s.end; b++ {
		if l.boundOf(b) < floor {
			s.allow.remove(s.part(l, b))
		}
	}
}

// part gives from and up to, but not, to which place in the window a block's documents lie, and those before it that no block has.
func (s *sweep) part(l *list, b int) (from, to uint32) {
	return max(l.starts(b), s.base) - s.base, max(min(l.last(b)+1, s.end), s.base) - s.base
}

// hold leaves of the documents allowed those that a list holds.
func (s *sweep) hold(l *list) {
	s.hits = bitset{}
	for b := l.first; b < l.blocks.Count() && l.starts(b) < s.end; b++ {
		if s.allow.any(s.part(l, b)) {
			docs := l.load(b)
			from, to := within(docs, s.base, s.end)
			s.markDocs(docs[from:to], &s.hits)
		}
	}
	s.allow.and(&s.hits)
}

// lead makes candidates, with places, of the documents allowed that the rarest term's list holds often enough for the floor, and gives their number.
func (p *phraseCheck) lead(s *sweep) int {
	t, n := &p.terms[0], 0
	l := t.list
	t.places = t.places[:0]
	for b := l.first; b < l.blocks.Count() && l.starts(b) < s.end; b++ {
		if !s.allow.any(s.part(l, b)) {
			continue
		}
		docs := l.load(b)
		from, to := within(docs, s.base, s.end)
		docs, which := s.passing(docs[from:to])
		freqs, lengths := l.blocks.Freqs(), s.freqs[:len(docs)]
		p.lengths.Fill(lengths, docs)
		kept := 0
		for i, d := range docs {
			place := from + i
			if which != nil {
				place = from + int(which[i])
			}
			at := d - s.base
			s.at[(n+kept)&(windowDocs-1)], s.kept[kept&127] = at, uint8(place)
			kept += int(s.allow[at>>6&63] >> (at & 63) & p.reach.May(freqs[place], lengths[i]))
		}
		if kept > 0 {
			t.places = l.blocks.Places(t.places, s.kept[:kept])
			n += kept
		}
	}
	return min(n, len(t.places))
}

// oneByOne looks the first n candidates up in the lists of the other terms.
func (p *phraseCheck) oneByOne(s *sweep, n int) {
	p.start()
	found := 0
	for i, place := range p.terms[0].places[:n] {
		if doc := s.base + s.at[i]; p.seek(s, doc, place.Freq) && p.offer(s, doc, place, 0) {
			found++
		}
	}
	if s.counting {
		s.count(found)
	}
}

// leap goes over the documents of a block of the rarest term.
func (p *phraseCheck) leap(s *sweep, docs []uint32) {
	p.start()
	p.raise(s.c.floor())
	l, found := p.terms[0].list, 0
	freqs := l.blocks.Freqs()
	for i, d := range docs {
		if s.env.view.Visible.Has(d) && p.seek(s, d, freqs[i]) && p.offer(s, d, l.blocks.Place(i), 0) {
			found++
		}
	}
	if s.counting {
		s.count(found)
	}
	s.env.steps(len(docs))
}

// start stands before the documents to come.
func (p *phraseCheck) start() {
	for k := range p.terms {
		p.terms[k].block = p.terms[k].list.first
	}
}

// seek sets number 0 of the places of all terms but the first to those in a document, if all hold it and the phrase, of which the first term occurs so often, may stand in it often enough;
// it tells whether that is so. Documents come in order.
func (p *phraseCheck) seek(s *sweep, doc, least uint32) bool {
	if !p.worth(s, doc, least) {
		return false
	}
	for k := range p.terms[1:] {
		t := &p.terms[k+1]
		l := t.list
		if t.block = l.blockOf(t.block, l.blocks.Count(), doc); t.block >= l.blocks.Count() || !l.seek(t.block, doc) {
			return false
		}
		least = min(least, l.blocks.Freqs()[l.at])
	}
	if !p.worth(s, doc, least) || !s.admits(doc) {
		return false
	}
	for k := range p.terms[1:] {
		t := &p.terms[k+1]
		t.places = append(t.places[:0], t.list.blocks.Place(t.list.at))
	}
	return true
}

// worth tells whether a document in which the phrase may stand so often can enter, or must be counted.
func (p *phraseCheck) worth(s *sweep, doc uint32, freq uint32) bool {
	return s.counting || p.reach.May(freq, p.lengths.Of(doc)) != 0
}

// offer offers a document, of which the first term's place is given and the others have number i, if it holds the phrase, which it tells.
func (p *phraseCheck) offer(s *sweep, doc uint32, place postings.Place, i int) bool {
	freq := p.occurrences(place, i)
	if freq > 0 {
		score := bm25.Part(p.weight.W, p.weight.C0, p.weight.C1, freq, p.lengths.Of(doc))
		was := s.env.collecting()
		s.c.add(doc, score)
		s.env.charge(was)
		p.raise(s.c.floor())
	}
	return freq > 0
}

// occurrences counts where the phrase stands in a document, as in offer.
func (p *phraseCheck) occurrences(place postings.Place, i int) uint32 {
	lead := &p.terms[0]
	p.positions = lead.list.blocks.PositionsAt(p.positions[:0], place)
	starts := p.positions[:0]
	for _, pos := range p.positions {
		if pos >= lead.offset {
			starts = append(starts, pos-lead.offset)
		}
	}
	for k := range p.terms[1:] {
		if len(starts) == 0 {
			return 0
		}
		t := &p.terms[k+1]
		starts = t.list.blocks.Meet(starts, t.offset, t.places[i])
	}
	return uint32(len(starts))
}
