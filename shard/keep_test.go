package shard

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/jetseek/jetseek/engine"
	"github.com/jetseek/jetseek/subjects"
	"github.com/jetseek/jetseek/subjects/wire"
)

// group is a log with the members that a test starts on it.
type group struct {
	t    *testing.T
	conn *nats.Conn
	js   jetstream.JetStream
}

// running is a member of a test.
type running struct {
	*Member
	stop  func() error
	mu    sync.Mutex // guards ended
	ended []uint64   // last sequences of the batches that it applied
}

// start starts a member of g0 on a folder and waits until it serves, or has failed.
func (g *group) start(node, dir string) (*running, error) {
	g.t.Helper()
	return g.startWith(Options{Node: node, Dir: dir})
}

func (g *group) startWith(o Options) (*running, error) {
	g.t.Helper()
	r := &running{}
	o.Conn, o.Group = g.conn, "g0"
	o.Hooks.BeforeApply = func(seq uint64) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.ended = append(r.ended, seq)
	}
	m, err := New(o)
	if err != nil {
		g.t.Fatal(err)
	}
	r.Member = m
	ctx, cancel := context.WithCancel(g.t.Context())
	done := make(chan error, 1)
	go func() { done <- m.Run(ctx) }() // ends with stop
	r.stop = sync.OnceValue(func() error {
		cancel()
		return <-done
	})
	g.t.Cleanup(func() { _ = r.stop() })
	wait, cancelWait := context.WithTimeout(g.t.Context(), 30*time.Second)
	defer cancelWait()
	return r, m.AwaitServing(wait)
}

// write appends a record to the log.
func (g *group) write(log wire.UUID, own bool, record wire.Record) uint64 {
	g.t.Helper()
	subject := subjects.Names{}.Log("g0")
	if own {
		subject = subjects.Names{}.LogOwn("g0")
	}
	record.Log = log
	ack, err := g.js.Publish(g.t.Context(), subject, wire.AppendRecord(nil, &record))
	if err != nil {
		g.t.Fatal(err)
	}
	return ack.Sequence
}

// put writes documents and deletes some of those before.
func (g *group) put(log wire.UUID, from, to int) uint64 {
	g.t.Helper()
	var last uint64
	for n := from; n < to; n++ {
		ops := []wire.Op{{Kind: wire.KindPut, Collection: 1, ID: fmt.Sprint("d", n), Slot: uint16(n), IfVersion: wire.NoCondition, Body: fmt.Appendf(nil, `{"text":"word%d and others"}`, n%7)}}
		if n%3 == 0 {
			ops = append(ops, wire.Op{Kind: wire.KindDelete, Collection: 1, ID: fmt.Sprint("d", n/2), Slot: uint16(n / 2), IfVersion: wire.NoCondition})
		}
		last = g.write(log, false, wire.Record{Ops: ops})
	}
	return last
}

func (r *running) await(t *testing.T, seq uint64) *engine.Snapshot {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if !r.awaitApplied(ctx, seq) {
		t.Fatalf("member at %d, want %d", r.appliedSeq(), seq)
	}
	return r.index.Snapshot()
}

// newGroup makes a log with a schema and all slots owned, by its first member.
func newGroup(t *testing.T) (*group, *running, string) {
	t.Helper()
	conn, js, _ := newLog(t)
	g, dir := &group{t, conn, js}, t.TempDir()
	first, err := g.start("n1", dir)
	if err != nil {
		t.Fatal(err)
	}
	g.write(first.log, true, wire.Record{Ops: []wire.Op{{Kind: wire.KindOwn, IfVersion: wire.NoCondition,
		Body: wire.AppendOwn(nil, &wire.Own{Epoch: 1, Ranges: []wire.SlotRange{{From: 0, To: engine.Slots - 1}}})}}})
	g.write(first.log, false, wire.Record{Schemas: []wire.SchemaRecord{{Collection: 1, Version: 1, Name: "c", Schema: []byte(`{"fields":{"text":{"type":"text"}}}`)}}})
	return g, first, dir
}

