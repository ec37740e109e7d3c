package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/jetseek/jetseek/engine"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/outcome"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/schema"
)

func everything(limit int) engine.SearchRequest {
	return engine.SearchRequest{Collection: benchCollection, Query: &query.MatchAll{Boost: 1}, Sort: []query.SortKey{{By: query.ByID}}, Limit: limit}
}

// TestSnapshotsDoNotChange holds snapshots while the index goes on, with merges beside: what they answered once they answer for good.
func TestSnapshotsDoNotChange(t *testing.T) {
	x, z := benchIndex(t), newZipf()
	type held struct {
		*engine.Snapshot
		result engine.SearchResult
		digest engine.Digest
	}
	var all []held
	for seq := uint64(2); seq < 120; seq++ {
		var ops []engine.Op
		for range 8 {
			op := z.put(fmt.Sprintf("doc-%d", z.r.IntN(150)), 10)
			if z.r.IntN(3) == 0 {
				op.Kind, op.Body = engine.OpDelete, nil
			}
			ops = append(ops, op)
		}
		apply(t, x, seq, ops...)
		if _, err := x.Merge(context.Background()); err != nil {
			t.Fatal(err)
		}
		s := x.Snapshot()
		res, err := s.Search(context.Background(), everything(1000))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, held{s, res, s.Digest()})
	}
	for _, h := range all {
		res, err := h.Search(context.Background(), everything(1000))
		if err != nil || !reflect.DeepEqual(res, h.result) || h.Digest() != h.digest {
			t.Fatalf("the snapshot at %d changed: %v", h.Seq(), err)
		}
		h.Close()
	}
	if n := x.OpenSnapshots(); n != 0 {
		t.Fatalf("%d snapshots are open", n)
	}
}

func TestClosedSnapshots(t *testing.T) {
	x := benchIndex(t)
	s := x.Snapshot()
	again := s.Retain()
	s.Close()
	if n := x.OpenSnapshots(); n != 0 {
		t.Fatalf("%d open snapshots beside the current one", n)
	}
	apply(t, x, 2)
	if n := x.OpenSnapshots(); n != 1 {
		t.Fatalf("%d old snapshots are open, want the one retained", n)
	}
	again.Close()
	for name, f := range map[string]func(){"close": again.Close, "retain": func() { again.Retain() }} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s of a closed snapshot does not panic", name)
				}
			}()
			f()
		}()
	}
}

// TestReadersBesideWriterAndMerges runs all that may run at the same time; the race detector and the sums watch it.
func TestReadersBesideWriterAndMerges(t *testing.T) {
	x := benchIndex(t)
	ctx, stop := context.WithCancel(context.Background())
	var beside sync.WaitGroup
	run := func(step func() error) {
		beside.Add(1)
		go func() {
			defer beside.Done()
			for ctx.Err() == nil {
				if err := step(); err != nil {
					t.Error(err)
					return
				}
			}
		}()
	}
	run(func() error { _, err := x.Merge(context.Background()); return err })
	for range 2 {
		run(func() error {
			s := x.Snapshot()
			defer s.Close()
			res, err := s.Search(context.Background(), everything(10000))
			info, _ := s.Collection(benchCollection)
			slots := uint64(0)
			for _, n := range s.Slots(benchCollection) {
				slots += n
			}
			if err == nil && (res.Total != info.Documents || res.Total != uint64(len(res.Candidates)) || res.Total != slots) {
				err = fmt.Errorf("at %d: total %d, %d candidates, %d documents, %d in slots", s.Seq(), res.Total, len(res.Candidates), info.Documents, slots)
			}
			return err
		})
	}
	z, live := newZipf(), map[string]bool{}
	for seq := uint64(2); seq < 400; seq++ {
		op := z.put(fmt.Sprintf("doc-%d", z.r.IntN(200)), 20)
		if live[op.ID] = z.r.IntN(4) > 0; !live[op.ID] {
			op.Kind = engine.OpDelete
		}
		apply(t, x, seq, op)
	}
	stop()
	beside.Wait()
	want := uint64(0)
	for _, l := range live {
		if l {
			want++
		}
	}
	if info, _ := x.Snapshot().Collection(benchCollection); info.Documents != want {
		t.Fatalf("%d documents, want %d", info.Documents, want)
	}
}

