package engine_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/jetseek/jetseek/engine"
)

// TestLongLists searches documents enough for many blocks of postings, in one segment, in many, and with many of them dead, and compares with the model.
func TestLongLists(t *testing.T) {
	g := generator{rand.New(rand.NewPCG(11, 11))}
	m := newModel()
	indexes := []*indexUnderTest{
		{name: "many segments", size: 1, options: engine.Options{InlineMergeBytes: 1}},
		{name: "few segments", size: 60, merge: true},
	}
	for _, x := range indexes {
		x.open(t)
	}
	seq := uint64(0)
	send := func(ops ...engine.Op) {
		seq++
		msg := engine.Message{Seq: seq, Ops: ops}
		want := m.apply(msg)
		for _, x := range indexes {
			x.feed(t, g, msg, want)
		}
	}
	send(engine.Op{Kind: engine.OpOwn, Slots: engine.AllSlots()}, engine.Op{Kind: engine.OpSchema, Collection: 1, Version: 2, Schema: testSchema(2)})
	for range 50 {
		ops := make([]engine.Op, 60)
		for i := range ops {
			ops[i] = g.op()
			ops[i].Collection, ops[i].ID = 1, fmt.Sprintf("id%d", g.IntN(3000))
			ops[i].Slot = slotOf(ops[i].ID)
			if ops[i].Kind == engine.OpOwn || ops[i].Kind == engine.OpDropCollection {
				ops[i].Kind = engine.OpDelete
			}
		}
		send(ops...)
	}
	for _, x := range indexes {
		x.flush(t)
	}
	for range 120 {
		r := g.request(m, 1)
		want := m.search(r)
		for _, x := range indexes {
			x.search(t, r, want)
		}
	}
}
