package coordinator

import (
	"runtime"
	"sync"
	"testing"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects/wire"
)

// A queue that is full refuses what comes, whole, and takes again when there is room; one write always has room.
func TestAFullQueueRefuses(t *testing.T) {
	p := newPacker(newBench(t), "g0")
	quarter := func() []*write { return []*write{put(make([]byte, queuedBytes/4), wire.SchemaRecord{})} }
	for range 3 {
		if err := p.submit(quarter()); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.submit(append(quarter(), quarter()...)); err == nil || err.Code != fault.Overloaded {
		t.Fatalf("half a queue into a quarter: %v", err)
	}
	if len(p.queue) != 3 {
		t.Fatalf("%d writes wait, want 3", len(p.queue))
	}
	p.drop()
	p.drop()
	if err := p.submit(append(quarter(), quarter()...)); err != nil {
		t.Errorf("half a queue into three quarters: %v", err)
	}
	if err := newPacker(p.c, "g1").submit([]*write{put(make([]byte, queuedBytes+1), wire.SchemaRecord{})}); err != nil {
		t.Errorf("the first of a queue, whatever its size: %v", err)
	}
}

// Writes that a stopping coordinator has not packed are certainly not stored, and no more are taken.
func TestAStoppingQueueSaysSo(t *testing.T) {
	p := newPacker(newBench(t), "g0")
	waiting := put([]byte("{}"), wire.SchemaRecord{})
	if err := p.submit([]*write{waiting}); err != nil {
		t.Fatal(err)
	}
	p.close()
	<-waiting.packed
	if e := waiting.err; e == nil || e.Code != fault.Unavailable || e.Reason != reasonStopping || e.Durable != wire.NotDurable {
		t.Errorf("a write that waited: %+v", e)
	}
	if e := p.submit([]*write{put([]byte("{}"), wire.SchemaRecord{})}); e == nil || e.Code != fault.Unavailable || e.Reason != reasonStopping {
		t.Errorf("a write that came later: %+v", e)
	}
}

// Writes that are a step from the queue when one is packed join its message. With one processor the others run exactly when the packer gives them their turn.
func TestWritesOnTheirWayAreGathered(t *testing.T) {
	p := newPacker(newBench(t), "g0")
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	submit := func(body []byte) {
		if err := p.submit([]*write{put(body, wire.SchemaRecord{})}); err != nil {
			t.Error(err)
		}
	}
	queued := func() int {
		p.mu.Lock()
		defer p.mu.Unlock()
		return len(p.queue)
	}
	const others = 16
	var gone sync.WaitGroup
	come := func() {
		for range others {
			gone.Go(func() {
				runtime.Gosched() // a step before the queue
				submit([]byte("{}"))
			})
		}
	}
	submit([]byte("{}"))
	come()
	p.gather()
	if got := queued(); got != 1+others {
		t.Errorf("%d writes are packed, want the first and %d that came meanwhile", got, others)
	}
	gone.Wait()
	for len(p.queue) > 0 {
		p.drop()
	}
	submit(make([]byte, gatherBytes))
	come()
	p.gather()
	if got := queued(); got != 1 {
		t.Errorf("a large message waited for %d writes", got-1)
	}
	gone.Wait()
}
