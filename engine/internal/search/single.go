package search

import (
	"cmp"
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
	s.runs = s.runs[:0]
	for run := range max(l.blocks.Runs(), 1) {
		s.runs = append(s.runs, boundedRun{l.runBound(run), run})
	}
	slices.SortFunc(s.runs, func(a, b boundedRun) int { return cmp.Or(cmp.Compare(b.bound, a.bound), a.run-b.run) })
	for _, r := range s.runs {
		if !s.counting && r.bound < s.c.floor() || !s.bestOfRun(l, r.run) {
			return
		}
	}
}

// bestOfRun looks at the blocks of a run, the best first. It tells whether the search goes on.
func (s *sweep) bestOfRun(l *list, run int) bool {
	first := run * postings.RunLen
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
		worth := bounds[best] >= s.c.floor()
		if !worth && !s.counting {
			return true
		}
		bounds[best] = minScore
		if !s.env.steps(postings.BlockLen / 8) {
			return false
		}
		docs := l.load(first + best)
		var parts []int64
		if worth {
			least := uint32(1)
			if !s.counting {
				least = l.leastFreq(0, s.c.floor())
			}
			docs, parts, _ = s.parts(l, docs, 0, least)
		} else {
			docs, _ = s.passing(docs)
		}
		if s.counting {
			s.countVisible(docs)
		}
		s.offer(docs, parts)
	}
	return true
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

// offer offers those of some documents that can enter, as far as there are parts.
func (s *sweep) offer(docs []uint32, parts []int64) {
	floor := s.c.floor()
	for i, part := range parts {
		if part >= floor && s.env.view.Visible.Has(docs[i]) && s.admits(docs[i]) {
			s.c.add(docs[i], part)
			floor = s.c.floor()
		}
	}
}
