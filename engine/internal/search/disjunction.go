package search

// What probing a candidate in a list costs, and reading a posting of a list, as measured: in tenths of a nanosecond.
const (
	probeCost = 120
	readCost  = 26
)

// disjunction finds the documents that any list holds: block-max MaxScore by windows. Of the lists, in order of what they can score in the window, the
// first are left out as long as they cannot lift a document to the floor by themselves; the essential others are read, and the candidates that they make are
// looked up in those left out. Where that costs more than reading, lists are read too.
func (s *sweep) disjunction() {
	yield := int64(100) // candidates of a thousand postings read, in the windows before
	for base := uint32(0); len(s.any) > 0; base = s.end {
		kept, next := s.any[:0], ^uint32(0)
		for _, l := range s.any {
			if s.enters(l, base) {
				kept, next = append(kept, l), min(next, max(base, l.starts(l.first)))
			}
		}
		most := int64(0)
		for _, l := range kept {
			most += l.max
		}
		if s.any = kept; len(kept) == 0 || !s.counting && most < s.c.floor() || !s.env.steps(windowDocs/4*len(kept)) {
			return
		}
		s.open(next)
		yield = s.alternatives(yield)
	}
}

// alternatives does one window of a disjunction.
func (s *sweep) alternatives(yield int64) int64 {
	floor := s.c.floor()
	total := int64(0)
	for i, l := range s.any {
		s.look(l)
		total += l.bound
		for j := i; j > 0 && s.any[j].bound < s.any[j-1].bound; j-- {
			s.any[j], s.any[j-1] = s.any[j-1], s.any[j]
		}
	}
	if !s.counting && total < floor {
		return yield
	}
	optional, rest := 0, int64(0)
	for optional < len(s.any) && rest+s.any[optional].bound < floor {
		rest += s.any[optional].bound
		optional++
	}
	read := 0
	for _, l := range s.any[optional:] {
		read += s.postings(l)
	}
	for optional > 0 && optional < len(s.any) {
		l := s.any[optional-1]
		if n := s.postings(l); readCost*int64(n) > probeCost*yield*int64(read)/1000 {
			break
		}
		optional--
		rest -= l.bound
		read += s.postings(l)
	}
	reading, candidates := read, int(yield)*read/1000+1
	if s.counting {
		candidates, s.matched = -1, bitset{}
		for _, l := range s.any[:optional] {
			reading += s.postings(l)
		}
	}
	if !s.filter(reading, candidates) {
		return yield
	}
	n := 0
	if optional == len(s.any)-1 && !s.counting {
		n = s.lead(s.any[optional], total, floor) // there is nothing to add up
	} else {
		n = s.addUp(optional, total, rest, floor)
	}
	if read > 0 {
		yield = (3*yield + 1000*int64(n)/int64(read)) / 4
	}
	for i := optional - 1; i >= 0 && n > 0; i-- {
		rest -= s.any[i].bound
		n = s.probe(s.any[i], n, rest, floor, false)
	}
	s.collect(s.sieve(n))
	return yield
}

// addUp adds up the lists from number optional on, and makes candidates of documents that can reach floor with rest more. It counts what all lists match.
func (s *sweep) addUp(optional int, total, rest, floor int64) int {
	if s.counting {
		for _, l := range s.any[:optional] {
			s.matching(l)
		}
	}
	for _, l := range s.any[optional:] {
		s.add(l, total-l.bound, floor)
	}
	if s.counting {
		for i := range s.matched {
			s.matched[i] = (s.matched[i] | s.hits[i]) & s.allow[i]
		}
		s.count(s.matched.count())
	}
	return s.candidates(rest, floor)
}

// postings estimates how many documents of a list lie in the window.
func (s *sweep) postings(l *list) int {
	if l.bound == 0 {
		return 0
	}
	return int(uint64(l.blocks.DF())*windowDocs/uint64(s.env.view.Segment.Docs())) + 1
}