// TestChangesDuringAMerge deletes, updates and takes slots away while a merge is under way: the merged segment shows all of it. The merge's context is the
// hook: it is asked in between.
func TestChangesDuringAMerge(t *testing.T) {
	x, err := engine.Open(engine.Options{InlineMergeBytes: 1})
	if err != nil {
		t.Fatal(err)
	}
	apply(t, x, 1, engine.Op{Kind: engine.OpOwn, Slots: engine.AllSlots()}, engine.Op{Kind: engine.OpSchema, Collection: benchCollection, Version: 2, Schema: testSchema(2)})
	z := newZipf()
	for seq := uint64(2); seq < 12; seq++ {
		apply(t, x, seq, z.put(fmt.Sprintf("doc-%d", seq), 20))
	}
	lost := slotOf("doc-7")
	kept := &engine.SlotSet{}
	kept.AddRange(0, lost-1)
	kept.AddRange(lost+1, engine.Slots-1)
	hooked := &hookedContext{Context: context.Background(), hook: func() {
		apply(t, x, 20, engine.Op{Kind: engine.OpDelete, Collection: benchCollection, ID: "doc-3", Slot: slotOf("doc-3"), IfVersion: -1}, z.put("doc-4", 5),
			engine.Op{Kind: engine.OpOwn, Epoch: 2, Slots: kept})
	}}
	if did, err := x.Merge(hooked); err != nil || !did || hooked.hook != nil {
		t.Fatalf("merged %v, %v", did, err)
	}
	s := x.Snapshot()
	defer s.Close()
	if info, _ := s.Collection(benchCollection); info.Documents != 8 || info.Segments != 2 {
		t.Fatalf("%d documents in %d segments, want 8 in 2", info.Documents, info.Segments)
	}
	if st := s.Stats(benchCollection, []string{"body"}, nil); st.Fields[0].Docs != 8 || st.Fields[0].TotalLen != 7*20+5 {
		t.Errorf("statistics %+v, want 8 documents of 145 tokens", st.Fields[0])
	}
	for _, gone := range []string{"doc-3", "doc-7"} {
		if _, ok := s.Get(benchCollection, gone); ok {
			t.Errorf("%s, which went during the merge, is back", gone)
		}
	}
	if doc, ok := s.Get(benchCollection, "doc-4"); !ok || doc.Version != 2 || doc.Birth.Seq != 4 {
		t.Errorf("a document updated during the merge: %+v %v", doc, ok)
	}
	apply(t, x, 21, engine.Op{Kind: engine.OpOwn, Epoch: 3, Slots: engine.AllSlots()})
	if doc, ok := x.Snapshot().Get(benchCollection, "doc-7"); !ok || doc.Version != 1 {
		t.Errorf("a document whose slot came back: %+v %v", doc, ok)
	}
}

// hookedContext runs a function once, when it is first asked for its error.
type hookedContext struct {
	context.Context
	hook func()
}

func (c *hookedContext) Err() error {
	if hook := c.hook; hook != nil {
		c.hook = nil
		hook()
	}
	return c.Context.Err()
}

