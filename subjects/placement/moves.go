package placement

import "github.com/jetseek/jetseek/subjects/wire"

// Move is a run of slots that goes from one group to another.
type Move struct {
	Slots    wire.SlotRange
	From, To string
}

// Moves gives what changes owner between two maps, by slot ascending, neighbours joined.
func Moves(from, to *Map) []Move {
	var moves []Move
	for s := range Slots {
		a, b := from.Owner(uint16(s)).Name, to.Owner(uint16(s)).Name
		if a == b {
			continue
		}
		if n := len(moves) - 1; n >= 0 && moves[n].From == a && moves[n].To == b && int(moves[n].Slots.To) == s-1 {
			moves[n].Slots.To = uint16(s)
			continue
		}
		moves = append(moves, Move{Slots: wire.SlotRange{From: uint16(s), To: uint16(s)}, From: a, To: b})
	}
	return moves
}

// Propose gives the map of the next epoch for other groups by a rule. Groups that are in m keep what they are; the OwnEpoch of those whose slots
// change is the new epoch. New groups are as given.
func (m *Map) Propose(rule Rule, groups []Group) (*Map, error) {
	next := &Map{Epoch: m.Epoch + 1, Rule: rule, Vnodes: m.Vnodes, Groups: make([]Group, len(groups))}
	copy(next.Groups, groups)
	table, err := NewTable(rule, next.names(), m.Vnodes, m)
	if err != nil {
		return nil, err
	}
	next.Table = *table
	for i := range next.Groups {
		if old, ok := m.Group(next.Groups[i].Name); ok {
			next.Groups[i] = *old
		}
	}
	for _, move := range Moves(m, next) {
		if g, ok := next.index(move.To); ok {
			next.Groups[g].OwnEpoch = next.Epoch
		}
		if g, ok := next.index(move.From); ok {
			next.Groups[g].OwnEpoch = next.Epoch
		}
	}
	return valid(next)
}
