package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/internal/segment"
	"github.com/jetseek/jetseek/engine/schema"
	"github.com/jetseek/jetseek/engine/vfs"
)

// seededHistory makes messages of two collections with conditions, request keys that come again, deletes and changing ownership.
func seededHistory(seed uint64, messages int) []Message {
	rng := rand.New(rand.NewPCG(seed, 1))
	text := &schema.Schema{Fields: []schema.Field{{Name: "a", Type: schema.Text, Analyzer: "standard", Boost: 1}}}
	all := []Message{{Seq: 1, Ops: []Op{{Kind: OpOwn, Slots: AllSlots()}, {Kind: OpSchema, Collection: 1, Name: "one", Version: 1, Schema: text}, {Kind: OpSchema, Collection: 2, Name: "two", Version: 1, Schema: text}}}}
	for seq := uint64(2); seq < uint64(messages); seq++ {
		m := Message{Seq: seq}
		for range 1 + rng.IntN(4) {
			n := rng.IntN(200)
			op := Op{Kind: OpPut, Collection: schema.Incarnation(1 + n%2), ID: fmt.Sprint("d", n), Slot: uint16(n % 40), IfVersion: -1, Body: fmt.Appendf(nil, `{"a":"word%d of message %d"}`, rng.IntN(9), seq)}
			switch rng.IntN(6) {
			case 0:
				op.Kind, op.Body = OpDelete, nil
			case 1:
				op.IfVersion = int64(rng.IntN(4))
			case 2:
				op.Key = fmt.Sprint("request/", rng.IntN(60))
			}
			m.Ops = append(m.Ops, op)
		}
		if rng.IntN(40) == 0 {
			owned := AllSlots()
			if rng.IntN(2) == 0 {
				owned = &SlotSet{}
				owned.AddRange(0, 20)
			}
			m.Ops = append(m.Ops, Op{Kind: OpOwn, Slots: owned, Epoch: seq})
		}
		all = append(all, m)
	}
	return all
}

// clone copies messages, so that one history can be changed.
func clone(messages []Message) []Message {
	c := slices.Clone(messages)
	for i := range c {
		c[i].Ops = slices.Clone(c[i].Ops)
	}
	return c
}

func play(t *testing.T, x *Index, messages []Message) {
	t.Helper()
	for len(messages) > 0 {
		n := min(len(messages), 7)
		if _, err := x.Apply(messages[:n]); err != nil {
			t.Fatal(err)
		}
		messages = messages[n:]
	}
}

