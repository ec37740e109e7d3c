package shard

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jetseek/jetseek/embedded/natstest"
	"github.com/jetseek/jetseek/subjects"
	"github.com/jetseek/jetseek/subjects/wire"
)

// noticedWithin is how soon a member that has reached damage of its log must be out of rotation.
const noticedWithin = 5 * time.Second

// theatre is a NATS server whose files can be damaged, with members of group g0 over it.
type theatre struct {
	t      *testing.T
	server *natstest.Server
	dirs   map[string]string // of members, by node
}

func newTheatre(t *testing.T) *theatre {
	return &theatre{t: t, server: natstest.Start(t), dirs: map[string]string{}}
}

// life is one run of a member.
type life struct {
	*Member
	end func()
}

// start runs a member on the folder of its node until the test ends, or end is called.
func (th *theatre) start(node string) life {
	th.t.Helper()
	return th.startWith(node, nil)
}

func (th *theatre) startWith(node string, keys *wire.Keys) life {
	th.t.Helper()
	if th.dirs[node] == "" {
		th.dirs[node] = th.t.TempDir()
	}
	m, err := New(Options{Conn: th.server.Conn(th.t), LogConn: th.server.Conn(th.t), Group: "g0", Node: node, Dir: th.dirs[node], Lease: time.Second, Keys: keys})
	if err != nil {
		th.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(th.t.Context()))
	done := make(chan struct{})
	go func() { // ends with end
		defer close(done)
		if err := m.Run(ctx); err != nil {
			th.t.Error(err)
		}
	}()
	end := func() { cancel(); <-done }
	th.t.Cleanup(end)
	return life{m, end}
}

func (th *theatre) serving(l life) {
	th.t.Helper()
	ctx, cancel := context.WithTimeout(th.t.Context(), 20*time.Second)
	defer cancel()
	if err := l.AwaitServing(ctx); err != nil {
		th.t.Fatal(err)
	}
}

// fails waits until a member has left rotation, with a reason that begins so and tells what to do.
func (th *theatre) fails(l life, reason string) {
	th.t.Helper()
	th.failsWith(l, reason, "restore the stream")
}

func (th *theatre) failsWith(l life, reason, advice string) {
	th.t.Helper()
	th.becomes(l, Failed)
	_, got := l.State()
	if !strings.HasPrefix(got, reason) || !strings.Contains(got, advice) {
		th.t.Errorf("member %s: %s\nwant %s…, and what to do", l.ID(), got, reason)
	}
	snap := l.index.Snapshot()
	defer snap.Close()
	if l.mayServe(snap) {
		th.t.Errorf("member %s may serve although it has failed", l.ID())
	}
}

// becomes waits until a member is in a state.
func (th *theatre) becomes(l life, want State) {
	th.t.Helper()
	limit := time.NewTimer(noticedWithin)
	defer limit.Stop()
	for {
		state, changed := l.status.watch()
		if state == want {
			return
		}
		select {
		case <-changed:
		case <-limit.C:
			th.t.Fatalf("member %s is %s at %d after %s, want %s", l.ID(), state, l.appliedSeq(), noticedWithin, want)
		}
	}
}

// fill puts records with a mark of their own into the log and gives the sequence of the n-th, from 1.
func (th *theatre) fill(l life, count int) func(n int) uint64 {
	th.t.Helper()
	js := th.server.JetStream(th.t)
	seqs := make([]uint64, count+1)
	for n := 1; n <= count; n++ {
		rec := wire.Record{Header: wire.Header{Log: l.log}, Ops: []wire.Op{{Kind: wire.KindBarrier, IfVersion: wire.NoCondition, Body: markOf(n)}}}
		ack, err := js.Publish(th.t.Context(), subjects.Names{}.Log("g0"), wire.AppendRecord(nil, &rec))
		if err != nil {
			th.t.Fatal(err)
		}
		seqs[n] = ack.Sequence
	}
	return func(n int) uint64 { return seqs[n] }
}

func markOf(n int) []byte { return fmt.Appendf(nil, "mark-%d.", n) }

// damage changes the files of the stopped server: the block that holds a mark, at the mark; and the index of blocks goes if so asked.
func (th *theatre) damage(n int, dropIndex bool, change func(block []byte, at int) []byte) {
	th.t.Helper()
	done := false
	err := filepath.WalkDir(th.server.Store(), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.Contains(path, subjects.Names{}.Stream("g0")) {
			return err
		}
		if dropIndex && d.Name() == "index.db" {
			return os.Remove(path)
		}
		if filepath.Ext(path) != ".blk" {
			return nil
		}
		block, err := os.ReadFile(path)
		if at := bytes.Index(block, markOf(n)); err == nil && at >= 0 {
			done = true
			return os.WriteFile(path, change(block, at), 0o600)
		}
		return err
	})
	if err != nil || !done {
		th.t.Fatalf("damage message %d: done %v, %v", n, done, err)
	}
}

