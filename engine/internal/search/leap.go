package search

import "github.com/jetseek/jetseek/engine/internal/segment/postings"

// leapDocs is how many documents a window the rarest list of a conjunction must have for windows to be worth it.
const leapDocs = 64

// leap finds the documents that all lists hold where the rarest has few: block by block of it, its documents are looked up in the others. No window is set up
// for them, and of the others only blocks that may hold them are read, but not their bounds.
func (s *sweep) leap() {
	s.leaping = true
	was := s.env.charge(s.all[0].account)
	defer func() {
		s.leaping = false
		s.env.charge(was)
	}()
	s.sifts, s.late = s.sifts[:0], append(s.late[:0], s.masks...)
	lead, rest, extra := s.all[0], int64(0), int64(0)
	for i, l := range s.all {
		l.loose, l.bound = i > 0, l.max
		if i > 0 {
			rest += l.max
		}
	}
	for _, l := range s.any {
		l.loose, l.bound = true, l.max
		extra += l.max
	}
	most := lead.max + rest + extra
	if s.phrase { // any of its terms bounds it
		rest, most = 0, lead.max
		for _, l := range s.all[1:] {
			most = min(most, l.max)
		}
	}
	for b := range lead.blocks.Count() {
		lossless := s.c.floor()
		floor := lossless
		switch {
		case !s.env.steps(postings.BlockLen * len(s.all)):
			return
		case s.counting:
			floor = minScore
		case most < floor:
			return
		case lead.boundOf(b)+rest+extra < floor:
			continue
		}
		docs := lead.load(b)
		if len(docs) == 0 {
			return
		}
		s.base, s.end = docs[0], docs[len(docs)-1]+1
		for _, l := range s.all[1:] {
			if !s.enters(l, s.base) {
				return
			}
		}
		if s.phrase {
			s.check.leap(s, docs)
			continue
		}
		for _, l := range s.any {
			s.enters(l, s.base)
		}
		s.meet(s.leaders(docs, lead.score(), rest+extra, floor), extra, floor, lossless)
	}
}

// leaders makes candidates of documents of the rarest list that can reach floor with rest more.
func (s *sweep) leaders(docs []uint32, parts []int64, rest, floor int64) int {
	n := 0
	for i, d := range docs {
		if parts[i]+rest >= floor && s.env.view.Visible.Has(d) {
			s.at[n], s.sums[n] = d-s.base, parts[i]
			n++
		}
	}
	return n
}
