package segment

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/jetseek/jetseek/engine/analysis"
	"github.com/jetseek/jetseek/engine/internal/docset"
	"github.com/jetseek/jetseek/engine/internal/segment/postings"
)

// document is what a test puts into a segment and expects to find there.
type document struct {
	id     string
	state  State
	source string
	words  []string
	tags   []string
	years  []int64
	prices []float64
}

func randomDocument(r *rand.Rand, n int) *document {
	d := &document{id: fmt.Sprintf("id-%d", n), source: strings.Repeat(fmt.Sprintf("source %d ", n), r.IntN(40))}
	d.state = State{Version: 1 + r.Uint64N(3), Log: [16]byte{byte(r.IntN(2))}, Seq: r.Uint64N(1000), Index: r.Uint32N(9), Slot: uint16(r.IntN(16384))}
	sum := sha256.Sum256([]byte(d.source))
	d.state.Content = [16]byte(sum[:16])
	for range r.IntN(20) {
		d.words = append(d.words, fmt.Sprintf("w%d", r.IntN(1+r.IntN(300))))
	}
	for range r.IntN(3) {
		d.tags = append(d.tags, fmt.Sprintf("tag %d", r.IntN(9)))
	}
	for range r.IntN(3) {
		d.years = append(d.years, r.Int64N(5000)-2500)
	}
	if r.IntN(2) == 0 {
		d.prices = append(d.prices, r.Float64()*100)
	}
	return d
}

func (d *document) addTo(b *Builder) uint32 {
	n := b.Add(d.id, HashID(d.id), d.state, []byte(d.source))
	if d.words != nil {
		var tokens []analysis.Token
		for i, w := range d.words {
			tokens = append(tokens, analysis.Token{Term: w, Position: 2 * i})
		}
		b.Text("body", tokens)
	}
	if d.tags != nil {
		b.Exact("tag", d.tags)
	}
	if d.years != nil {
		b.Ints("year", slices.Clone(d.years))
	}
	if d.prices != nil {
		b.Floats("price", d.prices)
	}
	return n
}

