package shard

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jetseek/jetseek/engine"
	"github.com/jetseek/jetseek/engine/schema"
	"github.com/jetseek/jetseek/subjects/wire"
)

// foundWithin is how soon a member that holds something wrong must be out of rotation (the leases of these tests are a fifteenth of what they are by default, so this is generous).
const foundWithin = 10 * time.Second

// troupe is members of group g0 over one log, each of which a test can lead astray, and what states they were in.
type troupe struct {
	*group
	log     wire.UUID
	members map[string]*actor
}

// actor is a member of a troupe.
type actor struct {
	*Member
	alter  atomic.Pointer[func([]engine.Message)]
	before atomic.Pointer[func(*engine.Op)]
	stop   func()

	mu   sync.Mutex // guards seen
	seen []string   // states, each with its reason
}

func newTroupe(t *testing.T, nodes ...string) *troupe {
	conn, js, _ := newLog(t)
	tr := &troupe{group: &group{t, conn, js}, members: map[string]*actor{}}
	for _, node := range nodes {
		tr.act(node, t.TempDir())
	}
	tr.log = tr.members[nodes[0]].log
	tr.write(tr.log, true, wire.Record{Ops: []wire.Op{{Kind: wire.KindOwn, IfVersion: wire.NoCondition,
		Body: wire.AppendOwn(nil, &wire.Own{Epoch: 1, Ranges: []wire.SlotRange{{From: 0, To: engine.Slots - 1}}})}}})
	tr.write(tr.log, false, wire.Record{Schemas: []wire.SchemaRecord{{Collection: 1, Version: 1, Name: "c", Schema: []byte(`{"fields":{"text":{"type":"text"}}}`)}}})
	return tr
}

// act starts a member and waits until it serves.
func (tr *troupe) act(node, dir string) *actor {
	tr.t.Helper()
	a := &actor{}
	m, err := New(Options{Conn: tr.conn, Group: "g0", Node: node, Dir: dir, Lease: time.Second, MaxLag: 2 * time.Second, Hooks: Hooks{Alter: func(messages []engine.Message) {
		if alter := a.alter.Load(); alter != nil {
			(*alter)(messages)
		}
	}, BeforeOp: func(op *engine.Op) {
		if before := a.before.Load(); before != nil {
			(*before)(op)
		}
	}}})
	if err != nil {
		tr.t.Fatal(err)
	}
	a.Member = m
	ctx, cancel := context.WithCancel(context.WithoutCancel(tr.t.Context()))
	var ended sync.WaitGroup
	ended.Go(func() {
		if err := m.Run(ctx); err != nil {
			tr.t.Error(err)
		}
	})
	ended.Go(func() {
		for ctx.Err() == nil {
			state, changed := m.status.watch()
			_, reason := m.status.get()
			a.mu.Lock()
			a.seen = append(a.seen, fmt.Sprintf("%s %s", state, reason))
			a.mu.Unlock()
			select {
			case <-changed:
			case <-ctx.Done():
			}
		}
	})
	a.stop = sync.OnceFunc(func() { cancel(); ended.Wait() })
	tr.t.Cleanup(a.stop)
	tr.members[node] = a
	tr.serves(a)
	return a
}

func (tr *troupe) serves(a *actor) {
	tr.t.Helper()
	ctx, cancel := context.WithTimeout(tr.t.Context(), 30*time.Second)
	defer cancel()
	if err := a.AwaitServing(ctx); err != nil {
		tr.t.Fatal(err)
	}
}

// leaves waits until a member is out of rotation, or has been since it was asked to forget, and gives the reason.
func (tr *troupe) leaves(a *actor, began time.Time) string {
	tr.t.Helper()
	limit := time.NewTimer(foundWithin - time.Since(began))
	defer limit.Stop()
	for {
		_, changed := a.status.watch()
		if reason := a.wasFenced(); reason != "" {
			tr.t.Logf("%s left rotation after %s: %s", a.ID(), time.Since(began).Round(time.Millisecond), reason)
			return reason
		}
		select {
		case <-changed:
		case <-limit.C:
			tr.t.Fatalf("%s was not found out in %s", a.ID(), foundWithin)
		}
	}
}

// wasFenced gives the first reason for which a member was out of rotation, or "".
func (a *actor) wasFenced() string {
	if state, reason := a.State(); state == Fenced {
		return reason
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, s := range a.seen {
		if reason, ok := strings.CutPrefix(s, "fenced "); ok {
			return reason
		}
	}
	return ""
}

func (a *actor) forget() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.seen = nil
}

