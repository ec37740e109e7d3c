package coordinator

import (
	"strings"
	"testing"
	"time"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects/wire"
)

// A delete whose condition does not hold leaves the document where it is: it is visible as a decision, and verifies nothing. Under a request id the first decision stands, and says that it was the first.
func TestConflictVerifiesNothing(t *testing.T) {
	c := newCluster(t, 1)
	by := c.coordinator()
	c.create(by, "c")
	c.mustIndex(by, "c", `{"id":"a"}`)
	remove := func(id, request string, ifVersion int64) *wire.WriteReply {
		p := params(waitApplied)
		p.requestID, p.ifVersion = request, ifVersion
		reply, err := by.remove(t.Context(), "c", id, p)
		if err != nil {
			t.Fatal(err)
		}
		return reply
	}
	for _, try := range []struct {
		id, request       string
		ifVersion         int64
		outcome, message  string
		verified, visible bool
	}{
		{"a", "", 7, "version_conflict", `if_version is 7, and the version of "a" is 1`, false, true},
		{"b", "", 7, "version_conflict", `if_version is 7, and the version of "b" is 0`, false, true},
		{"a", "r", 7, "version_conflict", `if_version is 7, and the version of "a" is 1`, false, true},
		{"a", "r", 1, "version_conflict", `the first write under this request id found "a" at version 1`, false, true},
		{"a", "s", 1, "deleted", "", true, true},
		{"a", "s", 1, "deleted", "", true, true},
		{"a", "", 0, "not_found", "", true, true},
	} {
		got := remove(try.id, try.request, try.ifVersion)
		message := ""
		if got.Error != nil {
			message = got.Error.Message
		}
		if got.Outcome != try.outcome || got.Verified == nil || *got.Verified != try.verified || got.Visible != try.visible || !strings.HasPrefix(message, try.message) || (message == "") != (try.message == "") {
			t.Errorf("%+v: %+v verified %v, %q", try, got, got.Verified, message)
		}
	}
}

// A coordinator whose keys are not those of the members writes nothing, not even who owns what, and says so; one with the right keys finds the logs as they were.
func TestCoordinatorWithOtherKeys(t *testing.T) {
	c := newCluster(t, 1)
	keys, err := wire.ParseKeys([]byte(strings.Repeat("5c", 32)))
	if err != nil {
		t.Fatal(err)
	}
	foreign := c.coordinatorWith(keys)
	if _, _, err := foreign.create(c.budget(), "c", nil); wire.FromError(err).Reason != reasonOtherKeys {
		t.Errorf("a collection created by one with other keys: %v", err)
	}
	if m := c.members(foreign); len(m.Alarms) != 1 || !strings.Contains(m.Alarms[0], "--cluster-key") {
		t.Errorf("alarms %q, want one of the keys", m.Alarms)
	}
	by := c.coordinator()
	c.create(by, "c")
	c.mustIndex(by, "c", `{"id":"a"}`)
	_, err = c.index(foreign, "c", `{"id":"b"}`)
	if e := wire.FromError(err); e.Code != fault.Unavailable || e.Reason != reasonOtherKeys || e.Durable != wire.NotDurable {
		t.Errorf("a write by one with other keys: %v", err)
	}
	c.mustIndex(by, "c", `{"id":"c"}`) // no member has met a record that it cannot verify
}

// A write to a group that owns its slot no more waits for the map to name another owner, and is not sent again to the same one meanwhile.
func TestWriteToAGroupThatOwnsNothing(t *testing.T) {
	c := newCluster(t, 2)
	by := c.coordinator()
	c.create(by, "c")
	for _, group := range []string{"g0", "g1"} {
		rec := wire.Record{Header: by.recordHeader(group, by.counter.Add(1)), Ops: []wire.Op{{Kind: wire.KindOwn, IfVersion: wire.NoCondition, Body: wire.AppendOwn(nil, &wire.Own{Epoch: 2})}}}
		rec.Reply = ""
		if _, err := by.js.Publish(t.Context(), by.names.LogOwn(group), wire.AppendRecord(nil, &rec)); err != nil {
			t.Fatal(err)
		}
	}
	last := func() (sum uint64) {
		for _, group := range []string{"g0", "g1"} {
			stream, err := by.js.Stream(t.Context(), by.names.Stream(group))
			if err != nil {
				t.Fatal(err)
			}
			sum += stream.CachedInfo().State.LastSeq
		}
		return sum
	}
	before := last()
	p := params(waitApplied)
	p.timeout = time.Second
	for _, id := range []string{"a", "b", "c", "d"} { // of both groups
		_, err := by.index(t.Context(), "c", []byte(`{"id":"`+id+`"}`), p)
		if e := wire.FromError(err); err == nil || e.Reason != reasonMoved || e.Durable != wire.NotDurable {
			t.Errorf("write of %s: %v, want %s", id, err, reasonMoved)
		}
	}
	if wrote := last() - before; wrote > 4+4*4 { // each once, and leases of four members meanwhile
		t.Errorf("the logs grew by %d messages for 4 writes", wrote)
	}
}
