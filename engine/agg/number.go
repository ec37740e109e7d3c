package agg

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
)

// Ordered gives a double as a number: numbers are ordered as their doubles are.
func Ordered(x float64) int64 { return flip(int64(math.Float64bits(x + 0))) } // -0 + 0 is 0

// Double gives the double of a number that [Ordered] gave.
func Double(v int64) float64 { return math.Float64frombits(uint64(flip(v))) }

// flip turns the order of negative numbers round, and is its own inverse.
func flip(v int64) int64 { return v ^ int64(uint64(v>>63)>>1) }

// bitsOf gives the bits of the double of a number that [Ordered] gave.
func bitsOf(v int64) uint64 { return uint64(flip(v)) }

// floorDiv divides by b > 0 and rounds down.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// HashInt gives the hash of a value for [Cardinality]: no two have the same.
func HashInt(v int64) uint64 {
	h := uint64(v)
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// HashText gives the hash of an exact string for [Cardinality].
func HashText(b []byte) uint64 {
	sum := sha256.Sum256(b)
	return binary.LittleEndian.Uint64(sum[:])
}
