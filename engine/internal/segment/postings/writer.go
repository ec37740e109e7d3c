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

// Writer encodes the lists of one field. Docs and Positions grow by each list; [Writer.Finish] adds the slack.
type Writer struct {
	Docs, Positions []byte

	lengths Lengths // nil: lists without frequencies
	gaps    [BlockLen]uint32
	deltas  []uint32
	blocks  []byte   // of the list
	skip    []byte   // of the list
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
}

// Finish adds the slack that readers need.
func (w *Writer) Finish() {
	var slack [Slack]byte
	w.Docs = append(w.Docs, slack[:]...)
	w.Positions = append(w.Positions, slack[:]...)
}

// Append encodes a list of at least one document.
func (w *Writer) Append(l *List) Ref {
	ref := Ref{DF: uint32(len(l.Docs)), DocOff: uint64(len(w.Docs)), PosOff: uint64(len(w.Positions))}
	text := w.lengths != nil
	if ref.DF == 1 {
		ref.Doc = l.Docs[0]
		if text {
			ref.Freq = l.Freqs[0]
			w.Positions = appendPositions(w.Positions, l.Positions)
			ref.PosLen = uint64(len(w.Positions)) - ref.PosOff
		}
		return ref
	}
	if ref.DF < BlockLen {
		w.Docs = w.appendTail(w.Docs, l.Docs, l.Freqs, l.Positions, ^uint32(0))
	} else {
		w.appendBlocks(l, ref.PosOff)
	}
	ref.DocLen = uint64(len(w.Docs)) - ref.DocOff
	ref.PosLen = uint64(len(w.Positions)) - ref.PosOff
	return ref
}

// appendBlocks encodes a list of at least one whole block.
func (w *Writer) appendBlocks(l *List, posOff uint64) {
	w.blocks, w.skip, w.ends, w.impacts, w.run = w.blocks[:0], w.skip[:0], w.ends[:0], w.impacts[:0], w.run[:0]
	w.runs, w.all = w.runs[:0], w.all[:0]
	text, single := w.lengths != nil, len(l.Docs) <= RunLen*BlockLen
	prev, p := ^uint32(0), 0
	for i := 0; i < len(l.Docs); i += BlockLen {
		docs := l.Docs[i:min(i+BlockLen, len(l.Docs))]
		posStart := uint64(len(w.Positions)) - posOff
		var freqs, positions []uint32
		if text {
			freqs = l.Freqs[i : i+len(docs)]
			n := total(freqs)
			positions = l.Positions[p : p+n]
			p += n
			w.addImpacts(docs, freqs)
		}
		switch {
		case len(docs) < BlockLen:
			if text {
				w.blocks = binary.AppendUvarint(w.blocks, posStart)
			}
			w.blocks = w.appendTail(w.blocks, docs, freqs, positions, prev)
		case text:
			w.textBlock(docs, freqs, positions, prev, posStart)
		default:
			bits := w.fillGaps(docs, prev)
			w.blocks = appendPacked(append(w.blocks, byte(bits)), w.gaps[:], bits)
		}
		prev = docs[len(docs)-1]
		w.skip = binary.LittleEndian.AppendUint32(w.skip, prev)
		w.skip = binary.LittleEndian.AppendUint32(w.skip, uint32(len(w.blocks)))
		if last := i+BlockLen >= len(l.Docs); text && (last || (i/BlockLen+1)%RunLen == 0) {
			w.endRun(single)
		}
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
}

// addImpacts makes the pairs of a block.
func (w *Writer) addImpacts(docs, freqs []uint32) {
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
