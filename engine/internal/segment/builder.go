package segment

import (
	"slices"
	"sort"

	"github.com/jetseek/jetseek/engine/analysis"
	"github.com/jetseek/jetseek/engine/internal/segment/postings"
	"github.com/jetseek/jetseek/engine/internal/segment/stored"
)

// Gone stands for a document that has no number in a segment.
const Gone = postings.NoDoc

// Builder collects documents and makes a segment of them. Documents can be taken back before that and leave no trace. Its memory is kept from one segment to
// the next ([Builder.Reset]), so that a segment of one small document costs few allocations. It serves one goroutine.
type Builder struct {
	collection uint64
	docs       []builtDoc
	ids        []byte
	sources    []byte
	fields     []*builtField // those of this segment, in order of appearance
	spare      []*builtField
	live       int

	renumber []uint32 // of Finish: from the number given by Add to that in the segment
	out      writer
	store    stored.Writer
}

type builtDoc struct {
	idEnd, sourceEnd int
	hash             uint64
	state            State
	dead             bool
}

// builtField holds one field's values as they came, by document.
type builtField struct {
	name  string
	text  inverted
	exact inverted

	intDocs   []uint32
	ints      []int64
	floatDocs []uint32
	floats    []float64
}

// inverted is terms with their occurrences.
type inverted struct {
	used  bool
	terms terms
	occ   []occurrence

	ranks  []ranked
	next   []uint32 // by term number
	sorted []occurrence
}

type occurrence struct{ term, doc, pos uint32 }

// Reset empties the builder, for documents of a collection.
func (b *Builder) Reset(collection uint64) {
	b.collection, b.live = collection, 0
	b.docs, b.ids, b.sources = b.docs[:0], b.ids[:0], b.sources[:0]
	for _, f := range b.fields {
		f.reset()
	}
	b.spare = append(b.spare, b.fields...)
	b.fields = b.fields[:0]
}

// Live gives the number of documents that were added and not removed.
func (b *Builder) Live() int { return b.live }

// Bytes gives the size of the sources added, removed ones too.
func (b *Builder) Bytes() int { return len(b.sources) }

// Retained gives about how many bytes of memory the builder keeps.
func (b *Builder) Retained() int {
	n := cap(b.sources) + cap(b.ids) + cap(b.out.buf)
	for _, f := range slices.Concat(b.fields, b.spare) {
		n += f.text.retained() + f.exact.retained() + 12*(cap(f.ints)+cap(f.floats))
	}
	return n
}

// Add adds a document and gives its number. The values of its fields follow, by the methods below, before the next document; hash is the id's [HashID].
func (b *Builder) Add(id string, hash uint64, state State, source []byte) uint32 {
	b.ids = append(b.ids, id...)
	b.sources = append(b.sources, source...)
	b.docs = append(b.docs, builtDoc{idEnd: len(b.ids), sourceEnd: len(b.sources), hash: hash, state: state})
	b.live++
	return uint32(len(b.docs) - 1)
}

// Remove takes a document back.
func (b *Builder) Remove(doc uint32) {
	if !b.docs[doc].dead {
		b.docs[doc].dead = true
		b.live--
	}
}

// State gives the state with which a document was added.
func (b *Builder) State(doc uint32) State { return b.docs[doc].state }

// Text adds the tokens of a text field of the last document, of all values of the field; positions ascend.
func (b *Builder) Text(field string, tokens []analysis.Token) {
	f, doc := b.field(field), uint32(len(b.docs)-1)
	f.text.used = true
	for i := range tokens {
		f.text.occ = append(f.text.occ, occurrence{f.text.terms.number(tokens[i].Term), doc, uint32(tokens[i].Position)})
	}
}

// Exact adds the exact values of a field of the last document.
func (b *Builder) Exact(field string, values []string) {
	f, doc := b.field(field), uint32(len(b.docs)-1)
	f.exact.used = true
	for _, v := range values {
		f.exact.occ = append(f.exact.occ, occurrence{term: f.exact.terms.number(v), doc: doc})
	}
}

// Ints adds the values of a long, date or bool field of the last document.
func (b *Builder) Ints(field string, values []int64) {
	f := b.field(field)
	for _, v := range values {
		f.intDocs, f.ints = append(f.intDocs, uint32(len(b.docs)-1)), append(f.ints, v)
	}
	slices.Sort(f.ints[len(f.ints)-len(values):])
}

// Floats adds the values of a double field of the last document; -0 becomes 0.
func (b *Builder) Floats(field string, values []float64) {
	f := b.field(field)
	for _, v := range values {
		if v == 0 {
			v = 0
		}
		f.floatDocs, f.floats = append(f.floatDocs, uint32(len(b.docs)-1)), append(f.floats, v)
	}
	slices.Sort(f.floats[len(f.floats)-len(values):])
}

func (b *Builder) field(name string) *builtField {
	i := sort.Search(len(b.fields), func(i int) bool { return b.fields[i].name >= name })
	if i < len(b.fields) && b.fields[i].name == name {
		return b.fields[i]
	}
	f := b.spareField()
	f.name = name
	b.fields = slices.Insert(b.fields, i, f)
	return f
}

