package coordinator

import (
	"fmt"
	"slices"
	"testing"

	"github.com/jetseek/jetseek/subjects/placement"
)

func mapOf(t *testing.T, names ...string) *placement.Map {
	t.Helper()
	var groups []placement.Group
	for _, n := range names {
		groups = append(groups, placement.Group{Name: n, Generation: 1})
	}
	m, err := placement.NewMap(placement.Ring, placement.DefaultVnodes, groups)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The plan counts what happens to each id, asked one by one of both maps.
func TestPlanCountsEveryDocument(t *testing.T) {
	m := mapOf(t, "g0", "g1", "g2")
	var documents [placement.Slots]uint64
	var ids []string
	for i := range 5000 {
		ids = append(ids, fmt.Sprintf("doc-%d", i))
		documents[placement.Slot(ids[i])]++
	}
	for _, shards := range []int{1, 2, 3, 4, 7} {
		body, err := planGrowth(m, shards, &documents)
		if err != nil {
			t.Fatal(err)
		}
		if body.Documents != 5000 || len(body.Groups) != shards || len(body.Rules) != 3 {
			t.Fatalf("%d shards: %+v", shards, body)
		}
		for _, plan := range body.Rules {
			next, err := m.Propose(placement.Rule(plan.Rule), groupsFor(m, shards))
			if err != nil {
				t.Fatal(err)
			}
			moved, counts := uint64(0), map[string]uint64{}
			for _, id := range ids {
				from, to := m.Owner(placement.Slot(id)).Name, next.Owner(placement.Slot(id)).Name
				counts[to]++
				if from != to {
					moved++
				}
			}
			for _, g := range body.Groups {
				if plan.Counts[g] != counts[g] {
					t.Errorf("%s to %d: %d in %s, want %d", plan.Rule, shards, plan.Counts[g], g, counts[g])
				}
			}
			if plan.Moved != moved {
				t.Errorf("%s to %d: moves %d, want %d", plan.Rule, shards, plan.Moved, moved)
			}
			// What is known of the rules: nothing moves to stay, and balanced moves no more than 1/N.
			if shards == 3 && plan.Rule != "modulo" && plan.Rule != "balanced" && moved != 0 {
				t.Errorf("%s moves %d to stay as it is", plan.Rule, moved)
			}
			if shards == 4 && plan.Rule == "modulo" && moved < 3000 {
				t.Errorf("modulo moves only %d", moved)
			}
		}
	}
}

func TestGroupsForTakesFreeNames(t *testing.T) {
	for _, c := range []struct {
		have, want []string
		n          int
	}{
		{[]string{"g0", "g1", "g2"}, []string{"g0", "g1"}, 2},
		{[]string{"g0", "g2"}, []string{"g0", "g1", "g2", "g3"}, 4},
		{[]string{"eu"}, []string{"eu", "g0", "g1"}, 3},
	} {
		var got []string
		for _, g := range groupsFor(mapOf(t, c.have...), c.n) {
			got = append(got, g.Name)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v to %d: %v, want %v", c.have, c.n, got, c.want)
		}
	}
}
