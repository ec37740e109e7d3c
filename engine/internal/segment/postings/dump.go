package postings

import (
	"fmt"

	"github.com/jetseek/jetseek/engine/internal/segment/cursor"
	"github.com/jetseek/jetseek/engine/internal/segment/labels"
)

// Dump prints the documents of a list, whose source lies at an offset, as labelled bytes.
func Dump(p *labels.Printer, src Source, ref Ref, base int) {
	if ref.DF == 1 {
		p.Line(base+int(ref.DocOff), nil, "document %d, frequency %d: in the dictionary", ref.Doc, max(ref.Freq, 1))
		return
	}
	var b Blocks
	b.Open(src, ref)
	if b.Err() != nil {
		p.Line(base, nil, "CORRUPT: %v", b.Err())
		return
	}
	at := base + int(ref.DocOff)
	r := p.Read(src.Docs[ref.DocOff:ref.DocOff+ref.DocLen], at)
	if b.Skips() {
		dumpSkip(p, r, &b)
	}
	for block := 0; block < b.Count() && r.OK() && !p.Failed(); block++ {
		dumpBlock(p, r, &b, block)
	}
	r.End()
}

func dumpSkip(p *labels.Printer, r *labels.Reader, b *Blocks) {
	for i := range b.Count() {
		r.Group(func(c *cursor.Cursor) string {
			return fmt.Sprintf("skip: block %d ends with document %d, at %d", i, c.Fixed32(), c.Fixed32())
		})
	}
	runs := len(b.ends) / 4
	for i := range runs {
		r.Fixed32(fmt.Sprintf("pairs of run %d end at", i))
	}
	for run := range runs {
		if run == 0 {
			dumpPairs(r, "the list")
		}
		if runs > 1 {
			dumpPairs(r, fmt.Sprintf("run %d", run))
		}
		for block := run * RunLen; block < min(run*RunLen+RunLen, b.Count()); block++ {
			dumpPairs(r, fmt.Sprintf("block %d", block))
		}
	}
}

func dumpPairs(r *labels.Reader, of string) {
	r.Group(func(c *cursor.Cursor) string {
		text := fmt.Sprintf("pairs of %s (frequency/length):", of)
		for _, pair := range readImpacts(nil, c) {
			text += fmt.Sprintf(" %d/%d", pair.Freq, pair.Length)
		}
		return text
	})
}

func dumpBlock(p *labels.Printer, r *labels.Reader, b *Blocks, block int) {
	docs := b.Load(block)
	if b.Err() != nil {
		r.Bytes(r.Left(), "CORRUPT: block %d: %v", block, b.Err())
		return
	}
	freqs := b.Freqs()
	if len(docs) < BlockLen {
		r.Group(func(c *cursor.Cursor) string {
			posStart := readTail(c, len(docs), b.src.Text, block > 0, func(uint32, uint32) {})
			text := fmt.Sprintf("tail: documents %s", labels.Few(p, docs))
			if b.src.Text {
				text += fmt.Sprintf("; frequencies %s", labels.Few(p, freqs))
			}
			if b.src.Text && block > 0 {
				text += fmt.Sprintf("; positions start at %d", posStart)
			}
			return text
		})
		return
	}
	docBits := int(r.Byte(fmt.Sprintf("block %d: bits of a gap", block)))
	p.In()
	defer p.Out()
	freqBits := 0
	if b.src.Text {
		freqBits = int(r.Byte("bits of a frequency"))
		r.Byte("bits of a position")
		r.Uvarint("positions start at")
	}
	r.Bytes(16*docBits, "documents %s", labels.Few(p, docs))
	if b.src.Text {
		r.Bytes(16*freqBits, "frequencies %s", labels.Few(p, freqs))
	}
}

// DumpPositions prints the positions of a list, whose source's positions lie at an offset, by blocks.
func DumpPositions(p *labels.Printer, src Source, ref Ref, base int) {
	var it Iterator
	it.Init(src, ref)
	end := uint64(0)
	for block := 0; block < it.b.Count() && !p.Failed(); block++ {
		it.enter(block)
		var text string
		total := uint64(0)
		freqs := it.b.Freqs()
		for i := 0; i < len(freqs) && it.Err() == nil; i++ {
			at := it.b.Positions(nil, i)
			if total += uint64(freqs[i]); i < 8 || it.b.n < BlockLen {
				text += fmt.Sprintf(" %d:%v", it.b.docs[i], labels.Few(p, at))
			}
		}
		if it.Err() != nil {
			p.Line(base+int(ref.PosOff+end), nil, "CORRUPT: positions of block %d: %v", block, it.Err())
			return
		}
		start := it.b.posStart
		if end = ref.PosLen; it.b.n == BlockLen {
			end = min(start+(total*uint64(it.b.posBits)+7)/8, ref.PosLen)
		}
		if start > end {
			p.Line(base+int(ref.PosOff+start), nil, "CORRUPT: positions of block %d start behind their end", block)
			return
		}
		p.Line(base+int(ref.PosOff+start), src.Positions[ref.PosOff+start:ref.PosOff+end], "block %d, document:positions%s", block, text)
	}
}