// agree waits until all members serve and are at seq, and checks that they hold the same, document by document.
func (tr *troupe) agree(seq uint64) {
	tr.t.Helper()
	var first *engine.Snapshot
	for _, node := range slices.Sorted(keysOf(tr.members)) {
		a := tr.members[node]
		tr.serves(a)
		ctx, cancel := context.WithTimeout(tr.t.Context(), 20*time.Second)
		if !a.awaitApplied(ctx, seq) {
			tr.t.Fatalf("%s is at %d", a.ID(), a.appliedSeq())
		}
		cancel()
		snap := a.index.Snapshot()
		defer snap.Close()
		if first == nil {
			first = snap
			continue
		}
		if snap.Digest() != first.Digest() {
			tr.t.Errorf("%s has digest %s, another %s", a.ID(), snap.Digest(), first.Digest())
		}
		for n := range 200 {
			id := fmt.Sprint("d", n)
			got, gok := snap.Get(1, id)
			want, wok := first.Get(1, id)
			if gok != wok || got.Version != want.Version || string(got.Source) != string(want.Source) {
				tr.t.Errorf("%s has %s %v %+v, another %v %+v", a.ID(), id, gok, got, wok, want)
			}
		}
	}
}

func keysOf(m map[string]*actor) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// document puts one document, in a message of its own with a delete of nothing behind it, and again in the next operation with another body.
func (tr *troupe) document(n int) uint64 {
	op := wire.Op{Kind: wire.KindPut, Collection: 1, ID: fmt.Sprint("d", n), Slot: uint16(n), IfVersion: wire.NoCondition, Body: fmt.Appendf(nil, `{"text":"first %d"}`, n)}
	second := op
	second.Body = fmt.Appendf(nil, `{"text":"second %d"}`, n)
	nothing := wire.Op{Kind: wire.KindDelete, Collection: 1, ID: "absent", Slot: 9, IfVersion: wire.NoCondition}
	return tr.write(tr.log, false, wire.Record{Ops: []wire.Op{op, second, nothing}})
}

// astray gives a member a change of the message that writes a document, once.
func (a *actor) astray(id string, change func(ops []engine.Op)) {
	var done atomic.Bool
	alter := func(messages []engine.Message) {
		for i := range messages {
			if ops := messages[i].Ops; len(ops) == 3 && ops[0].ID == id && done.CompareAndSwap(false, true) {
				change(ops)
			}
		}
	}
	a.alter.Store(&alter)
}

// strays are what can go wrong with one message of [troupe.document].
var strays = map[string]func(ops []engine.Op){
	"skipped": func(ops []engine.Op) { ops[1] = ops[2] },
	"twice":   func(ops []engine.Op) { ops[2] = ops[1] },
	"swapped": func(ops []engine.Op) { ops[0], ops[1] = ops[1], ops[0] },
	"changed": func(ops []engine.Op) { ops[1].Body = []byte(`{"text":"sEcond"}`) },
}

// A member that goes astray by one operation is found, and none but it is blamed, among three and among two; it mends what is wrong, and returns by itself.
func TestDivergenceIsFoundAndMended(t *testing.T) {
	for name, change := range strays {
		for _, nodes := range [][]string{{"n1", "n2", "n3"}, {"n1", "n2"}} {
			t.Run(fmt.Sprint(name, len(nodes)), func(t *testing.T) {
				t.Parallel()
				tr := newTroupe(t, nodes...)
				tr.put(tr.log, 0, 60)
				bad := tr.members["n2"]
				bad.astray("d150", change)
				began := time.Now()
				tr.document(150)
				tr.put(tr.log, 60, 80)
				reason := tr.leaves(bad, began)
				if !strings.HasPrefix(reason, "diverged: ") {
					t.Errorf("it left for %q", reason)
				}
				tr.agree(tr.put(tr.log, 80, 120))
				for node, a := range tr.members {
					if reason := a.wasFenced(); node != "n2" && reason != "" {
						t.Errorf("%s was right and left rotation: %s", node, reason)
					}
				}
				bad.stop()
				if _, err := os.Stat(filepath.Join(bad.opts.Dir, replayFolder)); !os.IsNotExist(err) {
					t.Errorf("the replay was left over: %v", err)
				}
			})
		}
	}
}

// Members that are all wrong, in different ways, are all mended; one that is wrong again is mended again.
func TestAllWrongAndAgain(t *testing.T) {
	tr := newTroupe(t, "n1", "n2")
	for round := range 2 {
		id := 150 + round
		began := time.Now()
		tr.members["n1"].astray(fmt.Sprint("d", id), strays["skipped"])
		tr.members["n2"].astray(fmt.Sprint("d", id), strays["changed"])
		tr.document(id)
		for _, a := range tr.members {
			tr.leaves(a, began)
		}
		tr.agree(tr.put(tr.log, 10*round, 10*round+10))
		for _, a := range tr.members {
			a.forget()
		}
	}
}

