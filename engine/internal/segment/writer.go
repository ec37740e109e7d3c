package segment

import (
	"encoding/binary"
	"io"
	"slices"

	"github.com/jetseek/jetseek/engine/internal/segment/docvalues"
	"github.com/jetseek/jetseek/engine/internal/segment/postings"
	"github.com/jetseek/jetseek/engine/internal/segment/stored"
	"github.com/jetseek/jetseek/engine/internal/segment/termdict"
)

// compressFrom is the size of a segment's sources from which they are compressed.
const compressFrom = 256 << 10

// codecOf gives how sources of that many bytes are stored in memory.
func codecOf(sourceBytes int) stored.Codec {
	if sourceBytes < compressFrom {
		return stored.Plain
	}
	return stored.S2
}

// writer writes the sections of a segment in their order, for building and merging alike.
type writer struct {
	container
	docs int

	idStarts []uint32
	idBytes  []byte
	hashes   []uint64
	values   []int64 // scratch of columns
	starts   []uint32

	field   int
	dict    termdict.Writer
	lists   postings.Writer
	byDoc   []ordinal // of an exact field, by ordinal
	lengths textLengths
}

// ordinal is one exact value of a document.
type ordinal struct{ doc, ord uint32 }

// textLengths are the lengths of a field by document.
type textLengths []int64

func (l textLengths) Length(doc uint32) uint32 { return uint32(l[doc]) }

// reset begins a segment; sink nil keeps it in memory.
func (w *writer) reset(docs int, sink io.Writer) {
	w.container.reset(sink)
	w.docs = docs
	w.idStarts, w.idBytes, w.hashes = append(w.idStarts[:0], 0), w.idBytes[:0], w.hashes[:0]
}

// meta begins the segment. The states tell which logs occur.
func (w *writer) meta(collection uint64, states []State, fields []string) {
	w.buf = binary.LittleEndian.AppendUint64(w.buf, collection)
	w.buf = binary.AppendUvarint(w.buf, uint64(w.docs))
	logs := logsOf(states)
	w.buf = binary.AppendUvarint(w.buf, uint64(len(logs)))
	for _, l := range logs {
		w.buf = append(w.buf, l[:]...)
	}
	w.buf = binary.AppendUvarint(w.buf, uint64(len(fields)))
	for _, f := range fields {
		w.buf = binary.AppendUvarint(w.buf, uint64(len(f)))
		w.buf = append(w.buf, f...)
	}
	w.end(kindMeta, 0)
}

// logsOf gives the distinct logs in order of appearance: one, or a few after documents have moved between groups.
func logsOf(states []State) [][16]byte {
	var logs [][16]byte
	for i := range states {
		if i > 0 && states[i].Log == states[i-1].Log || slices.Contains(logs, states[i].Log) {
			continue
		}
		logs = append(logs, states[i].Log)
	}
	return logs
}

func (w *writer) id(id []byte, hash uint64) {
	w.idBytes = append(w.idBytes, id...)
	w.idStarts = append(w.idStarts, uint32(len(w.idBytes)))
	w.hashes = append(w.hashes, hash)
}

func (w *writer) endIDs() {
	for _, s := range w.idStarts {
		w.buf = binary.LittleEndian.AppendUint32(w.buf, s)
	}
	w.buf = append(w.buf, w.idBytes...)
	w.end(kindIDs, 0)
	w.buf = appendIDTable(w.buf, w.hashes)
	w.end(kindIDTable, 0)
}

// states writes the columns of the documents' states.
func (w *writer) states(states []State) {
	logs := logsOf(states)
	w.stateColumn(kindVersion, states, func(s *State) int64 { return int64(s.Version) })
	w.stateColumn(kindBirthSeq, states, func(s *State) int64 { return int64(s.Seq) })
	w.stateColumn(kindBirthLog, states, func(s *State) int64 { return int64(slices.Index(logs, s.Log)) })
	w.stateColumn(kindBirthIndex, states, func(s *State) int64 { return int64(s.Index) })
	w.stateColumn(kindSlot, states, func(s *State) int64 { return int64(s.Slot) })
	for i := range states {
		w.buf = append(w.buf, states[i].Content[:]...)
	}
	w.end(kindContent, 0)
}

func (w *writer) stateColumn(k kind, states []State, get func(*State) int64) {
	w.values = w.values[:0]
	for i := range states {
		w.values = append(w.values, get(&states[i]))
	}
	w.buf = docvalues.Append(w.buf, w.values)
	w.end(k, 0)
}

// zeros gives a zero for each document, which the writer owns until the next field.
func (w *writer) zeros(docs int) []int64 {
	w.lengths = append(w.lengths[:0], make([]int64, docs)...)
	return w.lengths
}

// beginText begins a text field whose documents have these lengths; its terms follow in order.
func (w *writer) beginText(field int, lengths []int64) {
	w.field, w.lengths = field, lengths
	w.buf = docvalues.Append(w.buf, lengths)
	w.end(kindLengths, field)
	w.dict.Reset(true)
	w.lists.Reset(w.lengths)
}

func (w *writer) term(term []byte, list *postings.List) {
	w.dict.Add(term, w.lists.Append(list))
}

func (w *writer) endText() {
	w.lists.Finish()
	w.section(kindTerms, w.field, w.dict.Finish())
	w.section(kindPostings, w.field, w.lists.Docs)
	w.section(kindPositions, w.field, w.lists.Positions)
}

// beginExact begins the exact values of a field; they follow in order.
func (w *writer) beginExact(field int) {
	w.field, w.byDoc = field, w.byDoc[:0]
	w.dict.Reset(false)
	w.lists.Reset(nil)
}

func (w *writer) exactTerm(term []byte, list *postings.List) {
	ord := uint32(w.dict.Len())
	for _, d := range list.Docs {
		w.byDoc = append(w.byDoc, ordinal{d, ord})
	}
	w.term(term, list)
}

func (w *writer) endExact(docs int) {
	w.lists.Finish()
	w.section(kindExact, w.field, w.dict.Finish())
	w.section(kindExactPostings, w.field, w.lists.Docs)
	w.starts = append(w.starts[:0], make([]uint32, docs+2)...)
	for _, p := range w.byDoc {
		w.starts[p.doc+2]++
	}
	for d := 2; d < len(w.starts); d++ {
		w.starts[d] += w.starts[d-1]
	}
	w.values = slices.Grow(w.values[:0], len(w.byDoc))[:len(w.byDoc)]
	for _, p := range w.byDoc { // by ordinal, and so each document's ascend
		w.values[w.starts[p.doc+1]] = int64(p.ord)
		w.starts[p.doc+1]++
	}
	w.buf = docvalues.AppendMulti(w.buf, w.starts[:docs+1], w.values)
	w.end(kindOrdinals, w.field)
}

// beginColumn begins a column; values follow in order of documents.
func (w *writer) beginColumn(docs int) {
	w.starts = append(w.starts[:0], make([]uint32, docs+1)...)
	w.values = w.values[:0]
}

func (w *writer) value(doc uint32, v int64) {
	w.starts[doc+1]++
	w.values = append(w.values, v)
}

func (w *writer) endColumn(k kind, field int) {
	for d := 1; d < len(w.starts); d++ {
		w.starts[d] += w.starts[d-1]
	}
	w.buf = docvalues.AppendMulti(w.buf, w.starts, w.values)
	w.end(k, field)
}
