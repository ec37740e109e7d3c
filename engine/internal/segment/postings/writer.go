package postings

import "encoding/binary"

// List is one term's postings: documents ascending, their frequencies (nil: a list without frequencies and positions), and the positions of
// all documents one after the other.
type List struct {
	Docs, Freqs, Positions []uint32
}

// Reset empties the list and keeps its memory.
func (l *List) Reset() {
	l.Docs, l.Freqs, l.Positions = l.Docs[:0], l.Freqs[:0], l.Positions[:0]
}

// Ref says where a list lies. With a DF of 1 Doc and Freq hold the posting and DocLen is 0.
type Ref struct {
	DF             uint32
	Doc, Freq      uint32 // of a list of one document
	DocOff, DocLen uint64 // bytes in the documents
	PosOff, PosLen uint64 // bytes in the positions
}

// Lengths tells the length of a document in tokens, for impacts.
type Lengths interface{ Length(doc uint32) uint32 }

// Writer encodes the lists of one field, each at once ([Writer.Append]) or block by block ([Writer.Block], [Writer.End]). Docs and Positions grow by each list; who wants
// their memory back takes the bytes away between any two calls ([Writer.TakeDocs], [Writer.TakePositions]). [Writer.Finish] adds the slack.
type Writer struct {
	Docs, Positions []byte // less what was taken

	docsTaken, positionsTaken uint64 // bytes

	lengths Lengths // nil: lists without frequencies

	// Of the present list.
	df     int    // documents so far
	prev   uint32 // the last of them
	posOff uint64

	gaps    [BlockLen]uint32
	deltas  []uint32
	blocks  []byte
	skip    []byte
	ends    []byte   // of the impacts of its runs
	impacts []byte   // of its runs
	run     []byte   // impacts of the blocks of the present run
	block   []Impact // pairs of the present block, run and list
	runs    []Impact
	all     []Impact
}

// NewWriter makes a writer of text lists, whose documents have these lengths; with nil, of lists without frequencies.
func NewWriter(lengths Lengths) *Writer { return &Writer{lengths: lengths} }

// Reset starts a new field and keeps the memory of Docs and Positions.
func (w *Writer) Reset(lengths Lengths) {
	w.lengths, w.Docs, w.Positions = lengths, w.Docs[:0], w.Positions[:0]
	w.docsTaken, w.positionsTaken, w.df = 0, 0, 0
}

// TakeDocs gives Docs, valid until the next call, and empties it; offsets go on behind it.
func (w *Writer) TakeDocs() []byte {
	b := w.Docs
	w.docsTaken, w.Docs = w.docsTaken+uint64(len(b)), b[:0]
	return b
}

// TakePositions is [Writer.TakeDocs] of the positions.
func (w *Writer) TakePositions() []byte {
	b := w.Positions
	w.positionsTaken, w.Positions = w.positionsTaken+uint64(len(b)), b[:0]
	return b
}

func (w *Writer) docsEnd() uint64      { return w.docsTaken + uint64(len(w.Docs)) }
func (w *Writer) positionsEnd() uint64 { return w.positionsTaken + uint64(len(w.Positions)) }

// Finish adds the slack that readers need.
func (w *Writer) Finish() {
	var slack [Slack]byte
	w.Docs = append(w.Docs, slack[:]...)
	w.Positions = append(w.Positions, slack[:]...)
}

// Append encodes a list of at least one document.
func (w *Writer) Append(l *List) Ref {
	rest := *l
	for len(rest.Docs) >= BlockLen {
		b := List{Docs: rest.Docs[:BlockLen]}
		rest.Docs = rest.Docs[BlockLen:]
		if w.lengths != nil {
			b.Freqs, rest.Freqs = rest.Freqs[:BlockLen], rest.Freqs[BlockLen:]
			n := total(b.Freqs)
			b.Positions, rest.Positions = rest.Positions[:n], rest.Positions[n:]
		}
		w.Block(&b)
	}
	return w.End(&rest)
}

// Len gives the number of documents in the present list's blocks.
func (w *Writer) Len() int { return w.df }

// Block encodes the next [BlockLen] documents of a list, and begins one if the last has ended.
func (w *Writer) Block(l *List) {
	if w.df == 0 {
		w.begin()
	}
	if w.lengths == nil {
		bits := w.fillGaps(l.Docs, w.prev)
		w.blocks = appendPacked(append(w.blocks, byte(bits)), w.gaps[:], bits)
	} else {
		w.addImpacts(l.Docs, l.Freqs)
		w.textBlock(l.Docs, l.Freqs, l.Positions, w.prev, w.positionsEnd()-w.posOff)
	}
	w.endBlock(l.Docs)
}

func (w *Writer) begin() {
	w.blocks, w.skip, w.ends, w.impacts, w.run = w.blocks[:0], w.skip[:0], w.ends[:0], w.impacts[:0], w.run[:0]
	w.runs, w.all = w.runs[:0], w.all[:0]
	w.prev, w.posOff = ^uint32(0), w.positionsEnd()
}

func (w *Writer) endBlock(docs []uint32) {
	w.df += len(docs)
	w.prev = docs[len(docs)-1]
	w.skip = binary.LittleEndian.AppendUint32(w.skip, w.prev)
	w.skip = binary.LittleEndian.AppendUint32(w.skip, uint32(len(w.blocks)))
}

