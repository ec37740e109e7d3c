package placement_test

import (
	"slices"
	"strconv"
	"testing"

	"github.com/jetseek/jetseek/subjects/placement"
)

func table(t testing.TB, rule placement.Rule, groups []string, from *placement.Map) *placement.Table {
	t.Helper()
	tab, err := placement.NewTable(rule, groups, placement.DefaultVnodes, from)
	if err != nil {
		t.Fatal(err)
	}
	return tab
}

func counts(tab *placement.Table, groups int) []int {
	n := make([]int, groups)
	for _, g := range tab {
		n[g]++
	}
	return n
}

// The counts were computed apart from this code, from the definition of the ring.
func TestRingCounts(t *testing.T) {
	for groups, want := range map[int][]int{
		1: {16384},
		2: {8400, 7984},
		3: {5697, 5092, 5595},
		5: {3094, 3218, 3145, 3531, 3396},
		8: {2020, 2238, 1952, 2109, 2072, 2101, 2047, 1845},
	} {
		tab := table(t, placement.Ring, groupNames(groups), nil)
		if got := counts(tab, groups); !slices.Equal(got, want) {
			t.Errorf("%d groups: %v, want %v", groups, got, want)
		}
	}
	if tab := table(t, placement.Ring, groupNames(8), nil); tab[0] != 3 || tab[placement.Slots-1] != 3 {
		t.Errorf("the ends of the ring of 8 belong to %d and %d", tab[0], tab[placement.Slots-1])
	}
}

// The ring again, the slow way: for each slot the node with the least distance ahead.
func TestRingIsTheFirstNodeAhead(t *testing.T) {
	names := []string{"g0", "g1", "g2"}
	const vnodes = 16
	tab, err := placement.NewTable(placement.Ring, names, vnodes, nil)
	if err != nil {
		t.Fatal(err)
	}
	for s := 0; s < placement.Slots; s += 7 {
		best, owner := uint32(0xffffffff), -1
		for g, name := range names {
			for k := range vnodes {
				ahead := placement.Hash(name+"#"+strconv.Itoa(k)) - uint32(s)<<18 // wraps like the ring
				if owner < 0 || ahead < best {
					best, owner = ahead, g
				}
			}
		}
		if int(tab[s]) != owner {
			t.Fatalf("slot %d belongs to %d, want %d", s, tab[s], owner)
		}
	}
}

func TestModulo(t *testing.T) {
	tab := table(t, placement.Modulo, groupNames(3), nil)
	for s, g := range tab {
		if int(g) != s%3 {
			t.Fatalf("slot %d belongs to %d", s, g)
		}
	}
}

func TestPlanCounts(t *testing.T) {
	for _, c := range []struct {
		rule     placement.Rule
		from, to int
		moves    int
	}{
		{placement.Ring, 3, 4, 4425},    // computed apart from this code
		{placement.Modulo, 3, 4, 12286}, // 9 of 12 slots, and 2 less at the end of the cycle
		{placement.Balanced, 1, 2, 8192},
		{placement.Balanced, 2, 3, 5461},
		{placement.Balanced, 3, 4, 4096},
		{placement.Balanced, 4, 5, 3276},
		{placement.Balanced, 7, 8, 2048},
		{placement.Balanced, 4, 3, 4096}, // back again
		{placement.Balanced, 3, 3, 0},
	} {
		from := born(t, c.rule, c.from)
		to, err := from.Propose(c.rule, groupsOf(c.to))
		if err != nil {
			t.Fatal(err)
		}
		moves := 0
		for _, m := range placement.Moves(from, to) {
			moves += int(m.Slots.To-m.Slots.From) + 1
		}
		if moves != c.moves {
			t.Errorf("%s from %d to %d groups moves %d slots, want %d", c.rule, c.from, c.to, moves, c.moves)
		}
	}
}

func TestBalancedIsEven(t *testing.T) {
	m := born(t, placement.Balanced, 1)
	for groups := 2; groups <= 12; groups++ {
		var err error
		if m, err = m.Propose(placement.Balanced, groupsOf(groups)); err != nil {
			t.Fatal(err)
		}
		n := m.Counts()
		if slices.Max(n)-slices.Min(n) > 1 {
			t.Errorf("%d groups: %v", groups, n)
		}
		if m.Table != *table(t, placement.Balanced, groupNames(groups), nil) {
			t.Errorf("%d groups: growth gives another table than birth", groups)
		}
	}
}

// From any table, a balanced one is even and no other even table is nearer: the moves are those that sizes alone force.
func TestBalancedMovesTheFewest(t *testing.T) {
	from := born(t, placement.Ring, 5)
	has := from.Counts()
	to, err := from.Propose(placement.Balanced, groupsOf(5))
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(has, func(a, b int) int { return b - a })
	want := 0
	for place, n := range has {
		keeps := placement.Slots / 5
		if place < placement.Slots%5 {
			keeps++
		}
		want += max(0, n-keeps)
	}
	moved := 0
	for _, m := range placement.Moves(from, to) {
		moved += int(m.Slots.To-m.Slots.From) + 1
	}
	if n := to.Counts(); moved != want || slices.Max(n)-slices.Min(n) > 1 {
		t.Errorf("moved %d to get %v, want %d", moved, n, want)
	}
}

func TestGroupsAreInOrder(t *testing.T) {
	names := []string{"g10", "g2", "a", "g1", "eu-1"}
	slices.SortFunc(names, placement.CompareGroups)
	if want := []string{"a", "g1", "g2", "g10", "eu-1"}; !slices.Equal(names, want) {
		t.Errorf("%v, want %v", names, want)
	}
}

func TestTablesThatCannotBe(t *testing.T) {
	for name, c := range map[string]struct {
		rule   placement.Rule
		groups []string
		vnodes int
	}{
		"no groups":      {placement.Ring, nil, 128},
		"out of order":   {placement.Ring, []string{"g10", "g2"}, 128},
		"twice":          {placement.Ring, []string{"g1", "g1"}, 128},
		"no nodes":       {placement.Ring, []string{"g1"}, 0},
		"too many nodes": {placement.Ring, []string{"g1"}, 1 << 20},
		"unknown rule":   {"dice", []string{"g1"}, 128},
	} {
		if _, err := placement.NewTable(c.rule, c.groups, c.vnodes, nil); err == nil {
			t.Errorf("%s: a table was made", name)
		}
	}
}
