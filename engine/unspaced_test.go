package engine_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/jetseek/jetseek/engine"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/schema"
)

// Any part of a text finds it where scripts have no spaces: one character, several, and characters beside words of other scripts. A text here has no space,
// so that it holds a part exactly when the part is a substring.
func TestAnyPartOfATextFindsIt(t *testing.T) {
	const texts, parts = 400, 600
	r := rand.New(rand.NewPCG(55, 1))
	piece := func(i int) string { // at even places a run without spaces, at odd ones a word
		if i%2 > 0 {
			return []string{"go", "7", "é"}[r.IntN(3)]
		}
		var b strings.Builder
		for range 1 + r.IntN(4) {
			b.WriteString([]string{"国", "内", "の", "カ", "ガ", "ก", "กิ"}[r.IntN(7)])
		}
		return b.String()
	}
	text := func(pieces int) string {
		var b strings.Builder
		from := r.IntN(2)
		for i := range pieces {
			b.WriteString(piece(from + i))
		}
		return b.String()
	}

	x, err := engine.Open(engine.Options{InlineMergeBytes: 4 << 10})
	if err != nil {
		t.Fatal(err)
	}
	s := &schema.Schema{Fields: []schema.Field{{Name: "text", Type: schema.Text, Analyzer: "standard", Boost: 1}}}
	apply(t, x, 1, engine.Op{Kind: engine.OpOwn, Slots: engine.AllSlots()}, engine.Op{Kind: engine.OpSchema, Collection: 1, Version: 1, Schema: s})
	held := map[string]string{}
	for i := range texts {
		id, body := fmt.Sprint(i%(texts/2)), text(1+r.IntN(6)) // each is written twice
		held[id] = body
		apply(t, x, uint64(2+i), engine.Op{Kind: engine.OpPut, Collection: 1, ID: id, IfVersion: -1, Body: fmt.Appendf(nil, `{"text":%q}`, body)})
	}
	snap := x.Snapshot()
	defer snap.Close()
	found := 0
	for range parts {
		part := text(1 + r.IntN(3))
		resolved, err := query.Resolve(&query.Word{Text: part, Boost: 1}, s, true)
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for id, body := range held {
			if holds(body, part) {
				want = append(want, id)
			}
		}
		slices.Sort(want)
		got, err := snap.Search(t.Context(), engine.SearchRequest{Collection: 1, Filters: []query.Node{resolved}, Query: &query.MatchAll{}, Limit: texts})
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, h := range got.Candidates {
			ids = append(ids, h.ID)
		}
		slices.Sort(ids)
		if !slices.Equal(ids, want) {
			t.Fatalf("%s finds %v, want %v", part, ids, want)
		}
		found += len(ids)
	}
	if found < parts {
		t.Errorf("only %d were found by %d parts", found, parts)
	}
}

// holds tells whether a text has a part, whole characters of it: ก is no part of กิ.
func holds(text, part string) bool {
	const mark = "ิ"
	for from := 0; ; {
		at := strings.Index(text[from:], part)
		if at < 0 {
			return false
		}
		if from += at + len(part); !strings.HasPrefix(text[from:], mark) {
			return true
		}
	}
}
