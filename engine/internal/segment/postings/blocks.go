package postings

import (
	"encoding/binary"
	"errors"
	"sort"

	"github.com/jetseek/jetseek/engine/internal/segment/cursor"
)

// NoDoc is where an iterator stands behind its last document. Document numbers are below it.
const NoDoc = ^uint32(0)

// RunLen is the number of blocks in a run, the coarser step of bounds.
const RunLen = 32

// ErrCorrupt says that bytes are no posting list of this package.
var ErrCorrupt = errors.New("corrupt postings")

// Source is one field's bytes, as [Writer.Finish] left them, and what they are.
type Source struct {
	Docs, Positions []byte
	Text            bool   // with frequencies and positions
	MaxDoc          uint32 // all documents are below it
}

// Blocks reads one list a block at a time: the loops that score want whole blocks in plain arrays. It allocates nothing and never reads outside its
// source: of bytes that are no list it gives empty blocks, and [Blocks.Err] says so. It serves one goroutine. Documents of a block ascend, lie behind those of
// the blocks before it and below the source's MaxDoc, whatever the bytes are.
type Blocks struct {
	src Source
	ref Ref
	err error

	count   int    // blocks, a tail included
	skip    []byte // lastDoc, end of each block; empty in a list without whole blocks
	ends    []byte // of the runs' impacts
	impacts []byte
	data    []byte // the blocks and all that follows in the source
	length  int    // of the blocks

	visited  uint64
	block    int // loaded, -1: none
	n        int
	freqOff  int // where the packed frequencies of the block start in data, -1 when they are in freqs
	freqBits int
	posBits  int
	posStart uint64 // of the block in the list's positions
	located  bool   // before is set for the block
	tailEnd  int    // of the positions of a tail, in bytes behind posStart, where it is located
	before   [BlockLen]uint32
	docs     [BlockLen]uint32
	freqs    [BlockLen]uint32
}

// Open takes a list; no block is loaded.
func (b *Blocks) Open(src Source, ref Ref) {
	b.src, b.ref, b.err, b.block, b.n, b.count, b.freqOff = src, ref, nil, -1, 0, 1, -1
	b.skip, b.ends, b.impacts, b.data, b.located, b.visited = nil, nil, nil, nil, false, 0
	if ref.DF == 1 {
		if ref.Doc >= src.MaxDoc || src.Text && (ref.Freq == 0 || ref.Freq > maxFreq) {
			b.fail()
		}
		return
	}
	if ref.DF == 0 || ref.DF > src.MaxDoc || ref.DocOff > uint64(len(src.Docs)) || ref.DocLen > uint64(len(src.Docs))-ref.DocOff {
		b.fail()
		return
	}
	b.data, b.length = src.Docs[ref.DocOff:], int(ref.DocLen)
	if ref.DF >= BlockLen {
		b.openSkip()
	}
}

// openSkip takes the skip data of a list with whole blocks.
func (b *Blocks) openSkip() {
	b.count = int((b.ref.DF + BlockLen - 1) / BlockLen)
	runs := 0
	if b.src.Text {
		runs = (b.count + RunLen - 1) / RunLen
	}
	head := 8*b.count + 4*runs
	if head > b.length {
		b.fail()
		return
	}
	b.skip, b.ends = b.data[:8*b.count], b.data[8*b.count:head]
	impacts := 0
	if runs > 0 {
		impacts = int(binary.LittleEndian.Uint32(b.ends[4*runs-4:]))
	}
	if impacts > b.length-head {
		b.fail()
		return
	}
	b.impacts, b.data = b.data[head:head+impacts], b.data[head+impacts:]
	b.length -= head + impacts
}

// Close lets go of the list's bytes: until the next Open the list is empty.
func (b *Blocks) Close() {
	b.fail()
	b.src, b.err = Source{}, nil
}

// Err tells whether bytes were met that are no list.
func (b *Blocks) Err() error { return b.err }

// DF gives the number of documents in the list.
func (b *Blocks) DF() uint32 { return b.ref.DF }

