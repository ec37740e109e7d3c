package search

import "github.com/jetseek/jetseek/engine/internal/segment/postings"

// abreastCost is how many postings of a list are passed over while a document is looked up in it, about.
const abreastCost = 32

// abreast looks for the phrase in the first n candidates, which all lists hold. Each list is gone through once for how often and where they hold its term:
// no document is searched for in a block, which costs more than to pass over those between where the terms are dense.
func (p *phraseCheck) abreast(s *sweep, n int) {
	s.allow = bitset{}
	for _, at := range s.at[:n] {
		s.allow[at>>6&63] |= 1 << (at & 63)
	}
	for k := range p.terms[1:] {
		t := &p.terms[k+1]
		if t.places = s.places(t.list, t.places[:0]); len(t.places) != n {
			return // the list is damaged, and its error ends the search
		}
	}
	found := 0
	for i, place := range p.terms[0].places[:n] {
		doc, least := s.base+s.at[i], place.Freq
		for k := range p.terms[1:] {
			least = min(least, p.terms[k+1].places[i].Freq)
		}
		if p.worth(s, doc, least) && s.admits(doc) && p.offer(s, doc, place, i) {
			found++
		}
	}
	if s.counting {
		s.count(found)
	}
}

// places appends where the positions of the documents allowed lie, all of which the list holds.
func (s *sweep) places(l *list, dst []postings.Place) []postings.Place {
	for b := l.first; b < l.blocks.Count() && l.starts(b) < s.end; b++ {
		if !s.allow.any(s.part(l, b)) {
			continue
		}
		docs := l.load(b)
		from, to := within(docs, s.base, s.end)
		n := 0
		for i, d := range docs[from:to] {
			at := d - s.base
			s.which[n&127] = uint8(from + i)
			n += int(s.allow[at>>6&63] >> (at & 63) & 1)
		}
		dst = l.blocks.Places(dst, s.which[:n])
	}
	return dst
}
