package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/jetseek/jetseek/engine"
	"github.com/jetseek/jetseek/engine/schema"
	"github.com/jetseek/jetseek/engine/vfs"
)

// sharing opens an index that shares resources with others.
func sharing(t *testing.T, r *engine.Resources) *engine.Index {
	t.Helper()
	x, err := engine.Open(engine.Options{Folder: vfs.NewMemory(), Resources: r})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(x.Close)
	apply(t, x, 1, engine.Op{Kind: engine.OpOwn, Slots: engine.AllSlots()},
		engine.Op{Kind: engine.OpSchema, Collection: 1, Version: 1, Name: "c", Schema: &schema.Schema{Fields: []schema.Field{{Name: "k", Type: schema.Keyword, Boost: 1}}}})
	return x
}

// grow puts about so many bytes into an index, beginning at a sequence.
func grow(t *testing.T, x *engine.Index, seq uint64, bytes int) {
	t.Helper()
	noise, random := rand.NewChaCha8([32]byte{byte(seq)}), make([]byte, 5_000) // which no codec makes smaller than half of its hex digits
	for n := 0; n < bytes; n += 5_000 {
		id := fmt.Sprint(seq, "-", n)
		_, _ = noise.Read(random) // never fails
		body := fmt.Appendf(nil, `{"x":"%x"}`, random)
		apply(t, x, seq+uint64(n), engine.Op{Kind: engine.OpPut, Collection: 1, ID: id, Slot: slotOf(id), IfVersion: -1, Body: body})
	}
}

func asked(x *engine.Index) bool {
	select {
	case <-x.FlushDue():
		return true
	default:
		return false
	}
}

// TestSharedMemory: an index is asked to flush when it has half of its share, or the most of what is nearly full; who applies waits when all is used, until somebody flushes.
func TestSharedMemory(t *testing.T) {
	r, err := engine.NewResources(8<<20, nil)
	if err != nil {
		t.Fatal(err)
	}
	first, second := sharing(t, r), sharing(t, r)
	grow(t, first, 2, 1<<18)
	if asked(first) || asked(second) {
		t.Error("asked for a flush of a little of 8 MiB")
	}
	if n := first.Activity().UnflushedBytes; n < 1<<18 {
		t.Errorf("%d bytes are counted", n)
	}
	grow(t, first, 1<<22, 3<<20)
	if !asked(first) || asked(second) {
		t.Error("not asked for a flush of more than 3 MiB of 8, shared by two")
	}
	ctx, cancel := context.WithCancel(context.Background())
	if err := second.AwaitRoom(ctx); err != nil {
		t.Errorf("no room: %v", err)
	}
	grow(t, first, 1<<24, 7<<20)
	grow(t, second, 2, 1<<20)
	if !asked(first) {
		t.Error("the largest was not asked when all is used")
	}
	cancel()
	if err := second.AwaitRoom(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("room beyond the limit: %v", err)
	}
	waited := make(chan error)
	go func() { waited <- second.AwaitRoom(context.Background()) }() // ends when the other has flushed
	if err := first.Flush(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := <-waited; err != nil {
		t.Error(err)
	}
	if a := first.Activity(); a.Flushes != 1 || a.UnflushedBytes != 0 || a.FlushedBytes == 0 {
		t.Errorf("after the flush: %+v", a)
	}
}

// TestMergesArePaced: a merge asks before it writes, piece by piece, and a flush does not.
func TestMergesArePaced(t *testing.T) {
	paced := 0
	r, err := engine.NewResources(0, func(_ context.Context, bytes int) error {
		if bytes > engine.MaxPaced {
			t.Errorf("%d bytes at once", bytes)
		}
		paced += bytes
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	x := sharing(t, r)
	for n := range uint64(8) {
		grow(t, x, 2+n<<22, 300_000)
		if err := x.Flush(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if paced != 0 {
		t.Errorf("flushes were paced: %d bytes", paced)
	}
	did, err := x.Merge(context.Background())
	if a := x.Activity(); err != nil || !did || paced == 0 || int64(paced) != a.MergedBytes || !a.FilesChanged {
		t.Errorf("merge %v, %v, %d bytes paced, %+v", did, err, paced, a)
	}
	if err := x.Flush(context.Background()); err != nil || x.Activity().FilesChanged {
		t.Errorf("flush %v, %+v", err, x.Activity())
	}
	if x.OpenSnapshots() != 0 {
		t.Errorf("%d snapshots are held", x.OpenSnapshots())
	}
}

// TestLeastMemory: a limit that holds no batch is refused.
func TestLeastMemory(t *testing.T) {
	if _, err := engine.NewResources(1000, nil); err == nil {
		t.Error("1000 bytes were taken")
	}
}
