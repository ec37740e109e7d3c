package postings

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// lengths of documents in tests: any function of the number will do.
type byNumber struct{}

func (byNumber) Length(doc uint32) uint32 { return doc%97 + 1 }

// randomList makes a list of n documents with gaps up to a limit.
func randomList(r *rand.Rand, n, gap int, text bool) *List {
	l := &List{}
	doc := uint32(r.IntN(gap))
	for range n {
		l.Docs = append(l.Docs, doc)
		doc += 1 + uint32(r.IntN(gap))
		if !text {
			continue
		}
		f := 1 + r.IntN(1+r.IntN(6))
		l.Freqs = append(l.Freqs, uint32(f))
		pos := uint32(r.IntN(50))
		for range f {
			l.Positions = append(l.Positions, pos)
			pos += 1 + uint32(r.IntN(1+r.IntN(2000)))
		}
	}
	return l
}

func build(text bool, lists ...*List) (Source, []Ref) {
	w := NewWriter(nil)
	if text {
		w = NewWriter(byNumber{})
	}
	var refs []Ref
	for _, l := range lists {
		refs = append(refs, w.Append(l))
	}
	w.Finish()
	return Source{Docs: w.Docs, Positions: w.Positions, Text: text, MaxDoc: 1 << 30}, refs
}

func TestEveryListComesBack(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, text := range []bool{true, false} {
		var lists []*List
		for _, n := range []int{1, 2, 127, 128, 129, 255, 256, 257, 1000, 5000} {
			for _, gap := range []int{1, 2, 100, 60000} {
				lists = append(lists, randomList(r, n, gap, text))
			}
		}
		src, refs := build(text, lists...)
		for i, want := range lists {
			t.Run(fmt.Sprintf("text %v, %d documents to %d", text, len(want.Docs), want.Docs[len(want.Docs)-1]), func(t *testing.T) {
				checkWalk(t, src, refs[i], want)
				checkAdvance(t, r, src, refs[i], want)
				checkBounds(t, src, refs[i], want)
			})
		}
	}
}

func checkWalk(t *testing.T, src Source, ref Ref, want *List) {
	t.Helper()
	var it Iterator
	var got List
	for it.Init(src, ref); it.Doc() != NoDoc; it.Next() {
		got.Docs = append(got.Docs, it.Doc())
		if src.Text {
			got.Freqs = append(got.Freqs, it.Freq())
			got.Positions = it.Positions(got.Positions)
		} else if it.Freq() != 1 {
			t.Fatalf("frequency %d without frequencies", it.Freq())
		}
	}
	if it.Err() != nil || !slices.Equal(got.Docs, want.Docs) || !slices.Equal(got.Freqs, want.Freqs) || !slices.Equal(got.Positions, want.Positions) {
		t.Fatalf("err %v\n got %v\nwant %v", it.Err(), got, want)
	}
	if it.Next() != NoDoc || it.Advance(5) != NoDoc {
		t.Fatal("an iterator at its end goes on")
	}
}

// checkAdvance goes forward in random steps, looking at positions of some of the documents only.
func checkAdvance(t *testing.T, r *rand.Rand, src Source, ref Ref, want *List) {
	t.Helper()
	starts := []int{0}
	for _, f := range want.Freqs {
		starts = append(starts, starts[len(starts)-1]+int(f))
	}
	span := int(want.Docs[len(want.Docs)-1]) + 2
	for range 20 {
		var it Iterator
		var b Blocks
		var bounds RunBounds
		b.Open(src, ref)
		b.Impacts(nil)
		for i := 0; i < b.Count(); i++ {
			b.Find(0, b.Last(i))
			b.Run(i, &bounds)
		}
		it.Init(src, ref)
		for target := uint32(0); ; target += uint32(1 + r.IntN(1+span/(1+r.IntN(40)))) {
			i, _ := slices.BinarySearch(want.Docs, target)
			got := it.Advance(target)
			if i == len(want.Docs) {
				if got != NoDoc {
					t.Fatalf("advance to %d: %d behind the end", target, got)
				}
				break
			}
			if got != want.Docs[i] || it.Doc() != got {
				t.Fatalf("advance to %d: %d, want %d", target, got, want.Docs[i])
			}
			if src.Text && r.IntN(2) == 0 {
				if p := it.Positions(nil); it.Freq() != want.Freqs[i] || !slices.Equal(p, want.Positions[starts[i]:starts[i+1]]) {
					t.Fatalf("document %d: positions %v, want %v", got, p, want.Positions[starts[i]:starts[i+1]])
				}
				checkMeet(t, r, &it.b, it.at, want.Positions[starts[i]:starts[i+1]])
			}
		}
	}
}

