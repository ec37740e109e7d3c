package shard

import (
	"context"
	"time"

	"github.com/jetseek/jetseek/engine"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects/wire"
)

// early is the error of a request that names a sequence or an ownership epoch which the member has not reached.
type early struct{ head wire.Head }

func (early) Error() string { return "the request is ahead of the member" }

// reached tells whether a snapshot is at or past a request's min_seq and ownership epoch.
func reached(snap *engine.Snapshot, head wire.Head) bool {
	return snap.Seq() >= head.MinSeq && snap.Epoch() >= head.Epoch
}

// park lets an early request wait beside the queue, so that it keeps no worker from the others, and queues it again when the member has reached what it names. A
// quarter of its budget is left for the work: a request that is still early then, or when the member leaves, is refused.
func (m *Member) park(leaving context.Context, r request, head wire.Head) {
	select {
	case m.places <- struct{}{}:
	default:
		m.refuse(r, fault.New(fault.Overloaded, "member %s has %d requests waiting for it to catch up: try again, or ask another", m.id, parkedRequests))
		return
	}
	m.parked.Go(func() { // ends with the wait
		defer func() { <-m.places }()
		budget := time.Duration(head.BudgetMs) * time.Millisecond
		ctx, cancel := context.WithDeadline(leaving, r.arrived.Add(budget-budget/4))
		defer cancel()
		if !m.awaitReached(ctx, head) {
			m.refuse(r, wire.NewError(fault.Unavailable, wire.ReasonNotCaughtUp, "member %s has not reached sequence %d and epoch %d in time", m.id, head.MinSeq, head.Epoch))
			return
		}
		m.enqueue(r)
	})
}

// awaitReached waits until the member has reached what a request names; false when ctx ends before.
func (m *Member) awaitReached(ctx context.Context, head wire.Head) bool {
	for {
		_, advanced := m.progress.watch()
		snap := m.index.Snapshot()
		ok := reached(snap, head)
		snap.Close()
		if ok {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-advanced:
		}
	}
}
