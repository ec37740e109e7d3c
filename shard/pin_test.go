package shard

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jetseek/jetseek/engine"
	"github.com/jetseek/jetseek/engine/schema"
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

// Segments that several snapshots keep in memory count once; where all of them take more room than there is, none is pinned beside the others.
func TestPinsBesideOthersInMemory(t *testing.T) {
	index, err := engine.Open(engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	s, err := schema.Parse([]byte(`{"fields":{"t":{"type":"text"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	slots := new(engine.SlotSet)
	slots.AddRange(0, 1<<14-1)
	apply := func(seq uint64, ops ...engine.Op) *engine.Snapshot {
		if _, err := index.Apply([]engine.Message{{Seq: seq, Ops: ops}}); err != nil {
			t.Fatal(err)
		}
		return index.Snapshot()
	}
	large := engine.Op{Kind: engine.OpPut, Collection: 1, ID: "large", IfVersion: -1, Body: []byte(`{"id":"large","t":"` + strings.Repeat("word of some length ", 5000) + `"}`)}
	first := apply(1, engine.Op{Kind: engine.OpOwn, Epoch: 1, Slots: slots, IfVersion: -1}, engine.Op{Kind: engine.OpSchema, Collection: 1, Name: "c", Version: 1, Schema: s, IfVersion: -1}, large)
	defer first.Close()
	held := map[any]int64{}
	first.InMemory(held)
	bytes := int64(0)
	for _, n := range held {
		bytes += n
	}
	if bytes == 0 {
		t.Fatal("no segment is in memory")
	}
	p := pins{life: time.Minute, most: 100, room: bytes + bytes/2}
	defer p.release()
	second := apply(2, engine.Op{Kind: engine.OpDelete, Collection: 1, ID: "nobody", IfVersion: -1})
	defer second.Close()
	if !p.keepBeside(first) || !p.keepBeside(second) {
		t.Error("two snapshots of the same segment are kept")
	}
	large.ID, large.Body = "another", []byte(strings.Replace(string(large.Body), `"large"`, `"another"`, 1))
	third := apply(3, large)
	defer third.Close()
	if p.keepBeside(third) {
		t.Error("twice as much is kept")
	}
}
