package sim

import (
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jetseek/jetseek/embedded/witness"
)

// Directed schedules: the shortest in which a member serves what it may not unless each rule of the leases holds. Auditors read what was deleted from it all the time.
func TestDirectedSchedules(t *testing.T) {
	const n1, ms = "g0/n1", time.Millisecond
	for _, c := range []struct {
		name   string
		faults []Fault
		// From when on the member acknowledges nothing, and when its newest lease has run out at the earliest: no delete that began in between is verified before that, nor later than a lease after the
		// member stopped. 0: it is not the only one that stopped.
		stops, least time.Duration
	}{
		// The member does not know that it is behind: the way to its log is silent, and the tail is not believed before it was compared with that. Leases that count from their late acknowledgement (broken_f) let
		// it serve for too long, and when it has caught up an answer that waited since before does not see its own snapshot's age (broken_h).
		{"a fading log", []Fault{
			{Kind: Slow, At: 4000 * ms, For: 7000 * ms, Target: n1, Log: true, In: true, By: 2500 * ms},
			{Kind: Cut, At: 10_000 * ms, For: 17_000 * ms, Target: n1, Log: true, In: true, Out: true},
			{Kind: Break, At: 10_100 * ms, For: 50 * ms, Target: n1, Requests: true},
			{Kind: Ponder, At: 9000 * ms, For: 25_000 * ms, Target: n1, By: 1500 * ms},
		}, 10_200 * ms, 20_000 * ms}, // it takes a lease every 5.5 s at first
		// A process that is stopped while it answers: what was asked meanwhile waits at its door, and is answered before it has learnt anything.
		{"a stopped member", []Fault{
			{Kind: Ponder, At: 5000 * ms, For: 5000 * ms, Target: n1, By: 1500 * ms},
			{Kind: Hang, At: 9000 * ms, For: 18_000 * ms, Target: n1, Requests: true, Log: true, By: 3000 * ms},
		}, 9000 * ms, 21_500 * ms},
		// The same in a machine that was frozen: its monotonic clock has stood still, and says that the lease is young.
		{"a frozen member", []Fault{{Kind: Hang, At: 9000 * ms, For: 18_000 * ms, Target: n1, Requests: true, Log: true, Mono: true, By: 3000 * ms}}, 9000 * ms, 21_500 * ms},
		// Whoever deletes is stopped as well, and goes on first.
		{"a stopped member and a stopped coordinator", []Fault{
			{Kind: Hang, At: 9000 * ms, For: 22_000 * ms, Target: n1, Requests: true, Log: true, By: 3000 * ms},
			{Kind: Hang, At: 10_000 * ms, For: 9000 * ms, Target: "c0", Requests: true, Log: true},
		}, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			plan := &Plan{Seed: 1, Profile: c.name, Groups: 1, Members: 2, Rates: map[string]float64{n1: 1, "g0/n2": 1}, Faults: c.faults}
			chance := witness.Chance{Rand: rand.New(rand.NewPCG(1, 1))}
			for client := range clients {
				plan.Clients = append(plan.Clients, witness.MakeProgram(chance, client))
			}
			var run *Run
			synctest.Test(t, func(t *testing.T) {
				var err error
				if run, err = Play(t, plan); err != nil {
					t.Fatal(err)
				}
			})
			emptyTimers()
			found, totals := witness.Judge(run.Evidence, nil)
			if found = append(CheckAuditors(run), found...); len(found) > 0 {
				t.Error(Report(run, found))
			}
			if totals.Deletes == 0 || totals.Reads == 0 {
				t.Errorf("nothing was looked at: %+v", totals)
			}
			waited := 0
			for _, e := range run.History {
				if e.Kind != witness.Delete || e.Result != witness.OK || !e.Visible || e.Start <= c.stops || e.Start >= c.least {
					continue
				}
				waited++
				if e.End < c.least || e.End > c.stops+15_650*ms+100*ms { // 15 s, 3 %, 0.2 s
					t.Errorf("%s did not wait for the lease of the member that stopped at %s", &e, c.stops)
				}
			}
			if waited == 0 && c.stops > 0 {
				t.Error("no delete waited")
			}
		})
	}
}
