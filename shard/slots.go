package shard

import (
	"maps"
	"slices"

	"github.com/jetseek/jetseek/engine"
	"github.com/jetseek/jetseek/subjects/wire"
)

// slots tells how many documents each slot has.
func (m *Member) slots(v view, r request) ([]byte, error) {
	q, err := wire.DecodeSlotsRequest(r.msg.Data)
	if err != nil {
		return nil, malformed(err)
	}
	reply := wire.SlotsReply{Frame: m.frame(&q.Head, v.content), Slots: countSlots(v.content)}
	return wire.AppendSlotsReply(nil, &reply), nil
}

// countSlots counts the documents of all collections in the slots that the group owns, by slot.
func countSlots(snap *engine.Snapshot) []wire.SlotCount {
	all := map[uint16]uint64{}
	for _, c := range snap.Collections() {
		for slot, n := range snap.Slots(c.Incarnation) {
			if snap.Owned().Has(slot) {
				all[slot] += n
			}
		}
	}
	counts := make([]wire.SlotCount, 0, len(all))
	for _, slot := range slices.Sorted(maps.Keys(all)) {
		counts = append(counts, wire.SlotCount{Slot: slot, Documents: all[slot]})
	}
	return counts
}
