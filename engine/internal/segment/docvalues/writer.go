package docvalues

import (
	"encoding/binary"
	"math/bits"
)

// Append appends a column of one value for each document.
func Append(dst []byte, values []int64) []byte {
	return appendColumn(dst, 0, len(values), nil, nil, values)
}

// AppendMulti appends a column in which document d has the values starts[d] to starts[d+1]-1, ascending. It takes the narrowest form that holds them, and
// keeps the bounds of its blocks.
func AppendMulti(dst []byte, starts []uint32, values []int64) []byte {
	docs := len(starts) - 1
	most, least := uint32(0), uint32(1)
	for d := range docs {
		n := starts[d+1] - starts[d]
		most, least = max(most, n), min(least, n)
	}
	if most > 1 {
		return appendColumn(dst, flagMulti|flagBounds, docs, nil, starts, values)
	}
	if least == 1 {
		return appendColumn(dst, flagBounds, docs, nil, nil, values)
	}
	presence := make([]uint64, (docs+63)/64)
	spread := make([]int64, docs)
	var filler int64
	if len(values) > 0 {
		filler = values[0]
	}
	for d := range docs {
		spread[d] = filler
		if starts[d+1] > starts[d] {
			presence[d>>6] |= 1 << (d & 63)
			spread[d] = values[starts[d]]
		}
	}
	return appendColumn(dst, flagSparse|flagBounds, docs, presence, nil, spread)
}

func appendColumn(dst []byte, flags byte, docs int, presence []uint64, starts []uint32, values []int64) []byte {
	base, lane := frame(values)
	dst = append(dst, flags, byte(lane))
	dst = binary.AppendUvarint(dst, uint64(docs))
	dst = binary.AppendUvarint(dst, uint64(len(values)))
	dst = binary.LittleEndian.AppendUint64(dst, uint64(base))
	for _, w := range presence {
		dst = binary.LittleEndian.AppendUint64(dst, w)
	}
	for _, s := range starts {
		dst = binary.LittleEndian.AppendUint32(dst, s)
	}
	if flags&flagBounds != 0 && lane > 0 {
		dst = appendBounds(dst, docs, presence, starts, values, base, lane)
	}
	for _, v := range values {
		dst = appendLane(dst, uint64(v)-uint64(base), lane)
	}
	return dst
}

// appendBounds appends the least and the greatest value of each block; those of a block without values are the wrong way round.
func appendBounds(dst []byte, docs int, presence []uint64, starts []uint32, values []int64, base int64, lane int) []byte {
	for first := 0; first < docs; first += BlockDocs {
		from, to := first, min(first+BlockDocs, docs)
		if starts != nil {
			from, to = int(starts[from]), int(starts[to])
		}
		least, greatest := ^uint64(0), uint64(0)
		for i := from; i < to; i++ {
			if presence != nil && presence[i>>6]>>(i&63)&1 == 0 {
				continue
			}
			u := uint64(values[i]) - uint64(base)
			least, greatest = min(least, u), max(greatest, u)
		}
		dst = appendLane(appendLane(dst, least, lane), greatest, lane)
	}
	return dst
}

// appendLane appends the lower bytes of a number.
func appendLane(dst []byte, u uint64, lane int) []byte {
	switch lane {
	case 1:
		return append(dst, byte(u))
	case 2:
		return binary.LittleEndian.AppendUint16(dst, uint16(u))
	case 4:
		return binary.LittleEndian.AppendUint32(dst, uint32(u))
	case 8:
		return binary.LittleEndian.AppendUint64(dst, u)
	}
	return dst
}

// frame gives the least value and the bytes that the differences from it need.
func frame(values []int64) (base int64, lane int) {
	if len(values) == 0 {
		return 0, 0
	}
	base, top := values[0], values[0]
	for _, v := range values {
		base, top = min(base, v), max(top, v)
	}
	switch n := bits.Len64(uint64(top) - uint64(base)); {
	case n == 0:
		return base, 0
	case n <= 8:
		return base, 1
	case n <= 16:
		return base, 2
	case n <= 32:
		return base, 4
	}
	return base, 8
}
