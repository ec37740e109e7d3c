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
	blocks  []byte
	skip    []byte
	impacts []Impact
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
	w.blocks, w.skip = w.blocks[:0], w.skip[:0]
	prev, p := ^uint32(0), 0
	for i := 0; i+BlockLen <= len(l.Docs); i += BlockLen {
		docs := l.Docs[i : i+BlockLen]
		if text {
			n := total(l.Freqs[i : i+BlockLen])
			w.textBlock(docs, l.Freqs[i:i+BlockLen], l.Positions[p:p+n], prev, uint64(len(w.Positions))-ref.PosOff)
			p += n
		} else {
			w.docBlock(docs, prev)
		}
		prev = docs[BlockLen-1]
		w.skip = binary.LittleEndian.AppendUint32(w.skip, prev)
		w.skip = binary.LittleEndian.AppendUint32(w.skip, uint32(len(w.blocks)))
	}
	w.Docs = append(append(w.Docs, w.skip...), w.blocks...)
	w.tail(l, len(l.Docs)/BlockLen*BlockLen, prev, p, ref.PosOff)
	ref.DocLen = uint64(len(w.Docs)) - ref.DocOff
	ref.PosLen = uint64(len(w.Positions)) - ref.PosOff
	return ref
}

func (w *Writer) docBlock(docs []uint32, prev uint32) {
	bits := w.fillGaps(docs, prev)
	w.blocks = appendPacked(append(w.blocks, byte(bits)), w.gaps[:], bits)
}

func (w *Writer) textBlock(docs, freqs, positions []uint32, prev uint32, posStart uint64) {
	w.deltas = appendDeltas(w.deltas[:0], freqs, positions)
	posBits := width(w.deltas)
	w.Positions = appendPacked(w.Positions, w.deltas, posBits)

	w.impacts = w.impacts[:0]
	for i, d := range docs {
		w.impacts = addImpact(w.impacts, Impact{freqs[i], w.lengths.Length(d)})
	}
	w.deltas = w.deltas[:0]
	for _, f := range freqs {
		w.deltas = append(w.deltas, f-1)
	}
	docBits, freqBits := w.fillGaps(docs, prev), width(w.deltas)
	w.blocks = append(w.blocks, byte(docBits), byte(freqBits), byte(posBits))
	w.blocks = binary.AppendUvarint(w.blocks, posStart)
	w.blocks = appendImpacts(w.blocks, w.impacts)
	w.blocks = appendPacked(w.blocks, w.gaps[:], docBits)
	w.blocks = appendPacked(w.blocks, w.deltas, freqBits)
}

// fillGaps sets w.gaps and gives their width.
func (w *Writer) fillGaps(docs []uint32, prev uint32) int {
	for i, d := range docs {
		w.gaps[i] = d - prev - 1
		prev = d
	}
	return width(w.gaps[:])
}

func (w *Writer) tail(l *List, from int, prev uint32, p int, posOff uint64) {
	if w.lengths != nil && from > 0 && from < len(l.Docs) {
		w.Docs = binary.AppendUvarint(w.Docs, uint64(len(w.Positions))-posOff)
	}
	for i := from; i < len(l.Docs); i++ {
		gap := uint64(l.Docs[i] - prev - 1)
		prev = l.Docs[i]
		switch {
		case w.lengths == nil:
			w.Docs = binary.AppendUvarint(w.Docs, gap)
			continue
		case l.Freqs[i] == 1:
			w.Docs = binary.AppendUvarint(w.Docs, gap<<1|1)
		default:
			w.Docs = binary.AppendUvarint(w.Docs, gap<<1)
			w.Docs = binary.AppendUvarint(w.Docs, uint64(l.Freqs[i]))
		}
		n := int(l.Freqs[i])
		w.Positions = appendPositions(w.Positions, l.Positions[p:p+n])
		p += n
	}
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