func flip(block []byte, at int) []byte { block[at+2] ^= 1; return block }

func keep(block []byte, _ int) []byte { return block }

func cut(block []byte, at int) []byte { return block[:at] }

// Damage that the server does not tell of takes the members out of rotation that it concerns, and no others.
func TestDamagedLogIsNoticed(t *testing.T) {
	const count, k = 300, 100
	for name, c := range map[string]struct {
		dropIndex  bool
		change     func([]byte, int) []byte
		old, fresh string // how members fail that had applied all, and that replay; "": they serve
	}{
		"index rebuilt":                    {change: keep, dropIndex: true},
		"a flipped bit":                    {change: flip, fresh: "log_hole{"},
		"a flipped bit, index rebuilt":     {change: flip, dropIndex: true, old: "log_rewritten: ", fresh: "log_rewritten: "},
		"a block cut short":                {change: cut, fresh: "log_hole{"},
		"a block cut short, index rebuilt": {change: cut, dropIndex: true, old: "log_rewritten: ", fresh: "log_rewritten: "},
	} {
		t.Run(name, func(t *testing.T) {
			th := newTheatre(t)
			old := th.start("n1")
			th.serving(old)
			seq := th.fill(old, count)
			if !old.awaitApplied(t.Context(), seq(count)) {
				t.Fatal("not applied")
			}
			th.server.Stop()
			th.damage(k, c.dropIndex, c.change)
			th.server.Restart()
			if c.old != "" {
				th.fails(old, c.old)
			}
			fresh := th.start("n2")
			if c.fresh == "" {
				th.serving(fresh)
			} else if th.fails(fresh, c.fresh); c.old == "" && fresh.appliedSeq() >= seq(k) { // a log that was cut goes on with other messages
				t.Errorf("the new member applied message %d, and message %d is lost", fresh.appliedSeq(), seq(k))
			}
			if state, reason := old.State(); c.old == "" && state != Serving {
				t.Errorf("the member that had applied all is %s: %s", state, reason)
			}
		})
	}
}

// A stream that was deleted and made anew is not the group's log any more: for members that run, for those that start again, and for new ones.
func TestStreamMadeAnewIsNoticed(t *testing.T) {
	th := newTheatre(t)
	js := th.server.JetStream(t)
	names := subjects.Names{}
	running, stopped := th.start("n1"), th.start("n2")
	th.serving(running)
	th.serving(stopped)
	stopped.end()
	if err := js.DeleteStream(t.Context(), names.Stream("g0")); err != nil {
		t.Fatal(err)
	}
	gone := th.start("n2")
	th.fails(gone, "log_rewritten: ")
	applied := gone.appliedSeq()
	gone.end()
	if _, err := js.Stream(t.Context(), names.Stream("g0")); err == nil {
		t.Error("a member has made the stream anew that had held its log")
	}
	if _, err := js.CreateStream(t.Context(), names.StreamConfig("g0", subjects.StreamLimits{})); err != nil {
		t.Fatal(err)
	}
	th.fill(life{Member: &Member{translator: translator{log: wire.UUID{9}}}}, 100)
	th.fails(running, "log_rewritten: ")
	again := th.start("n2")
	th.fails(again, "log_rewritten: ")
	if got := again.appliedSeq(); got != applied {
		t.Errorf("the member is at %d and was at %d: messages of another log were applied, or data was lost", got, applied)
	}
}

// A member that starts again notices that the log has lost its end meanwhile, also when other messages have taken the place of what was lost.
func TestLogSetBackWhileAMemberWasAway(t *testing.T) {
	for name, refill := range map[string]int{"shorter": 0, "as long, with others": 400} {
		t.Run(name, func(t *testing.T) {
			th := newTheatre(t)
			m := th.start("n1")
			th.serving(m)
			seq := th.fill(m, 300)
			if !m.awaitApplied(t.Context(), seq(300)) {
				t.Fatal("not applied")
			}
			m.end()
			th.server.Stop()
			th.damage(100, true, cut)
			th.server.Restart()
			th.fill(m, refill)
			th.fails(th.start("n1"), "log_rewritten: ")
		})
	}
}
