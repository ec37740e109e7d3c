package bm25

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// TestPartsAreEachPart holds many parts at once against one at a time, for extreme weights, frequencies and lengths too, and any number of postings.
func TestPartsAreEachPart(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 10))
	for n := range 3000 {
		width := []int{0, 1, 2, 4, 8}[n%5]
		l := Lengths{Base: r.Uint32N(100), Width: width, Data: make([]byte, 300*width)}
		for i := range l.Data {
			if width < 8 || i%8 < 4 {
				l.Data[i] = byte(r.Uint32())
			}
		}
		w := Weight{W: 8 * r.Float64(), C0: 0.3, C1: 0.9 / (1 + 300*r.Float64())}
		switch n % 7 {
		case 0:
			w = Weight{W: MaxWeight * r.Float64(), C0: r.Float64(), C1: math.Exp(80*r.Float64() - 40)}
		case 1:
			w = Weight{}
		}
		docs, freqs := make([]uint32, r.IntN(300)), make([]uint32, 300)
		for i := range docs {
			docs[i], freqs[i] = uint32(i), 1+r.Uint32N(1+r.Uint32()>>r.IntN(32))
		}
		got := make([]int64, len(docs))
		w.Parts(got, docs, freqs, &l)
		for i, d := range docs {
			if want := Part(w.W, w.C0, w.C1, freqs[i], l.Of(d)); got[i] != want {
				t.Fatalf("weight %+v, %d in %d, number %d of %d: %d, want %d", w, freqs[i], l.Of(d), i, len(docs), got[i], want)
			}
		}
	}
}

func BenchmarkParts(b *testing.B) {
	r := rand.New(rand.NewPCG(11, 11))
	w := MakeWeight(1, IDF(100, 7), FieldStats{Docs: 100, TotalLen: 1234})
	for _, n := range []int{8, 48, 128} {
		l := Lengths{Width: 1, Data: make([]byte, 128)}
		docs, freqs, parts := make([]uint32, n), make([]uint32, n), make([]int64, n)
		for i := range docs {
			docs[i], freqs[i], l.Data[i] = uint32(i), 1+r.Uint32N(3), byte(r.Uint32())
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				w.Parts(parts, docs, freqs, &l)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/posting")
		})
	}
}
