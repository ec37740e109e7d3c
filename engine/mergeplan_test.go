package engine

import (
	"math/rand/v2"
	"reflect"
	"testing"
)

func TestPlanMerge(t *testing.T) {
	of := func(sizes ...int64) []weight {
		ws := make([]weight, len(sizes))
		for i, s := range sizes {
			ws[i] = weight{bytes: s << 10, docs: 100, alive: 100}
		}
		return ws
	}
	change := func(ws []weight, f func([]weight)) []weight { f(ws); return ws }
	for name, c := range map[string]struct {
		segments []weight
		want     []int
	}{
		"nothing":                   {nil, nil},
		"seven small":               {of(1, 1, 1, 1, 1, 1, 1), nil},
		"eight small":               {of(1, 1, 1, 1, 1, 1, 1, 1), []int{0, 1, 2, 3, 4, 5, 6, 7}},
		"eight among large":         {of(900, 1, 1, 1, 1, 1, 1, 1, 1), []int{1, 2, 3, 4, 5, 6, 7, 8}},
		"eight of the second tier":  {of(100, 1, 100, 100, 100, 100, 100, 100, 100), []int{0, 2, 3, 4, 5, 6, 7, 8}},
		"two tiers, none due":       {of(1, 1, 1, 1, 100, 100, 100, 100), nil},
		"together beyond the limit": {of(900, 900, 900, 900, 900, 900, 900, 900), nil},
		"beyond the limit each":     {of(5000, 5000, 5000, 5000, 5000, 5000, 5000, 5000), nil},
		"busy ones are left":        {change(of(1, 1, 1, 1, 1, 1, 1, 1), func(w []weight) { w[3].busy = true }), nil},
		"all dead":                  {change(of(1, 900), func(w []weight) { w[1].alive = 0 }), []int{1}},
		"a third dead is kept":      {change(of(1, 900), func(w []weight) { w[1].alive = 67 }), nil},
		"more is rewritten":         {change(of(1, 900), func(w []weight) { w[1].alive = 66 }), []int{1}},
	} {
		if got := planMerge(c.segments, 4<<20); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestPlansKeepSegmentsFew grows an index by small segments, with merges as planned: there are never many, and no byte is copied more often than once a tier.
func TestPlansKeepSegmentsFew(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var segments []weight
	var written, copied int64
	for range 20000 {
		w := weight{bytes: 1000 + r.Int64N(3000), docs: 1, alive: 1}
		written += w.bytes
		segments = append(segments, w)
		for picked := planMerge(segments, 1<<40); picked != nil; picked = planMerge(segments, 1<<40) {
			var sum weight
			for n, i := range picked {
				w := segments[i-n]
				sum = weight{bytes: sum.bytes + w.bytes, docs: sum.docs + w.docs, alive: sum.alive + w.alive}
				segments = append(segments[:i-n], segments[i-n+1:]...)
			}
			segments = append(segments, sum)
			copied += sum.bytes
		}
		if len(segments) > 40 {
			t.Fatalf("%d segments", len(segments))
		}
	}
	if factor := float64(copied) / float64(written); factor > 5.5 {
		t.Errorf("each byte was copied %.1f times", factor)
	} else {
		t.Logf("%d segments at the end, each byte copied %.1f times", len(segments), factor)
	}
}

// TestBackstop bounds the segments when nobody merges beside.
func TestBackstop(t *testing.T) {
	segments := make([]weight, maxSegments+1)
	for i := range segments {
		segments[i] = weight{bytes: 3<<20 + int64(i), docs: 1, alive: 1}
	}
	if got := planBackstop(segments[1:], 1<<30); got != nil {
		t.Errorf("%d segments: %v", maxSegments, got)
	}
	got := planBackstop(segments, 1<<30)
	if len(got) != backstopMerge || got[0] != 0 || got[backstopMerge-1] != backstopMerge-1 {
		t.Errorf("picked %v, want the first %d", got, backstopMerge)
	}
}
