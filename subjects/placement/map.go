package placement

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/jetseek/jetseek/subjects"
	"github.com/jetseek/jetseek/subjects/wire"
)

// Map says which group owns which slot. It is immutable once it is shared; a change is a copy with a higher epoch.
type Map struct {
	Epoch  uint64 // from 1; rises with each change
	Rule   Rule
	Vnodes int     // of the ring
	Groups []Group // in order; one that owns no slot may be among them
	Table  Table
}

// Group is one group of a map.
type Group struct {
	Name       string    `json:"name"`
	OwnEpoch   uint64    `json:"own_epoch"`  // the epoch at which the group's slots last changed; 0 while it has never owned one
	Log        wire.UUID `json:"log"`        // of its log
	Generation uint32    `json:"generation"` // of its stream, from 1
	Members    []string  `json:"members"`    // declared members, "g0/n1", ascending
}

// NewMap makes the first map, of epoch 1, over groups in order, by a rule. Their OwnEpoch is set.
func NewMap(rule Rule, vnodes int, groups []Group) (*Map, error) {
	m := &Map{Epoch: 1, Rule: rule, Vnodes: vnodes, Groups: slices.Clone(groups)}
	table, err := NewTable(rule, m.names(), vnodes, nil)
	if err != nil {
		return nil, err
	}
	m.Table = *table
	for g := range m.Groups {
		m.Groups[g].OwnEpoch = 1
		m.Groups[g].Members = slices.Sorted(slices.Values(m.Groups[g].Members))
	}
	return valid(m)
}

// Owner gives the group that owns a slot.
func (m *Map) Owner(slot uint16) *Group { return &m.Groups[m.Table[slot]] }

// Group gives a group by name.
func (m *Map) Group(name string) (*Group, bool) {
	g, ok := m.index(name)
	if !ok {
		return nil, false
	}
	return &m.Groups[g], true
}

// Ranges gives the slots of a group, ascending.
func (m *Map) Ranges(name string) []wire.SlotRange {
	g, ok := m.index(name)
	if !ok {
		return nil
	}
	var ranges []wire.SlotRange
	for s := 0; s < Slots; s++ {
		if int(m.Table[s]) != g {
			continue
		}
		from := s
		for s+1 < Slots && int(m.Table[s+1]) == g {
			s++
		}
		ranges = append(ranges, wire.SlotRange{From: uint16(from), To: uint16(s)})
	}
	return ranges
}

// Counts gives how many slots each group owns, in the order of Groups.
func (m *Map) Counts() []int {
	counts := make([]int, len(m.Groups))
	for _, g := range m.Table {
		counts[g]++
	}
	return counts
}

// WithMember gives the map of the next epoch with one more declared member, and false when it is declared already or its group is not in the map.
// Ownership does not change, nor do OwnEpochs.
func (m *Map) WithMember(id string) (*Map, bool) {
	name, _, ok := subjects.SplitMember(id)
	if !ok {
		return nil, false
	}
	g, ok := m.index(name)
	if !ok {
		return nil, false
	}
	at, there := slices.BinarySearch(m.Groups[g].Members, id)
	if there {
		return nil, false
	}
	next := m.clone()
	next.Groups[g].Members = slices.Insert(slices.Clone(m.Groups[g].Members), at, id)
	return next, true
}

// WithGroup gives the map of the next epoch with one more group, which owns nothing, and false when there is one of the name.
func (m *Map) WithGroup(group Group) (*Map, bool) {
	at, there := slices.BinarySearchFunc(m.Groups, group.Name, func(g Group, name string) int { return CompareGroups(g.Name, name) })
	if there {
		return nil, false
	}
	next := m.clone()
	group.OwnEpoch = 0
	next.Groups = slices.Insert(next.Groups, at, group)
	for s, g := range next.Table {
		if int(g) >= at {
			next.Table[s]++
		}
	}
	return next, true
}

