package coordinator

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jetseek/jetseek/engine/outcome"
	"github.com/jetseek/jetseek/subjects/wire"
)

// room is a tracker under virtual time, with shorthands.
type room struct {
	*tracker
	t     *testing.T
	start time.Time
}

func newRoom(t *testing.T) *room {
	start := time.Now()
	return &room{newTracker(func() time.Duration { return time.Since(start) }), t, start}
}

func lease(member string, incarnation, g uint64) wire.LeaseEntry {
	return wire.LeaseEntry{Member: member, Incarnation: incarnation, G: g, DurationMs: 15000}
}

func (r *room) reportOf(f *flight, member string, incarnation, seq uint64, table ...wire.LeaseEntry) {
	r.report(&wire.Report{Group: f.group, Member: member, Incarnation: incarnation, Counter: f.counter, Seq: seq,
		Outcomes: []outcome.Outcome{{Code: outcome.Deleted, Version: 1}}, Leases: table})
}

func (r *room) heard(member string, incarnation, applied uint64, table ...wire.LeaseEntry) {
	r.watermark(&wire.Watermark{Group: "g0", Member: member, Incarnation: incarnation, Applied: applied, State: "serving", Leases: table})
}

// visibleAfter waits for a flight and gives the virtual time that passed since the room was made.
func (r *room) visibleAfter(f *flight) time.Duration {
	<-f.visible
	return time.Since(r.start)
}

func TestVisibleWhenAllHoldersHaveApplied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t)
		f := r.launch("g0", 1)
		r.storedAs(f, 10)
		table := []wire.LeaseEntry{lease("g0/n1", 1, 5), lease("g0/n2", 2, 6)}
		r.reportOf(f, "g0/n1", 1, 10, table...)
		if !isClosed(f.decided) || isClosed(f.visible) {
			t.Fatal("one report of two decides the outcome and makes nothing visible")
		}
		r.heard("g0/n2", 99, 10) // another incarnation than the holder: its acknowledgement says nothing of the holder
		if isClosed(f.visible) {
			t.Fatal("another incarnation's watermark was taken for the holder's")
		}
		r.heard("g0/n2", 2, 9)
		if isClosed(f.visible) {
			t.Fatal("visible at a watermark before the message")
		}
		r.heard("g0/n2", 2, 10)
		if !isClosed(f.visible) {
			t.Fatal("not visible though both holders have applied it")
		}
	})
}

// A holder that is gone is waited for until its lease, counted from when it was first heard of, has certainly run out: L(1+3%) + 0.2 s.
func TestDeadHolderIsWaitedForOnce(t *testing.T) {
	const full = 15*time.Second + 450*time.Millisecond + 200*time.Millisecond
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t)
		table := []wire.LeaseEntry{lease("g0/n1", 1, 5), lease("g0/n2", 2, 6)}
		r.heard("g0/n1", 1, 7, table...) // both leases are heard of at 0
		time.Sleep(4 * time.Second)      // n2 dies, its lease is 4 s old
		first := r.launch("g0", 1)
		r.storedAs(first, 10)
		r.reportOf(first, "g0/n1", 1, 10, table...)
		if got := r.visibleAfter(first); got != full {
			t.Errorf("the first write after the death was visible at %v, want %v", got, full)
		}
		second := r.launch("g0", 2)
		r.storedAs(second, 11)
		r.reportOf(second, "g0/n1", 1, 11, lease("g0/n1", 1, 9), lease("g0/n2", 2, 6))
		if !isClosed(second.visible) {
			t.Error("the second write waited for a lease that has run out")
		}
	})
}

// A coordinator that hears of a lease only with the report counts from the acknowledgement of the message that follows it: never earlier than the lease was sent.
func TestUnknownLeaseIsCountedFromTheAcknowledgement(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t)
		time.Sleep(time.Second)
		f := r.launch("g0", 1)
		r.storedAs(f, 10) // ta = 1 s
		time.Sleep(2 * time.Second)
		r.reportOf(f, "g0/n1", 1, 10, lease("g0/n1", 1, 5), lease("g0/n2", 2, 6))
		if got, want := r.visibleAfter(f), time.Second+15*time.Second+650*time.Millisecond; got != want {
			t.Errorf("visible at %v, want %v", got, want)
		}
	})
}