// What is no document differs too: a schema that one member lacks has it begin anew.
func TestOtherSchemaIsMended(t *testing.T) {
	tr := newTroupe(t, "n1", "n2")
	tr.put(tr.log, 0, 40)
	bad := tr.members["n1"]
	alter := func(messages []engine.Message) {
		for i := range messages {
			for j := range messages[i].Ops {
				if op := &messages[i].Ops[j]; op.Kind == engine.OpSchema && op.Version == 2 {
					*op = engine.Op{Kind: engine.OpDelete, Collection: 1, ID: "absent", IfVersion: -1}
				}
			}
		}
	}
	began := time.Now()
	bad.alter.Store(&alter)
	tr.write(tr.log, false, wire.Record{Schemas: []wire.SchemaRecord{{Collection: 1, Version: 2, Name: "c", Schema: []byte(`{"fields":{"text":{"type":"text"},"n":{"type":"long"}}}`)}}})
	tr.leaves(bad, began)
	bad.alter.Store(nil)
	tr.agree(tr.put(tr.log, 40, 60))
	if info, state := bad.index.Snapshot().Collection(schema.Incarnation(1)); state != engine.Present || info.Version != 2 {
		t.Errorf("the schema is at version %d", info.Version)
	}
}

// A group that was emptied on purpose, and one whose collection was dropped, is no divergence.
func TestEmptyIsNoDivergence(t *testing.T) {
	tr := newTroupe(t, "n1", "n2")
	tr.put(tr.log, 0, 30)
	var deletes []wire.Op
	for n := range 30 {
		deletes = append(deletes, wire.Op{Kind: wire.KindDelete, Collection: 1, ID: fmt.Sprint("d", n), Slot: uint16(n), IfVersion: wire.NoCondition})
	}
	emptied := tr.write(tr.log, false, wire.Record{Ops: deletes})
	tr.compared(emptied)
	tr.agree(emptied)
	dropped := tr.write(tr.log, false, wire.Record{Ops: []wire.Op{{Kind: wire.KindDropCollection, Collection: 1, IfVersion: wire.NoCondition}}})
	tr.compared(dropped)
	tr.agree(dropped)
	for _, a := range tr.members {
		if reason := a.wasFenced(); reason != "" {
			t.Errorf("%s left rotation: %s", a.ID(), reason)
		}
	}
}

// compared waits until every member has told in a lease what it held behind seq.
func (tr *troupe) compared(seq uint64) {
	tr.t.Helper()
	ctx, cancel := context.WithTimeout(tr.t.Context(), 20*time.Second)
	defer cancel()
	for _, a := range tr.members {
		for marked := uint64(0); marked <= seq+4; marked, _ = a.marks.newest() {
			_, advanced := a.progress.watch()
			select {
			case <-advanced:
			case <-ctx.Done():
				tr.t.Fatalf("%s is at %d", a.ID(), marked)
			}
		}
	}
}

// A byte that changes under a running member, in a file that it has mapped, takes it out of rotation, and no other; it makes its index anew.
func TestFlippedByteIsFoundAndMended(t *testing.T) {
	tr := newTroupe(t, "n1", "n2")
	last := tr.put(tr.log, 0, 60)
	tr.agree(last)
	bad := tr.members["n2"]
	if err := bad.index.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(bad.indexDir(), "*.segment"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	began := time.Now()
	flipSource(t, files[0])
	if reason := tr.leaves(bad, began); !strings.HasPrefix(reason, "damaged: ") {
		t.Errorf("it left for %q", reason)
	}
	tr.agree(tr.put(tr.log, 60, 80))
	if reason := tr.members["n1"].wasFenced(); reason != "" {
		t.Errorf("n1 was right and left rotation: %s", reason)
	}
	bad.stop()
	tr.act("n2", bad.opts.Dir)
	tr.agree(tr.put(tr.log, 80, 90))
}

// flipSource flips a bit in the middle of a file.
func flipSource(t *testing.T, name string) {
	t.Helper()
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	var b [1]byte
	if _, err = f.ReadAt(b[:], info.Size()/2); err == nil {
		b[0] ^= 4
		_, err = f.WriteAt(b[:], info.Size()/2)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A member that ends while its index is proved wrong does not serve it after its next start.
func TestWrongIndexIsNotServedAfterARestart(t *testing.T) {
	tr := newTroupe(t, "n1", "n2")
	bad := tr.members["n2"]
	bad.astray("d150", strays["skipped"])
	tr.document(150)
	tr.compared(tr.put(tr.log, 0, 20))
	tr.leaves(bad, time.Now())
	bad.stop()
	if err := bad.folder.provedWrong("test"); err != nil { // as if it had ended before it was mended
		t.Fatal(err)
	}
	again := tr.act("n2", bad.opts.Dir)
	tr.agree(tr.put(tr.log, 20, 40))
	if wrong, err := again.folder.isProvedWrong(); wrong || err != nil {
		t.Errorf("still proved wrong: %v, %v", wrong, err)
	}
}