// TestRestartReplaysTheRest: a member that was killed after a flush applies only what stands behind the manifest, and then holds what its peer holds. One that ended in order
// has nothing to replay but its own farewell.
func TestRestartReplaysTheRest(t *testing.T) {
	g, first, dir := newGroup(t)
	first.await(t, g.put(first.log, 0, 60)).Close()
	if err := first.index.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	flushed := first.index.get().Activity().FlushedSeq
	killed := t.TempDir() // what a kill leaves: the files as they are, the newest operations in the log alone
	last := g.put(first.log, 60, 100)
	want := first.await(t, last)
	defer want.Close()
	if err := os.CopyFS(killed, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	for name, dir := range map[string]string{"killed": killed, "ended": dir} {
		if name == "ended" {
			if err := first.stop(); err != nil {
				t.Fatal(err)
			}
			flushed = last
		}
		again, err := g.start(map[string]string{"killed": "n2", "ended": "n1"}[name], dir)
		if err != nil {
			t.Fatal(err)
		}
		again.mu.Lock()
		if earliest := slices.Min(again.ended); earliest <= flushed {
			t.Errorf("%s: it applied a batch up to %d again, and had files up to %d", name, earliest, flushed)
		}
		again.mu.Unlock()
		got := again.await(t, last)
		if got.Digest() != want.Digest() || got.ContentSeq() != want.ContentSeq() {
			t.Errorf("%s: digest %s at %d, want %s at %d", name, got.Digest(), got.ContentSeq(), want.Digest(), want.ContentSeq())
		}
		got.Close()
		table, _ := again.progress.watch()
		if i := slices.IndexFunc(table, func(e wire.LeaseEntry) bool { return e.Incarnation == again.incarnation }); i < 0 {
			t.Errorf("%s: its lease is not in %v", name, table)
		}
		if err := again.stop(); err != nil {
			t.Error(err)
		}
		if name == "killed" {
			continue
		}
		if i := slices.IndexFunc(table, func(e wire.LeaseEntry) bool { return e.Incarnation == first.incarnation }); i >= 0 {
			t.Errorf("the lease of the incarnation before it is still in %v", table)
		}
	}
}

// TestKeptTableIsTheLogs: the lease table that stands with the index is that of its sequence.
func TestKeptTableIsTheLogs(t *testing.T) {
	g, first, _ := newGroup(t)
	before := g.write(first.log, false, wire.Record{Ops: []wire.Op{{Kind: wire.KindLease, IfVersion: wire.NoCondition,
		Body: wire.AppendLease(nil, &wire.Lease{Member: "g0/n9", Incarnation: 9, DurationMs: 4000})}}})
	snap := first.await(t, before)
	defer snap.Close()
	var k kept
	if err := json.Unmarshal(snap.Attachment(), &k); err != nil {
		t.Fatal(err)
	}
	if i := slices.Index(k.Leases, wire.LeaseEntry{Member: "g0/n9", Incarnation: 9, G: before, DurationMs: 4000}); i < 0 || len(k.Leases) != 2 {
		t.Errorf("kept: %s", snap.Attachment())
	}
}

// TestIndexOfAnotherLog: a folder that was made from another log, or from more than the log has, is refused with what to do, and nothing is written to the log.
func TestIndexOfAnotherLog(t *testing.T) {
	g, first, dir := newGroup(t)
	first.await(t, g.put(first.log, 0, 20)).Close()
	if err := first.stop(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, incarnationFile)); err != nil {
		t.Fatal(err)
	}
	stream, err := g.js.Stream(t.Context(), subjects.Names{}.Stream("g0"))
	if err != nil {
		t.Fatal(err)
	}
	genesis, err := stream.GetMsg(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		own  bool // the log begins as the index's did
	}{{"another log", false}, {"a shorter log", true}} {
		if err := g.js.DeleteStream(t.Context(), subjects.Names{}.Stream("g0")); err != nil {
			t.Fatal(err)
		}
		if _, err := g.js.CreateStream(t.Context(), subjects.Names{}.StreamConfig("g0", subjects.StreamLimits{})); err != nil {
			t.Fatal(err)
		}
		if c.own {
			if _, err := g.js.Publish(t.Context(), genesis.Subject, genesis.Data); err != nil {
				t.Fatal(err)
			}
		}
		m, err := g.start("n1", dir)
		if err == nil || !strings.Contains(err.Error(), "remove the member's data folder") {
			t.Errorf("%s: %v", c.name, err)
		}
		if _, reason := m.State(); !strings.HasPrefix(reason, "log_rewritten: ") {
			t.Errorf("%s: %s", c.name, reason)
		}
		if err := m.stop(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestDamagedIndexIsMadeAnew: a member whose files are damaged takes all from the log again, and keeps the damaged ones.
func TestDamagedIndexIsMadeAnew(t *testing.T) {
	g, first, dir := newGroup(t)
	last := g.put(first.log, 0, 30)
	snap := first.await(t, last)
	want := snap.Digest()
	snap.Close()
	if err := first.stop(); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, indexFolder, "*.segment"))
	if err != nil || len(files) == 0 {
		t.Fatalf("segments %v, %v", files, err)
	}
	b, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)/2] ^= 4
	if err := os.WriteFile(files[0], b, 0o600); err != nil {
		t.Fatal(err)
	}
	again, err := g.start("n1", dir)
	if err != nil {
		t.Fatal(err)
	}
	got := again.await(t, last)
	defer got.Close()
	if got.Digest() != want {
		t.Errorf("digest %s, want %s", got.Digest(), want)
	}
	if _, err := os.Stat(filepath.Join(dir, indexFolder+damagedSuffix, filepath.Base(files[0]))); err != nil {
		t.Error(err)
	}
}

// TestAging: content waits 30 seconds, leases alone 5 minutes, each counted from when it was first seen.
func TestAging(t *testing.T) {
	at := time.Unix(1_000_000, 0)
	a := aging{after: flushAge}
	for _, step := range []struct {
		after time.Duration
		see   staleness
		due   bool
	}{
		{0, nothingNew, false}, {time.Hour, nothingNew, false}, {time.Hour, contentNew, false}, {29 * time.Second, contentNew, false}, {time.Second, contentNew, true},
		{time.Second, contentNew, false}, {20 * time.Second, nothingNew, false}, {20 * time.Second, contentNew, false}, {30 * time.Second, contentNew, true},
		{time.Second, leasesNew, false}, {4 * time.Minute, leasesNew, false}, {time.Minute, leasesNew, true},
	} {
		at = at.Add(step.after)
		if due := a.due(at, step.see); due != step.due {
			t.Errorf("%+v: due %t", step, due)
		}
	}
}
