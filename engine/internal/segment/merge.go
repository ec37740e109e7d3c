package segment

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/jetseek/jetseek/engine/internal/docset"
	"github.com/jetseek/jetseek/engine/internal/segment/docvalues"
	"github.com/jetseek/jetseek/engine/internal/segment/postings"
	"github.com/jetseek/jetseek/engine/internal/segment/stored"
	"github.com/jetseek/jetseek/engine/internal/segment/termdict"
)

// Input is a segment of a merge and those of its documents that go on living; nil: all.
type Input struct {
	Segment *Segment
	Live    docset.Set
}

// Merger merges segments. It keeps its memory from one merge to the next, and serves one goroutine. The zero value is ready.
type Merger struct {
	inputs []Input
	maps   [][]uint32 // by input: from old document to new
	docs   int
	out    writer
	store  stored.Writer // of a file
	keeper stored.Keeper // in memory

	it    postings.Iterator
	list  postings.List
	heads []*mergeHead
	term  []byte
}

// mergeHead is one input's dictionary, standing on a term.
type mergeHead struct {
	input int
	terms *termdict.Iterator
	key   uint64 // the term's first bytes, by which most comparisons are decided
	src   postings.Source
}

// next goes to the next term; false when there is none.
func (h *mergeHead) next() bool {
	ok := h.terms.Next()
	h.key = termdict.Head(h.terms.Term())
	return ok
}

func (h *mergeHead) before(o *mergeHead) bool {
	return h.key < o.key || h.key == o.key && bytes.Compare(h.terms.Term(), o.terms.Term()) < 0
}

// Merge gives one segment that holds the living documents of all inputs, in their order, and for each input the new numbers of its documents ([Gone]: dead). The inputs are of
// one collection, and at least one document lives. Bytes of the inputs that have to be decoded and do not are an error, as is the context's end.
func (m *Merger) Merge(ctx context.Context, inputs []Input) (*Segment, [][]uint32, error) {
	b, maps, err := m.run(ctx, nil, Overflow{}, inputs, stored.Plain)
	if err != nil {
		return nil, nil, err
	}
	s, err := openMade(b, m.keeper.Finish())
	return s, maps, err
}

// FlushTo is [Merger.MergeTo] for inputs in memory: their sources are written as they are. The first merge of the file compresses them, if the documents live so long.
func (m *Merger) FlushTo(ctx context.Context, sink io.Writer, overflow Overflow, inputs []Input) ([][]uint32, error) {
	_, maps, err := m.run(ctx, sink, overflow, inputs, stored.Plain)
	return maps, err
}

// MergeTo is [Merger.Merge] into a file: sections are written as they are made, one after the other. With an overflow, memory does not grow with the terms and lists: what it
// takes is the overflow's limit three times, the documents of the longest list, and for each document some 40 bytes and 24 for each exact value of one field. After an
// error the file holds anything; temporary files are gone in any case.
func (m *Merger) MergeTo(ctx context.Context, sink io.Writer, overflow Overflow, inputs []Input) ([][]uint32, error) {
	_, maps, err := m.run(ctx, sink, overflow, inputs, stored.Zstd)
	return maps, err
}

// run merges to a sink, with its sources in a codec, or in memory, with its sources in the keeper.
func (m *Merger) run(ctx context.Context, sink io.Writer, overflow Overflow, inputs []Input, codec stored.Codec) ([]byte, [][]uint32, error) {
	m.inputs = inputs
	m.number()
	if m.docs > MaxDocs {
		return nil, nil, fmt.Errorf("merge of %d documents: at most %d fit", m.docs, MaxDocs)
	}
	m.out.reset(m.docs, sink)
	m.out.overflow = overflow
	defer m.out.discard()
	if sink == nil {
		m.out.reserve(m.size())
	}
	logs, names := m.logs(), m.fieldNames()
	m.out.meta(inputs[0].Segment.collection, logs, names)
	m.writeIDs()
	m.writeStates(logs)
	if err := m.writeSources(ctx, sink == nil, codec); err != nil {
		return nil, nil, err
	}
	for i, name := range names {
		if err := m.writeField(ctx, i, name); err != nil {
			return nil, nil, fmt.Errorf("merge field %q: %w", name, err)
		}
		if err := m.stopped(ctx); err != nil {
			return nil, nil, err
		}
	}
	maps := m.maps
	m.inputs, m.maps = nil, nil
	b := m.out.finish()
	return b, maps, m.stopped(ctx)
}

// stopped gives the reason to go no further: the file's error, or the context's.
func (m *Merger) stopped(ctx context.Context) error {
	if err := cmp.Or(m.out.err, ctx.Err()); err != nil {
		return fmt.Errorf("merge: %w", err)
	}
	return nil
}

