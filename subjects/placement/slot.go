package placement

// Slots is how many slots there are; a slot is 14 bits.
const Slots = 1 << slotBits

const slotBits = 14

// Hash is the 32-bit hash of an id.
func Hash(id string) uint32 { return fmix32(fnv1a32(id)) }

// Slot is the slot of an id.
func Slot(id string) uint16 { return SlotOf(Hash(id)) }

// SlotOf is the slot of a hash.
func SlotOf(hash uint32) uint16 { return uint16(hash >> (32 - slotBits)) }

func fnv1a32(s string) uint32 {
	h := uint32(2166136261)
	for i := range len(s) {
		h = (h ^ uint32(s[i])) * 16777619
	}
	return h
}

// fmix32 is the finaliser of MurmurHash3: without it ids that differ only in their last byte fall into few slots.
func fmix32(h uint32) uint32 {
	h ^= h >> 16
	h *= 0x85ebca6b
	h ^= h >> 13
	h *= 0xc2b2ae35
	return h ^ h>>16
}
