package segment

import "encoding/binary"

// idFilter tells of most ids that a segment does not have them, from a few bytes of memory that many segments share a processor's cache with: a Bloom filter whose bits for an
// id lie in one word. A writer asks every segment for the id of each document, nearly always in vain. It is made in memory and stands in no file.
type idFilter []uint64

const (
	filterBitsPerID = 16 // of which an id sets filterBits: about one id in a hundred seems to be there and is not
	filterBits      = 4
)

// newIDFilter makes the filter of an id table. It knows of a hash what the table keeps, the upper half.
func newIDFilter(table []byte, docs int) idFilter {
	f := make(idFilter, docs*filterBitsPerID/64+1)
	for ; len(table) >= 8; table = table[8:] {
		if e := binary.LittleEndian.Uint64(table); e != 0 {
			word, bits := f.place(e)
			f[word] |= bits
		}
	}
	return f
}

// lacks tells that no document has the id of a hash. The filter of none lacks nothing.
func (f idFilter) lacks(hash uint64) bool {
	if len(f) == 0 {
		return false
	}
	word, bits := f.place(hash)
	return f[word]&bits != bits
}

// place gives the word and the bits of a hash.
func (f idFilter) place(hash uint64) (word int, bits uint64) {
	upper := hash >> 32
	word = int(upper * uint64(len(f)) >> 32)
	// The word follows from the uppermost bits; the multiplication spreads the others.
	spread := upper * 0x9e3779b97f4a7c15
	for range filterBits {
		bits |= 1 << (spread >> 58)
		spread <<= 6
	}
	return word, bits
}
