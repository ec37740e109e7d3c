package docset

import (
	"math/rand/v2"
	"testing"
)

func TestSet(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{1, 63, 64, 65, 1000} {
		s, want := New(n), map[uint32]bool{}
		for range n {
			d := r.Uint32N(uint32(n))
			if r.IntN(3) == 0 {
				s.Remove(d)
				delete(want, d)
			} else {
				s.Add(d)
				want[d] = true
			}
		}
		if s.Count() != len(want) {
			t.Fatalf("count %d, want %d", s.Count(), len(want))
		}
		seen := 0
		for d := s.Next(0); d != ^uint32(0); d = s.Next(d + 1) {
			if !want[d] || !s.Has(d) {
				t.Fatalf("%d is not in the set", d)
			}
			seen++
		}
		if seen != len(want) {
			t.Fatalf("a walk over %d, want %d", seen, len(want))
		}
		if f := Full(n); f.Count() != n || f.Next(uint32(n)) != ^uint32(0) {
			t.Fatalf("full set of %d has %d", n, f.Count())
		}
	}
}
