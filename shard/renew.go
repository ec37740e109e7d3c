package shard

import (
	"context"
	"time"

	"github.com/jetseek/jetseek/subjects/wire"
)

// renewLeases brings the member into service when it has replayed to the head of its start, and keeps it there: a lease every L/5, each counted from before it was sent.
// When ctx ends it stops serving, then releases what it holds.
func (m *Member) renewLeases(ctx context.Context) error {
	defer m.drain()
	if !m.awaitApplied(ctx, m.startHead) {
		return nil
	}
	every := m.opts.Lease / renewals
	beat := time.NewTicker(every)
	defer beat.Stop()
	for {
		m.renew(ctx, every)
		select {
		case <-ctx.Done():
			return nil
		case <-beat.C:
		}
	}
}

// renew takes one lease. The first that the member's own snapshot has passed puts it into service.
func (m *Member) renew(ctx context.Context, timeout time.Duration) {
	if state, _ := m.status.get(); state == Failed {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	t0 := m.opts.Clock.Now()
	body := wire.AppendLease(nil, &wire.Lease{Member: m.id, Incarnation: m.incarnation, DurationMs: uint32(m.opts.Lease.Milliseconds())})
	seq, err := m.publishControl(ctx, m.log, wire.KindLease, body)
	if err != nil {
		if ctx.Err() == nil {
			m.opts.Log.Warn("a lease could not be renewed", "member", m.id, "error", err)
		}
		return
	}
	m.grants.add(seq, t0)
	if state, _ := m.status.get(); state == Joining && m.awaitApplied(ctx, seq) {
		m.status.set(Serving, "")
	}
}

// drain stops serving for good, then gives up the leases in the log so that no write waits for them. It runs when the member ends.
func (m *Member) drain() {
	m.status.set(Draining, "")
	m.grants.clear()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if _, err := m.release(ctx, m.incarnation); err != nil {
		m.opts.Log.Warn("leases were not released: the next write may wait for them to run out", "member", m.id, "error", err)
	}
	if err := m.registry.DeleteMember(ctx, m.opts.Group, m.opts.Node); err != nil {
		m.opts.Log.Debug("the liveness record was left to expire", "member", m.id, "error", err)
	}
}

// awaitApplied waits until the index is at or past seq; false when ctx ends before.
func (m *Member) awaitApplied(ctx context.Context, seq uint64) bool {
	return m.awaitReached(ctx, wire.Head{MinSeq: seq})
}
