package segment

import (
	"encoding/binary"
	"io"
	"slices"

	"github.com/jetseek/jetseek/engine/internal/segment/docvalues"
	"github.com/jetseek/jetseek/engine/internal/segment/postings"
	"github.com/jetseek/jetseek/engine/internal/segment/termdict"
)

// writer writes the sections of a segment in their order, for building and merging alike.
type writer struct {
	container
	docs int

	idTable []uint64
	values  []int64 // scratch of columns
	starts  []uint32

	field   int
	dict    termdict.Writer
	lists   postings.Writer
	exact   bool      // the present field's terms are exact values
	byDoc   []ordinal // of an exact field, by ordinal
	lengths textLengths

	overflow                   Overflow
	terms, docLists, positions spilled // of dict and lists
}

// ordinal is one exact value of a document.
type ordinal struct{ doc, ord uint32 }

// textLengths are the lengths of a field by document.
type textLengths []int64

func (l textLengths) Length(doc uint32) uint32 { return uint32(l[doc]) }

// reset begins a segment; sink nil keeps it in memory.
func (w *writer) reset(docs int, sink io.Writer) {
	w.container.reset(sink)
	w.docs, w.overflow = docs, Overflow{}
}

// meta begins the segment. The logs are those of the documents' states.
func (w *writer) meta(collection uint64, logs [][16]byte, fields []string) {
	w.buf = binary.LittleEndian.AppendUint64(w.buf, collection)
	w.buf = binary.AppendUvarint(w.buf, uint64(w.docs))
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

// ids writes the ids and their table; each visits the ids of all documents in order, and hash gives what [HashID] makes of the id that was visited last.
func (w *writer) ids(each func(visit func(id []byte)), hash func(doc int, id []byte) uint64) {
	end := uint32(0)
	w.buf = binary.LittleEndian.AppendUint32(w.buf, end)
	each(func(id []byte) {
		end += uint32(len(id))
		w.buf = binary.LittleEndian.AppendUint32(w.buf, end)
		w.relieve()
	})
	w.idTable = append(w.idTable[:0], make([]uint64, tableSlots(w.docs))...)
	doc := 0
	each(func(id []byte) {
		w.buf = append(w.buf, id...)
		w.relieve()
		enterID(w.idTable, doc, hash(doc, id))
		doc++
	})
	w.end(kindIDs, 0)
	for _, e := range w.idTable {
		w.buf = binary.LittleEndian.AppendUint64(w.buf, e)
		w.relieve()
	}
	w.end(kindIDTable, 0)
}

// plainColumn writes a column of one value for each document, all of which each visits in order.
func (w *writer) plainColumn(k kind, each func(visit func(int64))) {
	w.values = w.values[:0]
	each(func(v int64) { w.values = append(w.values, v) })
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
	w.exact = false
}

// term takes a term and its whole list.
func (w *writer) term(term []byte, list *postings.List) {
	w.ordinals(list.Docs)
	w.dict.Add(term, w.lists.Append(list))
}

// block takes the next [postings.BlockLen] documents of the present term's list.
func (w *writer) block(list *postings.List) {
	w.ordinals(list.Docs)
	w.lists.Block(list)
	w.spill(&w.positions, len(w.lists.Positions), w.lists.TakePositions)
}

// endTerm takes a term and the rest of its list, behind blocks.
func (w *writer) endTerm(term []byte, rest *postings.List) {
	w.ordinals(rest.Docs)
	w.dict.Add(term, w.lists.End(rest))
	w.spill(&w.terms, w.dict.Size(), w.dict.Take)
	w.spill(&w.docLists, len(w.lists.Docs), w.lists.TakeDocs)
	w.spill(&w.positions, len(w.lists.Positions), w.lists.TakePositions)
}

// ordinals notes the documents that have the present exact value.
func (w *writer) ordinals(docs []uint32) {
	if !w.exact {
		return
	}
	ord := uint32(w.dict.Len())
	for _, d := range docs {
		w.byDoc = append(w.byDoc, ordinal{d, ord})
	}
}

func (w *writer) endText() {
	w.lists.Finish()
	w.spilledSection(kindTerms, &w.terms, w.dict.Finish())
	w.spilledSection(kindPostings, &w.docLists, w.lists.Docs)
	w.spilledSection(kindPositions, &w.positions, w.lists.Positions)
}

// beginExact begins the exact values of a field; they follow in order.
func (w *writer) beginExact(field int) {
	w.field, w.byDoc, w.exact = field, w.byDoc[:0], true
	w.dict.Reset(false)
	w.lists.Reset(nil)
}

func (w *writer) endExact(docs int) {
	w.lists.Finish()
	w.spilledSection(kindExact, &w.terms, w.dict.Finish())
	w.spilledSection(kindExactPostings, &w.docLists, w.lists.Docs)
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
