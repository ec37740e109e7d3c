package shard

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/jetseek/jetseek/engine"
)

// Pins for walks are kept until their time is over since their last use; the same content under another sequence takes no room, and no new pin takes an old one's place.
func TestPinsBesideOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		index, err := engine.Open(engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		p := pins{life: time.Minute, most: 2}
		seq := uint64(0)
		keep := func(ops ...engine.Op) bool {
			seq++
			if _, err := index.Apply([]engine.Message{{Seq: seq, Ops: ops}}); err != nil {
				t.Fatal(err)
			}
			snap := index.Snapshot()
			defer snap.Close()
			return p.keepBeside(snap)
		}
		own := func(slot uint16) engine.Op {
			slots := new(engine.SlotSet)
			slots.AddRange(0, slot)
			return engine.Op{Kind: engine.OpOwn, Epoch: seq + 1, Slots: slots, IfVersion: -1}
		}
		if !keep(own(1)) || !keep() || !keep(own(2)) || keep(own(3)) {
			t.Fatal("three sequences of two contents are kept, and a third content is not")
		}
		time.Sleep(50 * time.Second) // virtual
		p.use(2)
		time.Sleep(20 * time.Second) // virtual
		for seq, want := range map[uint64]bool{1: false, 2: true, 3: false, 4: false} {
			snap := p.get(seq)
			if (snap != nil) != want {
				t.Errorf("sequence %d is kept: %v", seq, !want)
			}
			if snap != nil {
				snap.Close()
			}
		}
		if !keep(own(4)) {
			t.Error("there is room again")
		}
		p.release()
		if n := index.OpenSnapshots(); n != 0 {
			t.Errorf("%d snapshots are still held", n)
		}
		index.Close()
	})
}
