package search_test

import (
	"context"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/jetseek/jetseek/engine/analysis"
	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/internal/docset"
	"github.com/jetseek/jetseek/engine/internal/search"
	"github.com/jetseek/jetseek/engine/internal/segment"
	"github.com/jetseek/jetseek/engine/query"
)

// The generated corpus: words by Zipf's law, of which each document takes half from its topic; in four segments, with one document in 20 deleted.
const (
	benchWords  = 100_000
	benchTopics = 200
)

func benchViews(docs int) []search.View {
	r := rand.New(rand.NewPCG(7, 7))
	words := rand.NewZipf(r, 1.07, 6, benchWords-1)
	var views []search.View
	for n := docs; n > 0; {
		size := n
		if len(views) < 3 {
			size = n * 2 / 3
		}
		views = append(views, benchView(r, words, size))
		n -= size
	}
	return views
}

func benchView(r *rand.Rand, words *rand.Zipf, docs int) search.View {
	var b segment.Builder
	b.Reset(1)
	visible := docset.Full(docs)
	var tokens []analysis.Token
	for i := range docs {
		id := strconv.Itoa(r.IntN(1<<30)) + "-" + strconv.Itoa(i)
		b.Add(id, segment.HashID(id), segment.State{Version: 1}, []byte("{}"))
		topic := r.IntN(benchTopics)
		tokens = tokens[:0]
		for p := range 20 + r.IntN(40) + r.IntN(40) {
			word := int(words.Uint64())
			if word > 50 && r.IntN(2) == 0 {
				word = 50 + (word-50)/benchTopics*benchTopics + topic
			}
			tokens = append(tokens, analysis.Token{Term: "w" + strconv.Itoa(word), Position: p})
		}
		b.Text("body", tokens)
		b.Exact("tag", []string{strconv.Itoa(i % 10)})
		b.Ints("year", []int64{int64(i * 100 / docs)})
		if r.IntN(20) == 0 {
			visible.Remove(uint32(i))
		}
	}
	s, _, err := b.Cut(0, b.Docs())
	if err != nil {
		panic(err)
	}
	return search.View{Segment: s, Visible: visible, Docs: visible.Count()}
}

// benchTerm gives a leaf with the weight that it would have, and its number of postings.
func benchTerm(views []search.View, word, leaf int, weights *[]bm25.Weight) (query.Node, int) {
	df, docs := 0, 0
	name := "w" + strconv.Itoa(word)
	for _, v := range views {
		docs += v.Segment.Docs()
		if _, ref, ok := v.Segment.Field("body").Terms.Lookup(name); ok {
			df += int(ref.DF)
		}
	}
	stats := bm25.FieldStats{Docs: uint64(docs), TotalLen: uint64(docs) * 59}
	*weights = append(*weights, bm25.MakeWeight(1, bm25.IDF(uint64(docs), uint64(df)), stats))
	return &query.TextTerm{Field: "body", Term: name, Leaf: leaf}, df
}

// BenchmarkSearch runs classes of 50 queries each; SEARCH_DOCS sets the size of the corpus (200000).
func BenchmarkSearch(b *testing.B) {
	docs, err := strconv.Atoi(os.Getenv("SEARCH_DOCS"))
	if err != nil {
		docs = 200_000
	}
	views := benchViews(docs)
	any := func(n []query.Node) query.Node { return &query.Bool{Should: n, MinShould: 1} }
	all := func(n []query.Node) query.Node { return &query.Bool{Must: n} }
	tenth := []query.Node{&query.KeywordSet{Field: "tag", Values: []string{"3"}}}
	phrase := func(n []query.Node) query.Node {
		p := &query.TextPhrase{Field: "body"}
		for i, t := range n {
			p.Terms, p.Offsets = append(p.Terms, t.(*query.TextTerm).Term), append(p.Offsets, i)
		}
		return p
	}
	within := func(n []query.Node) query.Node { return &query.Bool{Must: []query.Node{phrase(n)}, Filter: tenth} }
	for _, class := range []struct {
		name     string
		terms    int
		frequent bool
		make     func([]query.Node) query.Node
		request  search.Request
	}{
		{"or/1", 1, false, any, search.Request{Limit: 10, CountTo: 1}},
		{"or/2", 2, false, any, search.Request{Limit: 10, CountTo: 1}},
		{"or/5", 5, false, any, search.Request{Limit: 10, CountTo: 1}},
		{"or/2frequent", 2, true, any, search.Request{Limit: 10, CountTo: 1}},
		{"or/5frequent", 5, true, any, search.Request{Limit: 10, CountTo: 1}},
		{"or100/5", 5, false, any, search.Request{Limit: 100, CountTo: 1}},
		{"or100/5frequent", 5, true, any, search.Request{Limit: 100, CountTo: 1}},
		{"exact/1", 1, false, any, search.Request{Limit: 10}},
		{"exact/2frequent", 2, true, any, search.Request{Limit: 10}},
		{"exact/5frequent", 5, true, any, search.Request{Limit: 10}},
		{"filtered/1", 1, false, any, search.Request{Limit: 10, CountTo: 1, Filters: tenth}},
		{"filtered/5", 5, false, any, search.Request{Limit: 10, CountTo: 1, Filters: tenth}},
		{"filtered/5frequent", 5, true, any, search.Request{Limit: 10, CountTo: 1, Filters: tenth}},
		{"and/2", 2, false, all, search.Request{Limit: 10, CountTo: 1}},
		{"and/5", 5, false, all, search.Request{Limit: 10, CountTo: 1}},
		{"and/2frequent", 2, true, all, search.Request{Limit: 10, CountTo: 1}},
		{"and/3frequent", 3, true, all, search.Request{Limit: 10, CountTo: 1}},
		{"phrase/2", 2, false, phrase, search.Request{Limit: 10, CountTo: 1}},
		{"phrase/2frequent", 2, true, phrase, search.Request{Limit: 10, CountTo: 1}},
		{"phrase/3frequent", 3, true, phrase, search.Request{Limit: 10, CountTo: 1}},
		{"phrase/2frequent in a bool", 2, true, within, search.Request{Limit: 10, CountTo: 1}},
	} {
		b.Run(class.name, func(b *testing.B) {
			r := rand.New(rand.NewPCG(3, 3))
			var requests []search.Request
			var scratch search.Scratch
			postings := 0
			for range 50 {
				request := class.request
				var nodes []query.Node
				topic := r.IntN(benchTopics)
				for leaf := range class.terms {
					word := 3 + r.IntN(100)
					if !class.frequent {
						word = 50 + r.IntN(1+r.IntN(40))*benchTopics + topic
					}
					n, df := benchTerm(views, word, leaf, &request.Weights)
					postings += df
					nodes = append(nodes, n)
				}
				request.Query, request.Scratch = class.make(nodes), &scratch
				requests = append(requests, request)
			}
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				if _, err := search.Run(context.Background(), views, &requests[n%len(requests)]); err != nil {
					b.Fatal(err)
				}
				n++
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(float64(postings)/50), "ns/posting")
			b.ReportMetric(float64(postings)/50, "postings")
		})
	}
}
