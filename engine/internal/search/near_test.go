package search_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/jetseek/jetseek/engine/geo"
	"github.com/jetseek/jetseek/engine/internal/docset"
	"github.com/jetseek/jetseek/engine/internal/search"
	"github.com/jetseek/jetseek/engine/internal/segment"
	"github.com/jetseek/jetseek/engine/query"
)

// placed is a document with a place, or without.
type placed struct {
	id    string
	at    *geo.Point
	alive bool
}

// Filters by distance and orders by it are those of a comparison of all documents, poles, the 180th meridian and absent places included.
func TestDistancesAreBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(20, 20))
	somewhere := func() geo.Point {
		switch r.IntN(6) {
		case 0:
			return geo.Point{Lat: []float64{90, -90, 0, 89.9999}[r.IntN(4)], Lon: []float64{180, -180, 0, 179.9}[r.IntN(4)]}
		case 1:
			return geo.Point{Lat: 52.5 + r.Float64()/10, Lon: 13.4 + r.Float64()/10}
		}
		return geo.Point{Lat: r.Float64()*180 - 90, Lon: r.Float64()*360 - 180}
	}
	var docs []placed
	var views []search.View
	for range 3 {
		var b segment.Builder
		b.Reset(1)
		n := 200 + r.IntN(900)
		visible := docset.New(n)
		for i := range n {
			d := placed{id: fmt.Sprintf("%05d-%d", r.IntN(100_000), len(docs)), alive: r.IntN(9) > 0}
			b.Add(d.id, segment.HashID(d.id), segment.State{Version: 1}, nil)
			if r.IntN(5) > 0 {
				p := somewhere()
				d.at = &p
				b.Floats("p.lat", []float64{p.Lat})
				b.Floats("p.lon", []float64{p.Lon})
			}
			if d.alive {
				visible.Add(uint32(i))
			}
			docs = append(docs, d)
		}
		s, _, err := b.Cut(0, b.Docs())
		if err != nil {
			t.Fatal(err)
		}
		views = append(views, search.View{Segment: s, Visible: visible, Docs: visible.Count()})
	}
	matches := 0
	for range 400 {
		near := &query.Near{Field: "p", Point: somewhere(), Metres: math.Pow(10, r.Float64()*8), Boost: 1.5}
		key := query.SortKey{By: query.ByDistance, Field: "p", From: somewhere(), Desc: r.IntN(2) == 0, MissingFirst: r.IntN(2) == 0}
		request := search.Request{Query: near, Sort: []query.SortKey{key}, Limit: []int{1, 20, 5000}[r.IntN(3)], Score: r.IntN(2) == 0}
		all := r.IntN(3) == 0
		switch {
		case all:
			request.Query = &query.MatchAll{Boost: 1}
		case r.IntN(2) == 0:
			request.Query, request.Filters = &query.MatchAll{Boost: 1.5}, []query.Node{near}
		}
		var want []query.Candidate
		for _, d := range docs {
			if !d.alive || !all && (d.at == nil || geo.Distance(near.Point, *d.at) > near.Metres) {
				continue
			}
			c := query.Candidate{ID: d.id, Keys: []query.Key{{}}}
			if d.at != nil {
				c.Keys[0] = query.Key{Kind: query.KeyFloat, Float: geo.Distance(key.From, *d.at)}
			}
			want = append(want, c)
		}
		slices.SortFunc(want, func(a, b query.Candidate) int { return query.CompareKeys(request.Sort, &a, &b) })
		got, err := search.Run(t.Context(), views, &request)
		if err != nil || got.Total != uint64(len(want)) || len(got.Candidates) != min(len(want), request.Limit) {
			t.Fatalf("%+v: %d of %d, want %d, %v", near, len(got.Candidates), got.Total, len(want), err)
		}
		for i, c := range got.Candidates {
			if c.ID != want[i].ID || c.Keys[0] != want[i].Keys[0] {
				t.Fatalf("place %d: %v, want %v", i, c, want[i])
			}
			if request.Score && !all && c.Score != 3<<31 {
				t.Fatalf("score %d", c.Score)
			}
		}
		if !all {
			matches += len(want)
		}
	}
	if matches < 1000 {
		t.Errorf("%d matches prove little", matches)
	}
}
