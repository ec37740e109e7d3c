package segment

import (
	"slices"

	"github.com/jetseek/jetseek/engine/internal/segment/stored"
)

// Cut gives the segment of the documents from..to-1 that were not removed, in memory, numbered anew in their order, and which they are; nil when there are none. The
// documents stay in the builder.
func (b *Builder) Cut(from, to uint32) (s *Segment, docs []uint32, err error) {
	c := &b.cut
	c.from, c.to, c.numbers = from, to, c.numbers[:0]
	b.states = b.states[:0]
	for i := from; i < to; i++ {
		if b.docs[i].dead {
			c.numbers = append(c.numbers, Gone)
			continue
		}
		c.numbers = append(c.numbers, uint32(len(docs)))
		docs = append(docs, i)
		b.states = append(b.states, b.docs[i].state)
	}
	if c.docs = len(docs); c.docs == 0 {
		return nil, nil, nil
	}
	b.write(docs)
	s, err = openMade(b.out.finish(), b.keep())
	return s, docs, err
}

// write writes the segment of the cut, which has these documents.
func (b *Builder) write(docs []uint32) {
	var fields []*builtField
	var names []string
	for _, f := range b.fields {
		if f.within(&b.cut) {
			fields, names = append(fields, f), append(names, f.name)
		}
	}
	b.out.reset(b.cut.docs, nil)
	logs := b.logs()
	b.out.meta(b.collection, logs, names)
	b.writeIDs(docs)
	b.writeStates(logs)
	for i, f := range fields {
		b.writeField(i, f)
	}
}

func (b *Builder) writeIDs(docs []uint32) {
	b.out.ids(func(visit func([]byte)) {
		for _, doc := range docs {
			start := 0
			if doc > 0 {
				start = b.docs[doc-1].idEnd
			}
			visit(b.ids[start:b.docs[doc].idEnd])
		}
	}, func(doc int, _ []byte) uint64 { return b.docs[docs[doc]].hash })
}

// logs gives the distinct logs in order of appearance: one, or a few after documents have moved between groups.
func (b *Builder) logs() [][16]byte {
	var logs [][16]byte
	for i := range b.states {
		if i > 0 && b.states[i].Log == b.states[i-1].Log || slices.Contains(logs, b.states[i].Log) {
			continue
		}
		logs = append(logs, b.states[i].Log)
	}
	return logs
}

func (b *Builder) writeStates(logs [][16]byte) {
	column := func(k kind, get func(*State) int64) {
		b.out.plainColumn(k, func(visit func(int64)) {
			for i := range b.states {
				visit(get(&b.states[i]))
			}
		})
	}
	column(kindVersion, func(s *State) int64 { return int64(s.Version) })
	column(kindBirthSeq, func(s *State) int64 { return int64(s.Seq) })
	column(kindBirthLog, func(s *State) int64 { return int64(slices.Index(logs, s.Log)) })
	column(kindBirthIndex, func(s *State) int64 { return int64(s.Index) })
	column(kindSlot, func(s *State) int64 { return int64(s.Slot) })
	for i := range b.states {
		b.out.buf = append(b.out.buf, b.states[i].Content[:]...)
	}
	b.out.end(kindContent, 0)
}

// keep copies the sources of the cut.
func (b *Builder) keep() stored.Reader {
	b.keeper.Reset()
	b.living(func(doc uint32) { b.keeper.Add(b.sources[b.sourceStart(doc):b.docs[doc].sourceEnd]) })
	return b.keeper.Finish()
}

func (b *Builder) sourceStart(doc uint32) int {
	if doc == 0 {
		return 0
	}
	return b.docs[doc-1].sourceEnd
}

// living visits the documents of the cut that were not removed.
func (b *Builder) living(visit func(doc uint32)) {
	for i, n := range b.cut.numbers {
		if n != Gone {
			visit(b.cut.from + uint32(i))
		}
	}
}

func (b *Builder) writeField(i int, f *builtField) {
	c := &b.cut
	if f.text.within(c) {
		lengths := b.out.zeros(c.docs)
		f.text.lengths(c, lengths)
		b.out.beginText(i, lengths)
		f.text.each(c, true, b.out.term)
		b.out.endText()
	}
	if f.exact.within(c) {
		b.out.beginExact(i)
		f.exact.each(c, false, b.out.term)
		b.out.endExact(c.docs)
	}
	if f.ints.within(c) {
		b.writeNumbers(kindInts, i, &f.ints)
	}
	if f.floats.within(c) {
		b.writeNumbers(kindFloats, i, &f.floats)
	}
}

func (b *Builder) writeNumbers(k kind, field int, n *numbers) {
	b.out.beginColumn(b.cut.docs)
	i, _ := slices.BinarySearch(n.docs, b.cut.from)
	for ; i < len(n.docs) && n.docs[i] < b.cut.to; i++ {
		if d := b.cut.number(n.docs[i]); d != Gone {
			b.out.value(d, n.values[i])
		}
	}
	b.out.endColumn(k, field)
}
