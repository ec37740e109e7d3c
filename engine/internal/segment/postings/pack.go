package postings

//go:generate go run unpack_gen.go

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
	if width == 0 {
		return dst
	}
	var acc uint64
	filled := 0
	for _, v := range values {
		acc |= uint64(v) << filled
		if filled += width; filled >= 32 {
			dst = binary.LittleEndian.AppendUint32(dst, uint32(acc))
			acc >>= 32
			filled -= 32
		}
	}
	for ; filled > 0; filled -= 8 {
		dst = append(dst, byte(acc))
		acc >>= 8
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

// unpackDocs reads a block's documents out of their gaps; prev is the document before it. src holds 16*width bytes and the slack.
func unpackDocs(dst *[BlockLen]uint32, src []byte, width int, prev uint32) {
	if width <= maxGapWidth {
		base := gaps64((*[64]uint32)(dst[:64]), src, width, prev+1)
		gaps64((*[64]uint32)(dst[64:]), src[8*width:], width, base)
		return
	}
	unpack(dst[:], src, 0, width)
	for i := range dst {
		prev += dst[i] + 1
		dst[i] = prev
	}
}

// unpackFreqs reads a block's frequencies. src holds 16*width bytes and the slack.
func unpackFreqs(dst *[BlockLen]uint32, src []byte, width int) {
	if width <= maxFreqWidth {
		freqs64((*[64]uint32)(dst[:64]), src, width)
		freqs64((*[64]uint32)(dst[64:]), src[8*width:], width)
		return
	}
	unpack(dst[:], src, 0, width)
	for i := range dst {
		dst[i]++
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
