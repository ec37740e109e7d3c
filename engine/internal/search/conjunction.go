package search

// conjunction finds the documents that all lists hold. The rarest leads: those of its documents that can reach the floor are candidates, which the other
// lists take away from.
func (s *sweep) conjunction() {
	lead := s.all[0]
	if int(lead.blocks.DF()) < s.env.view.Segment.Docs()/windowDocs*leapDocs {
		s.leap()
		return
	}
	for _, lists := range [][]*list{s.all, s.any} {
		for _, l := range lists {
			l.loose = int(lead.blocks.DF()) < 4*l.blocks.Count()
		}
	}
	for base := uint32(0); s.enters(lead, base); base = s.end {
		if !s.counting && s.most() < s.c.floor() || !s.env.steps(windowDocs/4*len(s.all)) {
			return
		}
		next := max(base, lead.starts(lead.first))
		s.open(next)
		for _, l := range s.all {
			if !s.enters(l, s.base) {
				return
			}
			s.look(l)
		}
		if s.phrase {
			was := s.env.charge(lead.account)
			s.phrases()
			s.env.charge(was)
		} else {
			s.common()
		}
	}
}

// most bounds the scores in the segment.
func (s *sweep) most() int64 {
	most := int64(0)
	for _, l := range s.all {
		most += l.max
	}
	for _, l := range s.any {
		most += l.max
	}
	return most
}

// common does one window of a conjunction.
func (s *sweep) common() {
	floor := s.c.floor()
	rest := int64(0)
	for _, l := range s.all {
		rest += l.bound
	}
	extra := int64(0)
	for _, l := range s.any {
		if l.bound = 0; s.enters(l, s.base) {
			s.look(l)
		}
		extra += l.bound
	}
	lossless := floor
	if s.counting {
		floor = minScore
	} else if rest+extra < floor {
		return
	}
	if reading := s.postings(s.all[0]); !s.filter(reading, reading) {
		return
	}
	s.meet(s.lead(s.all[0], rest+extra, floor), extra, floor, lossless)
}

// meet takes away the candidates that other lists do not hold, and collects what is left: those that can reach lossless, and all that can reach floor are counted.
// Lists in any give at most extra.
func (s *sweep) meet(n int, extra, floor, lossless int64) {
	for i, l := range s.all[1:] {
		if n == 0 {
			return
		}
		rest := extra
		for _, o := range s.all[i+2:] {
			rest += o.bound
		}
		n = s.keep(l, n, rest, floor)
	}
	if n = s.sieve(n); s.counting {
		s.count(n)
	}
	for i, l := range s.any {
		if n == 0 {
			return
		}
		rest := int64(0)
		for _, o := range s.any[i+1:] {
			rest += o.bound
		}
		n = s.probe(l, n, rest, lossless, false)
	}
	s.collect(n)
}

// minScore is below every score.
const minScore = -1 << 63

// lead makes candidates of those of a list's documents that can reach floor, where all lists give total at most.
func (s *sweep) lead(l *list, total, floor int64) int {
	rest := total - l.bound
	was := s.env.charge(l.account)
	n, least := 0, l.leastFreq(rest, floor)
	for b := l.first; b < l.blocks.Count() && l.starts(b) < s.end; b++ {
		if rest+l.boundOf(b) < floor {
			continue
		}
		docs := l.load(b)
		from, to := within(docs, s.base, s.end)
		docs, parts, _ := s.parts(l, docs[from:to], from, least)
		for i, d := range docs {
			at := d - s.base
			s.at[n], s.sums[n] = at, parts[i]
			if s.allow[at>>6&63]>>(at&63)&1 != 0 && parts[i]+rest >= floor {
				n++
			}
		}
	}
	s.env.charge(was)
	return n
}

// keep takes away the candidates that a list does not hold.
func (s *sweep) keep(l *list, n int, rest, floor int64) int {
	was := s.env.charge(l.account)
	n = s.probe(l, s.marked(l, n), rest, floor, true)
	s.env.charge(was)
	return n
}

// marked takes away, when that pays, the candidates that a list's bits do not have.
func (s *sweep) marked(l *list, n int) int {
	if s.leaping || !marksPay(n, s.postings(l)) {
		return n
	}
	s.hits = bitset{}
	s.mark(l, &s.hits)
	kept := 0
	for i := range n {
		at := s.at[i]
		s.at[kept], s.sums[kept] = at, s.sums[i]
		kept += int(s.hits[at>>6&63] >> (at & 63) & 1)
	}
	return kept
}

// marksPay tells whether there are so many candidates for a list's length that its bits should be asked first: a bit costs less than a search in a block, most of which
// fail.
func marksPay(candidates, postings int) bool { return candidates > 16 && candidates*8 > postings }
