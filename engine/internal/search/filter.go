package search

import (
	"math"
	"math/bits"
)

// open begins the window of a document: allowed is what is visible, until masks take away from it.
func (s *sweep) open(doc uint32) {
	s.base = doc &^ (windowDocs - 1)
	s.end = min(s.base+windowDocs, uint32(s.env.view.Segment.Docs()))
	s.few, s.sifts, s.late = false, s.sifts[:0], s.late[:0]
	s.hits = bitset{}
	visible := s.env.view.Visible[s.base>>6:]
	n := copy(s.allow[:], visible[:min(len(visible), len(s.allow))])
	clear(s.allow[n:])
}

// filter settles how each mask is asked in a window of which about so many postings will be read and so many candidates found: its documents are marked for the
// whole window, or it is asked of a posting before that is scored, or of what is left in the end. It tells whether any document of the window may pass. Where candidates is
// negative nothing can wait for the end.
func (s *sweep) filter(read, candidates int) bool {
	left := windowDocs
	for _, m := range s.masks {
		n := read*left/windowDocs + 1
		mark, sift, late := m.markCost+bitCost*n, m.siftCost*n, math.MaxInt
		if m.siftCost > cheapSift || m.ordered {
			sift = math.MaxInt // lists do not ask in order, and most of what they ask is not worth that much
		}
		if candidates >= 0 {
			fail := n - int(uint64(n)*uint64(m.docs)/uint64(s.env.view.Segment.Docs()))
			late = readCost*fail + m.siftCost*min(n, candidates)
		}
		switch min(mark, sift, late) {
		case sift:
			s.sifts = append(s.sifts, m)
		case late:
			s.late = append(s.late, m)
		default:
			if left = s.narrow(m, left); left == 0 {
				return false
			}
		}
	}
	s.few = left < windowDocs/2
	return s.env.err == nil
}

// screen leaves of the documents allowed those that pass all masks.
func (s *sweep) screen() {
	if len(s.masks) == 0 {
		return
	}
	left := s.allow.count()
	for _, m := range s.masks {
		if left == 0 {
			return
		}
		left = s.narrow(m, left)
	}
}

// narrow leaves of the documents allowed, of which there are left, those that pass a mask, and gives their number.
func (s *sweep) narrow(m *mask, left int) int {
	if left*m.siftCost < m.markCost {
		return s.siftAllowed(m)
	}
	left = 0
	for i, w := range m.mark(s.env, s.base, s.end) {
		s.allow[i] &= w
		left += bits.OnesCount64(s.allow[i])
	}
	return left
}

// siftAllowed is narrow for few documents: the mask is asked of each.
func (s *sweep) siftAllowed(m *mask) (left int) {
	n := 0
	for i, w := range s.allow {
		for s.allow[i] = 0; w != 0; w &= w - 1 {
			s.docs[n] = s.base + uint32(i*64+bits.TrailingZeros64(w))
			if n++; n == len(s.docs) {
				left += s.allowPassing(m, n)
				n = 0
			}
		}
	}
	return left + s.allowPassing(m, n)
}

// allowPassing allows those of the first n documents of scratch that pass a mask.
func (s *sweep) allowPassing(m *mask, n int) int {
	if n == 0 {
		return 0
	}
	set := m.sift(s.env, s.docs[:n])
	for w, in := range set {
		for ; in != 0; in &= in - 1 {
			at := s.docs[w*64+bits.TrailingZeros64(in)] - s.base
			s.allow[at>>6&63] |= 1 << (at & 63)
		}
	}
	return bits.OnesCount64(set[0]) + bits.OnesCount64(set[1])
}

// passing gives those of a block's documents that may pass, and which of docs they are (nil: all of them), in scratch.
func (s *sweep) passing(docs []uint32) (left []uint32, which []uint8) {
	if s.few {
		n := 0
		for i, d := range docs {
			at := d - s.base
			s.docs[n&127], s.which[n&127] = d, uint8(i)
			n += int(s.allow[at>>6&63] >> (at & 63) & 1)
		}
		docs, which = s.docs[:n], s.which[:n]
	}
	for _, m := range s.sifts {
		if len(docs) == 0 {
			break
		}
		n := 0
		for w, in := range m.sift(s.env, docs) {
			for ; in != 0; in &= in - 1 {
				i := w*64 + bits.TrailingZeros64(in)
				place := uint8(i)
				if which != nil {
					place = which[i]
				}
				s.docs[n], s.which[n] = docs[i], place
				n++
			}
		}
		docs, which = s.docs[:n], s.which[:n]
	}
	return docs, which
}

// admits tells whether a document passes the masks left for the end.
func (s *sweep) admits(doc uint32) bool {
	for _, m := range s.late {
		s.asked[0] = doc
		if m.sift(s.env, s.asked[:])[0] == 0 {
			return false
		}
	}
	return true
}

// sieve keeps of the first n candidates those that pass the masks left for the end.
func (s *sweep) sieve(n int) int {
	for _, m := range s.late {
		kept := 0
		for from := 0; from < n; from += len(s.docs) {
			docs := s.docs[:min(n-from, len(s.docs))]
			for i := range docs {
				docs[i] = s.base + s.at[from+i]
			}
			for w, in := range m.sift(s.env, docs) {
				for ; in != 0; in &= in - 1 {
					i := from + w*64 + bits.TrailingZeros64(in)
					s.at[kept], s.sums[kept] = s.at[i], s.sums[i]
					kept++
				}
			}
		}
		n = kept
	}
	return n
}
