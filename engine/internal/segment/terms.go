package segment

import (
	"hash/maphash"
)

// terms numbers the distinct terms of one field in the order in which they come. All strings lie in one arena, so that the garbage collector has
// nothing to follow. The hash is seeded, so that nobody can aim at it; it decides where an entry lies and nothing that shows.
type terms struct {
	seed  maphash.Seed
	slots []uint64 // a power of two: the upper half is the term's hash, the lower its number plus one; 0: empty
	ends  []uint32 // of the terms in arena
	arena []byte
}

func (t *terms) reset() {
	clear(t.slots)
	t.ends, t.arena = t.ends[:0], t.arena[:0]
}

// number gives the term's number, a new one when it has none.
func (t *terms) number(term string) uint32 {
	if len(t.ends)*2 >= len(t.slots) {
		t.grow()
	}
	h := uint32(maphash.String(t.seed, term))
	mask := uint32(len(t.slots) - 1)
	i := h & mask
	for ; t.slots[i] != 0; i = (i + 1) & mask {
		if s := t.slots[i]; uint32(s>>32) == h && string(t.term(uint32(s)-1)) == term {
			return uint32(s) - 1
		}
	}
	t.arena = append(t.arena, term...)
	t.ends = append(t.ends, uint32(len(t.arena)))
	t.slots[i] = uint64(h)<<32 | uint64(len(t.ends))
	return uint32(len(t.ends)) - 1
}

func (t *terms) term(n uint32) []byte {
	start := uint32(0)
	if n > 0 {
		start = t.ends[n-1]
	}
	return t.arena[start:t.ends[n]]
}

func (t *terms) grow() {
	if t.slots == nil {
		t.seed = maphash.MakeSeed()
	}
	old := t.slots
	t.slots = make([]uint64, max(64, 2*len(old)))
	mask := uint64(len(t.slots) - 1)
	for _, s := range old {
		if s == 0 {
			continue
		}
		i := s >> 32 & mask
		for t.slots[i] != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = s
	}
}

func (t *terms) retained() int { return 8*cap(t.slots) + 4*cap(t.ends) + cap(t.arena) }
