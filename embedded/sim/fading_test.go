package sim

import (
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jetseek/jetseek/embedded/witness"
)

// A member that does not know that it is behind serves only as long as a lease allows that was sent before the deletes it misses, and no answer outlives that by waiting for its turn. This is the shortest
// schedule in which leases that count from their acknowledgement (broken_f), and a look at what the member has applied instead of the snapshot (broken_h), serve what was deleted.
func TestMemberWithAFadingLog(t *testing.T) {
	plan := &Plan{Seed: 1, Profile: "fading", Groups: 1, Members: 2, Rates: map[string]float64{"g0/n1": 1, "g0/n2": 1}, Faults: []Fault{
		{Kind: Slow, At: 4 * time.Second, For: 7 * time.Second, Target: "g0/n1", Log: true, In: true, By: 2500 * time.Millisecond},
		{Kind: Cut, At: 10 * time.Second, For: 17 * time.Second, Target: "g0/n1", Log: true, In: true, Out: true},
		{Kind: Break, At: 10100 * time.Millisecond, For: 50 * time.Millisecond, Target: "g0/n1", Requests: true},
		{Kind: Ponder, At: 9 * time.Second, For: 25 * time.Second, Target: "g0/n1", By: 1500 * time.Millisecond},
	}}
	chance := witness.Chance{Rand: rand.New(rand.NewPCG(1, 1))}
	for c := range clients {
		plan.Clients = append(plan.Clients, witness.MakeProgram(chance, c))
	}
	synctest.Test(t, func(t *testing.T) {
		run, err := Play(t, plan)
		if err != nil {
			t.Fatal(err)
		}
		found, totals := witness.Judge(run.Evidence, nil)
		if found = append(CheckAuditors(run), found...); len(found) > 0 {
			t.Error(Report(run, found))
		}
		if totals.Deletes == 0 || totals.Reads == 0 {
			t.Errorf("nothing was looked at: %+v", totals)
		}
	})
}
