package engine

import (
	"cmp"
	"slices"
)

// weight is what the merge plan knows of a segment.
type weight struct {
	bytes int64 // of the segment
	docs  int   // all
	alive int   // of these
	busy  bool  // already in a merge
}

// size is what the segment would have without its dead documents.
func (w weight) size() int64 {
	if w.docs == 0 {
		return 0
	}
	return int64(float64(w.bytes) * (float64(w.alive) / float64(w.docs)))
}

const (
	tierFanout    = 8        // segments of one tier that become one of the next
	tierFloor     = 16 << 10 // bytes up to which segments are of the lowest tier
	reclaimDead   = 3        // a segment is rewritten when more than 1/reclaimDead of its documents are dead
	maxSegments   = 48       // beyond which the smallest are merged whatever their size
	backstopMerge = 16       // of them
)

// tier numbers the sizes: 0 up to tierFloor, then one more for each factor of tierFanout.
func tier(size int64) int {
	t := 0
	for ; size > tierFloor; size /= tierFanout {
		t++
	}
	return t
}

// planMerge picks segments to merge into one of at most most bytes: the indexes, ascending, or nil when nothing is due. It is a pure function. Segments of one tier are
// merged when there are tierFanout of them, so that a document is copied once a tier, log(size) times in all, and few segments are left; a
// segment with many dead documents is rewritten alone.
func planMerge(segments []weight, most int64) []int {
	byTier := map[int][]int{}
	top := 0
	for i, s := range segments {
		if s.busy || s.size() > most {
			continue
		}
		if s.alive == 0 || s.docs-s.alive > s.docs/reclaimDead {
			return []int{i}
		}
		t := tier(s.size())
		byTier[t] = append(byTier[t], i)
		top = max(top, t)
	}
	for t := 0; t <= top; t++ {
		if picked := fitting(segments, byTier[t], most); len(picked) >= tierFanout {
			return picked
		}
	}
	return nil
}

// fitting gives the smallest of the candidates that fit together into most bytes.
func fitting(segments []weight, candidates []int, most int64) []int {
	bySize := slices.Clone(candidates)
	slices.SortStableFunc(bySize, func(i, j int) int { return cmp.Compare(segments[i].size(), segments[j].size()) })
	total := int64(0)
	for n, i := range bySize {
		if total += segments[i].size(); total > most {
			bySize = bySize[:n]
			break
		}
	}
	slices.Sort(bySize)
	return bySize
}

// planBackstop picks the smallest segments when there are far too many, so that their number is bounded even if nobody calls Merge.
func planBackstop(segments []weight, most int64) []int {
	var idle []int
	for i, s := range segments {
		if !s.busy {
			idle = append(idle, i)
		}
	}
	if len(idle) <= maxSegments {
		return nil
	}
	slices.SortStableFunc(idle, func(i, j int) int { return cmp.Compare(segments[i].size(), segments[j].size()) })
	if picked := fitting(segments, idle[:backstopMerge], most); len(picked) > 1 {
		return picked
	}
	return nil
}
