package placement

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
)

// Rule names a way to make a table.
type Rule string

// The rules.
const (
	Ring     Rule = "ring"
	Modulo   Rule = "modulo"
	Balanced Rule = "balanced"
)

const (
	// DefaultVnodes is how many virtual nodes a group has on the ring.
	DefaultVnodes = 128
	// MaxVnodes bounds virtual nodes.
	MaxVnodes = 4096
	// MaxGroups bounds the groups of a map.
	MaxGroups = 1024
)

// Table says of each slot which group owns it, as an index into a list of groups.
type Table [Slots]uint16

// CompareGroups orders groups: by length, then bytes.
func CompareGroups(a, b string) int {
	if c := cmp.Compare(len(a), len(b)); c != 0 {
		return c
	}
	return cmp.Compare(a, b)
}

// NewTable proposes the table of a rule for groups, which must be distinct and in order ([CompareGroups]). Ring and modulo depend on nothing else;
// balanced starts from the table that from has, or, when from is nil, from one group that all others join one by one.
func NewTable(rule Rule, groups []string, vnodes int, from *Map) (*Table, error) {
	if err := checkGroups(groups); err != nil {
		return nil, err
	}
	switch rule {
	case Ring:
		if vnodes < 1 || vnodes > MaxVnodes {
			return nil, fmt.Errorf("%d virtual nodes: 1 to %d", vnodes, MaxVnodes)
		}
		return ringTable(groups, vnodes), nil
	case Modulo:
		return moduloTable(len(groups)), nil
	case Balanced:
		return balancedTable(groups, from), nil
	}
	return nil, fmt.Errorf("unknown rule %q: ring, modulo, balanced", rule)
}

func checkGroups(groups []string) error {
	if len(groups) == 0 || len(groups) > MaxGroups {
		return fmt.Errorf("%d groups: 1 to %d", len(groups), MaxGroups)
	}
	for i := 1; i < len(groups); i++ {
		if CompareGroups(groups[i-1], groups[i]) >= 0 {
			return fmt.Errorf("groups %q and %q are not in order", groups[i-1], groups[i])
		}
	}
	return nil
}

func ringTable(groups []string, vnodes int) *Table {
	type node struct {
		at    uint32
		group uint16
	}
	nodes := make([]node, 0, len(groups)*vnodes)
	for g, name := range groups {
		for k := range vnodes {
			nodes = append(nodes, node{Hash(name + "#" + strconv.Itoa(k)), uint16(g)})
		}
	}
	slices.SortFunc(nodes, func(a, b node) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.group, b.group))
	})
	t, next := new(Table), 0
	for s := range t {
		for next < len(nodes) && nodes[next].at < uint32(s)<<(32-slotBits) {
			next++
		}
		t[s] = nodes[next%len(nodes)].group
	}
	return t
}

func moduloTable(groups int) *Table {
	t := new(Table)
	for s := range t {
		t[s] = uint16(s % groups)
	}
	return t
}

func balancedTable(groups []string, from *Map) *Table {
	t := new(Table)
	if from != nil {
		for s := range t {
			t[s] = homeless
			if g, ok := slices.BinarySearchFunc(groups, from.Groups[from.Table[s]].Name, CompareGroups); ok {
				t[s] = uint16(g)
			}
		}
		balance(t, len(groups))
		return t
	}
	for n := 2; n <= len(groups); n++ {
		balance(t, n)
	}
	return t
}

// homeless marks a slot whose group is gone.
const homeless = 1<<16 - 1

// balance makes the first n groups of a table even to one slot. The groups that have most may keep one more than the rest, so that nothing moves
// that need not; slots are given away from the highest down, to the groups in order.
func balance(t *Table, n int) {
	has := make([]int, n)
	for _, g := range t {
		if g != homeless {
			has[g]++
		}
	}
	bySize := make([]int, n)
	for g := range bySize {
		bySize[g] = g
	}
	slices.SortStableFunc(bySize, func(a, b int) int { return cmp.Compare(has[b], has[a]) })
	want := make([]int, n)
	for place, g := range bySize {
		want[g] = Slots / n
		if place < Slots%n {
			want[g]++
		}
	}
	to := 0
	for s := Slots - 1; s >= 0; s-- {
		g := t[s]
		if g != homeless && has[g] <= want[g] {
			continue
		}
		for has[to] >= want[to] {
			to++
		}
		if g != homeless {
			has[g]--
		}
		t[s] = uint16(to)
		has[to]++
	}
}
