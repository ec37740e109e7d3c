package engine

import "math/bits"

// Slots is the number of slots.
const Slots = 16384

// SlotSet is a set of slots: one bit each. The zero value is empty. It must not be copied while it changes.
type SlotSet struct {
	bits [Slots / 64]uint64
}

// AllSlots makes the set of all slots.
func AllSlots() *SlotSet {
	s := &SlotSet{}
	s.AddRange(0, Slots-1)
	return s
}

// Has tells whether a slot is in the set; numbers from [Slots] on never are.
func (s *SlotSet) Has(slot uint16) bool {
	return slot < Slots && s.bits[slot>>6]>>(slot&63)&1 != 0
}

// Add puts a slot in; a number from [Slots] on is ignored.
func (s *SlotSet) Add(slot uint16) { s.AddRange(slot, slot) }

// meets tells whether the sets have a slot in common.
func (s *SlotSet) meets(o *SlotSet) bool {
	for i, w := range s.bits {
		if w&o.bits[i] != 0 {
			return true
		}
	}
	return false
}

// AddRange puts the slots from and to and all between them in; numbers from [Slots] on are ignored.
func (s *SlotSet) AddRange(from, to uint16) {
	for slot := int(from); slot <= int(to) && slot < Slots; slot++ {
		s.bits[slot>>6] |= 1 << (slot & 63)
	}
}

// Count gives the number of slots in the set.
func (s *SlotSet) Count() int {
	n := 0
	for _, w := range s.bits {
		n += bits.OnesCount64(w)
	}
	return n
}

// Ranges visits the set as inclusive ranges, ascending and disjoint with a gap between them.
func (s *SlotSet) Ranges(visit func(from, to uint16)) {
	for slot := 0; slot < Slots; slot++ {
		if !s.Has(uint16(slot)) {
			continue
		}
		from := slot
		for slot+1 < Slots && s.Has(uint16(slot+1)) {
			slot++
		}
		visit(uint16(from), uint16(slot))
	}
}

// Equal tells whether both sets hold the same slots.
func (s *SlotSet) Equal(o *SlotSet) bool { return s.bits == o.bits }