func (b *Builder) spareField() *builtField {
	n := len(b.spare)
	if n == 0 {
		return &builtField{}
	}
	f := b.spare[n-1]
	b.spare = b.spare[:n-1]
	return f
}

func (f *builtField) reset() {
	f.text.reset()
	f.exact.reset()
	f.intDocs, f.ints, f.floatDocs, f.floats = f.intDocs[:0], f.ints[:0], f.floatDocs[:0], f.floats[:0]
}

func (v *inverted) retained() int {
	return 12*(cap(v.occ)+cap(v.sorted)) + cap(v.terms.arena) + 4*cap(v.terms.slots) + 8*cap(v.terms.ends)
}

func (v *inverted) reset() {
	v.used = false
	v.terms.reset()
	v.occ = v.occ[:0]
}

// Finish gives the segment of the documents that were not removed, numbered anew in their order. There must be at least one.
func (b *Builder) Finish() []byte {
	b.renumber = b.renumber[:0]
	states := make([]State, 0, b.live)
	for i := range b.docs {
		if b.docs[i].dead {
			b.renumber = append(b.renumber, Gone)
			continue
		}
		b.renumber = append(b.renumber, uint32(len(states)))
		states = append(states, b.docs[i].state)
	}
	b.out.reset(b.live)
	names := make([]string, len(b.fields))
	for i, f := range b.fields {
		names[i] = f.name
	}
	b.out.meta(b.collection, states, names)
	b.writeIDs()
	b.out.states(states)
	b.writeSources()
	for i, f := range b.fields {
		b.writeField(i, f)
	}
	return b.out.finish()
}

func (b *Builder) writeIDs() {
	start := 0
	for i := range b.docs {
		d := &b.docs[i]
		if !d.dead {
			b.out.id(b.ids[start:d.idEnd], d.hash)
		}
		start = d.idEnd
	}
	b.out.endIDs()
}

func (b *Builder) writeSources() {
	b.store.Reset(compressed(len(b.sources)))
	start := 0
	for i := range b.docs {
		if !b.docs[i].dead {
			b.store.Add(b.sources[start:b.docs[i].sourceEnd])
		}
		start = b.docs[i].sourceEnd
	}
	b.out.section(kindStored, 0, b.store.Finish())
}

func (b *Builder) writeField(i int, f *builtField) {
	if f.text.used {
		b.out.beginText(i, f.text.lengths(b.renumber, b.live))
		f.text.each(b.renumber, true, b.out.term)
		b.out.endText()
	}
	if f.exact.used {
		b.out.beginExact(i)
		f.exact.each(b.renumber, false, b.out.exactTerm)
		b.out.endExact(b.live)
	}
	if len(f.ints) > 0 {
		b.out.column(kindInts, i, b.renumber, b.live, f.intDocs, f.ints)
	}
	if len(f.floats) > 0 {
		b.out.column(kindFloats, i, b.renumber, b.live, f.floatDocs, floatBits(f.floats))
	}
}

// lengths counts the occurrences of each document that stays.
func (v *inverted) lengths(renumber []uint32, docs int) []int64 {
	n := make([]int64, docs)
	for _, o := range v.occ {
		if d := renumber[o.doc]; d != Gone {
			n[d]++
		}
	}
	return n
}

// each visits the terms that documents which stay have, in order, each with its list. Occurrences are in order of documents and positions already: a counting
// sort by term keeps that.
func (v *inverted) each(renumber []uint32, text bool, visit func(term []byte, list *postings.List)) {
	v.next = append(v.next[:0], make([]uint32, len(v.terms.ends)+1)...)
	for _, o := range v.occ {
		if renumber[o.doc] != Gone {
			v.next[o.term+1]++
		}
	}
	for t := 1; t < len(v.next); t++ {
		v.next[t] += v.next[t-1]
	}
	v.sorted = slices.Grow(v.sorted[:0], int(v.next[len(v.next)-1]))[:v.next[len(v.next)-1]]
	for _, o := range v.occ {
		if d := renumber[o.doc]; d != Gone {
			v.sorted[v.next[o.term]] = occurrence{o.term, d, o.pos}
			v.next[o.term]++
		}
	}
	var list postings.List
	v.ranks = v.terms.sorted(v.ranks[:0])
	for _, r := range v.ranks {
		from := uint32(0)
		if r.number > 0 {
			from = v.next[r.number-1]
		}
		list.Reset()
		for _, o := range v.sorted[from:v.next[r.number]] {
			if n := len(list.Docs); n == 0 || list.Docs[n-1] != o.doc {
				list.Docs = append(list.Docs, o.doc)
				if text {
					list.Freqs = append(list.Freqs, 0)
				}
			}
			if text {
				list.Freqs[len(list.Freqs)-1]++
				list.Positions = append(list.Positions, o.pos)
			}
		}
		if len(list.Docs) > 0 {
			visit(v.terms.term(r.number), &list)
		}
	}
}
