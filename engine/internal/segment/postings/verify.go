package postings

import (
	"encoding/binary"

	"github.com/jetseek/jetseek/engine/internal/segment/cursor"
)

// Part tells the byte strings of a list apart.
type Part uint8

// The two byte strings.
const (
	InDocs Part = iota
	InPositions
)

// Report takes a finding: in which byte string, where, and what is wrong there.
type Report func(in Part, off int, format string, args ...any)

// Checker checks lists. It keeps its memory from one list to the next, and serves one goroutine. The zero value is ready.
type Checker struct {
	it        Iterator
	ref       Ref
	lengths   Lengths
	report    Report
	bounds    RunBounds
	all       []Impact
	positions []uint32
	at        int    // where the next block must start
	posAt     uint64 // where its positions must start in the list's
}

// Check decodes a list whole and holds its parts against each other: documents ascend below the source's MaxDoc, frequencies are at least 1, positions ascend and
// are as many as the frequencies say, blocks and their positions follow each other without gaps up to the list's end, skip data says where they end, and the
// pairs of block, run and list bound every posting. Lengths are those of the documents, nil for lists without frequencies. visit gets every posting. A list that
// does not decode is visited as far as it does, and the result is false.
func (c *Checker) Check(src Source, ref Ref, lengths Lengths, visit func(doc, freq uint32), report Report) bool {
	c.ref, c.lengths, c.report, c.at, c.posAt, c.all = ref, lengths, report, 0, 0, c.all[:0]
	c.it.Init(src, ref)
	b := &c.it.b
	count := b.Count()
	if src.Text && b.Skips() {
		c.all = b.Impacts(c.all)
		c.pairs(c.all, "the list")
	}
	if c.failed(0) {
		return false
	}
	prev := NoDoc
	for block := range count {
		c.it.enter(block)
		if c.failed(block) {
			return false
		}
		freqs := b.Freqs()
		for i, doc := range b.docs[:b.n] {
			if prev != NoDoc && doc <= prev || doc >= src.MaxDoc {
				report(InDocs, c.off(c.at), "block %d: document %d behind %d of %d", block, doc, prev, src.MaxDoc)
			}
			if freqs[i] == 0 {
				report(InDocs, c.off(c.at), "document %d has frequency 0", doc)
			}
			prev = doc
			visit(doc, freqs[i])
		}
		if b.Skips() && b.Last(block) != prev {
			report(InDocs, int(ref.DocOff)+8*block, "block %d ends with document %d, its skip data say %d", block, prev, b.Last(block))
		}
		if src.Text {
			c.checkPositions(block)
			c.checkBounds(block)
		}
		if c.failed(block) {
			return false
		}
		c.checkPlace(block)
	}
	if ref.DF > 1 && c.at != b.length {
		report(InDocs, c.off(c.at), "blocks end at %d of %d bytes", c.at, b.length)
	}
	if src.Text && c.posAt != ref.PosLen {
		report(InPositions, int(ref.PosOff), "positions take %d bytes of %d", c.posAt, ref.PosLen)
	}
	return true
}

// off gives where a byte of the blocks lies in the documents.
func (c *Checker) off(at int) int { return int(c.ref.DocOff+c.ref.DocLen) - c.it.b.length + at }

// failed tells, and reports, whether the list does not decode.
func (c *Checker) failed(block int) bool {
	if c.it.Err() == nil {
		return false
	}
	c.report(InDocs, int(c.ref.DocOff), "does not decode from block %d on", block)
	return true
}

// checkPositions reads the positions of a block.
func (c *Checker) checkPositions(block int) {
	b := &c.it.b
	if b.posStart != c.posAt {
		c.report(InDocs, c.off(c.at), "positions of block %d start at %d, those before end at %d", block, b.posStart, c.posAt)
	}
	total := uint64(0)
	freqs := b.Freqs()
	for i, doc := range b.docs[:b.n] {
		c.positions = b.Positions(c.positions[:0], i)
		if c.it.Err() != nil {
			c.report(InPositions, int(c.ref.PosOff+b.posStart), "positions of document %d do not decode", doc)
			return
		}
		if len(c.positions) != int(freqs[i]) {
			c.report(InPositions, int(c.ref.PosOff+b.posStart), "document %d has %d positions and frequency %d", doc, len(c.positions), freqs[i])
		}
		if !ascending(c.positions) {
			c.report(InPositions, int(c.ref.PosOff+b.posStart), "positions of document %d do not ascend: %d", doc, c.positions)
		}
		total += uint64(freqs[i])
	}
	if b.n == BlockLen {
		c.posAt = b.posStart + (total*uint64(b.posBits)+7)/8
	} else {
		c.posAt = b.posStart + uint64(b.tailEnd)
	}
}