// Validate checks that the map is one that [NewMap] and its changes can make.
func (m *Map) Validate() error {
	if m.Epoch == 0 {
		return fmt.Errorf("map without an epoch")
	}
	switch m.Rule {
	case Ring, Modulo, Balanced:
	default:
		return fmt.Errorf("map with the unknown rule %q", m.Rule)
	}
	if m.Vnodes < 0 || m.Vnodes > MaxVnodes {
		return fmt.Errorf("map with %d virtual nodes", m.Vnodes)
	}
	if err := checkGroups(m.names()); err != nil {
		return fmt.Errorf("map: %w", err)
	}
	for g := range m.Groups {
		if err := m.Groups[g].validate(m.Epoch); err != nil {
			return fmt.Errorf("map: group %q: %w", m.Groups[g].Name, err)
		}
	}
	for s, g := range m.Table {
		if int(g) >= len(m.Groups) {
			return fmt.Errorf("map: slot %d belongs to group number %d of %d", s, g, len(m.Groups))
		}
	}
	return nil
}

func (g *Group) validate(epoch uint64) error {
	if err := subjects.ValidGroup(g.Name); err != nil {
		return err
	}
	if g.Generation == 0 {
		return fmt.Errorf("no generation")
	}
	if g.OwnEpoch > epoch {
		return fmt.Errorf("ownership of epoch %d in a map of epoch %d", g.OwnEpoch, epoch)
	}
	for i, id := range g.Members {
		if group, _, ok := subjects.SplitMember(id); !ok || group != g.Name {
			return fmt.Errorf("%q is no member of it", id)
		}
		if i > 0 && g.Members[i-1] >= id {
			return fmt.Errorf("members %q and %q are not in order", g.Members[i-1], id)
		}
	}
	return nil
}

// mapJSON is the map as it stands in the KV bucket.
type mapJSON struct {
	Epoch  uint64   `json:"epoch"`
	Rule   Rule     `json:"rule"`
	Vnodes int      `json:"vnodes"`
	Groups []Group  `json:"groups"`
	Table  []uint32 `json:"table"`
}

// MarshalJSON gives the form of the package comment.
func (m *Map) MarshalJSON() ([]byte, error) {
	out := mapJSON{Epoch: m.Epoch, Rule: m.Rule, Vnodes: m.Vnodes, Groups: m.Groups}
	for s := 0; s < Slots; {
		from := s
		for s < Slots && m.Table[s] == m.Table[from] {
			s++
		}
		out.Table = append(out.Table, uint32(m.Table[from]), uint32(s-from))
	}
	return json.Marshal(out)
}

// Parse reads a map strictly and validates it.
func Parse(b []byte) (*Map, error) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	var in mapJSON
	if err := d.Decode(&in); err != nil {
		return nil, fmt.Errorf("map: %w", err)
	}
	if d.More() {
		return nil, fmt.Errorf("map: bytes behind it")
	}
	m := &Map{Epoch: in.Epoch, Rule: in.Rule, Vnodes: in.Vnodes, Groups: in.Groups}
	if err := m.setTable(in.Table); err != nil {
		return nil, fmt.Errorf("map: %w", err)
	}
	return valid(m)
}

func valid(m *Map) (*Map, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	return m, nil
}

func (m *Map) setTable(runs []uint32) error {
	if len(runs)%2 != 0 {
		return fmt.Errorf("a table of %d numbers", len(runs))
	}
	s := 0
	for i := 0; i < len(runs); i += 2 {
		group, n := runs[i], runs[i+1]
		if group >= MaxGroups || n == 0 || n > uint32(Slots-s) {
			return fmt.Errorf("a table with a run of %d slots of group number %d at slot %d", n, group, s)
		}
		for range n {
			m.Table[s] = uint16(group)
			s++
		}
	}
	if s != Slots {
		return fmt.Errorf("a table of %d slots", s)
	}
	return nil
}

func (m *Map) clone() *Map {
	next := *m
	next.Epoch++
	next.Groups = slices.Clone(m.Groups)
	return &next
}

func (m *Map) index(name string) (int, bool) {
	return slices.BinarySearchFunc(m.Groups, name, func(g Group, name string) int { return CompareGroups(g.Name, name) })
}

func (m *Map) names() []string {
	names := make([]string, len(m.Groups))
	for i := range m.Groups {
		names[i] = m.Groups[i].Name
	}
	return names
}
