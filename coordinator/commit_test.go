package coordinator

import (
	"testing"
	"time"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects/wire"
)

// A commit record decides by the ownership that stands before it. When another entry has come meanwhile its guard fails and it is made anew; what fell under an ownership
// without its slot is not called durable.
func TestCommitRecordsFollowOwnership(t *testing.T) {
	c := newCluster(t, 1)
	by := c.coordinator()
	c.create(by, "c")
	c.gates["g0"].shut()
	durable := func(id string, timeout time.Duration) (*wire.WriteReply, error) {
		return by.index(t.Context(), "c", []byte(`{"id":"`+id+`"}`), writeParams{wait: waitDurable, timeout: timeout, ifVersion: wire.NoCondition})
	}
	began := time.Now()
	first, err := durable("a", 20*time.Second)
	if err != nil || !first.Durable || first.Visible || first.Outcome != "" || first.Seq == 0 {
		t.Fatalf("%+v, %v", first, err)
	}
	if took := time.Since(began); took < commitAfter {
		t.Errorf("a commit record after %s, while members are heard of", took)
	}
	own := wire.Record{
		Header: by.recordHeader("g0", by.counter.Add(1)),
		Ops:    []wire.Op{{Kind: wire.KindOwn, IfVersion: wire.NoCondition, Body: wire.AppendOwn(nil, &wire.Own{Epoch: 2})}},
	}
	if _, err := by.js.Publish(t.Context(), by.names.LogOwn("g0"), wire.AppendRecord(nil, &own)); err != nil {
		t.Fatal(err)
	}
	if r, err := durable("b", 3*time.Second); fault.CodeOf(err) != fault.Unavailable || wire.FromError(err).Reason != reasonMoved {
		t.Errorf("a write to a group that owns nothing: %+v, %v", r, err)
	}
}