// TestSearchEndsWithItsContext counts how often a search asks its context: often enough for a millisecond, whatever the query does.
func TestSearchEndsWithItsContext(t *testing.T) {
	x := benchIndex(t)
	fill(t, x, 5000)
	s := x.Snapshot()
	defer s.Close()
	for name, q := range map[string]query.Node{
		"all":    &query.MatchAll{Boost: 1},
		"range":  &query.LongRange{Field: "year", Lo: 100, Hi: 200},
		"or":     &query.Bool{Should: []query.Node{textTerm("w0", -1), textTerm("w1", -1)}, MinShould: 2},
		"phrase": &query.TextPhrase{Field: "body", Terms: []string{"w0", "w0", "w0"}, Offsets: []int{0, 1, 2}, Leaf: -1},
	} {
		filter := engine.SearchRequest{Collection: benchCollection, Query: &query.ConstantScore{Child: q}, Limit: 10}
		ctx, cancel := context.WithCancel(context.Background())
		hooked := &hookedContext{Context: ctx, hook: cancel}
		if _, err := s.Search(hooked, filter); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		begin := time.Now()
		expired, cancel := context.WithDeadline(context.Background(), begin)
		if _, err := s.Search(expired, filter); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", name, err)
		}
		cancel()
	}
}

// TestSearchesAllocateNothingAPosting compares searches over few and over many documents of one segment: what they allocate does not grow.
func TestSearchesAllocateNothingAPosting(t *testing.T) {
	if engine.RaceDetector {
		t.Skip("under the race detector a pool loses at random what it was given")
	}
	allocs := func(docs int) map[string]float64 {
		x, z := benchIndex(t), newZipf()
		ops := make([]engine.Op, docs)
		for i := range ops {
			ops[i] = z.put(fmt.Sprintf("doc-%05d", i), 30)
		}
		apply(t, x, 2, ops...)
		s := x.Snapshot()
		defer s.Close()
		terms := []string{"w0", "w1"}
		tags := []query.SortKey{{By: query.ByField, Field: "tag", Type: schema.Keyword}}
		got := map[string]float64{}
		for name, r := range map[string]engine.SearchRequest{
			"or":     {Query: &query.Bool{Should: []query.Node{textTerm("w0", 0), textTerm("w1", 1)}, MinShould: 1}},
			"and":    {Query: &query.Bool{Must: []query.Node{textTerm("w0", 0), textTerm("w1", 1)}}},
			"phrase": {Query: &query.TextPhrase{Field: "body", Terms: terms, Offsets: []int{0, 1}, Leaf: 0}},
			"range":  {Query: &query.LongRange{Field: "year", Lo: 10, Hi: 20}},
			"sorted": {Query: &query.MatchAll{Boost: 1}, Sort: tags},
			"max":    {Query: &query.DisMax{Children: []query.Node{textTerm("w0", 0), textTerm("w1", 1)}, Tie: 0.5}},
		} {
			r.Collection, r.Weights, r.Limit = benchCollection, weights(s, terms...), 1
			got[name] = testing.AllocsPerRun(3, func() {
				if _, err := s.Search(context.Background(), r); err != nil {
					t.Fatal(err)
				}
			})
		}
		return got
	}
	few, many := allocs(300), allocs(3000)
	for name := range few {
		// A heap of one is replaced a few times more among more documents.
		if many[name] > few[name]+30 {
			t.Errorf("%s: %v allocations over 3000 documents, %v over 300", name, many[name], few[name])
		}
	}
}

