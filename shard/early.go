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

// park lets an early request wait until the member has reached what it names.
func (m *Member) park(leaving context.Context, r request, head wire.Head) {
	refused := wire.NewError(fault.Unavailable, wire.ReasonNotCaughtUp, "member %s has not reached sequence %d and epoch %d in time", m.id, head.MinSeq, head.Epoch)
	m.parkFor(leaving, r, head.BudgetMs, refused, func(ctx context.Context) bool { return m.awaitReached(ctx, head) })
}

// parkFor lets a request wait beside the queue, so that it keeps no worker from the others, and queues it again when what it waits for has come. A quarter of its
// budget is left for the work: when it still waits then, or when the member leaves, it is refused.
func (m *Member) parkFor(leaving context.Context, r request, budgetMs uint32, refused *wire.Error, wait func(ctx context.Context) bool) {
	select {
	case m.places <- struct{}{}:
	default:
		m.refuse(r, fault.New(fault.Overloaded, "member %s has %d requests waiting for it to catch up: try again, or ask another", m.id, parkedRequests))
		return
	}
	m.parked.Go(func() { // ends with the wait
		defer func() { <-m.places }()
		budget := time.Duration(budgetMs) * time.Millisecond
		ctx, cancel := context.WithDeadline(leaving, r.arrived.Add(budget-budget/4))
		defer cancel()
		if !wait(ctx) {
			m.refuse(r, refused)
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
