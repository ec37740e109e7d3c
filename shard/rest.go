package shard

import (
	"context"
	"sync"
	"time"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects/wire"
)

// idleAfter is how long nobody must have asked or written, unless the options say otherwise, for a member to give its leases back.
const idleAfter = time.Minute

// rest knows whether anybody needs the member. While nobody does it holds no lease, so that its log is quiet; the next request or write wakes it, and what came meanwhile waits
// for the lease that it takes then. That is as safe as a start: a later lease has its place behind all that was deleted.
type rest struct {
	after time.Duration

	mu     sync.Mutex // guards the fields below
	last   time.Time  // when it was needed last
	asleep bool
	awake  chan struct{} // closed while it is awake
	wake   chan struct{} // capacity 1: somebody needs it while it sleeps
}

func newRest(after time.Duration) *rest {
	awake := make(chan struct{})
	close(awake)
	return &rest{after: after, last: time.Now(), awake: awake, wake: make(chan struct{}, 1)}
}

// need says that somebody needs the member.
func (r *rest) need() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last = time.Now()
	if r.asleep {
		select {
		case r.wake <- struct{}{}:
		default:
		}
	}
}

// fallAsleep tells whether nobody has needed the member for so long; it sleeps then.
func (r *rest) fallAsleep() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.asleep || time.Since(r.last) < r.after {
		return false
	}
	select {
	case <-r.wake: // of an earlier sleep
	default:
	}
	r.asleep, r.awake = true, make(chan struct{})
	return true
}

// rise ends the sleep: the member holds a lease again.
func (r *rest) rise() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.asleep {
		r.asleep = false
		close(r.awake)
	}
}

func (r *rest) isAsleep() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.asleep
}

// risen is closed when the member is awake.
func (r *rest) risen() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.awake
}

// sleepWhileIdle gives the leases back when nobody has needed the member for long, and returns when somebody does, or ctx ends; at once while it is needed.
func (m *Member) sleepWhileIdle(ctx context.Context) {
	if state, _ := m.status.get(); state != Serving || !m.rest.fallAsleep() {
		return
	}
	m.grants.giveUp() // first it stops to serve
	release, cancel := context.WithTimeout(ctx, publishTimeout)
	defer cancel()
	if _, err := m.release(release, m.incarnation); err != nil {
		m.opts.Log.Debug("an idle member's leases were left to run out", "member", m.id, "error", err)
	}
	select {
	case <-ctx.Done():
	case <-m.rest.wake:
	}
}

// dozes tells whether the member would serve if it took a lease, and has none since nobody needed it.
func (m *Member) dozes() bool {
	state, _ := m.status.get()
	return state == Serving && m.rest.isAsleep()
}

// wakes tells whether a request needs a lease, so that a sleeping member takes one for it. What only looks whether the member is there does not, nor do comparisons of what members
// hold, nor does an auditor: who sleeps serves nothing that was deleted.
func wakes(op string) bool {
	switch op {
	case wire.OpPing, wire.OpHas, wire.OpDigest, wire.OpRepair, wire.OpQuarantine:
		return false
	}
	return true
}

// asleep is the error of a request that came to a sleeping member; it waits beside the queue until the member has a lease.
type asleep struct{ budgetMs uint32 }

func (asleep) Error() string { return "the member takes a lease first" }

// parkUntilRisen lets a request wait for the lease of a member that was asleep.
func (m *Member) parkUntilRisen(leaving context.Context, r request, budgetMs uint32) {
	refused := wire.NewError(fault.Unavailable, wire.ReasonNotServing, "member %s was idle, and its log gave it no lease in time", m.id)
	m.parkFor(leaving, r, budgetMs, refused, func(ctx context.Context) bool {
		select {
		case <-m.rest.risen():
			return true
		case <-ctx.Done():
			return false
		}
	})
}
