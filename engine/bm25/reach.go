package bm25

import "math"

// Reach tells by frequency and length, without a division, which postings may reach a floor. It may say yes of one that does not reach it, never no of one that does.
type Reach struct {
	longest [reachFreqs + 2]uint32 // by frequency: no longer document reaches the floor; the last stands for all frequencies above
}

// reachFreqs is up to which frequency lengths are told apart: few postings lie beyond.
const reachFreqs = 14

// MakeReach makes the reach of a weight for a floor.
func MakeReach(w Weight, floor int64) Reach {
	var r Reach
	for tf := range uint32(reachFreqs + 1) {
		r.longest[tf] = w.longest(tf, floor)
	}
	r.longest[reachFreqs+1] = math.MaxUint32
	return r
}

// longest gives a length such that no longer document reaches floor with a frequency: [Part] solved for the length, and, since that is rounded, tried.
func (w Weight) longest(tf uint32, floor int64) uint32 {
	f := float64(tf)
	length := (float64(unit*float64(w.W*f))/float64(floor)-f-w.C0)/w.C1 + 1
	if !(length < math.MaxUint32) { // nor is it NaN
		return math.MaxUint32
	}
	longest := uint32(max(length, 0))
	if Part(w.W, w.C0, w.C1, tf, longest+1) >= floor {
		return math.MaxUint32
	}
	return longest
}

// May tells whether a posting may reach the floor: 1 if so, else 0.
func (r *Reach) May(tf, length uint32) uint64 {
	return (uint64(length) - uint64(r.longest[min(tf, reachFreqs+1)]) - 1) >> 63
}
