package search

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/jetseek/jetseek/engine/internal/segment/postings"
)

// boundedRun is a run of blocks of a list, and the most that any of its postings gives.
type boundedRun struct {
	bound int64
	run   int
}

// alone tells whether there is but one list, and masks may be asked of its postings as they come.
func (s *sweep) alone() bool {
	for _, m := range s.masks {
		if m.ordered || s.counting && m.siftCost > cheapSift {
			return false
		}
	}
	return len(s.any) == 1
}

// single finds the documents of a list that is alone, without windows: there is nothing to add up. What can score most is looked at first, run by run and block
// by block, so that the floor is soon above what is left.
func (s *sweep) single(l *list) {
	was := s.env.charge(l.account)
	defer s.env.charge(was)
	s.few, s.sifts, s.late = false, s.sifts[:0], s.late[:0]
	for _, m := range s.masks {
		if m.siftCost <= cheapSift {
			s.sifts = append(s.sifts, m)
		} else {
			s.late = append(s.late, m)
		}
	}
	if !s.counting && l.max < s.c.floor() {
		return
	}
	s.rank(l, 1)
	if s.guessing && s.c.mayGuess() && s.promises(l) {
		s.c.guess(s.reached(l))
	}
	s.guessing = false
	for _, r := range s.runs {
		if !s.counting && r.bound < s.c.floor() || !s.bestOfRun(l, r.run) {
			return
		}
	}
}

// rank lists every step-th run of a list, the best first.
func (s *sweep) rank(l *list, step int) {
	s.runs = s.runs[:0]
	for run := 0; run < max(l.blocks.Runs(), 1); run += step {
		s.runs = append(s.runs, boundedRun{l.runBound(run), run})
	}
	slices.SortFunc(s.runs, func(a, b boundedRun) int { return cmp.Or(cmp.Compare(b.bound, a.bound), a.run-b.run) })
}

// bestOfRun looks at the blocks of a run, the best first. It tells whether the search goes on.
func (s *sweep) bestOfRun(l *list, run int) bool {
	first := run * postings.RunLen
	if l.runAt != run {
		l.readRun(run)
	}
	n := min(l.blocks.Count()-first, postings.RunLen)
	var bounds [postings.RunLen]int64
	for i := range n {
		bounds[i] = l.boundOf(first + i)
	}
	for range n {
		best := 0
		for i, bound := range bounds[:n] {
			if bound > bounds[best] {
				best = i
			}
		}
		floor := s.c.floor()
		worth := bounds[best] >= floor
		bounds[best] = minScore
		switch {
		case !worth && !s.counting:
			return true
		case !s.env.steps(postings.BlockLen / 8):
			return false
		}
		least := uint32(1)
		if !s.counting {
			least = l.leastIn(first+best, floor)
		}
		if least > 2 || least > 1 && len(s.sifts) == 0 { // two occurrences leave more to score than masks do
			s.offerFrequent(l, first+best, least)
		} else {
			s.offerAll(l, first+best, worth, least)
		}
	}
	return true
}

// offerAll looks at all documents of a block that pass the masks; if it is worth it, those that hold the term at least so often are scored.
func (s *sweep) offerAll(l *list, block int, worth bool, least uint32) {
	docs := l.load(block)
	var parts []int64
	if worth {
		docs, parts, _ = s.parts(l, docs, 0, least)
	} else {
		docs, _ = s.passing(docs)
	}
	was := s.env.collecting()
	if s.counting {
		s.countVisible(docs)
	}
	floor := s.c.floor()
	for i, part := range parts {
		if part >= floor && s.env.view.Visible.Has(docs[i]) && s.admits(docs[i]) {
			s.c.add(docs[i], part)
			floor = s.c.floor()
		}
	}
	s.env.charge(was)
}

// offerFrequent looks at the documents of a block that hold the term at least so often. They are few: so they are scored before masks are asked.
func (s *sweep) offerFrequent(l *list, block int, least uint32) {
	docs := l.load(block)
	if l.blocks.Once() {
		return
	}
	n := 0
	freqs := l.blocks.Freqs()
	for from := 0; from < len(freqs); from += 64 {
		frequent := uint64(0)
		for i, freq := range freqs[from:min(from+64, len(freqs))] {
			frequent |= (uint64(least-1) - uint64(freq)) >> 63 << (i & 63)
		}
		for ; frequent != 0; frequent &= frequent - 1 {
			i := from + bits.TrailingZeros64(frequent)
			s.docs[n&127], s.freqs[n&127] = docs[i&127], freqs[i]
			n++
		}
	}
	l.weight.Parts(s.scored[:n], s.docs[:n], s.freqs[:n], &l.lengths)
	floor, left := s.c.floor(), 0
	for i, part := range s.scored[:n] {
		if part >= floor && s.env.view.Visible.Has(s.docs[i]) {
			s.docs[left], s.scored[left] = s.docs[i], part
			left++
		}
	}
	left = s.sift(left)
	was := s.env.collecting()
	for i := range left {
		if s.scored[i] >= s.c.floor() {
			s.c.add(s.docs[i], s.scored[i])
		}
	}
	s.env.charge(was)
}

// sift keeps of the first n documents in scratch, which have been scored, those that pass all masks, and gives their number.
func (s *sweep) sift(n int) int {
	for _, m := range s.masks {
		if n == 0 {
			break
		}
		set := m.sift(s.env, s.docs[:n])
		n = 0
		for w, in := range set {
			for ; in != 0; in &= in - 1 {
				i := w*64 + bits.TrailingZeros64(in)
				s.docs[n], s.scored[n] = s.docs[i], s.scored[i]
				n++
			}
		}
	}
	return n
}

// countVisible counts those of some documents that count.
func (s *sweep) countVisible(docs []uint32) {
	n := 0
	for _, d := range docs {
		if s.env.view.Visible.Has(d) {
			n++
		}
	}
	s.count(n)
}
