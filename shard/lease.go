package shard

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jetseek/jetseek/subjects/wire"
)

// Times of the lease protocol.
const (
	// DefaultLease is L: how long a lease allows to serve, counted from before it was sent.
	DefaultLease = 15 * time.Second
	// shortestLease and longestLease bound L: a lease must outlive a round of renewals, and end before a coordinator stops following a write.
	shortestLease = 250 * time.Millisecond
	longestLease  = 45 * time.Second
	// clockSkew is how far the monotonic and the wall clock may disagree about the age of a lease before it is dropped.
	clockSkew = 200 * time.Millisecond
	// renewals a lease's length: a lease is renewed every L/renewals.
	renewals = 5
)

// Clock gives the two clocks that a lease is measured by. Both are needed: the monotonic one may stand still while a machine is frozen,
// the wall clock may be stepped.
type Clock interface {
	Now() Instant
}

// Instant is one reading of both clocks. Mono counts from any fixed point.
type Instant struct {
	Mono time.Duration
	Wall time.Time
}

type systemClock struct{ start time.Time }

// SystemClock reads the clocks of this machine.
func SystemClock() Clock { return systemClock{start: time.Now()} }

func (c systemClock) Now() Instant {
	now := time.Now()
	return Instant{Mono: now.Sub(c.start), Wall: now.Round(0)}
}

// grant is a lease that the log has stored at sequence g, sent at t0.
type grant struct {
	g  uint64
	t0 Instant
}

// valid tells whether the lease still allows to serve.
func (l grant) valid(now Instant, length time.Duration) bool {
	mono, wall := now.Mono-l.t0.Mono, now.Wall.Sub(l.t0.Wall)
	return inForce(mono, wall, length)
}

// grants are the leases that this incarnation holds. Granted leases are kept until they end: a snapshot that is older than the newest lease may still be
// served under an older one.
type grants struct {
	length time.Duration
	clock  Clock

	mu    sync.Mutex // guards the fields below
	held  []grant    // by g ascending
	floor uint64     // leases up to here count no more
}

// add keeps a lease that was sent at t0 and stored at g.
func (l *grants) add(g uint64, t0 Instant) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.drop(l.clock.Now())
	if g <= l.floor {
		return
	}
	l.held = append(l.held, grant{g: g, t0: t0})
	slices.SortFunc(l.held, func(a, b grant) int { return int(int64(a.g - b.g)) })
}

// mayServe tells whether a snapshot at sequence seq, taken before this call, may be served now.
func (l *grants) mayServe(seq uint64) bool {
	now := l.clock.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.drop(now)
	return maySee(l.held, seq)
}

// remaining is how long the newest lease is still valid; 0 without one.
func (l *grants) remaining() time.Duration {
	now := l.clock.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.drop(now)
	if len(l.held) == 0 {
		return 0
	}
	newest := l.held[len(l.held)-1]
	return l.length - max(now.Mono-newest.t0.Mono, now.Wall.Sub(newest.t0.Wall))
}

// clear gives up all leases.
func (l *grants) clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held = nil
}

// goBack says that the index goes back, and had applied the log up to seq: others rely on that, and a lease of before would let the member serve what was deleted since. Also one that is
// on its way.
func (l *grants) goBack(seq uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.floor = max(l.floor, newFloor(seq))
	l.held = slices.DeleteFunc(l.held, func(g grant) bool { return g.g <= l.floor })
}

// drop forgets leases that have ended.
func (l *grants) drop(now Instant) {
	l.held = slices.DeleteFunc(l.held, func(g grant) bool { return !g.valid(now, l.length) })
}

// leaseTable is the group's lease table: the newest lease of every incarnation that has neither released nor been evicted. It is a pure function of the log, ordered by
// member and incarnation, and never modified in place.
type leaseTable []wire.LeaseEntry

func compareEntries(a, b wire.LeaseEntry) int {
	if c := strings.Compare(a.Member, b.Member); c != 0 {
		return c
	}
	switch {
	case a.Incarnation < b.Incarnation:
		return -1
	case a.Incarnation > b.Incarnation:
		return 1
	}
	return 0
}

// granted gives the table after a lease record at sequence g.
func (t leaseTable) granted(l wire.Lease, g uint64) leaseTable {
	e := wire.LeaseEntry{Member: l.Member, Incarnation: l.Incarnation, G: g, DurationMs: l.DurationMs}
	i, found := slices.BinarySearchFunc(t, e, compareEntries)
	next := slices.Clone(t)
	if found {
		next[i] = e
		return next
	}
	return slices.Insert(next, i, e)
}

// released gives the table after a release record.
func (t leaseTable) released(r wire.Release) leaseTable {
	i, found := slices.BinarySearchFunc(t, wire.LeaseEntry{Member: r.Member, Incarnation: r.Incarnation}, compareEntries)
	if !found {
		return t
	}
	return slices.Delete(slices.Clone(t), i, i+1)
}

// evicted gives the table after an eviction: without the incarnation, unless it has taken another lease than the one that ran out.
func (t leaseTable) evicted(e wire.Evict) leaseTable {
	i, found := slices.BinarySearchFunc(t, wire.LeaseEntry{Member: e.Member, Incarnation: e.Incarnation}, compareEntries)
	if !found || t[i].G != e.G {
		return t
	}
	return slices.Delete(slices.Clone(t), i, i+1)
}
