package search_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/internal/search"
	"github.com/jetseek/jetseek/engine/query"
)

// Of 1,000 documents all hold "all", the first 300 "some", the last one "rare": lists of 1,000, 300 and 1 postings in blocks of 128. Each way to execute a query tells which of them it
// decoded, where as many hits are asked for as there are, so that none is left out for its score.
func TestProfileTellsWhatWasRead(t *testing.T) {
	var docs []document
	for i := range 1000 {
		d := document{id: fmt.Sprintf("%04d", i), words: []string{"all"}, tag: "x"}
		if i < 300 {
			d.words = append(d.words, "some")
		}
		if i == 999 {
			d.words = append(d.words, "rare")
		}
		docs = append(docs, d)
	}
	one, two := []search.View{view(docs)}, []search.View{view(docs[:500]), view(docs[500:])}
	term := func(word string, leaf int) query.Node { return &query.TextTerm{Field: "body", Term: word, Leaf: leaf} }
	weights := []bm25.Weight{{W: 1, C0: 0.3, C1: 0.1}, {W: 1, C0: 0.3, C1: 0.1}}
	for _, c := range []struct {
		name  string
		views []search.View
		query query.Node
		want  []search.ClauseProfile
	}{
		{"everything", one, &query.MatchAll{}, nil},
		{"a list, read whole", one, term("some", 0), []search.ClauseProfile{{Label: "body:some", Lists: 1, Postings: 300, Visited: 300}}},
		{"two segments", two, term("all", 0), []search.ClauseProfile{{Label: "body:all", Lists: 2, Postings: 1000, Visited: 1000}}},
		{"a rare one leads: of the other the last block alone", one, &query.Bool{Must: []query.Node{term("all", 0), term("rare", 1)}},
			[]search.ClauseProfile{{Label: "body:all", Lists: 1, Postings: 1000, Visited: 1000 - 7*128}, {Label: "body:rare", Lists: 1, Postings: 1, Visited: 1}}},
		{"walked, the rare one first", one, &query.DisMax{Children: []query.Node{&query.Bool{Must: []query.Node{term("all", 0), term("rare", 1)}}}, Tie: 0.5},
			[]search.ClauseProfile{{Label: "body:all", Lists: 1, Postings: 1000, Visited: 128 + 1000 - 7*128}, {Label: "body:rare", Lists: 1, Postings: 1, Visited: 1}}},
		{"a word that is nowhere", one, term("nowhere", 0), nil},
	} {
		r := &search.Request{Query: c.query, Weights: weights, Limit: len(docs), Profile: true, Scratch: &search.Scratch{}}
		for range 2 { // in memory used before too
			got, err := search.Run(t.Context(), c.views, r)
			if err != nil || got.Profile == nil || got.Profile.Segments != len(c.views) || !reflect.DeepEqual(got.Profile.Clauses, c.want) {
				t.Errorf("%s: %+v, want %+v (%v)", c.name, got.Profile, c.want, err)
			}
		}
		r.Profile = false
		if got, err := search.Run(t.Context(), c.views, r); err != nil || got.Profile != nil {
			t.Errorf("%s: %+v though nobody asked (%v)", c.name, got.Profile, err)
		}
	}
}
