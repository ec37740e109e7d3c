package segment_test

import (
	"context"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/jetseek/jetseek/engine/analysis"
	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/internal/docset"
	"github.com/jetseek/jetseek/engine/internal/search"
	"github.com/jetseek/jetseek/engine/internal/segment"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/schema"
)

// goodSegment has one of everything.
func goodSegment() []byte {
	var b segment.Builder
	b.Reset(1)
	for _, id := range []string{"a", "b", "c"} {
		b.Add(id, segment.HashID(id), segment.State{Version: 1}, []byte("source"))
		b.Text("body", []analysis.Token{{Term: "x"}, {Term: "y", Position: 1}, {Term: id, Position: 2}, {Term: "x", Position: 3}})
		b.Exact("tag", []string{id, "all"})
		b.Ints("year", []int64{1, 2})
		b.Floats("price", []float64{1.5})
	}
	all, _, err := b.Cut(0, b.Docs())
	if err != nil {
		panic(err)
	}
	return segment.Flushed(all)
}

// searchAll searches a segment in all ways.
func searchAll(t *testing.T, b []byte) {
	t.Helper()
	s, err := segment.Open(b)
	if err != nil {
		return
	}
	term := func(t string) query.Node { return &query.TextTerm{Field: "body", Term: t} }
	lo := "b"
	sort := []query.SortKey{
		{By: query.ByField, Field: "tag", Type: schema.Keyword}, {By: query.ByField, Field: "year", Type: schema.Long, Desc: true},
		{By: query.ByField, Field: "price", Type: schema.Double}, {By: query.ByScore},
	}
	views := []search.View{{Segment: s, Visible: docset.Full(s.Docs()), Docs: s.Docs()}}
	for _, n := range []query.Node{
		&query.Bool{Should: []query.Node{term("x"), term("y"), term("a")}, MinShould: 2},
		&query.Bool{Must: []query.Node{term("x"), &query.KeywordSet{Field: "tag", Values: []string{"all", "b"}}}, MustNot: []query.Node{term("c")}},
		&query.TextPhrase{Field: "body", Terms: []string{"x", "y"}, Offsets: []int{0, 1}},
		&query.KeywordRange{Field: "tag", Lo: &lo},
		&query.LongRange{Field: "year", Lo: 1, Hi: 2},
		&query.DoubleSet{Field: "price", Values: []float64{1.5}},
		&query.FieldExists{Field: "body", Type: schema.Text},
		&query.IDs{Values: []string{"a", "b"}},
	} {
		r := &search.Request{Query: n, Weights: []bm25.Weight{{W: 1, C0: 0.3, C1: 0.1}}, Sort: sort, Limit: 2}
		if res, err := search.Run(context.Background(), views, r); err == nil && len(res.Candidates) > 2 {
			t.Fatalf("%d candidates of 2", len(res.Candidates))
		}
	}
}

// TestSearchWhereEveryByteMayLie changes each byte of a segment under right checksums: an error or some answer, never a panic.
func TestSearchWhereEveryByteMayLie(t *testing.T) {
	good := goodSegment()
	for at := range good {
		for _, v := range []byte{0, 0x7f, 0xff, good[at] + 1} {
			if b, ok := segment.Edited(good, []byte{byte(at), byte(at >> 8), v}); ok {
				searchAll(t, b)
			}
		}
	}
}

// TestPhrasesWhereBytesLie changes bytes of a segment whose lists are long enough for whole blocks and windows: an error or some answer, never a panic.
func TestPhrasesWhereBytesLie(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 5))
	var b segment.Builder
	b.Reset(1)
	for i := range 600 {
		id := strconv.Itoa(i)
		b.Add(id, segment.HashID(id), segment.State{Version: 1}, nil)
		var tokens []analysis.Token
		for p := range 1 + r.IntN(9) {
			tokens = append(tokens, analysis.Token{Term: string(rune('a' + r.IntN(3))), Position: p})
		}
		b.Text("body", tokens)
	}
	all, _, err := b.Cut(0, b.Docs())
	if err != nil {
		t.Fatal(err)
	}
	good := segment.Flushed(all)
	tries := 3000
	if testing.Short() {
		tries = 300
	}
	for range tries {
		at := r.IntN(len(good))
		bytes, ok := segment.Edited(good, []byte{byte(at), byte(at >> 8), byte(r.IntN(256))})
		if !ok {
			continue
		}
		s, err := segment.Open(bytes)
		if err != nil {
			continue
		}
		views := []search.View{{Segment: s, Visible: docset.Full(s.Docs()), Docs: s.Docs()}}
		for _, terms := range [][]string{{"a", "b"}, {"b", "c", "b"}} {
			n := &query.TextPhrase{Field: "body", Terms: terms, Offsets: []int{0, 1, 2}[:len(terms)]}
			request := &search.Request{Query: n, Weights: []bm25.Weight{{W: 1, C0: 0.3, C1: 0.1}}, Limit: 5, CountTo: uint64(r.IntN(2))}
			if res, err := search.Run(context.Background(), views, request); err == nil && len(res.Candidates) > 5 {
				t.Fatalf("%d candidates of 5", len(res.Candidates))
			}
		}
	}
}

// FuzzSearch searches segments with any bytes changed under right checksums.
func FuzzSearch(f *testing.F) {
	good := goodSegment()
	f.Add([]byte{})
	f.Add([]byte{60, 1, 255, 30, 0, 7})
	f.Fuzz(func(t *testing.T, edits []byte) {
		if b, ok := segment.Edited(good, edits); ok {
			searchAll(t, b)
		}
	})
}