// number gives the living documents their new numbers.
func (m *Merger) number() {
	m.maps, m.docs = make([][]uint32, len(m.inputs)), 0
	for i, in := range m.inputs {
		m.maps[i] = make([]uint32, in.Segment.docs)
		for d := range m.maps[i] {
			if in.Live != nil && !in.Live.Has(uint32(d)) {
				m.maps[i][d] = Gone
				continue
			}
			m.maps[i][d] = uint32(m.docs)
			m.docs++
		}
	}
}

// size gives about the bytes of a result in memory: what the inputs have without their dead, since what they share is small beside the rest.
func (m *Merger) size() int {
	size, docs := 0, 0
	for _, in := range m.inputs {
		size, docs = size+len(in.Segment.bytes), docs+in.Segment.docs
	}
	return int(float64(size)*(float64(m.docs)/float64(docs))) + 4096
}

// living visits the living documents in order.
func (m *Merger) living(visit func(s *Segment, old, doc uint32)) {
	for i, in := range m.inputs {
		for old, doc := range m.maps[i] {
			if doc != Gone {
				visit(in.Segment, uint32(old), doc)
			}
		}
	}
}

// logs gives the distinct logs of the living documents' states, in order of appearance.
func (m *Merger) logs() [][16]byte {
	var logs [][16]byte
	m.living(func(s *Segment, old, _ uint32) {
		if log := s.log(old); !slices.Contains(logs, log) {
			logs = append(logs, log)
		}
	})
	return logs
}

