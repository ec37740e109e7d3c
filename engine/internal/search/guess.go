package search

import "math"

const (
	pairsOfBlock = 4  // about so many pairs of frequency and length bound a block
	pairsRead    = 2  // for each that is needed: the best are not all in the best runs
	sampledRuns  = 32 // of a list among several
)

// guess gives the collector a floor before the first document is found, where else all that come first would be kept for a while: a score that as many documents as are wanted probably
// reach. Bounds tell it: each pair of a block stands for a posting that is there, and for a document that scores at least so much. When too many of them are deleted or do not pass the
// masks, [Run] searches again without a guess.
func (s *sweep) guess() {
	floor := int64(minScore)
	for _, l := range s.any {
		if l.max > floor && s.promises(l) {
			was := s.env.charge(l.account)
			s.rank(l, 1+l.blocks.Runs()/sampledRuns)
			floor = max(floor, s.reached(l))
			s.env.charge(was)
		}
	}
	s.c.guess(floor)
	s.guessing = false
}

// promises tells whether a list may have enough pairs for a guess.
func (s *sweep) promises(l *list) bool { return l.blocks.Count()*pairsOfBlock >= s.needed() }

// needed gives how many postings it takes so that as many documents as are wanted are visible and pass the masks, but in one of forty cases.
func (s *sweep) needed() int {
	docs := float64(s.env.view.Segment.Docs())
	passes := float64(s.env.view.Docs) / docs
	for _, m := range s.masks {
		passes = float64(passes*float64(m.docs)) / docs
	}
	k := float64(s.c.limit)
	return int(min((k+float64(2*math.Sqrt(k*(1-passes))))/max(passes, 1e-6), math.MaxInt32)) + 1
}

// reached gives a score that about as many pairs of the runs ranked reach as are needed, but at least so many; minScore if there are not so many.
func (s *sweep) reached(l *list) int64 {
	want := s.needed()
	s.pairs = s.pairs[:0]
	for _, r := range s.runs {
		if len(s.pairs) >= pairsRead*want {
			break
		}
		l.readRun(r.run)
		s.pairs = append(s.pairs, l.runParts...)
	}
	if len(s.pairs) < want {
		return minScore
	}
	floor, above := int64(0), l.max+1
	for range 7 { // a hundredth of the best is near enough
		middle := floor + (above-floor)/2
		n := 0
		for _, part := range s.pairs {
			if part >= middle {
				n++
			}
		}
		if n >= want {
			floor = middle
		} else {
			above = middle
		}
	}
	return floor
}
