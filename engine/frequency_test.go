package engine

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/schema"
)

// TestFrequenciesAreExact asks for document frequencies again and again, of new and of old snapshots and from several goroutines, while documents are deleted and
// overwritten, slots come and go, and segments are merged: they are those that counting the words gives.
func TestFrequenciesAreExact(t *testing.T) {
	const ids, words = 3000, 12
	r := rand.New(rand.NewPCG(5, 5))
	x, err := Open(Options{InlineMergeBytes: 64 << 10})
	if err != nil {
		t.Fatal(err)
	}
	text := &schema.Schema{Fields: []schema.Field{{Name: "a", Type: schema.Text, Analyzer: "standard", Boost: 1}}}
	live, owned := map[int][]int{}, AllSlots() // the words of each document
	seq := uint64(0)
	send := func(ops ...Op) {
		t.Helper()
		seq++
		if _, err := x.Apply([]Message{{Seq: seq, Ops: ops}}); err != nil {
			t.Fatal(err)
		}
	}
	op := func(kind OpKind, i int) Op {
		return Op{Kind: kind, Collection: 1, ID: fmt.Sprint(i), Slot: uint16(i % 100), IfVersion: -1}
	}
	put := func(i int) Op {
		var b strings.Builder
		live[i] = nil
		for w := range words {
			if r.IntN(w+1) == 0 { // word w is in every (w+1)th document
				live[i] = append(live[i], w)
				fmt.Fprintf(&b, "w%d ", w)
			}
		}
		o := op(OpPut, i)
		o.Body = fmt.Appendf(nil, `{"a":%q}`, b.String())
		return o
	}
	var terms []bm25.FieldTerm
	for w := range words {
		terms = append(terms, bm25.FieldTerm{Field: "a", Term: fmt.Sprintf("w%d", w)})
	}
	count := func() []uint64 {
		df := make([]uint64, words)
		for i, has := range live {
			for _, w := range has {
				if owned.Has(uint16(i % 100)) {
					df[w]++
				}
			}
		}
		return df
	}
	type held struct {
		snapshot *Snapshot
		df       []uint64
	}
	var old []held
	check := func() {
		t.Helper()
		old = append(old, held{x.Snapshot(), count()})
		var asking sync.WaitGroup
		for _, h := range old {
			asking.Go(func() {
				if got := h.snapshot.Stats(1, nil, terms).DF; !slices.Equal(got, h.df) {
					t.Errorf("at %d of %d: %v, want %v", h.snapshot.Seq(), seq, got, h.df)
				}
			})
		}
		asking.Wait()
		if len(old) > 4 {
			i := r.IntN(len(old))
			old[i].snapshot.Close()
			old = slices.Delete(old, i, i+1)
		}
	}
	send(Op{Kind: OpOwn, Slots: owned}, Op{Kind: OpSchema, Collection: 1, Version: 1, Schema: text})
	var all []Op
	for i := range ids {
		all = append(all, put(i))
	}
	send(all...)
	for range 200 {
		var ops []Op
		for range 1 + r.IntN(1+r.IntN(40)) {
			i := r.IntN(ids)
			if !owned.Has(uint16(i % 100)) {
				continue // it would be refused
			}
			if r.IntN(3) > 0 {
				delete(live, i)
				ops = append(ops, op(OpDelete, i))
			} else {
				ops = append(ops, put(i))
			}
		}
		if r.IntN(12) == 0 {
			owned = &SlotSet{}
			owned.AddRange(uint16(r.IntN(30)), uint16(40+r.IntN(Slots)))
			ops = append(ops, Op{Kind: OpOwn, Slots: owned})
		}
		send(ops...)
		if r.IntN(10) == 0 {
			if _, err := x.Merge(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		if r.IntN(4) > 0 {
			check()
		}
	}
	for _, h := range old {
		h.snapshot.Close()
	}
}
