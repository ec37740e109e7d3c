package bm25

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestReachIsNeverTooShort tries lengths around the one from which on a frequency no longer reaches a floor: all that reach it may, and of usual weights at most the length
// behind it may without reaching it.
func TestReachIsNeverTooShort(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for n := range 20_000 {
		w, usual := Weight{W: 8 * r.Float64(), C0: 0.3, C1: 0.9 / (1 + 300*r.Float64())}, true
		switch n % 8 {
		case 0:
			w, usual = Weight{W: w.W * MaxWeight / 8, C0: 1e3 * r.Float64(), C1: math.Exp(40*r.Float64() - 20)}, false
		case 1:
			w, usual = Weight{W: w.W, C0: 0.3}, false
		case 2:
			w, usual = Weight{}, false
		}
		tf, length := 1+r.Uint32N(20), 1+r.Uint32N(2000)
		floor := Part(w.W, w.C0, w.C1, tf, length) + int64(r.IntN(3)) - 1
		reach := MakeReach(w, floor)
		for try := uint32(1); try < 24; try++ {
			for _, dl := range []uint32{length + 2 - min(try, length+2), length + try, length * try, math.MaxUint32} {
				may, does := reach.May(try, dl) == 1, Part(w.W, w.C0, w.C1, try, dl) >= floor
				if does && !may {
					t.Fatalf("weight %+v, floor %d: %d in %d reach it, and may not", w, floor, try, dl)
				}
				if may && !does && usual && try <= reachFreqs && dl > 2 && Part(w.W, w.C0, w.C1, try, dl-2) < floor {
					t.Fatalf("weight %+v, floor %d: %d in %d may reach it, and do not by far", w, floor, try, dl)
				}
			}
		}
	}
}

// TestLengthsOfAllWidths reads lengths one by one and many at once.
func TestLengthsOfAllWidths(t *testing.T) {
	for _, width := range []int{0, 1, 2, 4, 8} {
		l := Lengths{Base: 7, Width: width, Data: make([]byte, 3*width)}
		docs, want, got := []uint32{0, 2}, []uint32{7, 7}, make([]uint32, 2)
		if width > 0 {
			l.Data[2*width], want[1] = 200, 207
		}
		if l.Fill(got, docs); !slices.Equal(got, want) || l.Of(0) != want[0] || l.Of(2) != want[1] {
			t.Errorf("width %d: lengths %d, %d and %d, want %d", width, got, l.Of(0), l.Of(2), want)
		}
	}
}