func (m *Merger) fieldNames() []string {
	var names []string
	for _, in := range m.inputs {
		for i := range in.Segment.fields {
			names = append(names, in.Segment.fields[i].Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (m *Merger) writeIDs() {
	m.out.ids(func(visit func([]byte)) {
		m.living(func(s *Segment, old, _ uint32) { visit(s.ID(old)) })
	}, func(_ int, id []byte) uint64 { return HashID(string(id)) })
}

func (m *Merger) writeStates(logs [][16]byte) {
	column := func(k kind, get func(s *Segment, old uint32) int64) {
		m.out.plainColumn(k, func(visit func(int64)) {
			m.living(func(s *Segment, old, _ uint32) { visit(get(s, old)) })
		})
	}
	column(kindVersion, func(s *Segment, old uint32) int64 { return first(&s.version, old) })
	column(kindBirthSeq, func(s *Segment, old uint32) int64 { return first(&s.birthSeq, old) })
	column(kindBirthLog, func(s *Segment, old uint32) int64 { return int64(slices.Index(logs, s.log(old))) })
	column(kindBirthIndex, func(s *Segment, old uint32) int64 { return first(&s.birthIndex, old) })
	column(kindSlot, func(s *Segment, old uint32) int64 { return first(&s.slot, old) })
	m.living(func(s *Segment, old, _ uint32) {
		m.out.buf = append(m.out.buf, s.content[16*int(old):][:16]...)
		m.out.relieve()
	})
	m.out.end(kindContent, 0)
}

// writeSources stores the sources of the living documents, in the keeper or in a section.
func (m *Merger) writeSources(ctx context.Context, keep bool, codec stored.Codec) error {
	if keep {
		m.keeper.Reset()
		return m.addSources(ctx, &m.keeper)
	}
	m.store.Reset(codec, m.out.part)
	if err := m.addSources(ctx, &m.store); err != nil {
		return err
	}
	m.store.Finish()
	m.out.end(kindStored, 0)
	return nil
}

// sourceStore takes sources, [stored.Writer] or [stored.Keeper].
type sourceStore interface {
	Add(source []byte)
	AddBlock(b *stored.Block) (bool, error)
}

// addSources gives a store whole blocks where all their documents live, and documents elsewhere.
func (m *Merger) addSources(ctx context.Context, store sourceStore) error {
	for i, in := range m.inputs {
		for old := uint32(0); int(old) < in.Segment.docs; {
			b, err := in.Segment.sources.Block(old)
			end := b.First + uint32(b.Len())
			if err == nil {
				err = addBlock(store, &b, old, m.maps[i][old:end])
			}
			if err != nil {
				return fmt.Errorf("%w: merge sources: %w", ErrCorrupt, err)
			}
			old = end
			if err := m.stopped(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// addBlock gives a store the documents of a block from first on that have new numbers.
func addBlock(store sourceStore, b *stored.Block, first uint32, numbers []uint32) error {
	if first == b.First && !slices.Contains(numbers, Gone) {
		if whole, err := store.AddBlock(b); whole || err != nil {
			return err
		}
	}
	return b.Each(func(doc uint32, source []byte) {
		if doc >= first && numbers[doc-first] != Gone {
			store.Add(source)
		}
	})
}

// writeField merges the parts of one field.
func (m *Merger) writeField(ctx context.Context, i int, name string) error {
	var text, exact, ints, floats bool
	fields := make([]*Field, len(m.inputs))
	for j, in := range m.inputs {
		f := in.Segment.Field(name)
		if f == nil {
			f = &Field{}
		}
		fields[j] = f
		text, exact, ints, floats = text || f.HasText, exact || f.HasExact, ints || f.HasInts, floats || f.HasFloats
	}
	if text {
		m.out.beginText(i, m.lengths(fields))
		if err := m.mergeTerms(ctx, fields, true); err != nil {
			return err
		}
		m.out.endText()
	}
	if exact {
		m.out.beginExact(i)
		if err := m.mergeTerms(ctx, fields, false); err != nil {
			return err
		}
		m.out.endExact(m.docs)
	}
	if ints {
		m.mergeColumn(kindInts, i, fields, func(f *Field) *docvalues.Column { return &f.Ints })
	}
	if floats {
		m.mergeColumn(kindFloats, i, fields, func(f *Field) *docvalues.Column { return &f.Floats })
	}
	return nil
}

func (m *Merger) lengths(fields []*Field) []int64 {
	lengths := m.out.zeros(m.docs)
	for j, f := range fields {
		if !f.HasText {
			continue
		}
		for old, doc := range m.maps[j] {
			if doc != Gone {
				lengths[doc] = int64(f.Lengths.Length(uint32(old)))
			}
		}
	}
	return lengths
}

func (m *Merger) mergeColumn(k kind, i int, fields []*Field, get func(*Field) *docvalues.Column) {
	m.out.beginColumn(m.docs)
	for j, f := range fields {
		col := get(f)
		for old := range col.Docs() {
			if doc := m.maps[j][old]; doc != Gone {
				from, to := col.Range(uint32(old))
				for v := from; v < to; v++ {
					m.out.value(doc, col.Int(v))
				}
			}
		}
	}
	m.out.endColumn(k, i)
}

// mergeTerms writes the terms of all inputs in order, each with its list in new numbers; terms that no living document has are left out.
func (m *Merger) mergeTerms(ctx context.Context, fields []*Field, text bool) error {
	m.heads = m.heads[:0]
	for j, f := range fields {
		h := &mergeHead{input: j, terms: f.Exact.All(), src: f.exact}
		if text {
			h.terms, h.src = f.Terms.All(), f.terms
		}
		if h.next() {
			m.heads = append(m.heads, h)
		}
	}
	for n := 0; len(m.heads) > 0; n++ {
		if n%1024 == 0 {
			if err := m.stopped(ctx); err != nil {
				return err
			}
		}
		if err := m.mergeTerm(text); err != nil {
			return err
		}
	}
	return nil
}

// mergeTerm writes the least term of all heads and takes these beyond it.
func (m *Merger) mergeTerm(text bool) error {
	least := m.heads[0]
	for _, h := range m.heads[1:] {
		if h.before(least) {
			least = h
		}
	}
	key := least.key
	m.term = append(m.term[:0], least.terms.Term()...)
	m.list.Reset()
	left := m.heads[:0]
	for _, h := range m.heads {
		if h.key == key && bytes.Equal(h.terms.Term(), m.term) {
			if err := m.take(h, text); err != nil {
				return fmt.Errorf("term %q: %w", m.term, err)
			}
			if !h.next() {
				continue
			}
		}
		left = append(left, h)
	}
	m.heads = left
	if len(m.list.Docs) > 0 || m.out.lists.Len() > 0 {
		m.out.endTerm(m.term, &m.list)
	}
	return nil
}

// take writes a list of one input in new numbers, block by block; what fills none is left in m.list.
func (m *Merger) take(h *mergeHead, text bool) error {
	it := &m.it
	numbers := m.maps[h.input]
	for it.Init(h.src, h.terms.Ref()); it.Doc() != postings.NoDoc; it.Next() {
		doc := numbers[it.Doc()]
		if doc == Gone {
			continue
		}
		m.list.Docs = append(m.list.Docs, doc)
		if text {
			m.list.Freqs = append(m.list.Freqs, it.Freq())
			m.list.Positions = it.Positions(m.list.Positions)
		}
		if len(m.list.Docs) == postings.BlockLen {
			m.out.block(&m.list)
			m.list.Reset()
		}
	}
	return it.Err()
}
