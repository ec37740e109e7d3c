package search

import (
	"math/rand/v2"
	"testing"
)

// TestBitsOfARange holds any and remove against a look at each bit.
func TestBitsOfARange(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	for range 2000 {
		var b, want bitset
		for range r.IntN(12) {
			b[r.IntN(len(b))] |= 1 << r.IntN(64)
		}
		from, to := r.Uint32N(windowDocs), r.Uint32N(windowDocs+1)
		if r.IntN(2) == 0 {
			to = min(from+r.Uint32N(130), windowDocs)
		}
		any := false
		for at := range uint32(windowDocs) {
			bit := b[at/64] & (1 << (at % 64))
			if from <= at && at < to {
				any = any || bit != 0
			} else {
				want[at/64] |= bit
			}
		}
		if got := b.any(from, to); got != any {
			t.Fatalf("any from %d to %d is %v", from, to, got)
		}
		if b.remove(from, to); b != want {
			t.Fatalf("wrong bits are left after those from %d to %d", from, to)
		}
	}
}
