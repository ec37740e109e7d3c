package shard

import (
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/jetseek/jetseek/subjects/wire"
)

// at is a moment at which both clocks agree.
func at(d time.Duration) Instant { return Instant{Mono: d, Wall: time.Unix(1_000_000, 0).Add(d)} }

// handClock is moved by the test.
type handClock struct{ now Instant }

func (c *handClock) Now() Instant { return c.now }

func TestLeaseEndsByEitherClock(t *testing.T) {
	const length = 15 * time.Second
	sent := at(100 * time.Second)
	frozen := func(mono, wall time.Duration) Instant {
		return Instant{Mono: sent.Mono + mono, Wall: sent.Wall.Add(wall)}
	}
	for _, c := range []struct {
		name string
		now  Instant
		want bool
	}{
		{"just sent", sent, true},
		{"one tick before its end", frozen(length-1, length-1), true},
		{"at its end", frozen(length, length), false},
		{"the machine was frozen and only the wall clock went on", frozen(time.Second, 20*time.Second), false},
		{"the monotonic clock alone has reached the end", frozen(length, length-time.Millisecond), false},
		{"the wall clock was stepped back", frozen(10*time.Second, -time.Hour), false},
		{"the wall clock was stepped forward within the lease", frozen(time.Second, 2*time.Second), false},
		{"clocks apart by just less than the bound", frozen(time.Second, time.Second+clockSkew-1), true},
		{"clocks apart by the bound", frozen(time.Second, time.Second+clockSkew), false},
	} {
		if got := (grant{g: 7, t0: sent}).valid(c.now, length); got != c.want {
			t.Errorf("%s: valid = %v, want %v", c.name, got, c.want)
		}
	}
}

// A lease of before the index went back allows nothing any more, also when its acknowledgement comes later: what was deleted in between stands again in such an index.
func TestNoLeaseOutlivesAnIndexThatGoesBack(t *testing.T) {
	clock := &handClock{now: at(0)}
	l := &grants{length: 15 * time.Second, clock: clock}
	l.add(10, at(0))
	l.add(20, at(0))
	l.goBack(20)
	l.goBack(15) // twice, on the way
	if l.mayServe(12) || l.mayServe(30) || l.remaining() > 0 {
		t.Error("a lease of before still counts")
	}
	if l.add(19, at(0)); l.mayServe(30) {
		t.Error("a lease that was on its way counts")
	}
	if l.add(21, at(0)); l.mayServe(20) || !l.mayServe(21) {
		t.Error("a lease of afterwards does not count from its place on")
	}
}

// A snapshot may be served under any lease that is not newer than it: an old snapshot not under a newer lease alone.
func TestSnapshotMustBeAtOrPastALease(t *testing.T) {
	clock := &handClock{now: at(0)}
	l := &grants{length: 15 * time.Second, clock: clock}
	check := func(seq uint64, want bool) {
		t.Helper()
		if got := l.mayServe(seq); got != want {
			t.Errorf("at %v: mayServe(%d) = %v, want %v", clock.now.Mono, seq, got, want)
		}
	}
	check(100, false)
	l.add(10, at(0))
	check(9, false)
	check(10, true)
	clock.now = at(14 * time.Second)
	l.add(20, at(14*time.Second))
	check(10, true) // the first lease still holds
	clock.now = at(15 * time.Second)
	check(10, false) // it has ended, and the second is newer than the snapshot
	check(20, true)
	l.clear()
	check(20, false)
}

func TestLeaseTableFollowsFromTheLog(t *testing.T) {
	var table leaseTable
	granted := func(member string, incarnation, g uint64) {
		table = table.granted(wire.Lease{Member: member, Incarnation: incarnation, DurationMs: 15000}, g)
	}
	granted("g0/n2", 5, 1)
	granted("g0/n1", 9, 2)
	before := table
	granted("g0/n1", 9, 3)
	granted("g0/n1", 4, 4)
	table = table.released(wire.Release{Member: "g0/n2", Incarnation: 5})
	table = table.released(wire.Release{Member: "g0/n2", Incarnation: 77})    // holds nothing
	table = table.evicted(wire.Evict{Member: "g0/n1", Incarnation: 9, G: 2})  // it has renewed since
	table = table.evicted(wire.Evict{Member: "g0/n1", Incarnation: 77, G: 3}) // holds nothing
	want := "[{g0/n1 4 4 15000} {g0/n1 9 3 15000}]"
	if got := fmt.Sprint(table); got != want {
		t.Errorf("table = %s, want %s", got, want)
	}
	if got, want := fmt.Sprint(before), "[{g0/n1 9 2 15000} {g0/n2 5 1 15000}]"; got != want {
		t.Errorf("a table that was handed out has changed: %s, want %s", got, want)
	}
	table = table.evicted(wire.Evict{Member: "g0/n1", Incarnation: 9, G: 3})
	if got, want := fmt.Sprint(table), "[{g0/n1 4 4 15000}]"; got != want {
		t.Errorf("after the eviction: %s, want %s", got, want)
	}
}

func TestStatesMoveOneWay(t *testing.T) {
	s := newStatus()
	for _, step := range []struct {
		to   State
		want bool
	}{{Joining, false}, {Serving, true}, {Draining, true}, {Serving, false}, {Failed, true}, {Draining, false}, {Serving, false}} {
		if got := s.set(step.to, ""); got != step.want {
			from, _ := s.get()
			t.Errorf("from %s to %s: %v, want %v", from, step.to, got, step.want)
		}
	}
}

func TestLeaseHasBounds(t *testing.T) {
	for _, length := range []time.Duration{-time.Second, time.Millisecond, time.Minute} {
		if _, err := New(Options{Conn: new(nats.Conn), Group: "g0", Node: "n1", Dir: t.TempDir(), Lease: length}); err == nil {
			t.Errorf("a lease of %s was accepted", length)
		}
	}
}
