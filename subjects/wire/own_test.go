package wire_test

import (
	"testing"

	"github.com/jetseek/jetseek/subjects/wire"
)

func TestOwnHas(t *testing.T) {
	own := &wire.Own{Ranges: []wire.SlotRange{{From: 2, To: 4}, {From: 9, To: 9}}}
	for slot, want := range map[uint16]bool{0: false, 1: false, 2: true, 3: true, 4: true, 5: false, 8: false, 9: true, 10: false, 16383: false} {
		if got := own.Has(slot); got != want {
			t.Errorf("slot %d: %t", slot, got)
		}
	}
	if new(wire.Own).Has(0) {
		t.Error("no range has slot 0")
	}
}
