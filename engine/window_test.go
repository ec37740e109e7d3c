package engine

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/jetseek/jetseek/engine/outcome"
	"github.com/jetseek/jetseek/engine/schema"
)

// keyedIndex is an index with one collection that owns all slots, and the sequence of its last message.
type keyedIndex struct {
	*Index
	t   *testing.T
	seq uint64
}

func newKeyedIndex(t *testing.T) *keyedIndex {
	x, err := Open(Options{})
	if err != nil {
		t.Fatal(err)
	}
	k := &keyedIndex{Index: x, t: t}
	k.apply(Op{Kind: OpOwn, Slots: AllSlots()}, Op{Kind: OpSchema, Collection: 1, Version: 1, Schema: &schema.Schema{}}, Op{Kind: OpSchema, Collection: 2, Version: 1, Schema: &schema.Schema{}})
	return k
}

// apply applies operations as one message.
func (k *keyedIndex) apply(ops ...Op) []outcome.Outcome {
	k.t.Helper()
	k.seq++
	out, err := k.Apply([]Message{{Seq: k.seq, Ops: ops}})
	if err != nil {
		k.t.Fatal(err)
	}
	return out[0]
}

func (k *keyedIndex) digest() Digest {
	s := k.Snapshot()
	defer s.Close()
	return s.Digest()
}

func keyed(kind OpKind, key, id string) Op {
	op := Op{Kind: kind, Collection: 1, ID: id, IfVersion: -1, Key: key}
	if kind == OpPut {
		op.Body = []byte("{}")
	}
	return op
}