// Count gives the number of blocks, 0 of a corrupt list.
func (b *Blocks) Count() int { return b.count }

// Skips tells whether the last documents of blocks are known without loading them: not in lists shorter than a block.
func (b *Blocks) Skips() bool { return len(b.skip) > 0 }

// Last gives the last document of a block, or a number above it where that is not known.
func (b *Blocks) Last(block int) uint32 {
	if len(b.skip) == 0 {
		return b.src.MaxDoc
	}
	return binary.LittleEndian.Uint32(b.skip[8*block:])
}

// Find gives the first block from one on that may hold target, or Count.
func (b *Blocks) Find(from int, target uint32) int {
	for n := 0; n < 4; n++ { // mostly it is near
		if from >= b.count || b.Last(from) >= target {
			return min(from, b.count)
		}
		from++
	}
	return from + sort.Search(b.count-from, func(i int) bool { return b.Last(from+i) >= target })
}

// Load decodes the documents of a block, and gives them; they are the reader's until the next Load. None in a corrupt list.
func (b *Blocks) Load(block int) []uint32 {
	if block == b.block {
		return b.docs[:b.n]
	}
	b.block, b.n, b.freqOff, b.located = block, 0, -1, false
	if b.err != nil || block >= b.count {
		return nil
	}
	b.visited += uint64(min(b.ref.DF-uint32(block)*BlockLen, BlockLen))
	prev, start := ^uint32(0), 0
	if block > 0 {
		prev = b.Last(block - 1)
		start = int(binary.LittleEndian.Uint32(b.skip[8*block-4:]))
	}
	switch {
	case b.ref.DF == 1:
		b.n, b.docs[0], b.freqs[0], b.posStart = 1, b.ref.Doc, max(b.ref.Freq, 1), 0
		return b.docs[:1]
	case start > b.length:
		b.fail()
		return nil
	case int(b.ref.DF)-block*BlockLen < BlockLen:
		b.loadTail(start, prev)
	default:
		b.loadBlock(start, prev)
	}
	return b.docs[:b.n]
}

// Visited gives how many postings there are in the blocks that were decoded since the list was opened, again for each time.
func (b *Blocks) Visited() uint64 { return b.visited }

// Loaded gives the block loaded last, -1 before the first.
func (b *Blocks) Loaded() int { return b.block }

// Freqs gives the frequencies of the block loaded last; they are 1 in lists without frequencies.
func (b *Blocks) Freqs() []uint32 {
	if b.freqOff >= 0 {
		unpackFreqs(&b.freqs, b.data[b.freqOff:], b.freqBits)
		b.freqOff = -1
	}
	return b.freqs[:b.n]
}

// Once tells, for the block loaded last, whether all frequencies are 1.
func (b *Blocks) Once() bool { return b.freqOff >= 0 && b.freqBits == 0 }

func (b *Blocks) fail() {
	b.err, b.count, b.n, b.freqOff, b.skip, b.ends, b.impacts, b.data, b.length = ErrCorrupt, 0, 0, -1, nil, nil, nil, nil, 0
}

// maxFreq bounds frequencies: a document has at most as many tokens.
const maxFreq = 1 << 31

func (b *Blocks) loadBlock(start int, prev uint32) {
	c := cursor.At(b.data, start)
	docBits := int(c.Byte())
	b.freqBits, b.posBits, b.posStart = 0, 0, 0
	if b.src.Text {
		b.freqBits, b.posBits = int(c.Byte()), int(c.Byte())
		b.posStart = c.Uvarint()
	}
	off, last := c.Offset(), b.Last(b.block)
	if !c.OK() || docBits > 31 || b.freqBits > 31 || b.posBits > 32 || off+16*docBits+16*b.freqBits+Slack > len(b.data) || last >= b.src.MaxDoc {
		b.fail()
		return
	}
	unpackDocs(&b.docs, b.data[off:], docBits, prev)
	// Gaps of up to 24 bits cannot wrap around in a block, so that the last document being right bounds them all.
	if b.docs[BlockLen-1] != last || b.docs[0] > last || prev != NoDoc && b.docs[0] <= prev || docBits > maxGapWidth && !ascending(b.docs[:]) {
		b.fail()
		return
	}
	b.n, b.freqOff = BlockLen, off+16*docBits
}

