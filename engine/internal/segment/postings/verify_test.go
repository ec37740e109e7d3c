package postings

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/jetseek/jetseek/engine/internal/segment/labels"
)

// check runs a checker over a list, and gives what it visited and how much it reported.
func check(src Source, ref Ref) (docs, freqs []uint32, found int) {
	var lengths Lengths
	if src.Text {
		lengths = byNumber{}
	}
	new(Checker).Check(src, ref, lengths, func(doc, freq uint32) {
		docs, freqs = append(docs, doc), append(freqs, freq)
	}, func(Part, int, string, ...any) { found++ })
	return docs, freqs, found
}

func TestCheckerFindsNothingWrong(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 11))
	for _, text := range []bool{true, false} {
		var lists []*List
		for _, n := range []int{1, 2, 127, 128, 129, 256, 4096, 4097, 9000} {
			lists = append(lists, randomList(r, n, 1+r.IntN(100), text))
		}
		src, refs := build(text, lists...)
		for i, want := range lists {
			docs, freqs, found := check(src, refs[i])
			if found > 0 || !slices.Equal(docs, want.Docs) || text && !slices.Equal(freqs, want.Freqs) {
				t.Errorf("text %v, %d documents: %d visited, %d findings", text, len(want.Docs), len(docs), found)
			}
		}
	}
}

// TestChangedBytesAreFoundOrHarmless changes every byte of the documents of lists: either it is found, or the list is another one whose parts agree.
func TestChangedBytesAreFoundOrHarmless(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 12))
	for _, n := range []int{5, 130, 600} {
		src, refs := build(true, randomList(r, n, 9, true))
		silent := 0
		for at := range refs[0].DocLen {
			src.Docs[at]++
			docs, freqs, found := check(src, refs[0])
			if found == 0 {
				silent++
				checkTotals(t, docs, freqs, n)
			}
			src.Docs[at]--
		}
		if limit := int(refs[0].DocLen) / 2; silent > limit {
			t.Errorf("%d documents: %d of %d changes are not found", n, silent, refs[0].DocLen)
		}
	}
}

// TestEveryBoundCounts makes the pairs of list, runs and blocks too good for the shortest document that they stand for, one set at a time.
func TestEveryBoundCounts(t *testing.T) {
	const n = 5000
	src, refs := build(true, randomList(rand.New(rand.NewPCG(14, 14)), n, 9, true))
	blocks := (n + BlockLen - 1) / BlockLen
	runs := (blocks + RunLen - 1) / RunLen
	at := 8*blocks + 4*runs
	for set := range 1 + runs + blocks { // frequencies and lengths of random lists take a byte each
		src.Docs[at+2]++
		if _, _, found := check(src, refs[0]); found == 0 {
			t.Errorf("set %d of pairs does not bound its postings, and nothing is found", set)
		}
		src.Docs[at+2]--
		at += 1 + 2*int(src.Docs[at])
	}
	if bits := src.Docs[at]; bits != 4 { // of gaps up to 9, each less one
		t.Errorf("the first block, which should follow, has gaps of %d bits", bits)
	}
}

func checkTotals(t *testing.T, docs, freqs []uint32, n int) {
	t.Helper()
	if len(docs) != n || !ascending(docs) || slices.Contains(freqs, 0) {
		t.Errorf("%d documents visited without a finding, want %d", len(docs), n)
	}
}

// FuzzChecker checks and dumps anything as a list that lies anywhere.
func FuzzChecker(f *testing.F) {
	r := rand.New(rand.NewPCG(13, 13))
	for _, text := range []bool{true, false} {
		src, refs := build(text, randomList(r, 3, 9, text), randomList(r, 130, 9, text), randomList(r, 1, 9, text))
		for _, ref := range refs {
			f.Add(src.Docs, src.Positions, ref.DF, ref.Doc, ref.Freq, ref.DocOff, ref.DocLen, ref.PosOff, ref.PosLen, text)
		}
	}
	f.Fuzz(func(t *testing.T, docs, positions []byte, df, doc, freq uint32, docOff, docLen, posOff, posLen uint64, text bool) {
		src := Source{Docs: slices.Clip(docs), Positions: slices.Clip(positions), Text: text, MaxDoc: 10000}
		ref := Ref{DF: df, Doc: doc, Freq: freq, DocOff: docOff, DocLen: docLen, PosOff: posOff, PosLen: posLen}
		var out bytes.Buffer
		p := labels.New(&out, false)
		Dump(p, src, ref, 0)
		if text {
			DumpPositions(p, src, ref, 0)
		}
		var b Blocks
		b.Open(src, ref)
		for block := 0; block < b.Count(); block++ {
			if b.Load(block); !text {
				continue
			}
			for _, p := range b.Places(nil, []uint8{0, 1, 5, 126, 127}) {
				b.PositionsAt(nil, p)
				b.Meet([]uint32{0, 1, 9}, 1, p)
			}
		}
		visited, _, found := check(src, ref)
		if found == 0 && (len(visited) != int(df) || !ascending(visited)) {
			t.Fatalf("%d documents of %d visited without a finding", len(visited), df)
		}
	})
}
