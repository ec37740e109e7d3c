package sim

import (
	"slices"
	"testing"

	"github.com/jetseek/jetseek/embedded/witness"
)

// One seed gives one plan.
func TestPlansAreFunctionsOfTheSeed(t *testing.T) {
	shapes := make(map[[2]int]bool)
	for seed := range uint64(60) {
		a, b := MakePlan(seed), MakePlan(seed)
		if len(a.Faults) != len(b.Faults) || !slices.Equal(a.Faults, b.Faults) {
			t.Errorf("seed %d gives two sets of faults", seed)
		}
		for c := range a.Clients {
			if !slices.EqualFunc(a.Clients[c], b.Clients[c], func(x, y witness.Step) bool {
				return x.Kind == y.Kind && x.ID == y.ID && x.Pause == y.Pause && x.Timeout == y.Timeout && x.Wait == y.Wait && slices.Equal(x.More, y.More)
			}) {
				t.Errorf("seed %d gives client %d two programs", seed, c)
			}
		}
		for id, rate := range a.Rates {
			if rate < 0.99 || rate > 1.01 || rate != b.Rates[id] {
				t.Errorf("seed %d: clocks of %s run at %g and %g", seed, id, rate, b.Rates[id])
			}
		}
		shapes[[2]int{a.Groups, a.Members}] = true
	}
	if len(shapes) != 9 {
		t.Errorf("60 seeds have shapes %v, want all nine of 1 to 3 groups of 1 to 3 members", shapes)
	}
}
