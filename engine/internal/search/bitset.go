package search

import "math/bits"

// bitset has a bit for each document of a window.
type bitset [windowDocs / 64]uint64

func (b *bitset) count() int {
	n := 0
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return n
}

// any tells whether any of the bits from and up to, but not, to is set.
func (b *bitset) any(from, to uint32) bool {
	if from >= to {
		return false
	}
	first, last := from>>6&63, (to-1)>>6&63
	head, tail := ^uint64(0)<<(from&63), ^uint64(0)>>(63-(to-1)&63)
	if first == last {
		return b[first]&head&tail != 0
	}
	if b[first]&head != 0 || b[last]&tail != 0 {
		return true
	}
	for _, w := range b[first+1 : last] {
		if w != 0 {
			return true
		}
	}
	return false
}

// remove takes out the bits from and up to, but not, to.
func (b *bitset) remove(from, to uint32) {
	if from >= to {
		return
	}
	first, last := from>>6&63, (to-1)>>6&63
	head, tail := ^uint64(0)<<(from&63), ^uint64(0)>>(63-(to-1)&63)
	if first == last {
		b[first] &^= head & tail
		return
	}
	b[first] &^= head
	b[last] &^= tail
	clear(b[first+1 : last])
}

// and leaves what is in another one too.
func (b *bitset) and(o *bitset) {
	for i, w := range o {
		b[i] &= w
	}
}
