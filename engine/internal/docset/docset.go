// Package docset is a dense set of a segment's documents: one bit each, as searching wants it. It imports nothing.
//
// Roaring bitmaps were measured 20 times slower to probe; they are the form for files, not for memory.
package docset

import "math/bits"

// Set is a set of document numbers below 64*len. Reading is safe from any goroutine while nobody changes it.
type Set []uint64

// New makes an empty set that can hold documents below n.
func New(n int) Set { return make(Set, (n+63)/64) }

// Full makes the set of all documents below n.
func Full(n int) Set {
	s := New(n)
	for i := range s {
		s[i] = ^uint64(0)
	}
	if n%64 != 0 {
		s[len(s)-1] = 1<<(n%64) - 1
	}
	return s
}

// Clone makes a copy that shares nothing.
func (s Set) Clone() Set { return append(Set(nil), s...) }

// Has tells whether d is in the set; d must be below the size it was made with.
func (s Set) Has(d uint32) bool { return s[d>>6]>>(d&63)&1 != 0 }

// Add puts d in.
func (s Set) Add(d uint32) { s[d>>6] |= 1 << (d & 63) }

// Remove takes d out.
func (s Set) Remove(d uint32) { s[d>>6] &^= 1 << (d & 63) }

// Count gives the number of documents in the set.
func (s Set) Count() int {
	n := 0
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// Next gives the first document of the set at or behind d, or 2^32-1.
func (s Set) Next(d uint32) uint32 {
	i := int(d >> 6)
	if i >= len(s) {
		return ^uint32(0)
	}
	w := s[i] >> (d & 63) << (d & 63)
	for w == 0 {
		if i++; i == len(s) {
			return ^uint32(0)
		}
		w = s[i]
	}
	return uint32(i<<6 + bits.TrailingZeros64(w))
}
