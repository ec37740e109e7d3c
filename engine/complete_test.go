package engine_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/jetseek/jetseek/engine"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/schema"
)

// Completions are what counting the terms of the live, owned documents gives, whatever was overwritten, deleted, disowned and merged; the rest is the most frequent term that was left out.
func TestCompletionsAreExact(t *testing.T) {
	const ids = 600
	r := rand.New(rand.NewPCG(8, 1))
	x, err := engine.Open(engine.Options{InlineMergeBytes: 32 << 10})
	if err != nil {
		t.Fatal(err)
	}
	s := &schema.Schema{Fields: []schema.Field{{Name: "kind", Type: schema.Keyword}, {Name: "text", Type: schema.Text, Analyzer: "standard", Boost: 1}}}
	type terms struct{ words, values []string }
	live, owned, seq := map[int]terms{}, engine.AllSlots(), uint64(0)
	send := func(ops ...engine.Op) {
		seq++
		apply(t, x, seq, ops...)
	}
	op := func(kind engine.OpKind, i int) engine.Op {
		return engine.Op{Kind: kind, Collection: 1, ID: fmt.Sprint(i), Slot: uint16(i % 50), IfVersion: -1}
	}
	put := func(i int) engine.Op {
		var d terms
		for range r.IntN(12) {
			n := int(60 * r.Float64() * r.Float64() * r.Float64())
			d.words = append(d.words, []string{"a", "ab", "abé", "b"}[n%4]+strings.Repeat("c", n/4))
		}
		if r.IntN(4) > 0 {
			d.values = []string{fmt.Sprintf("A b/%d", r.IntN(20))}
		}
		live[i] = d
		o := op(engine.OpPut, i)
		o.Body = fmt.Appendf(nil, `{"text":%q`, strings.Join(d.words, " "))
		if len(d.values) > 0 {
			o.Body = fmt.Appendf(o.Body, `,"kind":%q`, d.values[0])
		}
		o.Body = append(o.Body, '}')
		return o
	}
	check := func() {
		snap := x.Snapshot()
		defer snap.Close()
		for range 10 {
			q := query.CompletionQuestion{Field: "text", Prefix: []string{"", "a", "ab", "abéc", "b", "c", "acccc"}[r.IntN(7)], Most: 1 + r.IntN(25)}
			if r.IntN(3) == 0 {
				q = query.CompletionQuestion{Field: "kind", Exact: true, Prefix: []string{"", "A b/1", "a"}[r.IntN(3)], Most: 1 + r.IntN(25)}
			}
			df := map[string]uint64{}
			for i, d := range live {
				held := d.words
				if q.Exact {
					held = d.values
				}
				for _, term := range slices.Compact(slices.Sorted(slices.Values(held))) {
					if owned.Has(uint16(i%50)) && strings.HasPrefix(term, q.Prefix) {
						df[term]++
					}
				}
			}
			var want query.Completions
			for term, n := range df {
				want.Terms = append(want.Terms, query.TermCount{Term: term, DF: n})
			}
			slices.SortFunc(want.Terms, query.CompareCounts)
			if len(want.Terms) > q.Most {
				want.Rest, want.Terms = want.Terms[q.Most].DF, want.Terms[:q.Most]
			}
			got, err := snap.Complete(t.Context(), 1, &q)
			if err != nil || got.Rest != want.Rest || !slices.Equal(got.Terms, want.Terms) {
				t.Fatalf("at %d, %+v: %+v, %v; want %+v", seq, q, got, err, want)
			}
		}
	}
	send(engine.Op{Kind: engine.OpOwn, Slots: owned}, engine.Op{Kind: engine.OpSchema, Collection: 1, Version: 1, Schema: s})
	check()
	for range 150 {
		var ops []engine.Op
		for range 1 + r.IntN(60) {
			i := r.IntN(ids)
			switch {
			case !owned.Has(uint16(i % 50)): // it would be refused
			case r.IntN(4) == 0:
				delete(live, i)
				ops = append(ops, op(engine.OpDelete, i))
			default:
				ops = append(ops, put(i))
			}
		}
		if r.IntN(12) == 0 {
			owned = &engine.SlotSet{}
			owned.AddRange(uint16(r.IntN(20)), uint16(25+r.IntN(engine.Slots-25)))
			ops = append(ops, engine.Op{Kind: engine.OpOwn, Slots: owned})
		}
		send(ops...)
		if r.IntN(10) == 0 {
			if _, err := x.Merge(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		check()
	}
}

// What is not there has no terms, and who has gone away is not counted for.
func TestCompletionsOfNothing(t *testing.T) {
	x := benchIndex(t)
	z := newZipf()
	apply(t, x, 2, z.put("a", 50))
	snap := x.Snapshot()
	defer snap.Close()
	for _, q := range []query.CompletionQuestion{{Field: "absent", Most: 5}, {Field: "body", Prefix: "x", Most: 5}, {Field: "body", Exact: true, Most: 5}, {Field: "year", Most: 5}} {
		if got, err := snap.Complete(t.Context(), benchCollection, &q); err != nil || len(got.Terms) > 0 || got.Rest > 0 {
			t.Errorf("%+v: %+v, %v", q, got, err)
		}
	}
	if got, err := snap.Complete(t.Context(), 77, &query.CompletionQuestion{Field: "body", Most: 5}); err != nil || len(got.Terms) > 0 {
		t.Errorf("a collection that is not there: %+v, %v", got, err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := snap.Complete(gone, benchCollection, &query.CompletionQuestion{Field: "body", Most: 5}); err != context.Canceled {
		t.Errorf("%+v, %v", got, err)
	}
}

// Terms take at most 8 MiB of an answer; the others are told of by their frequency.
func TestCompletionsOfLongValues(t *testing.T) {
	x, err := engine.Open(engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := &schema.Schema{Fields: []schema.Field{{Name: "kind", Type: schema.Keyword}}}
	apply(t, x, 1, engine.Op{Kind: engine.OpOwn, Slots: engine.AllSlots()}, engine.Op{Kind: engine.OpSchema, Collection: 1, Version: 1, Schema: s})
	long := strings.Repeat("x", schema.MaxExactBytes-5)
	for part := range 12 {
		var ops []engine.Op
		for i := range 100 {
			id := fmt.Sprintf("%02d%02d", part, i)
			ops = append(ops, engine.Op{Kind: engine.OpPut, Collection: 1, ID: id, Slot: slotOf(id), IfVersion: -1, Body: fmt.Appendf(nil, `{"kind":"%s%s"}`, long, id)})
		}
		apply(t, x, uint64(2+part), ops...)
	}
	snap := x.Snapshot()
	defer snap.Close()
	got, err := snap.Complete(t.Context(), 1, &query.CompletionQuestion{Field: "kind", Exact: true, Prefix: "x", Most: 2000})
	if most := 8 << 20 / len(long+"0000"); err != nil || got.Rest != 1 || len(got.Terms) != most {
		t.Errorf("%d terms, %d left, %v; want %d and 1", len(got.Terms), got.Rest, err, most)
	}
	for i, term := range got.Terms { // the first by bytes
		if want := fmt.Sprintf("%02d%02d", i/100, i%100); term.Term != long+want || term.DF != 1 {
			t.Fatalf("place %d: …%s, want …%s", i, term.Term[len(long):], want)
		}
	}
}

// BenchmarkComplete completes over a field of 200,000 distinct terms, of which the prefix leaves all, a tenth, a thousandth.
func BenchmarkComplete(b *testing.B) {
	const terms = 200_000
	for _, kind := range []string{"whole", "deleted"} {
		x := benchIndex(b)
		r := rand.New(rand.NewPCG(2, 2))
		seq := uint64(1)
		for from := 0; from < terms; from += 2000 { // every term once, and others by chance
			var ops []engine.Op
			for at := from; at < from+2000; at += 20 {
				var words strings.Builder
				for i := range 20 {
					fmt.Fprintf(&words, "w%06d w%06d ", at+i, int(float64(terms)*r.Float64()*r.Float64()*r.Float64()))
				}
				id := fmt.Sprint(at)
				ops = append(ops, engine.Op{Kind: engine.OpPut, Collection: benchCollection, ID: id, Slot: slotOf(id), IfVersion: -1, Body: fmt.Appendf(nil, `{"body":%q}`, words.String())})
			}
			seq++
			apply(b, x, seq, ops...)
		}
		if kind == "deleted" {
			var ops []engine.Op
			for at := 0; at < terms; at += 200 { // every tenth document
				id := fmt.Sprint(at)
				ops = append(ops, engine.Op{Kind: engine.OpDelete, Collection: benchCollection, ID: id, Slot: slotOf(id), IfVersion: -1})
			}
			seq++
			apply(b, x, seq, ops...)
		}
		snap := x.Snapshot()
		for _, prefix := range []string{"w", "w0", "w0000", "w00000"} {
			b.Run(kind+"/"+prefix, func(b *testing.B) {
				for b.Loop() {
					got, err := snap.Complete(b.Context(), benchCollection, &query.CompletionQuestion{Field: "body", Prefix: prefix, Most: 1000})
					if err != nil || len(got.Terms) == 0 {
						b.Fatal(len(got.Terms), err)
					}
				}
			})
		}
		info, _ := snap.Collection(benchCollection)
		b.Logf("%s: %d segments", kind, info.Segments)
		snap.Close()
	}
}