// End encodes the rest of a list, fewer than [BlockLen] documents, and ends it; lists have one document at least.
func (w *Writer) End(l *List) Ref {
	ref := Ref{DF: uint32(w.df + len(l.Docs)), DocOff: w.docsEnd(), PosOff: w.posOff}
	if w.df == 0 {
		ref.PosOff = w.positionsEnd()
	}
	switch {
	case w.df > 0:
		w.endBlocks(l)
	case ref.DF > 1:
		w.Docs = w.appendTail(w.Docs, l.Docs, l.Freqs, l.Positions, ^uint32(0))
	default:
		ref.Doc = l.Docs[0]
		if w.lengths != nil {
			ref.Freq = l.Freqs[0]
			w.Positions = appendPositions(w.Positions, l.Positions)
		}
	}
	ref.DocLen = w.docsEnd() - ref.DocOff
	ref.PosLen = w.positionsEnd() - ref.PosOff
	return ref
}

// endBlocks ends a list of at least one block.
func (w *Writer) endBlocks(tail *List) {
	text := w.lengths != nil
	if len(tail.Docs) > 0 {
		if text {
			w.addImpacts(tail.Docs, tail.Freqs)
			w.blocks = binary.AppendUvarint(w.blocks, w.positionsEnd()-w.posOff)
		}
		w.blocks = w.appendTail(w.blocks, tail.Docs, tail.Freqs, tail.Positions, w.prev)
		w.endBlock(tail.Docs)
	}
	if text {
		w.endRun(w.df <= RunLen*BlockLen)
	}
	w.Docs = append(append(w.Docs, w.skip...), w.ends...)
	if text {
		listed := len(w.Docs)
		w.Docs = appendImpacts(w.Docs, few(w.all))
		shift := uint32(len(w.Docs) - listed)
		for at := listed - len(w.ends); at < listed; at += 4 { // the list's pairs lie before those of its runs
			binary.LittleEndian.PutUint32(w.Docs[at:], binary.LittleEndian.Uint32(w.Docs[at:])+shift)
		}
		w.Docs = append(w.Docs, w.impacts...)
	}
	w.Docs = append(w.Docs, w.blocks...)
	w.df = 0
}

// addImpacts makes the pairs of the next block, which tells whether the run before it is the only one.
func (w *Writer) addImpacts(docs, freqs []uint32) {
	if w.df > 0 && w.df%(RunLen*BlockLen) == 0 {
		w.endRun(false)
	}
	w.block = w.block[:0]
	for i, d := range docs {
		w.block = addImpact(w.block, Impact{freqs[i], w.lengths.Length(d)})
	}
	w.block = few(w.block)
	w.runs = addImpacts(w.runs, w.block)
	w.run = appendImpacts(w.run, w.block)
}

// endRun closes a run; pairs of the only one would be those of the list.
func (w *Writer) endRun(single bool) {
	w.runs = few(w.runs)
	w.all = addImpacts(w.all, w.runs)
	if !single {
		w.impacts = appendImpacts(w.impacts, w.runs)
	}
	w.impacts = append(w.impacts, w.run...)
	w.ends = binary.LittleEndian.AppendUint32(w.ends, uint32(len(w.impacts)))
	w.run, w.runs = w.run[:0], w.runs[:0]
}

func (w *Writer) textBlock(docs, freqs, positions []uint32, prev uint32, posStart uint64) {
	w.deltas = appendDeltas(w.deltas[:0], freqs, positions)
	posBits := width(w.deltas)
	w.Positions = appendPacked(w.Positions, w.deltas, posBits)
	w.deltas = w.deltas[:0]
	for _, f := range freqs {
		w.deltas = append(w.deltas, f-1)
	}
	docBits, freqBits := w.fillGaps(docs, prev), width(w.deltas)
	w.blocks = append(w.blocks, byte(docBits), byte(freqBits), byte(posBits))
	w.blocks = binary.AppendUvarint(w.blocks, posStart)
	w.blocks = appendPacked(w.blocks, w.gaps[:], docBits)
	w.blocks = appendPacked(w.blocks, w.deltas, freqBits)
}

// appendTail appends less than a block of postings, and their positions to w.Positions.
func (w *Writer) appendTail(dst []byte, docs, freqs, positions []uint32, prev uint32) []byte {
	p := 0
	for i, d := range docs {
		gap := uint64(d - prev - 1)
		prev = d
		switch {
		case w.lengths == nil:
			dst = binary.AppendUvarint(dst, gap)
			continue
		case freqs[i] == 1:
			dst = binary.AppendUvarint(dst, gap<<1|1)
		default:
			dst = binary.AppendUvarint(dst, gap<<1)
			dst = binary.AppendUvarint(dst, uint64(freqs[i]))
		}
		n := int(freqs[i])
		w.Positions = appendPositions(w.Positions, positions[p:p+n])
		p += n
	}
	return dst
}

// fillGaps sets w.gaps and gives their width.
func (w *Writer) fillGaps(docs []uint32, prev uint32) int {
	for i, d := range docs {
		w.gaps[i] = d - prev - 1
		prev = d
	}
	return width(w.gaps[:])
}

// appendPositions appends one document's positions as a first one and gaps.
func appendPositions(dst []byte, positions []uint32) []byte {
	prev := uint32(0)
	for _, p := range positions {
		dst = binary.AppendUvarint(dst, uint64(p-prev))
		prev = p
	}
	return dst
}

// appendDeltas appends the positions of several documents, each as a first one and gaps.
func appendDeltas(dst, freqs, positions []uint32) []uint32 {
	p := 0
	for _, f := range freqs {
		prev := uint32(0)
		for _, pos := range positions[p : p+int(f)] {
			dst = append(dst, pos-prev)
			prev = pos
		}
		p += int(f)
	}
	return dst
}

func total(freqs []uint32) int {
	n := 0
	for _, f := range freqs {
		n += int(f)
	}
	return n
}
