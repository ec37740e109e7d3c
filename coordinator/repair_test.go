package coordinator

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/jetseek/jetseek/engine"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects/wire"
)

// whole is the report of a cluster in which nothing is wrong.
func whole(groups int) wire.RepairBody {
	all := members(groups)
	return wire.RepairBody{OK: true, Groups: groups, Members: all, Verified: all, RepairedMembers: []string{}, FailedMembers: []string{}}
}

// members are those of [newCluster].
func members(groups int) (all []string) {
	for g := range groups {
		all = append(all, fmt.Sprintf("g%d/n1", g), fmt.Sprintf("g%d/n2", g))
	}
	return all
}

func (c *cluster) repair(by *Coordinator) *wire.RepairBody {
	ctx, cancel := context.WithTimeout(c.t.Context(), 20*time.Second)
	defer cancel()
	return by.repair(ctx)
}

// A cluster in which nothing differs is verified, and so is a group that never had a document, and one that lost its last.
func TestRepairOfHealthyAndEmptyGroups(t *testing.T) {
	c := newCluster(t, 2)
	by := c.coordinator()
	c.create(by, "c")
	if got := c.repair(by); !reflect.DeepEqual(*got, whole(2)) {
		t.Errorf("without a document: %+v", got)
	}
	for n := range 20 {
		c.mustIndex(by, "c", fmt.Sprintf(`{"id":"d%d"}`, n))
	}
	if got := c.repair(by); !reflect.DeepEqual(*got, whole(2)) {
		t.Errorf("with documents: %+v", got)
	}
	for n := range 20 {
		if _, err := by.remove(t.Context(), "c", fmt.Sprint("d", n), params(waitApplied)); err != nil {
			t.Fatal(err)
		}
	}
	if got := c.repair(by); !reflect.DeepEqual(*got, whole(2)) {
		t.Errorf("emptied: %+v", got)
	}
}

// A member that stored a changed byte is proved wrong and mended, in one document, and then holds what was written; the others are only verified. One that is the only one of its group is compared
// with its log, and makes its index anew.
func TestRepairMendsOneMember(t *testing.T) {
	for _, bad := range []string{"g0/n1", "g0/n2"} {
		t.Run(strings.ReplaceAll(bad, "/", "-"), func(t *testing.T) { repairsOne(t, newCluster(t, 1), bad, whole(1), 1) })
	}
	t.Run("alone", func(t *testing.T) {
		right := whole(1)
		right.Members, right.Verified = []string{"g0/n1"}, []string{"g0/n1"}
		repairsOne(t, newClusterOf(t, 1, "n1"), "g0/n1", right, 21)
	})
}