// buildSegment gives a segment as it is opened from a file.
func buildSegment(t testing.TB, docs []*document) *Segment {
	t.Helper()
	s, err := Open(Flushed(cutSegment(t, docs)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// cutSegment gives a segment in memory.
func cutSegment(t testing.TB, docs []*document) *Segment {
	t.Helper()
	var b Builder
	b.Reset(7)
	for _, d := range docs {
		d.addTo(&b)
	}
	s, numbers, err := b.Cut(0, b.Docs())
	if err != nil {
		t.Fatal(err)
	}
	if len(numbers) != len(docs) {
		t.Fatalf("%d documents in the segment, want %d", len(numbers), len(docs))
	}
	return s
}

// checkSegment compares all that a segment tells with the documents.
func checkSegment(t *testing.T, s *Segment, docs []*document) {
	t.Helper()
	if s.Docs() != len(docs) || s.Collection() != 7 {
		t.Fatalf("%d documents of collection %d, want %d", s.Docs(), s.Collection(), len(docs))
	}
	want := map[string]*postings.List{}
	for n, d := range docs {
		doc := uint32(n)
		if got, ok := s.Find(d.id, HashID(d.id)); !ok || got != doc || string(s.ID(doc)) != d.id {
			t.Fatalf("find %s: %d %v, want %d", d.id, got, ok, doc)
		}
		if s.State(doc) != d.state {
			t.Fatalf("state of %s: %+v, want %+v", d.id, s.State(doc), d.state)
		}
		if source, err := s.Source(doc); err != nil || string(source) != d.source {
			t.Fatalf("source of %s: %v %q, want %q", d.id, err, source, d.source)
		}
		for i, w := range d.words {
			l := want[w]
			if l == nil {
				l = &postings.List{}
				want[w] = l
			}
			if k := len(l.Docs); k == 0 || l.Docs[k-1] != doc {
				l.Docs, l.Freqs = append(l.Docs, doc), append(l.Freqs, 0)
			}
			l.Freqs[len(l.Freqs)-1]++
			l.Positions = append(l.Positions, uint32(2*i))
		}
		checkValues(t, s, d, doc)
	}
	f := s.Field("body")
	if f == nil {
		f = &Field{}
	}
	if f.Terms.Len() != len(want) {
		t.Fatalf("%d terms, want %d", f.Terms.Len(), len(want))
	}
	for it := f.Terms.All(); it.Next(); {
		var got postings.List
		var list postings.Iterator
		for list.Init(f.TermPostings(), it.Ref()); list.Doc() != Gone; list.Next() {
			got.Docs, got.Freqs = append(got.Docs, list.Doc()), append(got.Freqs, list.Freq())
			got.Positions = list.Positions(got.Positions)
		}
		w := want[string(it.Term())]
		if w == nil || !slices.Equal(got.Docs, w.Docs) || !slices.Equal(got.Freqs, w.Freqs) || !slices.Equal(got.Positions, w.Positions) {
			t.Fatalf("list of %s: %v, want %v", it.Term(), got, w)
		}
	}
	if _, ok := s.Find("none", HashID("none")); ok || s.Field("none") != nil {
		t.Fatal("what is not there was found")
	}
}

func checkValues(t *testing.T, s *Segment, d *document, doc uint32) {
	t.Helper()
	if f := s.Field("body"); f != nil && int(f.Lengths.Length(doc)) != len(d.words) {
		t.Fatalf("length of %s: %d, want %d", d.id, f.Lengths.Length(doc), len(d.words))
	}
	if f := s.Field("tag"); f != nil {
		var got []string
		from, to := f.Ordinals.Range(doc)
		for i := from; i < to; i++ {
			got = append(got, string(f.Exact.Term(nil, int(f.Ordinals.Int(i)))))
		}
		want := slices.Clone(d.tags)
		slices.Sort(want)
		if want = slices.Compact(want); !slices.Equal(got, want) {
			t.Fatalf("tags of %s: %v, want %v", d.id, got, want)
		}
	}
	if f := s.Field("year"); f != nil {
		var got []int64
		from, to := f.Ints.Range(doc)
		for i := from; i < to; i++ {
			got = append(got, f.Ints.Int(i))
		}
		want := slices.Clone(d.years)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("years of %s: %v, want %v", d.id, got, want)
		}
	}
	if f := s.Field("price"); f != nil {
		if from, to := f.Floats.Range(doc); to-from != len(d.prices) || to > from && f.Floats.Float(from) != d.prices[0] {
			t.Fatalf("price of %s: %d values, want %v", d.id, to-from, d.prices)
		}
	}
}

func randomDocuments(r *rand.Rand, from, n int) []*document {
	docs := make([]*document, n)
	for i := range docs {
		docs[i] = randomDocument(r, from+i)
	}
	return docs
}

func TestBuildAndOpen(t *testing.T) {
	for _, n := range []int{1, 2, 63, 64, 65, 1500} {
		docs := randomDocuments(rand.New(rand.NewPCG(1, uint64(n))), 0, n)
		checkSegment(t, buildSegment(t, docs), docs)
	}
}

// TestRemovedDocumentsLeaveNoTrace builds with documents taken back: the bytes are those of a segment that never had them.
func TestRemovedDocumentsLeaveNoTrace(t *testing.T) {
	docs := randomDocuments(rand.New(rand.NewPCG(2, 2)), 0, 300)
	var b Builder
	var kept []*document
	for range 2 { // the second time with memory used before
		b.Reset(7)
		kept = kept[:0]
		for i, d := range docs {
			n := d.addTo(&b)
			if i%3 == 0 {
				b.Remove(n)
			} else {
				kept = append(kept, d)
			}
		}
	}
	if all, _, err := b.Cut(0, b.Docs()); err != nil || !bytes.Equal(Flushed(all), buildSegment(t, kept).Bytes()) {
		t.Fatalf("removed documents show in the bytes: err %v", err)
	}
}

// TestCutsAreAsBuiltAtOnce cuts ranges of one builder, over each other and with documents taken back in between: each is as if it had been built alone.
func TestCutsAreAsBuiltAtOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	docs := randomDocuments(r, 0, 400)
	var b Builder
	b.Reset(7)
	added, dead := 0, map[int]bool{}
	for range 150 {
		for range r.IntN(8) {
			if added < len(docs) {
				docs[added].addTo(&b)
				added++
			}
		}
		if added > 0 && r.IntN(2) == 0 {
			i := r.IntN(added)
			dead[i] = true
			b.Remove(uint32(i))
		}
		from := r.IntN(added + 1)
		to := from + r.IntN(added-from+1)
		var want []*document
		var numbers []uint32
		for i := from; i < to; i++ {
			if !dead[i] {
				want, numbers = append(want, docs[i]), append(numbers, uint32(i))
			}
		}
		got, of, err := b.Cut(uint32(from), uint32(to))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(of, numbers) {
			t.Fatalf("cut %d to %d holds %v, want %v", from, to, of, numbers)
		}
		if len(want) > 0 && !bytes.Equal(Flushed(got), buildSegment(t, want).Bytes()) {
			t.Fatalf("cut %d to %d differs from a segment of its documents", from, to)
		}
	}
	if b.Retained() < len(docs)*100 {
		t.Errorf("a builder of %d documents retains %d bytes", len(docs), b.Retained())
	}
}

// TestMergeIsAsBuiltAtOnce merges segments of many sizes, of files and of memory, some documents of them dead: the result holds what a segment of the living would.
func TestMergeIsAsBuiltAtOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	var m Merger
	for range 6 {
		var inputs []Input
		var living []*document
		from := 0
		for range 1 + r.IntN(6) {
			docs := randomDocuments(r, from, 1+r.IntN(1+r.IntN(900)))
			from += len(docs)
			in := Input{Segment: cutSegment(t, docs)}
			if r.IntN(3) == 0 {
				in.Segment = buildSegment(t, docs)
			}
			if r.IntN(3) > 0 {
				in.Live = docset.Full(len(docs))
				for i := range docs {
					if r.IntN(4) == 0 {
						in.Live.Remove(uint32(i))
					}
				}
			}
			for i, d := range docs {
				if in.Live == nil || in.Live.Has(uint32(i)) {
					living = append(living, d)
				}
			}
			inputs = append(inputs, in)
		}
		if len(living) == 0 {
			continue
		}
		s, maps, err := m.Merge(context.Background(), inputs)
		if err != nil {
			t.Fatal(err)
		}
		checkSegment(t, s, living)
		if !bytes.Equal(Flushed(s), buildSegment(t, living).Bytes()) {
			t.Fatal("flushed, the merged segment is not as one of its documents")
		}
		for i, in := range inputs {
			for old, doc := range maps[i] {
				if doc != Gone && !bytes.Equal(in.Segment.ID(uint32(old)), s.ID(doc)) {
					t.Fatalf("document %d of input %d became %s", old, i, s.ID(doc))
				}
			}
		}
	}
}

func TestMergeEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	docs := randomDocuments(rand.New(rand.NewPCG(4, 4)), 0, 10)
	if _, _, err := new(Merger).Merge(ctx, []Input{{Segment: buildSegment(t, docs)}}); !errors.Is(err, context.Canceled) {
		t.Fatalf("err %v", err)
	}
}

// TestFlippedBytesAreFound flips bits in every byte of a segment, and cuts it at every byte: Open fails with an error that can be told, always.
func TestFlippedBytesAreFound(t *testing.T) {
	good := buildSegment(t, randomDocuments(rand.New(rand.NewPCG(5, 5)), 0, 20)).Bytes()
	bad := make([]byte, len(good))
	for i := range good {
		copy(bad, good)
		bad[i] ^= 1 << (i % 8)
		if _, err := Open(bad); !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrNewer) {
			t.Fatalf("byte %d of %d flipped: %v", i, len(good), err)
		}
		if _, err := Open(good[:i]); !errors.Is(err, ErrCorrupt) {
			t.Fatalf("cut to %d of %d bytes: %v", i, len(good), err)
		}
	}
}

// TestFlippedBytesInMemoryAreFound flips bits in every byte of a segment in memory, sources and all: Check finds each.
func TestFlippedBytesInMemoryAreFound(t *testing.T) {
	s := cutSegment(t, randomDocuments(rand.New(rand.NewPCG(6, 6)), 0, 20))
	check := func() error { return s.Check(func(int) error { return nil }) }
	if err := check(); err != nil {
		t.Fatal(err)
	}
	sources := 0
	flip := func(b []byte) {
		for i := range b {
			b[i] ^= 1 << (i % 8)
			if err := check(); !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrNewer) {
				t.Fatalf("byte %d of %d flipped: %v", i, len(b), err)
			}
			b[i] ^= 1 << (i % 8)
		}
	}
	flip(s.bytes)
	for d := uint32(0); int(d) < s.docs; d++ {
		source, err := s.Source(d)
		if err != nil {
			t.Fatal(err)
		}
		flip(source)
		sources += len(source)
	}
	if sources == 0 || s.Size() <= int64(len(s.bytes)+sources) {
		t.Errorf("%d bytes of sources in a segment of %d, %d of them beside sources", sources, s.Size(), len(s.bytes))
	}
}

