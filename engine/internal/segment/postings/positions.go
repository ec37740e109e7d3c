package postings

import (
	"encoding/binary"
	"math"

	"github.com/jetseek/jetseek/engine/internal/segment/cursor"
)

// Place is where the positions of the term in one document lie, and how many there are. It stays good when its block is no longer the one loaded.
type Place struct {
	at    uint64 // bit of the list's positions where they start, in a tail the byte
	Freq  uint32 // of the term in the document
	width uint8  // bits of a position; asUvarints in a tail
}

const asUvarints = 255

// Positions appends the positions of the term in a document of the block loaded last, given by its number there, ascending; none in lists without positions.
func (b *Blocks) Positions(dst []uint32, at int) []uint32 {
	if !b.src.Text || at >= b.n {
		return dst
	}
	return b.PositionsAt(dst, b.Place(at))
}

// Place gives the place of a document of the block loaded last, given by its number there, of a list with positions.
func (b *Blocks) Place(at int) Place {
	b.locate()
	if at >= b.n {
		return Place{}
	}
	return b.place(at)
}

// Places appends the places of some documents of the block loaded last, given by their numbers there, of a list with positions. Of a list that turns out to be corrupt it appends
// none.
func (b *Blocks) Places(dst []Place, which []uint8) []Place {
	if b.locate(); b.n == 0 {
		return dst
	}
	for _, i := range which {
		dst = append(dst, b.place(int(i)))
	}
	return dst
}

func (b *Blocks) place(at int) Place {
	if b.n < BlockLen {
		return Place{b.posStart + uint64(b.before[at]), b.freqs[at], asUvarints}
	}
	return Place{8*b.posStart + uint64(b.before[at])*uint64(b.posBits), b.freqs[at], uint8(b.posBits)}
}

// locate counts, once for the block loaded, the positions before each document, in a tail their bytes.
func (b *Blocks) locate() {
	if b.located {
		return
	}
	b.located = true
	freqs, sum := b.Freqs(), uint64(0)
	if b.n < BlockLen {
		b.locateTail(freqs)
		return
	}
	for i, freq := range freqs {
		b.before[i] = uint32(sum)
		sum += uint64(freq)
	}
	held := min(b.ref.PosLen, uint64(len(b.src.Positions)))
	if b.posStart > held || sum*uint64(b.posBits) > 8*(held-b.posStart) || sum > math.MaxUint32 {
		b.fail()
	}
}

func (b *Blocks) locateTail(freqs []uint32) {
	data, at := b.tailAt(b.posStart), 0
	for i, freq := range freqs {
		b.before[i] = uint32(at)
		for range freq {
			if _, at = cursor.Uvarint(data, at); at > len(data) || at > math.MaxUint32 {
				b.fail()
				return
			}
		}
	}
	b.tailEnd = at
}

// PositionsAt appends the positions at a place of the list.
func (b *Blocks) PositionsAt(dst []uint32, p Place) []uint32 {
	if p.width == asUvarints {
		w := tailWalk{data: b.tailAt(p.at)}
		for range p.Freq {
			if !w.next() {
				b.fail()
				break
			}
			dst = append(dst, uint32(w.pos))
		}
		return dst
	}
	bit, end, src := b.packed(p)
	width, mask, pos := uint64(p.width), uint64(1)<<p.width-1, uint32(0)
	if width == 0 && p.Freq == 1 && src != nil {
		return append(dst, 0)
	}
	for ; bit < end; bit += width {
		pos += uint32(binary.LittleEndian.Uint64(src[bit>>3:]) >> (bit & 7) & mask)
		dst = append(dst, pos)
	}
	return dst
}

// packed gives the bits of src in which the positions at a place are packed; no src when there are none.
func (b *Blocks) packed(p Place) (bit, end uint64, src []byte) {
	bit = p.at & 7
	end = bit + uint64(p.Freq)*uint64(p.width)
	start := b.ref.PosOff + p.at>>3
	need := (end+7)/8 + Slack
	tooFew := p.width == 0 && p.Freq > 1 // positions of one document differ
	if tooFew || p.at>>3 > b.ref.PosLen || start < b.ref.PosOff || start+need < start || start+need > uint64(len(b.src.Positions)) {
		b.fail()
		return 0, 0, nil
	}
	return bit, end, b.src.Positions[start:]
}

// tailAt gives the list's positions from a byte on.
func (b *Blocks) tailAt(at uint64) []byte {
	end := b.ref.PosOff + b.ref.PosLen
	if at > b.ref.PosLen || end < b.ref.PosOff || end > uint64(len(b.src.Positions)) {
		b.fail()
		return nil
	}
	return b.src.Positions[b.ref.PosOff+at : end]
}

// tailWalk goes over the positions of a document of a tail.
type tailWalk struct {
	data []byte
	at   int
	pos  uint64
}

// next goes to the next position, and tells whether there is one.
func (w *tailWalk) next() bool {
	var gap uint64
	gap, w.at = cursor.Uvarint(w.data, w.at)
	if w.at > len(w.data) || gap >= uint64(NoDoc)-w.pos {
		return false
	}
	w.pos += gap
	return true
}

// Meet keeps, of ascending starts, those that lie offset before one of the positions at a place of the list. It reads no further than it must.
func (b *Blocks) Meet(starts []uint32, offset uint32, p Place) []uint32 {
	if len(starts) == 0 {
		return starts
	}
	if p.width == asUvarints {
		return b.meetTail(starts, offset, p)
	}
	bit, end, src := b.packed(p)
	width, mask, pos := uint64(p.width), uint64(1)<<p.width-1, uint32(0)
	if width == 0 && src != nil {
		end++ // the one position is 0: any bit tells it
	}
	kept, want := 0, uint64(starts[0])+uint64(offset)
	for n := 0; bit < end; bit += max(width, 1) {
		pos += uint32(binary.LittleEndian.Uint64(src[bit>>3:]) >> (bit & 7) & mask)
		if uint64(pos) < want {
			continue
		}
		for uint64(pos) >= want {
			if uint64(pos) == want {
				starts[kept] = starts[n]
				kept++
			}
			if n++; n == len(starts) {
				return starts[:kept]
			}
			want = uint64(starts[n]) + uint64(offset)
		}
	}
	return starts[:kept]
}

// meetTail is Meet for a place in a tail.
func (b *Blocks) meetTail(starts []uint32, offset uint32, p Place) []uint32 {
	w := tailWalk{data: b.tailAt(p.at)}
	kept, n := 0, 0
	for range p.Freq {
		if !w.next() {
			b.fail()
			break
		}
		for n < len(starts) && uint64(starts[n])+uint64(offset) <= w.pos {
			if uint64(starts[n])+uint64(offset) == w.pos {
				starts[kept] = starts[n]
				kept++
			}
			n++
		}
	}
	return starts[:kept]
}
