package postings

import (
	"encoding/binary"
	"errors"
	"sort"

	"github.com/jetseek/jetseek/engine/internal/segment/cursor"
)

// NoDoc is where an iterator stands behind its last document. Document numbers are below it.
const NoDoc = ^uint32(0)

// ErrCorrupt says that bytes are no posting list of this package.
var ErrCorrupt = errors.New("corrupt postings")

// Source is one field's bytes, as [Writer.Finish] left them, and what they are.
type Source struct {
	Docs, Positions []byte
	Text            bool   // with frequencies and positions
	MaxDoc          uint32 // all documents are below it
}

// Iterator walks one list in order of documents. It allocates nothing but the slices that the caller hands in, and never reads outside its
// source: over bytes that are no list it stands at [NoDoc] and [Iterator.Err] says so. It serves one goroutine.
type Iterator struct {
	src Source
	ref Ref
	err error

	docs []byte // the list's bytes and all that follows in the source
	full int    // whole blocks
	base int    // where the blocks start in docs

	block     int // the one in buf; full for the tail, -1 before the first
	n, at     int // documents in buf, and which one it stands on
	doc       uint32
	freqOff   int // where the packed frequencies of the block start, 0 when they are in freq
	freqBits  int
	posBits   int
	posStart  uint64 // of the block in the list's positions
	counted   uint64 // positions of the block before document countedTo of buf
	countedTo int
	tailPos   cursor.Cursor
	tailAt    int // document of buf whose positions tailPos stands on
	buf, freq [BlockLen]uint32
}

// Init stands the iterator on the first document of a list.
func (it *Iterator) Init(src Source, ref Ref) {
	it.src, it.ref, it.err = src, ref, nil
	it.block, it.n, it.at, it.full, it.base, it.freqOff, it.doc = -1, 0, 0, 0, 0, 0, NoDoc
	if ref.DF == 1 {
		it.single()
		return
	}
	if ref.DF == 0 || ref.DocOff > uint64(len(src.Docs)) || ref.DocLen > uint64(len(src.Docs))-ref.DocOff {
		it.fail()
		return
	}
	it.docs = src.Docs[ref.DocOff:]
	it.full = int(ref.DF / BlockLen)
	it.base = it.full * 8
	if uint64(it.base) > ref.DocLen {
		it.fail()
		return
	}
	it.load(0)
}

// Err tells whether the walk met bytes that are no list; the answer is final once the iterator stands at [NoDoc].
func (it *Iterator) Err() error { return it.err }

// Count gives the number of documents in the list.
func (it *Iterator) Count() uint32 { return it.ref.DF }

// Doc gives the document it stands on, or [NoDoc].
func (it *Iterator) Doc() uint32 { return it.doc }

// Next goes to the next document.
func (it *Iterator) Next() uint32 {
	it.at++
	if it.at < it.n {
		it.doc = it.buf[it.at]
		return it.doc
	}
	it.load(it.block + 1)
	return it.doc
}

// Advance goes to the first document at or behind target; it never goes back.
func (it *Iterator) Advance(target uint32) uint32 {
	if it.doc >= target {
		return it.doc
	}
	if it.buf[it.n-1] < target {
		it.load(it.find(target))
	}
	for it.doc < target {
		it.at++
		if it.at >= it.n {
			it.load(it.block + 1)
			continue
		}
		it.doc = it.buf[it.at]
	}
	return it.doc
}

// find gives the first block behind the present one that may hold target: full stands for the tail.
func (it *Iterator) find(target uint32) int {
	from := it.block + 1
	if from >= it.full {
		return from
	}
	return from + sort.Search(it.full-from, func(i int) bool { return it.lastDoc(from+i) >= target })
}

func (it *Iterator) lastDoc(block int) uint32 { return binary.LittleEndian.Uint32(it.docs[block*8:]) }

// blockStart gives where a block (or the tail) starts in docs.
func (it *Iterator) blockStart(block int) int {
	if block == 0 {
		return it.base
	}
	return it.base + int(binary.LittleEndian.Uint32(it.docs[block*8-4:]))
}

// Freq gives how often the term stands in the document, 1 in lists without frequencies.
func (it *Iterator) Freq() uint32 {
	if it.freqOff != 0 {
		it.loadFreqs()
	}
	return it.freq[it.at]
}

// Positions appends the positions of the term in the document, ascending.
func (it *Iterator) Positions(dst []uint32) []uint32 {
	if !it.src.Text || it.doc == NoDoc {
		return dst
	}
	n := int(it.Freq())
	if it.block < it.full {
		return it.packedPositions(dst, n)
	}
	if it.tailAt > it.at {
		it.startTailPositions()
	}
	for ; it.tailAt < it.at; it.tailAt++ {
		for range it.freq[it.tailAt] {
			if it.tailPos.Uvarint(); !it.tailPos.OK() {
				it.fail()
				return dst
			}
		}
	}
	it.tailAt++
	pos := uint64(0)
	for range n {
		pos += uint64(it.tailPos.Uint32())
		if !it.tailPos.OK() || pos >= uint64(NoDoc) {
			it.fail()
			return dst
		}
		dst = append(dst, uint32(pos))
	}
	return dst
}