func TestRepeatsAreAnsweredAsTheFirst(t *testing.T) {
	x := newKeyedIndex(t)
	conditional := keyed(OpPut, "k4", "a")
	conditional.IfVersion = 9
	elsewhere := keyed(OpPut, "k1", "a")
	elsewhere.Collection = 2
	for _, c := range []struct {
		name string
		op   Op
		want outcome.Outcome
	}{
		{"the first", keyed(OpPut, "k1", "a"), outcome.Outcome{Code: outcome.Created, Version: 1}},
		{"a repeat", keyed(OpPut, "k1", "a"), outcome.Outcome{Code: outcome.Created, Version: 1, Repeated: true}},
		{"without a key", keyed(OpPut, "", "a"), outcome.Outcome{Code: outcome.Updated, Version: 2}},
		{"another key", keyed(OpPut, "k2", "a"), outcome.Outcome{Code: outcome.Updated, Version: 3}},
		{"another id", keyed(OpPut, "k1", "b"), outcome.Outcome{Code: outcome.KeyConflict}},
		{"another kind", keyed(OpDelete, "k1", "a"), outcome.Outcome{Code: outcome.KeyConflict}},
		{"another collection", elsewhere, outcome.Outcome{Code: outcome.Created, Version: 1}},
		{"a conflict of versions is decided", conditional, outcome.Outcome{Code: outcome.VersionConflict, Version: 3}},
		{"and repeated", conditional, outcome.Outcome{Code: outcome.VersionConflict, Version: 3, Repeated: true}},
		{"a delete", keyed(OpDelete, "k3", "a"), outcome.Outcome{Code: outcome.Deleted, Version: 3}},
		{"written again", keyed(OpPut, "", "a"), outcome.Outcome{Code: outcome.Created, Version: 1}},
		{"its repeat deletes nothing", keyed(OpDelete, "k3", "a"), outcome.Outcome{Code: outcome.Deleted, Version: 3, Repeated: true}},
		{"nothing to delete", keyed(OpDelete, "k5", "b"), outcome.Outcome{Code: outcome.NotFound}},
		{"nothing to delete, repeated", keyed(OpDelete, "k5", "b"), outcome.Outcome{Code: outcome.NotFound, Repeated: true}},
	} {
		if got := x.apply(c.op)[0]; got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
	twice := x.apply(keyed(OpPut, "k6", "c"), keyed(OpPut, "k6", "c"))
	if twice[0].Repeated || !twice[1].Repeated || twice[1].Version != 1 {
		t.Errorf("twice in one message: %+v", twice)
	}
}

// A slot that is not owned is not decided here: the key is free when it is.
func TestWrongOwnerIsNotKept(t *testing.T) {
	x := newKeyedIndex(t)
	x.apply(Op{Kind: OpOwn, Epoch: 2})
	if got := x.apply(keyed(OpPut, "k", "a"))[0]; got.Code != outcome.WrongOwner {
		t.Fatalf("%+v", got)
	}
	x.apply(Op{Kind: OpOwn, Epoch: 3, Slots: AllSlots()})
	if got := x.apply(keyed(OpPut, "k", "b"))[0]; got != (outcome.Outcome{Code: outcome.Created, Version: 1}) {
		t.Errorf("%+v", got)
	}
}

// A key is forgotten when as many others as the window holds have come behind it, and no sooner; the digest is that of what is held.
func TestWindowForgetsTheOldest(t *testing.T) {
	x := newKeyedIndex(t)
	x.apply(keyed(OpPut, "first", "a"))
	for n := 1; n < KeptOutcomes; n += 1000 {
		var ops []Op
		for i := n; i < min(n+1000, KeptOutcomes); i++ {
			ops = append(ops, keyed(OpDelete, fmt.Sprint(i), "none"))
		}
		x.apply(ops...)
	}
	if got := x.apply(keyed(OpPut, "first", "a"))[0]; !got.Repeated {
		t.Fatalf("the oldest of a full window: %+v", got)
	}
	x.apply(keyed(OpDelete, "one more", "none"))
	if got := x.apply(keyed(OpPut, "first", "a"))[0]; got != (outcome.Outcome{Code: outcome.Updated, Version: 2}) {
		t.Errorf("one that has left the window: %+v", got)
	}
	if got := x.apply(keyed(OpDelete, "2", "none"))[0]; !got.Repeated {
		t.Errorf("one that is still in it: %+v", got)
	}
	if len(x.keys) != KeptOutcomes {
		t.Errorf("%d keys", len(x.keys))
	}
	w := &x.current.Load().state.window
	var sum Digest
	for n := w.first(); n < w.end(); n++ {
		sum.add(w.at(n).digest(n))
	}
	if sum != w.sum || w.first() != 2 {
		t.Errorf("from %d on: digest %s, kept %s", w.first(), sum, w.sum)
	}
	checkWindowBytes(t, w)
}

// checkWindowBytes takes a window through its bytes.
func checkWindowBytes(t *testing.T, w *window) {
	t.Helper()
	b := w.append(nil)
	back, err := readWindow(b)
	if err != nil {
		t.Fatal(err)
	}
	if back.sum != w.sum || back.added != w.added || !bytes.Equal(back.append(nil), b) {
		t.Errorf("%d entries came back as %d of digest %s, want %s", w.added, back.added, back.sum, w.sum)
	}
	numbers := back.numbers()
	for n := w.first(); n < w.end(); n++ {
		if got := numbers[w.at(n).key]; got != n {
			t.Fatalf("entry %d is found as %d", n, got)
		}
	}
}

// What is kept is part of the digest, and of the sequence that the digest is compared at; an older snapshot keeps its own.
func TestKeptOutcomesAreCovered(t *testing.T) {
	x, y := newKeyedIndex(t), newKeyedIndex(t)
	x.apply(keyed(OpDelete, "k", "a"))
	y.apply(keyed(OpDelete, "", "a"))
	old := x.Snapshot()
	defer old.Close()
	before := old.Digest()
	if before == y.digest() || old.ContentSeq() != 2 {
		t.Errorf("a kept outcome does not show: digest %s, content at %d", before, old.ContentSeq())
	}
	x.apply(keyed(OpDelete, "l", "a"))
	if sum := old.state.root(); sum != before || x.digest() == before {
		t.Error("a later outcome shows in an older snapshot, or not in its own")
	}
	x.apply(keyed(OpDelete, "k", "a"))
	if s := x.Snapshot(); s.ContentSeq() != 3 {
		t.Errorf("a repeat moved the content to %d", s.ContentSeq())
	} else {
		s.Close()
	}
}

func FuzzReadWindow(f *testing.F) {
	x, err := Open(Options{})
	if err != nil {
		f.Fatal(err)
	}
	w := &x.current.Load().state.window
	f.Add(w.append(nil))
	for n := range 3 {
		w.add(kept{key: keyHash{byte(n)}, slot: uint16(n), kind: OpPut, code: outcome.Created, version: 1}, 1)
	}
	f.Add(w.append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		w, err := readWindow(b)
		if err != nil {
			if !errors.Is(err, errWindow) {
				t.Fatal(err)
			}
			return
		}
		if !bytes.Equal(w.append(nil), b) {
			t.Fatal("came back as other bytes")
		}
	})
}

func BenchmarkApplyDeletes(b *testing.B) {
	for _, key := range []string{"without", "with"} {
		b.Run(key+" a key", func(b *testing.B) {
			x, err := Open(Options{})
			if err != nil {
				b.Fatal(err)
			}
			ops := []Op{{Kind: OpOwn, Slots: AllSlots()}, {Kind: OpSchema, Collection: 1, Version: 1, Schema: &schema.Schema{}}}
			if _, err := x.Apply([]Message{{Seq: 1, Ops: ops}}); err != nil {
				b.Fatal(err)
			}
			ops = make([]Op, 500)
			for n := 0; b.Loop(); n++ {
				for i := range ops {
					ops[i] = keyed(OpDelete, "", "none")
					if key == "with" {
						ops[i].Key = fmt.Sprintf("%d:%d", i, n)
					}
				}
				if _, err := x.Apply([]Message{{Seq: uint64(n) + 2, Ops: ops}}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
