package search

import "math/bits"

// bits finds documents that all have the same score, or whose scores nobody wants: those allowed, and if there are lists, in any of them. A window of them is bits: they
// are counted without a look at a document, and of a search sorted by a field only those are offered that its blocks let enter.
func (s *sweep) bits() {
	docs := uint32(s.env.view.Segment.Docs())
	if s.counting && s.found == nil && len(s.any)+len(s.masks) == 0 {
		s.count(s.env.view.Docs)
		s.counting = false
	}
	if s.unordered() && s.c.prefersLast() {
		for base := docs; base > 0; base = s.base {
			if !s.counting && s.c.limit == 0 || !s.env.steps(windowDocs/64) {
				return
			}
			s.open(base - 1)
			s.settle(true)
		}
		return
	}
	for base := uint32(0); base < docs; base = s.end {
		for _, m := range s.masks {
			base = max(base, m.ahead(s.env, base))
		}
		if base >= docs || !s.counting && s.c.limit == 0 || !s.env.steps(windowDocs/64*(1+len(s.any))) {
			return
		}
		s.open(base)
		if len(s.any) > 0 && !s.union() {
			return
		}
		s.settle(false)
	}
}

// unordered tells whether windows may be visited in any order: nothing has to be walked for them.
func (s *sweep) unordered() bool {
	for _, m := range s.masks {
		if m.ordered {
			return false
		}
	}
	return len(s.any) == 0
}

// settle counts what is left of a window and offers it, from its end when the best are expected there.
func (s *sweep) settle(backwards bool) {
	was := s.env.collecting()
	if !s.counting {
		s.c.restrict(s.base, &s.allow)
	}
	s.env.charge(was)
	s.screen()
	s.env.collecting()
	if s.counting {
		s.count(s.allow.count())
	}
	if s.found != nil {
		copy(s.found[s.base>>6:], s.allow[:])
	}
	if s.c.limit > 0 {
		s.c.restrict(s.base, &s.allow)
		s.offerAllowed(backwards)
	}
	s.env.charge(was)
}

// offerAllowed offers what is left of a window.
func (s *sweep) offerAllowed(backwards bool) {
	if backwards {
		for i := len(s.allow) - 1; i >= 0; i-- {
			for w := s.allow[i]; w != 0; {
				at := 63 - bits.LeadingZeros64(w)
				w &^= 1 << at
				s.c.add(s.base+uint32(i*64+at), s.constant)
			}
		}
		return
	}
	for i, w := range s.allow {
		for ; w != 0; w &= w - 1 {
			s.c.add(s.base+uint32(i*64+bits.TrailingZeros64(w)), s.constant)
		}
	}
}

// union leaves of the window what any list holds. It tells whether there are documents in or behind the window.
func (s *sweep) union() bool {
	s.matched = bitset{}
	kept := s.any[:0]
	for _, l := range s.any {
		if s.enters(l, s.base) {
			kept = append(kept, l)
			s.mark(l, &s.matched)
		}
	}
	s.any = kept
	for i := range s.allow {
		s.allow[i] &= s.matched[i]
	}
	return len(kept) > 0
}