func (it *Iterator) packedPositions(dst []uint32, n int) []uint32 {
	if it.countedTo > it.at {
		it.countedTo, it.counted = 0, 0
	}
	for ; it.countedTo < it.at; it.countedTo++ {
		it.counted += uint64(it.freq[it.countedTo])
	}
	first := it.counted
	start := it.ref.PosOff + it.posStart
	need := ((first+uint64(n))*uint64(it.posBits)+7)/8 + Slack
	tooFew := it.posBits == 0 && n > 1 // positions of one document differ
	if tooFew || it.posStart > it.ref.PosLen || start+need < start || start+need > uint64(len(it.src.Positions)) {
		it.fail()
		return dst
	}
	from := len(dst)
	for range n {
		dst = append(dst, 0)
	}
	unpack(dst[from:], it.src.Positions[start:], int(first), it.posBits)
	for i := from + 1; i < len(dst); i++ {
		dst[i] += dst[i-1]
	}
	return dst
}

// Bound gives the last document of the block that the iterator stands in (or of the next one that may hold target), and appends pairs that bound
// the postings up to it. It moves nothing: that is for pruning.
func (it *Iterator) Bound(target uint32, dst []Impact) (uint32, []Impact) {
	if it.doc == NoDoc {
		return NoDoc, dst
	}
	block := it.block
	if it.buf[it.n-1] < target {
		block = it.find(target)
	}
	if block < it.full {
		c := cursor.At(it.docs, it.blockStart(block)+3)
		c.Uvarint()
		dst = readImpacts(dst, &c)
		if !c.OK() {
			it.fail()
		}
		return it.lastDoc(block), dst
	}
	return NoDoc, append(dst, Impact{Freq: NoDoc, Length: 0})
}

func (it *Iterator) fail() {
	it.err, it.doc, it.n, it.at, it.block, it.full, it.freqOff = ErrCorrupt, NoDoc, 0, 0, 0, 0, 0
}

func (it *Iterator) single() {
	if it.ref.Doc >= it.src.MaxDoc || it.src.Text && it.ref.Freq == 0 {
		it.fail()
		return
	}
	it.block, it.n, it.doc, it.posStart = 0, 1, it.ref.Doc, 0
	it.buf[0], it.freq[0] = it.ref.Doc, max(it.ref.Freq, 1)
	it.startTailPositions()
}

// load decodes a block, or the tail, and stands on its first document; behind the last one there is [NoDoc].
func (it *Iterator) load(block int) {
	it.at, it.freqOff = 0, 0
	if block > it.full || block == it.full && it.ref.DF%BlockLen == 0 || it.ref.DF == 1 {
		it.doc, it.n, it.block = NoDoc, 0, it.full+1
		return
	}
	prev := ^uint32(0)
	if block > 0 {
		prev = it.lastDoc(block - 1)
	}
	start := it.blockStart(block)
	it.block = block
	if uint64(start) > it.ref.DocLen {
		it.fail()
		return
	}
	if block == it.full {
		it.loadTail(start, prev)
	} else {
		it.loadBlock(start, prev)
	}
	if it.err == nil {
		it.doc = it.buf[0]
	}
}

func (it *Iterator) loadBlock(start int, prev uint32) {
	c := cursor.At(it.docs, start)
	docBits := int(c.Byte())
	if it.src.Text {
		it.freqBits, it.posBits = int(c.Byte()), int(c.Byte())
		it.posStart = c.Uvarint()
		skipImpacts(&c)
	} else {
		it.freqBits, it.posBits = 0, 0
	}
	off := c.Offset()
	if !c.OK() || docBits > 32 || it.freqBits > 32 || it.posBits > 32 || off+16*docBits+16*it.freqBits+Slack > len(it.docs) {
		it.fail()
		return
	}
	it.n, it.counted, it.countedTo = BlockLen, 0, 0
	unpack(it.buf[:], it.docs[off:], 0, docBits)
	if !it.sumGaps(prev) {
		it.fail()
		return
	}
	it.freqOff = off + 16*docBits
}

// sumGaps turns the gaps in buf into documents; false when they leave the segment.
func (it *Iterator) sumGaps(prev uint32) bool {
	var sum uint64
	for i := range it.n {
		sum += uint64(it.buf[i])
		prev += it.buf[i] + 1
		it.buf[i] = prev
	}
	first := uint64(it.buf[0])
	return prev < it.src.MaxDoc && first < uint64(it.src.MaxDoc) && sum < uint64(it.src.MaxDoc)
}

func (it *Iterator) loadFreqs() {
	unpack(it.freq[:], it.docs[it.freqOff:], 0, it.freqBits)
	for i := range it.freq {
		it.freq[i]++
	}
	it.freqOff = 0
}

func (it *Iterator) loadTail(start int, prev uint32) {
	c := cursor.New(it.docs[start:it.ref.DocLen])
	it.posStart = 0
	if it.src.Text && it.full > 0 {
		it.posStart = c.Uvarint()
	}
	it.n = int(it.ref.DF % BlockLen)
	for i := range it.n {
		v := c.Uvarint()
		it.freq[i] = 1
		if it.src.Text {
			if v&1 == 0 {
				it.freq[i] = c.Uint32()
			}
			v >>= 1
		}
		prev += uint32(v) + 1
		if v >= uint64(it.src.MaxDoc) || prev >= it.src.MaxDoc || it.freq[i] == 0 {
			c.Fail()
			break
		}
		it.buf[i] = prev
	}
	if !c.OK() {
		it.fail()
		return
	}
	it.startTailPositions()
}

func (it *Iterator) startTailPositions() {
	it.tailAt = 0
	if !it.src.Text {
		return
	}
	if end := it.ref.PosOff + it.ref.PosLen; it.posStart > it.ref.PosLen || end < it.ref.PosOff || end > uint64(len(it.src.Positions)) {
		it.fail()
		return
	}
	it.tailPos = cursor.New(it.src.Positions[it.ref.PosOff+it.posStart : it.ref.PosOff+it.ref.PosLen])
}