func ascending(docs []uint32) bool {
	for i := 1; i < len(docs); i++ {
		if docs[i] <= docs[i-1] {
			return false
		}
	}
	return true
}

func (b *Blocks) loadTail(start int, prev uint32) {
	data, at := b.data[:b.length], start
	n := int(b.ref.DF) - b.block*BlockLen
	b.posStart = 0
	if b.src.Text && b.block > 0 {
		b.posStart, at = cursor.Uvarint(data, at)
	}
	for i := range n {
		var v uint64
		v, at = cursor.Uvarint(data, at)
		freq := uint64(1)
		if b.src.Text {
			if v&1 == 0 {
				freq, at = cursor.Uvarint(data, at)
			}
			v >>= 1
		}
		if v >= uint64(b.src.MaxDoc) || prev != NoDoc && uint64(prev)+v+1 >= uint64(b.src.MaxDoc) || freq == 0 || freq > maxFreq || at > len(data) {
			b.fail()
			return
		}
		prev += uint32(v) + 1
		b.docs[i], b.freqs[i] = prev, uint32(freq)
	}
	b.n = n
	if b.block > 0 && b.Last(b.block) != prev {
		b.fail()
	}
}

// Impacts appends pairs that bound all postings of the list; none when they are not known, in lists shorter than a block.
func (b *Blocks) Impacts(dst []Impact) []Impact {
	c := cursor.New(b.impacts)
	if len(b.impacts) > 0 {
		dst = b.readImpacts(dst, &c)
	}
	return dst
}

// Runs gives the number of runs of blocks whose bounds are known: none of a short list.
func (b *Blocks) Runs() int { return len(b.ends) / 4 }

// RunImpacts appends pairs that bound all postings of a run, without reading those of its blocks.
func (b *Blocks) RunImpacts(dst []Impact, run int) []Impact {
	dst, _ = b.openRun(dst, run)
	return dst
}

// Run reads the bounds of a run of blocks: pairs that bound all its postings, and how many there are for each of its blocks, in order. A corrupt or short
// list gives nothing.
func (b *Blocks) Run(run int, bounds *RunBounds) {
	var c cursor.Cursor
	bounds.Pairs = bounds.Pairs[:0]
	if bounds.Whole, c = b.openRun(bounds.Whole[:0], run); len(bounds.Whole) == 0 {
		return
	}
	for i := range min(RunLen, b.count-run*RunLen) {
		bounds.Pairs = b.readImpacts(bounds.Pairs, &c)
		bounds.Upto[i] = len(bounds.Pairs)
	}
}

// openRun appends the pairs of a run, and gives a cursor at those of its blocks.
func (b *Blocks) openRun(dst []Impact, run int) ([]Impact, cursor.Cursor) {
	if run >= b.Runs() {
		return dst, cursor.Cursor{}
	}
	start, end := 0, int(binary.LittleEndian.Uint32(b.ends[4*run:]))
	if run > 0 {
		start = int(binary.LittleEndian.Uint32(b.ends[4*run-4:]))
	}
	if start > end || end > len(b.impacts) {
		b.fail()
		return dst, cursor.Cursor{}
	}
	c := cursor.New(b.impacts[start:end])
	from := len(dst)
	if run == 0 {
		dst = b.readImpacts(dst, &c) // of the list
	}
	if b.Runs() > 1 {
		dst = b.readImpacts(dst[:from], &c)
	}
	return dst, c
}

// RunBounds are the bounds of a run: pairs for all of it, and Pairs[Upto[i-1]:Upto[i]] for its block i.
type RunBounds struct {
	Whole, Pairs []Impact
	Upto         [RunLen]int
}

func (b *Blocks) readImpacts(dst []Impact, c *cursor.Cursor) []Impact {
	dst = readImpacts(dst, c)
	if !c.OK() {
		b.fail()
	}
	return dst
}
