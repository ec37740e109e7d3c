package shard

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/jetseek/jetseek/embedded/natstest"
	"github.com/jetseek/jetseek/subjects"
	"github.com/jetseek/jetseek/subjects/wire"
)

// newLog makes a group's stream.
func newLog(t *testing.T) (*nats.Conn, jetstream.JetStream, jetstream.Stream) {
	t.Helper()
	conn := natstest.Start(t).Conn(t)
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := js.CreateStream(t.Context(), subjects.Names{}.StreamConfig("g0", subjects.StreamLimits{}))
	if err != nil {
		t.Fatal(err)
	}
	return conn, js, stream
}

// Whatever the tail loses, the follower gives every message once, in order, as it was stored, on whichever subject.
func TestFollowerFillsGapsOfTheTail(t *testing.T) {
	const count = 300
	rng := rand.New(rand.NewPCG(1, 2))
	for name, lost := range map[string]func(n int) bool{
		"nothing":            func(int) bool { return false },
		"all":                func(int) bool { return true },
		"the first":          func(n int) bool { return n == 1 },
		"the last":           func(n int) bool { return n == count },
		"a short gap":        func(n int) bool { return n > 100 && n < 110 },
		"a long gap":         func(n int) bool { return n > 50 && n < 250 },
		"the long beginning": func(n int) bool { return n < 200 },
		"here and there":     func(int) bool { return rng.IntN(3) == 0 },
	} {
		t.Run(name, func(t *testing.T) {
			conn, js, stream := newLog(t)
			names := subjects.Names{}
			f, err := follow(conn, names, "g0", stream, 1)
			if err != nil {
				t.Fatal(err)
			}
			defer f.close()
			var want []message
			for n := 1; n <= count; n++ {
				subject := names.Log("g0")
				if n%7 == 0 {
					subject = names.LogOwn("g0")
				}
				data := wire.AppendRecord(nil, &wire.Record{Header: wire.Header{Sender: 1, Counter: uint64(n)}, Ops: []wire.Op{{Kind: wire.KindBarrier, ID: fmt.Sprint(n)}}})
				if _, err := js.Publish(t.Context(), subject, data); err != nil {
					t.Fatal(err)
				}
				want = append(want, newMessage(uint64(n), subject, data))
			}
			var kept []*nats.Msg
			for n := 1; n <= count; n++ {
				if m := <-f.tail; !lost(n) {
					kept = append(kept, m)
				}
			}
			for _, m := range kept {
				f.tail <- m
			}
			f.hint(count)
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			var got []message
			for len(got) < count {
				batch, err := f.batch(ctx)
				if err != nil {
					t.Fatalf("after %d messages: %v", len(got), err)
				}
				got = append(got, batch...)
			}
			if !reflect.DeepEqual(got, want) {
				t.Error("the messages differ from what was stored")
			}
		})
	}
}

// A log whose beginning is gone cannot be followed: the follower says which message is missing, after it has looked for it again.
func TestFollowerNamesAHole(t *testing.T) {
	conn, js, stream := newLog(t)
	f, err := follow(conn, subjects.Names{}, "g0", stream, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer f.close()
	for range 5 {
		if _, err := js.Publish(t.Context(), subjects.Names{}.Log("g0"), wire.AppendRecord(nil, &wire.Record{})); err != nil {
			t.Fatal(err)
		}
		<-f.tail
	}
	if err := stream.Purge(t.Context(), jetstream.WithPurgeSequence(4)); err != nil {
		t.Fatal(err)
	}
	f.hint(5)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if got, err := f.batch(ctx); !errors.Is(err, errHole) || !strings.Contains(err.Error(), "log_hole{1..3}") {
		t.Errorf("%d messages, %v", len(got), err)
	}
}

// A log that has been set back, so that it stores new records where others were acknowledged, takes the member out of rotation with a reason.
func TestLogThatWasSetBack(t *testing.T) {
	conn, js, _ := newLog(t)
	m, err := New(Options{Conn: conn, Group: "g0", Node: "n1", Dir: t.TempDir(), Lease: 300 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- m.Run(ctx) }()
	defer func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}()
	if err := m.AwaitServing(t.Context()); err != nil {
		t.Fatal(err)
	}
	names := subjects.Names{}
	if err := js.DeleteStream(t.Context(), names.Stream("g0")); err != nil {
		t.Fatal(err)
	}
	if _, err := js.CreateStream(t.Context(), names.StreamConfig("g0", subjects.StreamLimits{})); err != nil {
		t.Fatal(err)
	}
	for {
		state, changed := m.status.watch()
		if state == Failed {
			break
		}
		select {
		case <-changed:
		case <-time.After(20 * time.Second):
			t.Fatalf("the member is %s over a log that was set back", state)
		}
	}
	if _, reason := m.State(); !strings.HasPrefix(reason, "log_rewritten: ") {
		t.Errorf("the reason: %s", reason)
	}
}
