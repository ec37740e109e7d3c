package search

import (
	"cmp"
	"iter"
	"slices"
	"sort"

	"github.com/jetseek/jetseek/engine/internal/segment"
	"github.com/jetseek/jetseek/engine/internal/segment/postings"
)

// slop counts the positions from which a phrase with a slop completes. Slot k of the phrase stands at place p - offset(k) when its term is at position p: the phrase completes
// where there are distinct positions whose places lie within slop of each other.
type slop struct {
	env       *env
	slop      int64
	offsets   []int
	same      [][]int // slots by term, ascending, that of the first slot first: slots of one term must take distinct positions
	open      bool    // the last slot takes any of some terms, perhaps those of others too, and is in no list of same
	positions [][]uint32

	used    []int64 // positions that the slots looked at took
	places  []int64 // of all slots, ascending and distinct
	counted []bool  // by position of the first slot
}

// newSlop makes that of the terms of the first slots; one slot more may take any of some terms.
func newSlop(e *env, terms []string, offsets []int, most int) *slop {
	s := &slop{env: e, slop: int64(most), offsets: offsets, open: len(terms) < len(offsets), positions: make([][]uint32, len(offsets))}
	for k := range terms {
		term := slices.IndexFunc(s.same, func(slots []int) bool { return terms[slots[0]] == terms[k] })
		if term < 0 {
			s.same = append(s.same, []int{k})
			continue
		}
		s.same[term] = append(s.same[term], k)
	}
	return s
}

// count gives the number of positions of the first slot from which the phrase completes, once the positions of all slots are set.
func (s *slop) count() uint32 {
	s.places = s.places[:0]
	for k, positions := range s.positions {
		for _, p := range positions {
			s.places = append(s.places, int64(p)-int64(s.offsets[k]))
		}
	}
	slices.Sort(s.places)
	s.places = slices.Compact(s.places)
	first := s.positions[0]
	s.counted = append(s.counted[:0], make([]bool, len(first))...)
	n, from := uint32(0), 0
	for _, least := range s.places { // a phrase that completes has a least place
		for from < len(first) && (int64(first[from]) < least || s.counted[from]) {
			from++
		}
		if from == len(first) || !s.env.steps(1+len(s.offsets)/8) {
			break
		}
		if s.used = s.used[:0]; int64(first[from]) > least+s.slop || !s.others(least) {
			continue
		}
		for i := from; i < len(first) && int64(first[i]) <= least+s.slop; i++ {
			if !s.counted[i] && s.env.step() && s.completes(least, int64(first[i])) {
				s.counted[i] = true
				n++
			}
		}
	}
	return n
}

// completes tells whether the phrase completes with the first slot at a position and a least place.
func (s *slop) completes(least, start int64) bool {
	s.used = append(s.used[:0], start)
	if !s.fits(s.same[0], least, start) {
		return false
	}
	if !s.open {
		return true
	}
	// The other slots took the first positions that they could, so that they left the last slot as many as they can.
	if !s.others(least) {
		return false
	}
	last := len(s.offsets) - 1
	lo := least + int64(s.offsets[last])
	return slices.ContainsFunc(s.positions[last], func(p uint32) bool {
		return int64(p) >= lo && int64(p) <= lo+s.slop && !slices.Contains(s.used, int64(p))
	})
}

// others tells whether all terms but the first slot's find positions whose places lie from least to least+slop.
func (s *slop) others(least int64) bool {
	for _, slots := range s.same[1:] {
		if !s.fits(slots, least, -1) {
			return false
		}
	}
	return true
}

// fits tells whether slots of one term find distinct positions, the first slot of the phrase just the one given. Their spans have the same length and come in order, so
// that the first position left is always the best.
func (s *slop) fits(slots []int, least, taken int64) bool {
	positions := s.positions[slots[0]]
	at := 0
	for _, k := range slots {
		if k == 0 {
			continue
		}
		lo := least + int64(s.offsets[k])
		at += sort.Search(len(positions)-at, func(i int) bool { return int64(positions[at+i]) >= lo })
		if at < len(positions) && int64(positions[at]) == taken {
			at++
		}
		if at == len(positions) || int64(positions[at]) > lo+s.slop {
			return false
		}
		s.used = append(s.used, int64(positions[at]))
		at++
	}
	return true
}

// anyOf gives the positions in a document of all of some terms.
type anyOf struct {
	env   *env
	field *segment.Field
	terms iter.Seq[postings.Ref]
	few   []postings.Ref // of these, up to fewLists and one; nil until they are asked for

	base, end uint32 // the documents that found is of
	found     []occurrence
	scratch   []uint32
}

// fewLists is how many lists are looked up once for all windows: 768 KiB of them.
const fewLists = 1 << 14

// lists walks the lists of the terms. Those of pairs that end with a character are spread over the whole dictionary: not every window is to walk all of it.
func (p *anyOf) lists() iter.Seq[postings.Ref] {
	if p.few == nil {
		p.few = []postings.Ref{}
		for ref := range p.terms {
			if p.few = append(p.few, ref); len(p.few) > fewLists {
				break
			}
		}
	}
	if len(p.few) > fewLists {
		return p.terms
	}
	return slices.Values(p.few)
}

// occurrence is a position in a document.
type occurrence struct{ doc, position uint32 }

// at appends the positions in a document; documents ascend. A window of them is read at a time, since these can be more terms than lists can be open.
func (p *anyOf) at(doc uint32, dst []uint32) []uint32 {
	if doc >= p.end {
		p.read(doc &^ (windowDocs - 1))
	}
	from, _ := slices.BinarySearchFunc(p.found, doc, func(o occurrence, doc uint32) int { return cmp.Compare(o.doc, doc) })
	for ; from < len(p.found) && p.found[from].doc == doc; from++ {
		dst = append(dst, p.found[from].position)
	}
	return dst
}

// read gathers the occurrences in the window that begins at base.
func (p *anyOf) read(base uint32) {
	p.base, p.end, p.found = base, base+windowDocs, p.found[:0]
	for ref := range p.lists() {
		it := p.env.list(p.field.TermPostings(), ref)
		for doc := it.Advance(base); doc < p.end && p.env.step(); doc = it.Next() {
			p.scratch = it.Positions(p.scratch[:0])
			for _, position := range p.scratch {
				p.found = append(p.found, occurrence{doc, position})
			}
		}
		if p.env.done(it); !p.env.step() {
			break
		}
	}
	slices.SortFunc(p.found, func(a, b occurrence) int {
		return cmp.Or(cmp.Compare(a.doc, b.doc), cmp.Compare(a.position, b.position))
	})
}
