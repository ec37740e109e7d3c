package shard

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/jetseek/jetseek/subjects/wire"
)

// renewRetry is the pause after a lease that could not be renewed.
const renewRetry = 250 * time.Millisecond

// renewLeases brings the member into service when it has replayed to the head of its start, and keeps it there: a lease every L/5, each counted from before it was sent.
// While nobody needs it, it sleeps without one. When ctx ends it stops serving, then releases what it holds.
func (m *Member) renewLeases(ctx context.Context) error {
	defer m.drain()
	if !m.awaitApplied(ctx, m.startHead) {
		return nil
	}
	every := m.opts.Lease / renewals
	conn := m.opts.LogConn
	connected := conn.StatusChanged(nats.CONNECTED)
	defer conn.RemoveStatusListener(connected)
	for ctx.Err() == nil {
		if state, _ := m.status.get(); state.isAside() {
			m.returnToRotation(ctx, state)
			continue
		}
		if m.sleepWhileIdle(ctx); ctx.Err() != nil {
			break
		}
		if state, _ := m.status.get(); state.isAside() {
			continue
		}
		pause := every
		if !m.renewUnlessLost(ctx, every, connected) {
			pause = min(every, renewRetry)
		}
		_ = sleep(ctx, pause)
	}
	return nil
}

// renewUnlessLost takes one lease. It gives up when the connection has come back meanwhile: what was on its way is lost, and a new lease shows at once what the log holds
// that the tail did not bring.
func (m *Member) renewUnlessLost(ctx context.Context, timeout time.Duration, connected <-chan nats.Status) bool {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	var watch sync.WaitGroup
	defer watch.Wait()
	defer cancel()
	watch.Go(func() { // ends with the attempt
		select {
		case <-connected:
			cancel()
		case <-ctx.Done():
		}
	})
	return m.renew(ctx)
}

// renew takes one lease, and tells whether the log has it. The first that the member's own snapshot has passed puts it into service.
func (m *Member) renew(ctx context.Context) bool {
	if state, _ := m.status.get(); state == Failed {
		return true // there is nothing to try again
	}
	known := m.known()
	t0 := m.opts.Clock.Now()
	mark, digest := m.marks.newest()
	body := wire.AppendLease(nil, &wire.Lease{Member: m.id, Incarnation: m.incarnation, DurationMs: uint32(m.opts.Lease.Milliseconds()), Mark: mark, Digest: digest})
	seq, err := m.publishControl(ctx, m.log, wire.KindLease, body, m.leaseOptions()...)
	m.metrics.renewed(err)
	if err != nil {
		if !errors.Is(err, context.Canceled) {
			m.opts.Log.Warn("a lease could not be renewed", "member", m.id, "error", err)
		}
		m.noteRefusal(ctx, err)
		return false
	}
	m.unleased = unleased{}
	if regressed(seq, known) {
		m.fail(setBack(seq, known))
		return true
	}
	m.follower.check()
	m.grants.add(seq, countsFrom(t0, m.opts.Clock))
	switch state, _ := m.status.get(); {
	case state.isAside():
		m.giveUp(ctx) // it was taken out of rotation while the lease was on its way
	case state == Joining && m.awaitApplied(ctx, seq):
		m.status.set(Serving, "")
		m.rest.need() // from here on it counts how long nobody does
	}
	if state, _ := m.status.get(); state == Serving && m.rest.isAsleep() && m.awaitApplied(ctx, seq) {
		m.rest.rise()
	}
	return true
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
