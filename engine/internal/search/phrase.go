package search

import (
	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/internal/segment/docvalues"
	"github.com/jetseek/jetseek/engine/internal/segment/postings"
)

// phrase walks the documents in which terms stand at given distances: those that hold all the terms, rarest first, and of them those whose
// positions fit.
type phrase struct {
	all     scorer // conjunction of the terms
	its     []*postings.Iterator
	offsets []int
	env     *env
	weight  bm25.Weight
	lengths *docvalues.Column
	freq    uint32 // in the document it stands on
	first   *anyOf // not nil: the first slot takes any of some terms
	last    *anyOf // not nil: the last slot does
	slop    *slop  // not nil: slots may stand apart

	starts, positions []uint32 // scratch
}

func (s *phrase) Doc() uint32 { return s.all.Doc() }
func (s *phrase) Cost() int   { return s.all.Cost() }

func (s *phrase) Next() uint32                 { return s.fit(s.all.Next()) }
func (s *phrase) Advance(target uint32) uint32 { return s.advance(target) }

func (s *phrase) advance(target uint32) uint32 {
	if d := s.all.Doc(); d >= target {
		return d
	}
	return s.fit(s.all.Advance(target))
}

// fit goes to the first document from doc on in which the phrase stands.
func (s *phrase) fit(doc uint32) uint32 {
	for doc != noDoc {
		if s.freq = s.count(); s.freq > 0 {
			break
		}
		doc = s.all.Next()
	}
	return doc
}

// count gives the number of positions from which the phrase completes in the document.
func (s *phrase) count() uint32 {
	if s.slop != nil {
		for k := range s.offsets {
			s.slop.positions[k] = s.at(k, s.slop.positions[k][:0])
		}
		return s.slop.count()
	}
	s.starts = s.at(0, s.starts[:0])
	for k := 1; k < len(s.offsets) && len(s.starts) > 0; k++ {
		s.positions = s.at(k, s.positions[:0])
		s.starts = meeting(s.starts, s.positions, uint64(s.offsets[k]))
		s.env.left -= len(s.positions) / 16
	}
	return uint32(len(s.starts))
}

// at appends the positions of a slot in the document.
func (s *phrase) at(k int, dst []uint32) []uint32 {
	if s.first != nil {
		if k == 0 {
			return s.first.at(s.all.Doc(), dst)
		}
		k--
	}
	if k == len(s.its) {
		return s.last.at(s.all.Doc(), dst)
	}
	return s.its[k].Positions(dst)
}

// meeting keeps the starts p for which p+offset is among positions; both ascend.
func meeting(starts, positions []uint32, offset uint64) []uint32 {
	kept, i := starts[:0], 0
	for _, p := range starts {
		want := uint64(p) + offset
		for i < len(positions) && uint64(positions[i]) < want {
			i++
		}
		if i == len(positions) {
			break
		}
		if uint64(positions[i]) == want {
			kept = append(kept, p)
		}
	}
	return kept
}

func (s *phrase) Score() int64 {
	return bm25.Part(s.weight.W, s.weight.C0, s.weight.C1, s.freq, s.lengths.Length(s.all.Doc()))
}