func TestRefusedSearches(t *testing.T) {
	x := benchIndex(t)
	apply(t, x, 2, newZipf().put("a", 5))
	s := x.Snapshot()
	defer s.Close()
	for name, c := range map[string]struct {
		request engine.SearchRequest
		want    fault.Code
	}{
		"negative limit":         {everything(-1), fault.BadRequest},
		"too many candidates":    {everything(engine.MaxCandidates + 1), fault.LimitExceeded},
		"a leaf without weight":  {engine.SearchRequest{Collection: benchCollection, Query: textTerm("a", 0), Limit: 1}, fault.BadRequest},
		"an unresolved node":     {engine.SearchRequest{Collection: benchCollection, Query: &query.Match{}, Limit: 1}, fault.BadQuery},
		"a phrase out of shape":  {engine.SearchRequest{Collection: benchCollection, Query: &query.ConstantScore{Child: &query.TextPhrase{Field: "body", Terms: []string{"a"}, Leaf: -1}}}, fault.BadQuery},
		"no query":               {engine.SearchRequest{Collection: benchCollection}, fault.BadQuery},
		"a filter that is wrong": {engine.SearchRequest{Collection: benchCollection, Query: &query.MatchAll{}, Filters: []query.Node{nil}}, fault.BadQuery},
	} {
		if _, err := s.Search(context.Background(), c.request); fault.CodeOf(err) != c.want {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

// TestUnknownAndDropped asks for incarnations that have nothing.
func TestUnknownAndDropped(t *testing.T) {
	x := benchIndex(t)
	apply(t, x, 2, newZipf().put("a", 5), engine.Op{Kind: engine.OpDropCollection, Collection: benchCollection}, newZipf().put("a", 5))
	s := x.Snapshot()
	defer s.Close()
	for c, want := range map[schema.Incarnation]engine.CollectionState{benchCollection: engine.Dropped, 99: engine.Unknown} {
		r := everything(10)
		r.Collection = c
		res, err := s.Search(context.Background(), r)
		_, state := s.Collection(c)
		_, found := s.Get(c, "a")
		if err != nil || res.Total != 0 || found || state != want || len(s.Slots(c)) != 0 || len(s.SlotDigests(c)) != 0 {
			t.Errorf("collection %d: %v, total %d, state %d", c, err, res.Total, state)
		}
	}
	if len(s.Collections()) != 0 {
		t.Error("a dropped collection is listed")
	}
}

// TestContentSeq moves with what changes content and with nothing else.
func TestContentSeq(t *testing.T) {
	x, z := benchIndex(t), newZipf()
	put := z.put("a", 3)
	conflict, absent := put, engine.Op{Kind: engine.OpDelete, Collection: benchCollection, ID: "b", Slot: slotOf("b"), IfVersion: -1}
	conflict.IfVersion = 7
	for i, c := range []struct {
		op   engine.Op
		want uint64
	}{{put, 2}, {conflict, 2}, {absent, 2}, {put, 5}, {engine.Op{Kind: engine.OpSchema, Collection: benchCollection, Version: 1, Schema: testSchema(1)}, 5},
		{engine.Op{Kind: engine.OpOwn, Epoch: 9, Slots: engine.AllSlots()}, 7}} {
		apply(t, x, uint64(i+2), c.op)
		s := x.Snapshot()
		if s.Seq() != uint64(i+2) || s.ContentSeq() != c.want {
			t.Errorf("after %d: seq %d, content %d, want %d", i+2, s.Seq(), s.ContentSeq(), c.want)
		}
		s.Close()
	}
	if _, err := x.Apply([]engine.Message{{Seq: 7}}); err == nil {
		t.Error("a sequence that does not ascend was applied")
	}
}

// TestLimitsOfDocuments rejects ids and bodies that no coordinator lets pass.
func TestLimitsOfDocuments(t *testing.T) {
	x := benchIndex(t)
	for name, id := range map[string]string{"empty id": "", "long id": string(make([]byte, engine.MaxIDBytes+1))} {
		op := newZipf().put(id, 3)
		out, err := x.Apply([]engine.Message{{Seq: x.Snapshot().Seq() + 1, Ops: []engine.Op{op}}})
		if err != nil || out[0][0].Code != outcome.Rejected {
			t.Errorf("%s: %v %v", name, out, err)
		}
	}
}

func TestSlotSet(t *testing.T) {
	s := &engine.SlotSet{}
	want := [][2]uint16{{0, 0}, {5, 63}, {64 + 1, 200}, {16383, 16383}}
	r := rand.New(rand.NewPCG(1, 1))
	for _, i := range r.Perm(len(want)) {
		s.AddRange(want[i][0], want[i][1])
	}
	s.AddRange(16384, 65535)
	var got [][2]uint16
	s.Ranges(func(from, to uint16) { got = append(got, [2]uint16{from, to}) })
	if !reflect.DeepEqual(got, want) || s.Count() != 1+59+136+1 || !s.Has(64+1) || s.Has(64) || s.Has(16384) {
		t.Errorf("ranges %v, count %d", got, s.Count())
	}
}
