package postings

import (
	"encoding/binary"
	"math/bits"
)

// BlockLen is the number of postings in a block.
const BlockLen = 128

// Slack is how many bytes must follow the last list of a byte string of documents or positions.
const Slack = 8

// appendPacked appends values with width bits each, padded to whole bytes.
func appendPacked(dst []byte, values []uint32, width int) []byte {
	var acc uint64
	filled := 0
	for _, v := range values {
		acc |= uint64(v) << filled
		filled += width
		for filled >= 8 {
			dst = append(dst, byte(acc))
			acc >>= 8
			filled -= 8
		}
	}
	if filled > 0 {
		dst = append(dst, byte(acc))
	}
	return dst
}

// unpack reads len(dst) numbers of width 0..32 bits, beginning with number first. The caller has checked that src reaches Slack bytes beyond them.
func unpack(dst []uint32, src []byte, first, width int) {
	if width == 0 {
		clear(dst)
		return
	}
	mask := uint64(1)<<width - 1
	bit := first * width
	for i := range dst {
		dst[i] = uint32(binary.LittleEndian.Uint64(src[bit>>3:]) >> (bit & 7) & mask)
		bit += width
	}
}

// width gives the bits that the largest of the values needs.
func width(values []uint32) int {
	var all uint32
	for _, v := range values {
		all |= v
	}
	return bits.Len32(all)
}