// edited gives a segment with some bytes changed and the checksums made right, so that a reader must stand what the bytes say. Edits are triples: where, in two
// bytes, and what the byte becomes. False when they break the frame.
func edited(good, edits []byte) ([]byte, bool) {
	b := slices.Clone(good)
	for ; len(edits) >= 3; edits = edits[3:] {
		b[int(binary.LittleEndian.Uint16(edits))%len(b)] = edits[2]
	}
	var c container
	c.reset(nil)
	err := readFrame(b, func(k kind, field int, section []byte, _ uint32) error {
		c.buf = append(c.buf, section...)
		c.end(k, field)
		return nil
	})
	return c.finish(), err == nil
}

// readAll reads all of a segment, and merges it with itself.
func readAll(b []byte) {
	s, err := Open(b)
	if err != nil {
		return
	}
	for d := range min(s.Docs(), 100) {
		s.State(uint32(d))
		s.Find(string(s.ID(uint32(d))), HashID(string(s.ID(uint32(d)))))
		_, _ = s.Source(uint32(d))
	}
	if s.Docs() > 0 {
		_, _, _ = new(Merger).Merge(context.Background(), []Input{{Segment: s}, {Segment: s}})
	}
}

// TestEveryByteMayLie changes each byte of a segment in a few ways: errors or other answers, never panics.
func TestEveryByteMayLie(t *testing.T) {
	good := buildSegment(t, randomDocuments(rand.New(rand.NewPCG(7, 7)), 0, 4)).Bytes()
	for at := range good {
		for _, v := range []byte{0, 1, 0x7f, 0x80, 0xff, good[at] + 1, good[at] - 1} {
			if b, ok := edited(good, []byte{byte(at), byte(at >> 8), v}); ok {
				readAll(b)
			}
		}
	}
}

// FuzzOpen reads segments with any bytes changed.
func FuzzOpen(f *testing.F) {
	good := buildSegment(f, randomDocuments(rand.New(rand.NewPCG(6, 6)), 0, 3)).Bytes()
	f.Add([]byte{})
	f.Add([]byte{40, 1, 255, 30, 0, 7})
	f.Fuzz(func(t *testing.T, edits []byte) {
		if b, ok := edited(good, edits); ok {
			readAll(b)
		}
	})
}
