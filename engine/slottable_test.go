package engine

import (
	"maps"
	"math/rand/v2"
	"testing"
)

// A slot table is a map from slots, and a copy of it is not changed by later rounds.
func TestSlotTable(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 11))
	var table slotTable
	model := map[uint16]uint32{}
	type version struct {
		table slotTable
		model map[uint16]uint32
	}
	var versions []version
	for round := uint64(1); round <= 40; round++ {
		for range 1 + r.IntN(200) {
			slot := uint16(r.IntN(Slots))
			digest, docs := table.at(slot, round)
			if *docs != model[slot] || digest[0] != byte(model[slot]) {
				t.Fatalf("round %d: slot %d has %d documents and digest %s, want %d", round, slot, *docs, digest, model[slot])
			}
			model[slot]++
			*docs++
			digest[0]++
		}
		versions = append(versions, version{table, maps.Clone(model)})
	}
	for round, v := range versions {
		visited, before := 0, -1
		v.table.each(func(slot uint16, d Digest, docs uint32) {
			if int(slot) <= before || docs != v.model[slot] || d[0] != byte(docs) {
				t.Errorf("round %d: slot %d behind %d has %d documents and digest %s, want %d", round+1, slot, before, docs, d, v.model[slot])
			}
			visited, before = visited+1, int(slot)
		})
		if visited != len(v.model) {
			t.Errorf("round %d: %d slots with documents, want %d", round+1, visited, len(v.model))
		}
		for slot := range uint16(Slots) {
			if d, docs := v.table.get(slot); docs != v.model[slot] || d[0] != byte(docs) {
				t.Fatalf("round %d: slot %d has %d documents, want %d", round+1, slot, docs, v.model[slot])
			}
		}
	}
}
