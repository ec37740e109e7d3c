package engine_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/jetseek/jetseek/engine"
	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/schema"
)

// Any part of a text finds it where scripts have no spaces: one character, several, and characters beside words of other scripts. A text here has no space,
// so that it holds a part exactly when the part is a substring. Scores are the same in any segments, and explained.
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

	s := &schema.Schema{Fields: []schema.Field{{Name: "text", Type: schema.Text, Analyzer: "standard", Boost: 1}}}
	var snaps []*engine.Snapshot // of the same texts in many segments, and in few
	held := map[string]string{}
	for _, merge := range []int64{1, 0} {
		x, err := engine.Open(engine.Options{InlineMergeBytes: merge})
		if err != nil {
			t.Fatal(err)
		}
		apply(t, x, 1, engine.Op{Kind: engine.OpOwn, Slots: engine.AllSlots()}, engine.Op{Kind: engine.OpSchema, Collection: 1, Version: 1, Schema: s})
		r = rand.New(rand.NewPCG(55, 1))
		for i := range texts {
			id, body := fmt.Sprint(i%(texts/2)), text(1+r.IntN(6)) // each is written twice
			held[id] = body
			apply(t, x, uint64(2+i), engine.Op{Kind: engine.OpPut, Collection: 1, ID: id, IfVersion: -1, Body: fmt.Appendf(nil, `{"text":%q}`, body)})
		}
		snap := x.Snapshot()
		defer snap.Close()
		snaps = append(snaps, snap)
	}
	found := 0
	for range parts {
		part := text(1 + r.IntN(3))
		resolved, err := query.Resolve(&query.Word{Text: part, Boost: 1}, s, false)
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
		got := scoredAlike(t, snaps, resolved)
		var ids []string
		for _, h := range got {
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

// scoredAlike gives what a query finds in all of some snapshots of the same documents, which must give the same hits with the same scores, explained to the bit.
func scoredAlike(t *testing.T, snaps []*engine.Snapshot, n query.Node) (hits []query.Candidate) {
	t.Helper()
	r := engine.ExplainRequest{Collection: 1, Query: n}
	leaves := query.Leaves(n)
	r.Fields, r.Terms = query.Question(leaves)
	for i, snap := range snaps {
		r.Stats = snap.Stats(1, r.Fields, r.Terms)
		weights, err := query.Weigh(leaves, r.Fields, r.Terms, r.Stats)
		if err != nil {
			t.Fatal(err)
		}
		got, err := snap.Search(t.Context(), engine.SearchRequest{Collection: 1, Query: n, Weights: weights, Limit: 1000})
		if err != nil {
			t.Fatal(err)
		}
		if i > 0 && !reflect.DeepEqual(got.Candidates, hits) {
			t.Fatalf("%s finds %+v, and in other segments %+v", query.Label(n), got.Candidates, hits)
		}
		hits = got.Candidates
		for _, h := range hits {
			r.ID = h.ID
			e, ok, err := snap.Explain(t.Context(), r)
			if err != nil || !ok || !e.Matched || !sameBits(e.Explanation.Value, bm25.Shown(h.Score)) {
				t.Fatalf("%s gives %s %v, explained as %+v: %v", query.Label(n), h.ID, bm25.Shown(h.Score), e, err)
			}
			checkFold(t, &e.Explanation, map[bm25.Op]int{})
		}
	}
	return hits
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