func openIn(t *testing.T, dir string, only Selection) *Index {
	t.Helper()
	o := Options{Only: only}
	if dir != "" {
		var err error
		if o.Folder, err = vfs.Disk(dir); err != nil {
			t.Fatal(err)
		}
	}
	x, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// partsOf gives the digests of an index, and differing those in which two are not alike.
func partsOf(x *Index) *Parts {
	s := x.Snapshot()
	defer s.Close()
	return s.Parts()
}

func differing(a, b *Parts) Selection {
	only := Selection{}
	for c := schema.Incarnation(1); c <= 2; c++ {
		if slots := DifferingSlots(a.Slots(c), b.Slots(c)); slots.Count() > 0 {
			only[c] = slots
		}
	}
	return only
}

// holdsTheSame compares all documents, statistics and digests.
func holdsTheSame(t *testing.T, got, want *Index) {
	t.Helper()
	a, b := got.Snapshot(), want.Snapshot()
	defer a.Close()
	defer b.Close()
	if a.Digest() != b.Digest() {
		t.Errorf("digest %s, want %s", a.Digest(), b.Digest())
	}
	for c := schema.Incarnation(1); c <= 2; c++ {
		for n := range 200 {
			id := fmt.Sprint("d", n)
			x, xok := a.Get(c, id)
			y, yok := b.Get(c, id)
			if xok != yok || !reflect.DeepEqual(x, y) {
				t.Errorf("%s of collection %d: %v %+v, want %v %+v", id, c, xok, x, yok, y)
			}
		}
		terms := []bm25.FieldTerm{{Field: "a", Term: "word3"}, {Field: "a", Term: "of"}}
		if x, y := a.Stats(c, []string{"a"}, terms), b.Stats(c, []string{"a"}, terms); !reflect.DeepEqual(x, y) {
			t.Errorf("statistics of collection %d: %+v, want %+v", c, x, y)
		}
	}
}

// An index that has gone astray by one operation is mended by a replay of the slots that differ, in as many documents as differ, and goes on as if nothing had been.
func TestMendByReplayOfTheSlotsThatDiffer(t *testing.T) {
	for name, stray := range map[string]func(m []Message) []Message{
		"an operation left out": func(m []Message) []Message { m[299].Ops = m[299].Ops[1:]; return m },
		"applied twice":         func(m []Message) []Message { m[299].Ops = append(m[299].Ops[:1:1], m[299].Ops...); return m },
		"two swapped":           func(m []Message) []Message { m[298].Ops, m[299].Ops = m[299].Ops, m[298].Ops; return m },
		"many left out":         func(m []Message) []Message { return slices.Delete(m, 100, 200) },
	} {
		for _, folder := range []bool{false, true} {
			t.Run(fmt.Sprint(name, folder), func(t *testing.T) {
				history := seededHistory(5, 400)
				for i := range history { // request keys are not documents: the rest must not differ here
					for j := range history[i].Ops {
						history[i].Ops[j].Key = ""
						if history[i].Ops[j].Kind == OpOwn {
							history[i].Ops[j] = Op{Kind: OpOwn, Slots: AllSlots()}
						}
					}
				}
				for at := 298; at < 300; at++ { // both write one document, whatever it was
					history[at].Ops = []Op{{Kind: OpPut, Collection: 1, ID: "d8", Slot: 8, IfVersion: -1, Body: fmt.Appendf(nil, `{"a":"word%d"}`, at)}}
				}
				dir, scratch := "", ""
				if folder {
					dir, scratch = t.TempDir(), t.TempDir()
				}
				right := openIn(t, "", nil)
				play(t, right, history[:300])
				wrong := openIn(t, dir, nil)
				play(t, wrong, stray(clone(history[:300])))
				if folder {
					if err := wrong.Flush(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				before := wrong.Snapshot()
				only := differing(partsOf(wrong), partsOf(right))
				if len(only) == 0 || partsOf(wrong).Rest() != partsOf(right).Rest() {
					t.Fatalf("differing %v, rest alike %v", only, partsOf(wrong).Rest() == partsOf(right).Rest())
				}
				replay := openIn(t, scratch, only)
				play(t, replay, history[:300])
				if partsOf(replay).Agree(partsOf(wrong), only) || !partsOf(replay).Agree(partsOf(right), only) {
					t.Fatal("the replay blames the wrong one")
				}
				want := differingDocuments(wrong, right)
				n, err := wrong.Mend(t.Context(), replay)
				if err != nil || n != want {
					t.Fatalf("mended %d documents, %v; %d differ", n, err, want)
				}
				before.Close() // searches on it have gone on
				replay.Close()
				holdsTheSame(t, wrong, right)
				if folder { // durable without another message
					if err := wrong.Flush(t.Context()); err != nil {
						t.Fatal(err)
					}
					wrong.Close()
					wrong = openIn(t, dir, nil)
					holdsTheSame(t, wrong, right)
				}
				play(t, wrong, history[300:])
				play(t, right, history[300:])
				holdsTheSame(t, wrong, right)
				wrong.Close()
			})
		}
	}
}

// differingDocuments counts the ids of which two indexes hold something else.
func differingDocuments(x, y *Index) int {
	a, b := x.Snapshot(), y.Snapshot()
	defer a.Close()
	defer b.Close()
	n := 0
	for c := schema.Incarnation(1); c <= 2; c++ {
		for i := range 200 {
			p, pok := a.Get(c, fmt.Sprint("d", i))
			q, qok := b.Get(c, fmt.Sprint("d", i))
			if pok != qok || !reflect.DeepEqual(p, q) {
				n++
			}
		}
	}
	return n
}

// An index of some slots holds of them what a whole one does, whatever request keys and ownership there are.
func TestOnlySomeSlots(t *testing.T) {
	history := seededHistory(9, 600)
	whole := openIn(t, "", nil)
	play(t, whole, history)
	some := &SlotSet{}
	some.AddRange(3, 12)
	only := Selection{1: some, 2: some}
	part := openIn(t, "", only)
	play(t, part, history)
	if !partsOf(part).Agree(partsOf(whole), only) {
		t.Errorf("slots %v differ", differing(partsOf(part), partsOf(whole)))
	}
	held := 0
	for c := schema.Incarnation(1); c <= 2; c++ {
		for _, s := range partsOf(part).Slots(c) {
			if held++; !some.Has(s.Slot) {
				t.Errorf("slot %d of collection %d is held", s.Slot, c)
			}
		}
	}
	if held == 0 {
		t.Fatal("nothing is held")
	}
}

// More than documents cannot be mended: schemas, and collections that one lacks.
func TestMendRefusesMore(t *testing.T) {
	history := seededHistory(3, 50)
	x := openIn(t, "", nil)
	play(t, x, append(clone(history), Message{Seq: 1000, Ops: []Op{{Kind: OpDropCollection, Collection: 2}}}))
	replay := openIn(t, "", Selection{2: AllSlots()})
	play(t, replay, append(clone(history), Message{Seq: 1000}))
	before := partsOf(x)
	if _, err := x.Mend(t.Context(), replay); !errors.Is(err, ErrBeyond) {
		t.Errorf("error %v", err)
	}
	if partsOf(x).Root() != before.Root() || partsOf(x).Rest() == partsOf(replay).Rest() {
		t.Error("a refused mending has changed something, or the rest is alike")
	}
}

// Every flipped bit of a segment in a file or in memory is found while the index runs, and a sound one is not.
func TestScrubFindsFlippedBits(t *testing.T) {
	dir := t.TempDir()
	x := openIn(t, dir, nil)
	defer x.Close()
	history := seededHistory(4, 300)
	play(t, x, history[:200])
	if err := x.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	play(t, x, history[200:])
	read := 0
	count := func(_ context.Context, bytes int) error { read += bytes; return nil }
	if err := x.Scrub(t.Context(), count); err != nil || read == 0 {
		t.Fatalf("a sound index: %v, %d bytes read", err, read)
	}
	snap := x.Snapshot()
	defer snap.Close()
	for _, p := range snap.state.find(1).parts {
		b := p.seg.Bytes()
		for at := 8; at < len(b); at += 1 + len(b)/40 {
			flip := func() { b[at] ^= 1 }
			if p.file != nil {
				flip = func() { flipInFile(t, filepath.Join(dir, segmentName(p.file.number)), int64(at)) }
			}
			flip()
			err := x.Scrub(t.Context(), nil)
			flip()
			if !errors.Is(err, ErrUnreadable) {
				t.Errorf("byte %d of %d, in a file %v: %v", at, len(b), p.file != nil, err)
			}
		}
		if p.file == nil {
			flip := sourceFlipper(t, p)
			flip()
			err := x.Scrub(t.Context(), nil)
			flip()
			if !errors.Is(err, ErrUnreadable) {
				t.Errorf("a source in memory: %v", err)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := x.Scrub(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("scrub without time: %v", err)
	}
}

// TestMergesRefuseDamage: neither a flush nor a merge, to a file or in memory, makes a new segment, with a checksum that holds, of one that is not what was written.
func TestMergesRefuseDamage(t *testing.T) {
	dir := t.TempDir()
	x := openIn(t, dir, nil)
	defer x.Close()
	history := seededHistory(5, 400)
	for at := 0; at < len(history); at += 50 { // segments in files, and in memory behind the last flush
		if at > 0 && at < 350 {
			if err := x.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		play(t, x, history[at:min(at+50, len(history))])
	}
	snap := x.Snapshot()
	defer snap.Close()
	checked := 0
	for _, p := range snap.state.find(1).parts {
		if p.alive == 0 {
			continue // nothing of it is read
		}
		checked++
		b := p.seg.Bytes()
		at := len(b) / 2
		flip := func() { b[at] ^= 1 }
		if p.file != nil {
			flip = func() { flipInFile(t, filepath.Join(dir, segmentName(p.file.number)), int64(at)) }
		}
		flips := []func(){flip}
		if p.file == nil {
			flips = append(flips, sourceFlipper(t, p))
		}
		job := &mergeJob{collection: 1, owned: snap.state.owned, inputs: []*part{p}}
		m := new(segment.Merger)
		for i, flip := range flips {
			flip()
			err := job.runToFile(t.Context(), x.files, false, m.MergeTo)
			flushed := job.runToFile(t.Context(), x.files, false, m.FlushTo)
			inMemory := job.run(t.Context(), m)
			flip()
			if !errors.Is(err, ErrUnreadable) || !errors.Is(flushed, ErrUnreadable) || !errors.Is(inMemory, ErrUnreadable) || job.file != nil || job.seg != nil {
				t.Errorf("merge of a damaged segment, in a file %t, flip %d: to a file %v, flushed %v, in memory %v", p.file != nil, i, err, flushed, inMemory)
			}
		}
		if err := job.runToFile(t.Context(), x.files, false, m.MergeTo); err != nil {
			t.Errorf("merge of a sound segment, in a file %t: %v", p.file != nil, err)
		}
		dropFiles([]*mergeJob{job})
	}
	if checked < 3 {
		t.Errorf("%d segments were damaged", checked)
	}
}

// sourceFlipper flips a bit of a source in memory, that of a document in the middle of a segment.
func sourceFlipper(t *testing.T, p *part) func() {
	t.Helper()
	source, err := p.seg.Source(uint32(p.seg.Docs() / 2))
	if err != nil || len(source) == 0 {
		t.Fatalf("a source of %d bytes: %v", len(source), err)
	}
	return func() { source[len(source)/2] ^= 1 }
}

// flipInFile flips a bit under the mapping.
func flipInFile(t *testing.T, name string, at int64) {
	t.Helper()
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var b [1]byte
	if _, err := f.ReadAt(b[:], at); err != nil {
		t.Fatal(err)
	}
	b[0] ^= 1
	if _, err := f.WriteAt(b[:], at); err != nil {
		t.Fatal(err)
	}
}
