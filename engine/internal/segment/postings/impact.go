package postings

import (
	"encoding/binary"

	"github.com/jetseek/jetseek/engine/internal/segment/cursor"
)

// maxImpacts bounds the pairs of a block; what is beyond is covered by pairs that are worse than real postings.
const maxImpacts = 8

// Impact stands for postings with at most this frequency in documents of at least this length: the score of the pair bounds theirs.
type Impact struct {
	Freq, Length uint32
}

// addImpact adds a posting to a list of pairs of which none bounds another: frequencies fall along the list, and so do lengths.
func addImpact(list []Impact, p Impact) []Impact {
	at := 0
	for at < len(list) && list[at].Freq > p.Freq {
		at++
	}
	if at > 0 && list[at-1].Length <= p.Length || at < len(list) && list[at].Freq == p.Freq && list[at].Length <= p.Length {
		return list
	}
	end := at
	for end < len(list) && list[end].Length >= p.Length {
		end++
	}
	if end > at {
		list[at] = p
		return append(list[:at+1], list[end:]...)
	}
	list = append(list, Impact{})
	copy(list[at+1:], list[at:])
	list[at] = p
	return list
}

// appendImpacts appends the pairs, after uniting the least frequent of them when there are too many.
func appendImpacts(dst []byte, list []Impact) []byte {
	if len(list) > maxImpacts {
		last := list[len(list)-1]
		list = list[:maxImpacts]
		list[maxImpacts-1].Length = last.Length
	}
	dst = append(dst, byte(len(list)))
	for _, p := range list {
		dst = binary.AppendUvarint(dst, uint64(p.Freq))
		dst = binary.AppendUvarint(dst, uint64(p.Length))
	}
	return dst
}

// readImpacts appends the pairs that the cursor stands on.
func readImpacts(dst []Impact, c *cursor.Cursor) []Impact {
	n := int(c.Byte())
	if n < 1 || n > maxImpacts {
		c.Fail()
		return dst
	}
	for range n {
		dst = append(dst, Impact{c.Uint32(), c.Uint32()})
	}
	return dst
}

func skipImpacts(c *cursor.Cursor) {
	n := int(c.Byte())
	if n < 1 || n > maxImpacts {
		c.Fail()
		return
	}
	for range 2 * n {
		c.Uvarint()
	}
}
