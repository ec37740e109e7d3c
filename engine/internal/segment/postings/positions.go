package postings

import (
	"encoding/binary"
	"math"

	"github.com/jetseek/jetseek/engine/internal/segment/cursor"
)

// placed is how far the positions of the block loaded have been counted or read, so that documents in order need no second look.
type placed struct {
	counted uint64 // positions of the block before document upto of it
	upto    int
	tail    cursor.Cursor // of a tail: at the positions of document upto
	started bool          // tail is set
}

// Positions appends the positions of the term in a document of the block loaded last, given by its place there, ascending; none in lists without positions. It is quickest for
// places in order.
func (b *Blocks) Positions(dst []uint32, at int) []uint32 {
	if !b.src.Text || at >= b.n {
		return dst
	}
	freqs := b.Freqs()
	if b.n == BlockLen {
		return b.packedPositions(dst, freqs, at)
	}
	b.visitTail(freqs, at, func(pos uint32) { dst = append(dst, pos) })
	return dst
}

func (b *Blocks) packedPositions(dst, freqs []uint32, at int) []uint32 {
	bit, end, src, ok := b.packed(freqs, at)
	if !ok {
		return dst
	}
	width, mask, pos := uint64(b.posBits), uint64(1)<<b.posBits-1, uint32(0)
	if width == 0 {
		return append(dst, 0)
	}
	for ; bit < end; bit += width {
		pos += uint32(binary.LittleEndian.Uint64(src[bit>>3:]) >> (bit & 7) & mask)
		dst = append(dst, pos)
	}
	return dst
}

// packed gives the bits of src in which the positions of a document are packed; false when there are none.
func (b *Blocks) packed(freqs []uint32, at int) (bit, end uint64, src []byte, ok bool) {
	p := &b.placed
	if p.upto > at {
		*p = placed{}
	}
	for _, freq := range freqs[p.upto:at] {
		p.counted += uint64(freq)
	}
	p.upto = at
	bit, end = p.counted*uint64(b.posBits), (p.counted+uint64(freqs[at]))*uint64(b.posBits)
	start, need := b.ref.PosOff+b.posStart, (end+7)/8+Slack
	tooFew := b.posBits == 0 && freqs[at] > 1 // positions of one document differ
	if tooFew || b.posStart > b.ref.PosLen || start < b.posStart || start+need < start || start+need > uint64(len(b.src.Positions)) {
		b.fail()
		return 0, 0, nil, false
	}
	return bit, end, b.src.Positions[start:], true
}

// Meet keeps, of ascending starts, those that lie offset before a position of the term in a document of the block loaded last, given by its place there. It reads no
// further than it must.
func (b *Blocks) Meet(starts []uint32, offset uint32, at int) []uint32 {
	if !b.src.Text || at >= b.n || len(starts) == 0 {
		return starts[:0]
	}
	m := meeting{starts: starts, kept: starts[:0], offset: uint64(offset)}
	m.next()
	freqs := b.Freqs()
	if b.n < BlockLen {
		b.visitTail(freqs, at, func(pos uint32) { m.see(pos) })
		return m.kept
	}
	bit, end, src, ok := b.packed(freqs, at)
	width, mask, pos := uint64(b.posBits), uint64(1)<<b.posBits-1, uint32(0)
	if ok && width == 0 {
		m.see(0)
	}
	for ; bit < end; bit += width {
		if pos += uint32(binary.LittleEndian.Uint64(src[bit>>3:]) >> (bit & 7) & mask); uint64(pos) >= m.want && !m.see(pos) {
			break
		}
	}
	return m.kept
}

// meeting is how far starts and positions have been held against each other.
type meeting struct {
	starts, kept []uint32
	offset       uint64
	want         uint64 // where the first of starts must be followed
}

func (m *meeting) next() bool {
	if len(m.starts) == 0 {
		m.want = math.MaxUint64
		return false
	}
	m.want = uint64(m.starts[0]) + m.offset
	return true
}

// see takes the next position. It tells whether any start is left.
func (m *meeting) see(pos uint32) bool {
	for uint64(pos) >= m.want {
		if uint64(pos) == m.want {
			m.kept = append(m.kept, m.starts[0])
		}
		if m.starts = m.starts[1:]; !m.next() {
			return false
		}
	}
	return true
}

// visitTail calls for the positions of a document of a tail.
func (b *Blocks) visitTail(freqs []uint32, at int, visit func(pos uint32)) {
	p := &b.placed
	if (!p.started || p.upto > at) && !b.startTail() {
		return
	}
	for ; p.upto < at; p.upto++ {
		for range freqs[p.upto] {
			if p.tail.Uvarint(); !p.tail.OK() {
				b.fail()
				return
			}
		}
	}
	p.upto++
	pos := uint64(0)
	for range freqs[at] {
		pos += uint64(p.tail.Uint32())
		if !p.tail.OK() || pos >= uint64(NoDoc) {
			b.fail()
			return
		}
		visit(uint32(pos))
	}
}

// startTail stands on the positions of a tail's first document.
func (b *Blocks) startTail() bool {
	end := b.ref.PosOff + b.ref.PosLen
	if b.posStart > b.ref.PosLen || end < b.ref.PosOff || end > uint64(len(b.src.Positions)) {
		b.fail()
		return false
	}
	b.placed = placed{tail: cursor.New(b.src.Positions[b.ref.PosOff+b.posStart : end]), started: true}
	return true
}
