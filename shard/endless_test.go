package shard

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jetseek/jetseek/engine"
	"github.com/jetseek/jetseek/subjects/wire"
)

// An operation that never ends ends its process twice: first at the batch, then alone. The third does not try it, and all agree to set it aside. A real process is gone then; here what is stuck goes
// when the next one starts.
func TestEndlessOperationIsSetAside(t *testing.T) {
	g, first, dir := newGroup(t)
	g.put(first.log, 0, 5)
	if err := first.stop(); err != nil {
		t.Fatal(err)
	}
	bad := g.write(first.log, false, wire.Record{Ops: []wire.Op{wordPut("a"), wordPut("b"), wordPut("c")}})
	for life := 1; ; life++ {
		gone := make(chan struct{})
		var met atomic.Int64
		hooks := Hooks{BeforeOp: func(op *engine.Op) {
			if op.ID == "b" {
				met.Add(1)
				<-gone
				runtime.Goexit() // a process takes with it what is stuck
			}
		}}
		m, err := New(Options{Conn: g.conn, Group: "g0", Node: "n1", Dir: dir, ApplyLimit: 500 * time.Millisecond, Hooks: hooks})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
		ended := make(chan error, 1)
		go func() { ended <- m.Run(ctx) }() // ends with the life
		if life == 3 {
			if err := m.AwaitServing(t.Context()); err != nil {
				t.Fatal(err)
			}
			snap := (&running{Member: m}).await(t, bad)
			want := []engine.Quarantined{{Place: engine.Place{Seq: bad, Op: 1}, Kind: engine.OpPut, Collection: 1, ID: "b", Reason: "the process ended while it was applied, twice"}}
			_, hasA := snap.Get(1, "a")
			_, hasC := snap.Get(1, "c")
			if got := snap.Quarantine(); len(got) != 1 || got[0] != want[0] || !hasA || !hasC || met.Load() > 0 {
				t.Errorf("set aside %+v, has a %v, c %v, tried it %d times", got, hasA, hasC, met.Load())
			}
			snap.Close()
			cancel()
			if err := <-ended; err != nil {
				t.Error(err)
			}
			return
		}
		err = <-ended
		state, reason := m.State()
		if !errors.Is(err, ErrEndless) || met.Load() != 1 || state != Failed || !strings.HasPrefix(reason, "poison: ") {
			t.Fatalf("life %d met it %d times, and is %s (%s): %v", life, met.Load(), state, reason, err)
		}
		close(gone)
		cancel()
		waitUnlocked(t, dir)
	}
}

// waitUnlocked waits until what was left of a member has gone.
func waitUnlocked(t *testing.T, dir string) {
	t.Helper()
	for began := time.Now(); ; {
		lock, err := LockFolder(dir)
		if err == nil {
			if err := lock.Close(); err != nil {
				t.Fatal(err)
			}
			return
		}
		if time.Since(began) > 20*time.Second {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Millisecond) // between two tries
	}
}

func TestOverdue(t *testing.T) {
	type step struct {
		turn  uint64
		units int64
		looks int // until it is overdue; 0: it is not, in a hundred
	}
	for name, steps := range map[string][]step{
		"it applies nothing":             {{turn: 4, units: 1}},
		"one turn":                       {{turn: 5, units: 1, looks: applyLooks + 2}},
		"a large one":                    {{turn: 5, units: 3, looks: 3*applyLooks + 2}},
		"another turn begins from start": {{turn: 5, units: 10}, {turn: 7, units: 1, looks: applyLooks + 2}},
	} {
		o := overdue{}
		for _, s := range steps {
			n := 0
			for n = 1; n <= 100 && !o.look(s.turn, s.units); n++ {
			}
			if s.looks == 0 && n <= 100 || s.looks > 0 && n != s.looks {
				t.Errorf("%s: turn %d was overdue at look %d, want %d", name, s.turn, n, s.looks)
			}
		}
	}
}

// What the engine may take for a batch grows with its bytes, and with its operations where these are small.
func TestUnitsOfABatch(t *testing.T) {
	for _, c := range []struct {
		operations, bytes int
		want              int64
	}{{0, 0, 1}, {1, 10, 1}, {1023, 0, 1}, {1024, 0, 2}, {10_000, 30, 10}, {1, 3 << 20, 4}, {2, 1 << 20, 3}} {
		var p pace
		p.begin([]engine.Message{{Ops: slices.Repeat([]engine.Op{{Body: make([]byte, c.bytes)}}, c.operations)}})
		if got := p.units.Load(); got != c.want {
			t.Errorf("%d operations of %d bytes: %d units, want %d", c.operations, c.bytes, got, c.want)
		}
	}
}
