package segment

import (
	"slices"
	"sort"

	"github.com/jetseek/jetseek/engine/analysis"
	"github.com/jetseek/jetseek/engine/internal/segment/docvalues"
	"github.com/jetseek/jetseek/engine/internal/segment/postings"
	"github.com/jetseek/jetseek/engine/internal/segment/stored"
)

// Gone stands for a document that has no number in a segment.
const Gone = postings.NoDoc

// Builder collects documents and makes segments of them: of all, or of a range, also of one that was made before ([Builder.Cut]). Documents can be taken back
// and leave no trace in what is cut later. Its memory is kept from one [Builder.Reset] to the next, so that a segment of one small document costs few
// allocations; [Builder.Retained] tells how much it is. It serves one goroutine.
type Builder struct {
	collection uint64
	docs       []builtDoc
	ids        []byte
	sources    []byte
	fields     []*builtField // by name
	spare      []*builtField

	cut    cut
	states []State
	out    writer
	keeper stored.Keeper
}

type builtDoc struct {
	idEnd, sourceEnd int
	hash             uint64
	state            State
	dead             bool
}

// builtField holds one field's values as they came, by document.
type builtField struct {
	name         string
	text, exact  inverted
	ints, floats numbers
}

// numbers are values with their documents, in order; doubles are their bits.
type numbers struct {
	docs   []uint32
	values []int64
}

// cut is a range of documents that a segment is made of.
type cut struct {
	from, to uint32
	numbers  []uint32 // of each of them in the segment
	docs     int      // of them that were not removed
}

// number gives the number that a document of the range has in the segment.
func (c *cut) number(doc uint32) uint32 { return c.numbers[doc-c.from] }

// Reset empties the builder, for documents of a collection.
func (b *Builder) Reset(collection uint64) {
	b.collection = collection
	b.docs, b.ids, b.sources = b.docs[:0], b.ids[:0], b.sources[:0]
	for _, f := range b.fields {
		f.reset()
	}
	b.spare = append(b.spare, b.fields...)
	b.fields = b.fields[:0]
}

// Docs gives the number of documents added, removed ones too: the number that the next one gets.
func (b *Builder) Docs() uint32 { return uint32(len(b.docs)) }

// Bytes gives the size of the sources added, removed ones too.
func (b *Builder) Bytes() int { return len(b.sources) }

// Retained gives about how many bytes of memory the builder keeps.
func (b *Builder) Retained() int {
	n := cap(b.sources) + cap(b.ids) + cap(b.out.buf) + 112*cap(b.docs) + 64*cap(b.states)
	for _, f := range slices.Concat(b.fields, b.spare) {
		n += f.text.retained() + f.exact.retained() + 12*(cap(f.ints.docs)+cap(f.floats.docs))
	}
	return n
}

// Add adds a document and gives its number. The values of its fields follow, by the methods below, before the next document; hash is the id's [HashID].
func (b *Builder) Add(id string, hash uint64, state State, source []byte) uint32 {
	b.ids = append(b.ids, id...)
	b.sources = append(b.sources, source...)
	b.docs = append(b.docs, builtDoc{idEnd: len(b.ids), sourceEnd: len(b.sources), hash: hash, state: state})
	return uint32(len(b.docs) - 1)
}

// Remove takes a document back.
func (b *Builder) Remove(doc uint32) { b.docs[doc].dead = true }

// State gives the state with which a document was added.
func (b *Builder) State(doc uint32) State { return b.docs[doc].state }

func (b *Builder) last() uint32 { return uint32(len(b.docs) - 1) }

// Text adds the tokens of a text field of the last document, of all values of the field; positions ascend.
func (b *Builder) Text(field string, tokens []analysis.Token) {
	v := &b.field(field).text
	for i := range tokens {
		v.occ = append(v.occ, occurrence{v.terms.number(tokens[i].Term), uint32(tokens[i].Position)})
	}
	v.end(b.last())
}

// Exact adds the exact values of a field of the last document.
func (b *Builder) Exact(field string, values []string) {
	v := &b.field(field).exact
	for _, s := range values {
		v.occ = append(v.occ, occurrence{term: v.terms.number(s)})
	}
	v.end(b.last())
}

// Ints adds the values of a long, date or bool field of the last document.
func (b *Builder) Ints(field string, values []int64) {
	n := &b.field(field).ints
	for _, v := range values {
		n.docs, n.values = append(n.docs, b.last()), append(n.values, v)
	}
	slices.Sort(n.values[len(n.values)-len(values):])
}

// Floats adds the values of a double field of the last document; -0 becomes 0.
func (b *Builder) Floats(field string, values []float64) {
	n := &b.field(field).floats
	ascending := values
	if !slices.IsSorted(values) {
		ascending = slices.Sorted(slices.Values(values))
	}
	for _, v := range ascending {
		if v == 0 {
			v = 0
		}
		n.docs, n.values = append(n.docs, b.last()), append(n.values, docvalues.Ordered(v))
	}
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
	f.ints.reset()
	f.floats.reset()
}

// within tells whether a document of a cut has the field.
func (f *builtField) within(c *cut) bool {
	return f.text.within(c) || f.exact.within(c) || f.ints.within(c) || f.floats.within(c)
}

func (v *inverted) within(c *cut) bool {
	from, to := v.runsOf(c)
	return from < to
}

func (n *numbers) reset() { n.docs, n.values = n.docs[:0], n.values[:0] }

func (n *numbers) within(c *cut) bool {
	i, _ := slices.BinarySearch(n.docs, c.from)
	return i < len(n.docs) && n.docs[i] < c.to
}