// The wait counts from the newest lease before the message in the reported table, not from a newer one that this coordinator knows: that one
// may have been granted behind the message, to a member that serves what was before.
func TestWaitCountsFromTheLeaseBeforeTheMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t)
		r.heard("g0/n1", 1, 5, lease("g0/n2", 2, 5)) // lease 5 is heard of at 0
		time.Sleep(3 * time.Second)
		r.heard("g0/n1", 1, 8, lease("g0/n2", 2, 8)) // lease 8 at 3 s
		time.Sleep(time.Second)
		f := r.launch("g0", 1)
		r.storedAs(f, 10)
		r.reportOf(f, "g0/n1", 1, 10, lease("g0/n2", 2, 8))
		if got, want := r.visibleAfter(f), 3*time.Second+15*time.Second+650*time.Millisecond; got != want {
			t.Errorf("visible at %v, want %v", got, want)
		}
		late := r.launch("g0", 2)
		r.storedAs(late, 6)
		r.reportOf(late, "g0/n1", 1, 6, lease("g0/n2", 2, 5))
		if !isClosed(late.visible) {
			t.Error("a message whose holders' lease was heard of long ago waits")
		}
	})
}

func TestReportStandsForALostAcknowledgement(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t)
		f := r.launch("g0", 1)
		r.reportOf(f, "g0/n1", 1, 10, lease("g0/n1", 1, 5))
		if !isClosed(f.stored) || !isClosed(f.visible) || r.verdictOf(f, []string{"g0/n1", "g0/n2"}).seq != 10 {
			t.Error("a report did not tell that the message is stored")
		}
		if v := r.verdictOf(f, []string{"g0/n1", "g0/n2"}); fmt.Sprint(v.ok, v.behind) != "[g0/n1] [g0/n2]" {
			t.Errorf("ok %v, behind %v", v.ok, v.behind)
		}
	})
}

// With random traffic a flight is never visible while some holder, by its own reckoning, may still serve a snapshot before it.
func TestNeverVisibleUnderALivingLease(t *testing.T) {
	for seed := range uint64(200) {
		synctest.Test(t, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 1))
			r := newRoom(t)
			seq, sent := uint64(1), map[uint64]time.Duration{} // lease -> when it was sent
			g := uint64(0)
			for range 12 {
				time.Sleep(time.Duration(rng.IntN(4000)) * time.Millisecond)
				if rng.IntN(3) > 0 || g == 0 {
					seq++
					g = seq
					sent[g] = time.Since(r.start) - time.Duration(rng.IntN(500))*time.Millisecond
					if rng.IntN(2) == 0 {
						r.heard("g0/n1", 1, seq, lease("g0/n2", 2, g))
					}
					continue
				}
				f := r.launch("g0", seq)
				seq++
				r.storedAs(f, seq)
				r.reportOf(f, "g0/n1", 1, seq, lease("g0/n2", 2, g))
				if at, end := r.visibleAfter(f), sent[g]+15*time.Second; at < end {
					t.Fatalf("seed %d: visible at %v, lease %d sent at %v may serve until %v", seed, at, g, sent[g], end)
				}
			}
		})
	}
}

func TestFlightsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t)
		for n := range flightsPerGroup {
			if r.launch("g0", uint64(n)) == nil {
				t.Fatalf("flight %d was refused", n)
			}
		}
		if r.launch("g0", flightsPerGroup) != nil {
			t.Fatal("no bound on flights")
		}
		time.Sleep(flightLife + time.Second)
		synctest.Wait()
		if r.launch("g0", flightsPerGroup) == nil {
			t.Fatal("flights that nobody reported were never forgotten")
		}
	})
}
