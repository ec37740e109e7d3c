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

// addImpacts adds pairs, one after the other.
func addImpacts(list, pairs []Impact) []Impact {
	for _, p := range pairs {
		list = addImpact(list, p)
	}
	return list
}

// few unites the least frequent pairs when there are too many.
func few(list []Impact) []Impact {
	if len(list) <= maxImpacts {
		return list
	}
	list[maxImpacts-1].Length = list[len(list)-1].Length
	return list[:maxImpacts]
}

// appendImpacts appends at most maxImpacts pairs, the last one first: frequencies and lengths rise from there.
func appendImpacts(dst []byte, list []Impact) []byte {
	dst = append(dst, byte(len(list)))
	at := Impact{}
	for i := len(list) - 1; i >= 0; i-- {
		dst = binary.AppendUvarint(dst, uint64(list[i].Freq-at.Freq))
		dst = binary.AppendUvarint(dst, uint64(list[i].Length-at.Length))
		at = list[i]
	}
	return dst
}

// readImpacts appends the pairs that the cursor stands on, the least frequent first.
func readImpacts(dst []Impact, c *cursor.Cursor) []Impact {
	n := int(c.Byte())
	if n < 1 || n > maxImpacts {
		c.Fail()
		return dst
	}
	at := Impact{}
	for range n {
		at.Freq += c.Uint32()
		at.Length += c.Uint32()
		dst = append(dst, at)
	}
	return dst
}
