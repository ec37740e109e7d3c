package coordinator

import (
	"cmp"
	"slices"

	"github.com/jetseek/jetseek/engine/schema"
	"github.com/jetseek/jetseek/subjects/wire"
)

// differingCollections gives the collections, by incarnation, whose documents some members hold otherwise than others, or not at all: each list is what one member told.
func differingCollections(told [][]wire.CollectionDigest) []wire.CollectionDigest {
	return differing(told, func(a, b wire.CollectionDigest) int { return cmp.Compare(a.Collection, b.Collection) })
}

// differingSlots gives the slots that some members hold otherwise than others.
func differingSlots(told [][]wire.SlotDigests) []wire.SelectedSlots {
	slots := map[schema.Incarnation][][]wire.SlotDigest{}
	for member, collections := range told {
		for _, c := range collections {
			if slots[c.Collection] == nil {
				slots[c.Collection] = make([][]wire.SlotDigest, len(told))
			}
			slots[c.Collection][member] = c.Slots
		}
	}
	var differ []wire.SelectedSlots
	for c, lists := range slots {
		if ranges := asRanges(differing(lists, func(a, b wire.SlotDigest) int { return cmp.Compare(a.Slot, b.Slot) })); len(ranges) > 0 {
			differ = append(differ, wire.SelectedSlots{Collection: c, Ranges: ranges})
		}
	}
	slices.SortFunc(differ, func(a, b wire.SelectedSlots) int { return cmp.Compare(a.Collection, b.Collection) })
	return differ
}

// differing gives, in order, one entry for each key that does not stand in all lists with the same value. Lists hold a key once.
func differing[T comparable](lists [][]T, byKey func(a, b T) int) []T {
	count := map[T]int{}
	for _, list := range lists {
		for _, e := range list {
			count[e]++
		}
	}
	var differ []T
	for e, n := range count {
		if n < len(lists) {
			differ = append(differ, e)
		}
	}
	slices.SortFunc(differ, byKey)
	return slices.CompactFunc(differ, func(a, b T) bool { return byKey(a, b) == 0 })
}

// asRanges joins ascending slots to ranges.
func asRanges(slots []wire.SlotDigest) []wire.SlotRange {
	var ranges []wire.SlotRange
	for _, s := range slots {
		if n := len(ranges); n > 0 && ranges[n-1].To+1 == s.Slot {
			ranges[n-1].To = s.Slot
			continue
		}
		ranges = append(ranges, wire.SlotRange{From: s.Slot, To: s.Slot})
	}
	return ranges
}