// checkMeet holds positions of a document against starts of which some lie the offset before one.
func checkMeet(t *testing.T, r *rand.Rand, b *Blocks, at int, positions []uint32) {
	t.Helper()
	offset := r.Uint32N(4)
	var given, want []uint32
	for _, p := range positions {
		for _, start := range []uint32{p - offset - 1, p - offset} {
			if start <= p && r.IntN(2) == 0 && (len(given) == 0 || given[len(given)-1] < start) {
				given = append(given, start)
			}
		}
	}
	if r.IntN(2) == 0 {
		given = append(given, math.MaxUint32)
	}
	for _, start := range given {
		if slices.Contains(positions, start+offset) && start != math.MaxUint32 {
			want = append(want, start)
		}
	}
	if got := b.Meet(slices.Clone(given), offset, b.Place(at)); !slices.Equal(got, want) {
		t.Fatalf("of %d, %d before %d: %d, want %d", given, offset, positions, got, want)
	}
}

// TestPlacesOutliveTheirBlock reads positions of some documents of each block when another one is loaded.
func TestPlacesOutliveTheirBlock(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	for _, n := range []int{1, 127, 128, 129, 1000} {
		list := randomList(r, n, 9, true)
		src, refs := build(true, list)
		var b Blocks
		var places []Place
		var want, got []uint32
		b.Open(src, refs[0])
		for doc, pos, block := 0, 0, 0; block < b.Count(); block++ {
			var which []uint8
			for i := range b.Load(block) {
				freq := int(list.Freqs[doc])
				if r.IntN(3) > 0 {
					which, want = append(which, uint8(i)), append(want, list.Positions[pos:pos+freq]...)
				}
				doc, pos = doc+1, pos+freq
			}
			places = b.Places(places, which)
		}
		b.Load(0)
		for _, p := range places {
			before := len(got)
			if got = b.PositionsAt(got, p); len(got)-before != int(p.Freq) {
				t.Fatalf("%d documents: %d positions, frequency %d", n, len(got)-before, p.Freq)
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%d documents: positions %d, want %d", n, got, want)
		}
	}
}

// checkBounds looks, for every posting, for a pair that is no worse than it among those of its block, its run and the list.
func checkBounds(t *testing.T, src Source, ref Ref, want *List) {
	t.Helper()
	if !src.Text || len(want.Docs) < BlockLen {
		return
	}
	var b Blocks
	var bounds RunBounds
	b.Open(src, ref)
	all := b.Impacts(nil)
	for i, d := range want.Docs {
		block := i / BlockLen
		if i%(BlockLen*RunLen) == 0 {
			b.Run(block/RunLen, &bounds)
		}
		from := 0
		if n := block % RunLen; n > 0 {
			from = bounds.Upto[n-1]
		}
		for _, pairs := range [][]Impact{bounds.Pairs[from:bounds.Upto[block%RunLen]], bounds.Whole, b.RunImpacts(nil, block/RunLen), all} {
			if len(pairs) > maxImpacts || !slices.ContainsFunc(pairs, func(p Impact) bool { return p.Freq >= want.Freqs[i] && p.Length <= byNumber{}.Length(d) }) {
				t.Fatalf("document %d, frequency %d, length %d is above all of %v", d, want.Freqs[i], byNumber{}.Length(d), pairs)
			}
		}
		if got := b.Find(0, d); got != block {
			t.Fatalf("document %d is found in block %d, want %d", d, got, block)
		}
	}
	if b.Err() != nil {
		t.Fatal(b.Err())
	}
}

// TestImpactsAreNotWorseThanNeeded: with few distinct pairs the list is the exact frontier.
func TestImpactsAreNotWorseThanNeeded(t *testing.T) {
	var list []Impact
	for _, p := range []Impact{{2, 10}, {1, 5}, {2, 9}, {1, 7}, {5, 30}, {5, 30}, {3, 30}, {1, 5}} {
		list = addImpact(list, p)
	}
	if want := []Impact{{5, 30}, {2, 9}, {1, 5}}; !slices.Equal(list, want) {
		t.Fatalf("got %v, want %v", list, want)
	}
}

// TestManyImpactsAreUnited has more pairs in a block than are kept, none of which bounds another: those kept still bound all postings.
func TestManyImpactsAreUnited(t *testing.T) {
	l := &List{}
	for doc := range uint32(BlockLen) {
		l.Docs = append(l.Docs, doc)
		l.Freqs = append(l.Freqs, byNumber{}.Length(doc))
		for p := range l.Freqs[doc] {
			l.Positions = append(l.Positions, p)
		}
	}
	src, refs := build(true, l)
	checkWalk(t, src, refs[0], l)
	checkBounds(t, src, refs[0], l)
}

// TestExampleOfTheFormat pins the bytes that the package comment shows.
func TestExampleOfTheFormat(t *testing.T) {
	src, refs := build(true, &List{Docs: []uint32{3, 7}, Freqs: []uint32{1, 2}, Positions: []uint32{4, 0, 9}})
	if got, want := src.Docs[:refs[0].DocLen], []byte{7, 6, 2}; !slices.Equal(got, want) {
		t.Errorf("documents %x, want %x", got, want)
	}
	if got, want := src.Positions[:refs[0].PosLen], []byte{4, 0, 9}; !slices.Equal(got, want) {
		t.Errorf("positions %x, want %x", got, want)
	}
}

func TestWalkingAllocatesNothing(t *testing.T) {
	src, refs := build(true, randomList(rand.New(rand.NewPCG(2, 2)), 10000, 5, true))
	var it Iterator
	positions := make([]uint32, 0, 64)
	allocs := testing.AllocsPerRun(5, func() {
		for it.Init(src, refs[0]); it.Doc() != NoDoc; it.Next() {
			it.Freq()
			positions = it.Positions(positions[:0])
		}
	})
	if allocs != 0 {
		t.Fatalf("%v allocations in a walk of 10000 postings", allocs)
	}
}

// FuzzIterator walks anything as a list: it ends, stays inside of the segment and never panics.
func FuzzIterator(f *testing.F) {
	r := rand.New(rand.NewPCG(3, 3))
	for _, n := range []int{1, 5, 128, 300} {
		src, refs := build(true, randomList(r, n, 9, true))
		f.Add(src.Docs, src.Positions, refs[0].DF, refs[0].Doc, refs[0].Freq, refs[0].DocLen, refs[0].PosLen, true)
		src, refs = build(false, randomList(r, n, 9, false))
		f.Add(src.Docs, src.Positions, refs[0].DF, refs[0].Doc, refs[0].Freq, refs[0].DocLen, refs[0].PosLen, false)
	}
	f.Fuzz(func(t *testing.T, docs, pos []byte, df, doc, freq uint32, docLen, posLen uint64, text bool) {
		src := Source{Docs: docs, Positions: pos, Text: text, MaxDoc: 10000}
		ref := Ref{DF: df, Doc: doc, Freq: freq, DocLen: docLen, PosLen: posLen}
		var it Iterator
		steps := 0
		for it.Init(src, ref); it.Doc() != NoDoc; it.Next() {
			if it.Doc() >= src.MaxDoc {
				t.Fatalf("document %d of %d", it.Doc(), src.MaxDoc)
			}
			it.Freq()
			if steps++; steps%3 == 0 {
				it.Positions(nil)
			}
		}
		var b Blocks
		var bounds RunBounds
		b.Open(src, ref)
		b.Impacts(nil)
		for i := 0; i < b.Count(); i++ {
			b.Find(0, b.Last(i))
			b.Run(i, &bounds)
		}
		it.Init(src, ref)
		for target := uint32(0); it.Advance(target) != NoDoc; target += 77 {
		}
	})
}

// TestEveryWidth packs numbers of each width, and a value that needs all of it.
func TestEveryWidth(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for width := range 32 {
		var gaps, docs, freqs, got [BlockLen]uint32
		prev := uint32(1000)
		for i := range gaps {
			gaps[i] = uint32(r.Uint64N(1 << max(width-7, 0)))
		}
		gaps[r.IntN(BlockLen)] = uint32(1<<width) - 1
		for i, g := range gaps {
			prev += g + 1
			docs[i], freqs[i] = prev, g+1
		}
		packed := append(appendPacked(nil, gaps[:], width), make([]byte, Slack)...)
		if len(packed) != 16*width+Slack {
			t.Fatalf("width %d: %d bytes", width, len(packed))
		}
		if unpackDocs(&got, packed, width, 1000); got != docs {
			t.Errorf("documents of width %d: %v, want %v", width, got, docs)
		}
		if unpackFreqs(&got, packed, width); got != freqs {
			t.Errorf("frequencies of width %d: %v, want %v", width, got, freqs)
		}
	}
}

func BenchmarkUnpack(b *testing.B) {
	for _, width := range []int{0, 2, 5, 9, 14} {
		var out [BlockLen]uint32
		packed := make([]byte, 16*width+Slack)
		b.Run(fmt.Sprintf("documents of %d bits", width), func(b *testing.B) {
			for b.Loop() {
				unpackDocs(&out, packed, width, 7)
			}
			b.ReportMetric(BlockLen*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "ints/ns")
		})
		b.Run(fmt.Sprintf("frequencies of %d bits", width), func(b *testing.B) {
			for b.Loop() {
				unpackFreqs(&out, packed, width)
			}
			b.ReportMetric(BlockLen*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "ints/ns")
		})
	}
}

func BenchmarkWalk(b *testing.B) {
	src, refs := build(true, randomList(rand.New(rand.NewPCG(4, 4)), 100000, 20, true))
	var it Iterator
	sum := uint32(0)
	for b.Loop() {
		for it.Init(src, refs[0]); it.Doc() != NoDoc; it.Next() {
			sum += it.Freq()
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/100000, "ns/posting")
	b.ReportMetric(float64(len(src.Docs))/100000, "bytes/posting")
	_ = sum
}
