package postings

import "github.com/jetseek/jetseek/engine/internal/segment/cursor"

// Iterator walks one list in order of documents. It allocates nothing but the slices that the caller hands in, and never reads outside its
// source: over bytes that are no list it stands at [NoDoc] and [Iterator.Err] says so. It serves one goroutine.
type Iterator struct {
	b   Blocks
	at  int // which document of the block it stands on
	doc uint32

	counted   uint64 // positions of the block before document countedTo of it
	countedTo int
	tailPos   cursor.Cursor
	tailAt    int // document of the block whose positions tailPos stands on
	tailBlock int // the block that tailPos is of, -1: none
}

// Init stands the iterator on the first document of a list.
func (it *Iterator) Init(src Source, ref Ref) {
	it.b.Open(src, ref)
	it.enter(0)
}

// Close lets go of the list's bytes: until the next Init the list is empty.
func (it *Iterator) Close() {
	it.fail()
	it.b.Close()
}

// Err tells whether the walk met bytes that are no list; the answer is final once the iterator stands at [NoDoc].
func (it *Iterator) Err() error { return it.b.err }

// Count gives the number of documents in the list.
func (it *Iterator) Count() uint32 { return it.b.ref.DF }

// Doc gives the document it stands on, or [NoDoc].
func (it *Iterator) Doc() uint32 { return it.doc }

// Next goes to the next document.
func (it *Iterator) Next() uint32 {
	it.at++
	if it.at < it.b.n {
		it.doc = it.b.docs[it.at]
		return it.doc
	}
	if it.doc != NoDoc {
		it.enter(it.b.block + 1)
	}
	return it.doc
}

// Advance goes to the first document at or behind target; it never goes back.
func (it *Iterator) Advance(target uint32) uint32 {
	if it.doc >= target {
		return it.doc
	}
	if it.b.docs[it.b.n-1] < target {
		it.enter(it.b.Find(it.b.block+1, target))
	}
	for it.doc < target {
		it.Next()
	}
	return it.doc
}

// enter stands on the first document of a block.
func (it *Iterator) enter(block int) {
	it.at, it.doc, it.counted, it.countedTo, it.tailBlock = 0, NoDoc, 0, 0, -1
	if docs := it.b.Load(block); len(docs) > 0 {
		it.doc = docs[0]
	}
}

// Freq gives how often the term stands in the document, 1 in lists without frequencies.
func (it *Iterator) Freq() uint32 {
	if it.b.freqOff >= 0 {
		it.b.Freqs()
	}
	return it.b.freqs[it.at]
}

// Positions appends the positions of the term in the document, ascending.
func (it *Iterator) Positions(dst []uint32) []uint32 {
	if it.doc == NoDoc {
		return dst
	}
	return it.positions(dst, it.at)
}

// positions appends those of a document of the block loaded.
func (it *Iterator) positions(dst []uint32, at int) []uint32 {
	if !it.b.src.Text {
		return dst
	}
	freqs := it.b.Freqs()
	if it.b.n == BlockLen {
		return it.packedPositions(dst, freqs, at)
	}
	if it.tailBlock != it.b.block || it.tailAt > at {
		it.startTailPositions()
	}
	for ; it.tailAt < at; it.tailAt++ {
		for range freqs[it.tailAt] {
			if it.tailPos.Uvarint(); !it.tailPos.OK() {
				it.fail()
				return dst
			}
		}
	}
	it.tailAt++
	pos := uint64(0)
	for range freqs[at] {
		pos += uint64(it.tailPos.Uint32())
		if !it.tailPos.OK() || pos >= uint64(NoDoc) {
			it.fail()
			return dst
		}
		dst = append(dst, uint32(pos))
	}
	return dst
}

func (it *Iterator) packedPositions(dst, freqs []uint32, at int) []uint32 {
	if it.countedTo > at {
		it.countedTo, it.counted = 0, 0
	}
	for ; it.countedTo < at; it.countedTo++ {
		it.counted += uint64(freqs[it.countedTo])
	}
	b, first, n := &it.b, it.counted, uint64(freqs[at])
	start := b.ref.PosOff + b.posStart
	need := ((first+n)*uint64(b.posBits)+7)/8 + Slack
	tooFew := b.posBits == 0 && n > 1 // positions of one document differ
	if tooFew || b.posStart > b.ref.PosLen || start < b.posStart || start+need < start || start+need > uint64(len(b.src.Positions)) {
		it.fail()
		return dst
	}
	from := len(dst)
	for range n {
		dst = append(dst, 0)
	}
	unpack(dst[from:], b.src.Positions[start:], int(first), b.posBits)
	for i := from + 1; i < len(dst); i++ {
		dst[i] += dst[i-1]
	}
	return dst
}

func (it *Iterator) startTailPositions() {
	b := &it.b
	it.tailAt, it.tailBlock = 0, b.block
	if end := b.ref.PosOff + b.ref.PosLen; b.posStart > b.ref.PosLen || end < b.ref.PosOff || end > uint64(len(b.src.Positions)) {
		it.fail()
		return
	}
	it.tailPos = cursor.New(b.src.Positions[b.ref.PosOff+b.posStart : b.ref.PosOff+b.ref.PosLen])
}

func (it *Iterator) fail() {
	it.b.fail()
	it.doc, it.at, it.tailPos = NoDoc, 0, cursor.Cursor{}
}