func repairsOne(t *testing.T, c *cluster, bad string, right wire.RepairBody, mended uint64) {
	by := c.coordinator()
	c.create(by, "c")
	for n := range 20 {
		c.mustIndex(by, "c", fmt.Sprintf(`{"id":"d%d","t":"word%d"}`, n, n))
	}
	if got := c.repair(by); !reflect.DeepEqual(*got, right) {
		t.Errorf("before it got %+v, want %+v", got, right)
	}
	c.alter.Store(bad, func(messages []engine.Message) {
		for _, m := range messages {
			for i := range m.Ops {
				if m.Ops[i].ID == "flip" {
					m.Ops[i].Body = []byte(strings.Replace(string(m.Ops[i].Body), "right", "rigit", 1))
				}
			}
		}
	})
	c.mustIndex(by, "c", `{"id":"flip","t":"right"}`)
	c.alter.Delete(bad) // else an index made anew goes astray again
	want := right
	want.RepairedMembers, want.RepairedDocuments = []string{bad}, mended
	if got := c.repair(by); !reflect.DeepEqual(*got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := c.repair(by); !reflect.DeepEqual(*got, right) {
		t.Errorf("afterwards %+v", got)
	}
	for range 4 { // members are asked in turn
		doc, err := by.get(c.budget(), "c", "flip")
		for ; fault.CodeOf(err) == fault.Unavailable && t.Context().Err() == nil; doc, err = by.get(c.budget(), "c", "flip") { // one that is alone takes a lease first
			time.Sleep(20 * time.Millisecond) // between two tries
		}
		if err != nil || string(doc.Source) != `{"id":"flip","t":"right"}` {
			t.Errorf("after the repair: %+v, %v", doc, err)
		}
	}
}

// A member that is not there, and a group that does not come to the barrier, are failures by name; the rest is verified.
func TestRepairNamesWhoDoesNotAnswer(t *testing.T) {
	c := newCluster(t, 2)
	by := c.coordinator()
	c.create(by, "c")
	c.declare(by, "g1/n9")
	c.gates["g0"].shut()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	got := by.repair(ctx)
	want := wire.RepairBody{Groups: 2, Members: append(members(2), "g1/n9"), Verified: []string{"g1/n1", "g1/n2"}, RepairedMembers: []string{},
		FailedMembers: []string{"g0/n1", "g0/n2", "g1/n9"}}
	for _, id := range want.FailedMembers {
		if got.Reasons[id] == "" {
			t.Errorf("no reason is given for %s", id)
		}
	}
	got.Reasons = nil
	if !reflect.DeepEqual(*got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// declare puts a member that is not there into the map.
func (c *cluster) declare(by *Coordinator, id string) {
	c.t.Helper()
	m, revision, err := by.registry.Map(c.t.Context())
	if err != nil {
		c.t.Fatal(err)
	}
	next, _ := m.WithMember(id)
	if _, err := by.registry.UpdateMap(c.t.Context(), next, revision); err != nil {
		c.t.Fatal(err)
	}
	group, _, _ := strings.Cut(id, "/")
	for !slices.Contains(by.declared(group), id) {
		if err := by.refresh(c.budget(), "c"); err != nil {
			c.t.Fatal(err)
		}
	}
}

// A member that answers while the others of its group do not is compared with its log: that it agrees with itself verifies nothing.
func TestRepairOfTheOnlyOneThatAnswers(t *testing.T) {
	c := newClusterOf(t, 1, "n1")
	by := c.coordinator()
	c.create(by, "c")
	c.declare(by, "g0/n9")
	c.alter.Store("g0/n1", func(messages []engine.Message) {
		for _, m := range messages {
			for i := range m.Ops {
				m.Ops[i].Body = []byte(strings.Replace(string(m.Ops[i].Body), "right", "rigit", 1))
			}
		}
	})
	c.mustIndex(by, "c", `{"id":"flip","t":"right"}`)
	c.alter.Delete("g0/n1")
	got := by.repair(c.budget())
	got.Reasons = nil
	want := wire.RepairBody{Groups: 1, Members: []string{"g0/n1", "g0/n9"}, Verified: []string{"g0/n1"}, RepairedMembers: []string{"g0/n1"}, RepairedDocuments: 1, FailedMembers: []string{"g0/n9"}}
	if !reflect.DeepEqual(*got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// What members told is compared: a slot that all hold alike is left out, one that some lack is not.
func TestDifferingSlots(t *testing.T) {
	digest := func(b byte) wire.Digest { return wire.Digest{b} }
	slot := func(n uint16, b byte) wire.SlotDigest {
		return wire.SlotDigest{Slot: n, Documents: 1, Digest: digest(b)}
	}
	got := differingSlots([][]wire.SlotDigests{
		{{Collection: 7, Slots: []wire.SlotDigest{slot(1, 1), slot(2, 2), slot(3, 3), slot(9, 9)}}, {Collection: 3, Slots: []wire.SlotDigest{slot(5, 5)}}, {Collection: 4, Slots: []wire.SlotDigest{slot(5, 5)}}},
		{{Collection: 7, Slots: []wire.SlotDigest{slot(1, 1), slot(2, 8), slot(9, 9), slot(11, 1)}}, {Collection: 4, Slots: []wire.SlotDigest{slot(5, 5)}}},
	})
	want := []wire.SelectedSlots{{Collection: 3, Ranges: []wire.SlotRange{{From: 5, To: 5}}}, {Collection: 7, Ranges: []wire.SlotRange{{From: 2, To: 3}, {From: 11, To: 11}}}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	collections := differingCollections([][]wire.CollectionDigest{{{Collection: 1, Digest: digest(1)}, {Collection: 2, Digest: digest(2)}}, {{Collection: 2, Digest: digest(3)}, {Collection: 1, Digest: digest(1)}}})
	if len(collections) != 1 || collections[0].Collection != 2 {
		t.Errorf("collections %+v", collections)
	}
}

// One repair runs at a time, and none without a map.
func TestRepairRefuses(t *testing.T) {
	c := newCluster(t, 1)
	by := c.coordinator()
	msg := &nats.Msg{}
	if _, err := by.handleRepair(t.Context(), "", msg); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("without a map: %v", err)
	}
	c.create(by, "c")
	by.repairing <- struct{}{}
	if _, err := by.handleRepair(t.Context(), "", msg); fault.CodeOf(err) != fault.Overloaded {
		t.Errorf("beside another: %v", err)
	}
	<-by.repairing
	if got, err := by.handleRepair(t.Context(), "", msg); err != nil || !got.body.(*wire.RepairBody).OK {
		t.Errorf("afterwards: %+v, %v", got, err)
	}
}