// checkPlace checks that a block ends where the skip data say, and moves on to the next.
func (c *Checker) checkPlace(block int) {
	b := &c.it.b
	if c.ref.DF == 1 {
		return
	}
	r := cursor.At(b.data[:b.length], c.at)
	if b.n == BlockLen {
		packed := int(r.Byte())
		if b.src.Text {
			packed += int(r.Byte())
			r.Byte()
			r.Uvarint()
		}
		r.Bytes(16 * packed)
	} else {
		readTail(&r, b.n, b.src.Text, block > 0, func(uint32, uint32) {})
	}
	c.at = r.Offset()
	if !b.Skips() {
		return
	}
	if end := int(binary.LittleEndian.Uint32(b.skip[8*block+4:])); end != c.at {
		c.report(InDocs, int(c.ref.DocOff)+8*block+4, "block %d ends at %d, its skip data say %d", block, c.at, end)
		c.at = end
	}
}

// readTail reads a tail of n documents, and gives each with its gap and frequency to visit.
func readTail(r *cursor.Cursor, n int, text, behind bool, visit func(gap, freq uint32)) (posStart uint64) {
	if text && behind {
		posStart = r.Uvarint()
	}
	for range n {
		v, freq := r.Uvarint(), uint32(1)
		if text {
			if v&1 == 0 {
				freq = r.Uint32()
			}
			v >>= 1
		}
		visit(uint32(v)+1, freq)
	}
	return posStart
}

// checkBounds checks that the pairs of a block, its run and the list bound every posting of the block.
func (c *Checker) checkBounds(block int) {
	b := &c.it.b
	if !b.Skips() {
		return
	}
	run, i := block/RunLen, block%RunLen
	if i == 0 {
		b.Run(run, &c.bounds)
		if c.it.Err() != nil {
			return
		}
		c.runPlace(run)
		c.pairs(c.bounds.Whole, "a run")
	}
	from := 0
	if i > 0 {
		from = c.bounds.Upto[i-1]
	}
	own := c.bounds.Pairs[from:c.bounds.Upto[i]]
	c.pairs(own, "a block")
	freqs := b.Freqs()
	for j, doc := range b.docs[:b.n] {
		p := Impact{freqs[j], c.lengths.Length(doc)}
		for _, level := range []struct {
			pairs []Impact
			name  string
		}{{own, "block"}, {c.bounds.Whole, "run"}, {c.all, "list"}} {
			if !bounded(level.pairs, p) {
				c.report(InDocs, c.off(c.at), "document %d with frequency %d and length %d is not bounded by the pairs of its %s, %v", doc, p.Freq, p.Length, level.name, level.pairs)
			}
		}
	}
}

// runPlace checks that the pairs of a run fill what the ends of runs leave for them.
func (c *Checker) runPlace(run int) {
	b := &c.it.b
	start, end := 0, int(binary.LittleEndian.Uint32(b.ends[4*run:]))
	if run > 0 {
		start = int(binary.LittleEndian.Uint32(b.ends[4*run-4:]))
	}
	r := cursor.New(b.impacts[start:end])
	sets := min(RunLen, b.count-run*RunLen)
	if run == 0 {
		sets++ // the list's
	}
	if len(b.ends) > 4 {
		sets++ // the run's
	}
	for range sets {
		readImpacts(nil, &r)
	}
	if !r.OK() || r.Left() > 0 {
		c.report(InDocs, c.off(0)-len(b.impacts)+start, "pairs of run %d do not end at %d", run, end)
	}
}

// pairs checks that frequencies and lengths of pairs rise.
func (c *Checker) pairs(pairs []Impact, of string) {
	for i := 1; i < len(pairs); i++ {
		if pairs[i].Freq <= pairs[i-1].Freq || pairs[i].Length <= pairs[i-1].Length {
			c.report(InDocs, int(c.ref.DocOff), "pairs of %s do not rise: %v", of, pairs)
		}
	}
	if len(pairs) == 0 {
		c.report(InDocs, int(c.ref.DocOff), "no pairs of %s", of)
	}
}

func bounded(pairs []Impact, p Impact) bool {
	for _, by := range pairs {
		if by.Freq >= p.Freq && by.Length <= p.Length {
			return true
		}
	}
	return false
}
