package segment

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"hash/maphash"
	"slices"
)

// terms numbers the distinct terms of one field in the order in which they come. All strings lie in one arena, so that the garbage collector has
// nothing to follow. The hash is seeded, so that nobody can aim at it; it decides where an entry lies and nothing that shows.
type terms struct {
	seed   maphash.Seed
	slots  []uint32 // number+1, 0: empty; a power of two
	hashes []uint32
	ends   []uint32 // of the terms in arena
	arena  []byte
}

func (t *terms) reset() {
	clear(t.slots)
	t.hashes, t.ends, t.arena = t.hashes[:0], t.ends[:0], t.arena[:0]
}

// number gives the term's number, a new one when it has none.
func (t *terms) number(term string) uint32 {
	if len(t.ends)*2 >= len(t.slots) {
		t.grow()
	}
	h := uint32(maphash.String(t.seed, term))
	mask := uint32(len(t.slots) - 1)
	i := h & mask
	for t.slots[i] != 0 {
		if n := t.slots[i] - 1; t.hashes[n] == h && string(t.term(n)) == term {
			return n
		}
		i = (i + 1) & mask
	}
	t.hashes = append(t.hashes, h)
	t.arena = append(t.arena, term...)
	t.ends = append(t.ends, uint32(len(t.arena)))
	t.slots[i] = uint32(len(t.ends))
	return t.slots[i] - 1
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
	t.slots = make([]uint32, max(64, 2*len(t.slots)))
	mask := uint32(len(t.slots) - 1)
	for n, h := range t.hashes {
		i := h & mask
		for t.slots[i] != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = uint32(n) + 1
	}
}

// ranked is a term with its first bytes, by which most comparisons are decided.
type ranked struct {
	head   uint64
	number uint32
}

// sorted appends the numbers in the order of their terms' bytes.
func (t *terms) sorted(dst []ranked) []ranked {
	for n := range uint32(len(t.ends)) {
		dst = append(dst, ranked{head(t.term(n)), n})
	}
	slices.SortFunc(dst, func(a, b ranked) int {
		if a.head != b.head {
			return cmp.Compare(a.head, b.head)
		}
		return bytes.Compare(t.term(a.number), t.term(b.number))
	})
	return dst
}

// head gives the first eight bytes as a number in their order; missing bytes count as zero.
func head(term []byte) uint64 {
	if len(term) >= 8 {
		return binary.BigEndian.Uint64(term)
	}
	var h uint64
	for i, c := range term {
		h |= uint64(c) << (56 - 8*i)
	}
	return h
}
