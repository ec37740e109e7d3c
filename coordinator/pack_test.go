package coordinator

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/jetseek/jetseek/embedded/natstest"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/schema"
	"github.com/jetseek/jetseek/subjects/wire"
)

// newBench makes a coordinator that does not run, for its parts.
func newBench(t *testing.T, options ...natstest.Option) *Coordinator {
	t.Helper()
	c, err := New(Options{Conn: natstest.Start(t, options...).Conn(t)})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func put(body []byte, s wire.SchemaRecord) *write {
	op := wire.Op{Kind: wire.KindPut, ID: "a", IfVersion: wire.NoCondition, Collection: s.Collection, SchemaVersion: s.Version, Body: body}
	return newWrite(op, s, time.Now().Add(time.Minute))
}

func errorOf(w *write) error {
	if w.err == nil {
		return nil
	}
	return w.err
}

// A document that does not fit is refused alone: the schema that came with it goes into the log with the next one.
func TestSchemaOfATooLargeWriteIsNotTakenForLogged(t *testing.T) {
	p := newPacker(newBench(t), "g0")
	record := wire.SchemaRecord{Collection: schema.Incarnation(7), Name: "c", Version: 1, Schema: []byte("{}")}
	large, small := put(make([]byte, recordBytes), record), put([]byte("{}"), record)
	if err := p.submit([]*write{large, small}); err != nil {
		t.Fatal(err)
	}
	if got := p.take(&flight{}); len(got) != 1 || got[0] != small {
		t.Fatalf("packed %d writes, want the small one", len(got))
	}
	if code := fault.CodeOf(errorOf(large)); code != fault.TooLarge {
		t.Errorf("the large write: %v", large.err)
	}
	rec, err := wire.DecodeRecord(p.batch.Bytes(&wire.Header{Sender: 1, Counter: 1}))
	if err != nil || len(rec.Ops) != 1 || len(rec.Schemas) != 1 {
		t.Fatalf("record with %d schemas and %d operations, %v; want one and one", len(rec.Schemas), len(rec.Ops), err)
	}
}

// What fits a message is what the server takes: a server with small messages refuses large documents, and nothing that is packed.
func TestRecordsFitTheServersMessages(t *testing.T) {
	p := newPacker(newBench(t, natstest.MaxPayload(32<<10)), "g0")
	large, small := put(make([]byte, 32<<10), wire.SchemaRecord{}), put(make([]byte, 20<<10), wire.SchemaRecord{})
	if err := p.submit([]*write{large, small, put(make([]byte, 20<<10), wire.SchemaRecord{})}); err != nil {
		t.Fatal(err)
	}
	if got := p.take(&flight{}); len(got) != 1 || got[0] != small || fault.CodeOf(errorOf(large)) != fault.TooLarge {
		t.Fatalf("packed %d writes, and the large one: %v", len(got), large.err)
	}
}

// Bulks share a message as long as they fit it whole; one that does not waits for the next, and one that fits none is divided.
func TestABulkThatFitsAMessageIsNotDivided(t *testing.T) {
	p := newPacker(newBench(t), "g0")
	bulk := func(lines int) []*write {
		var writes []*write
		for range lines {
			writes = append(writes, put(make([]byte, 10<<10), wire.SchemaRecord{}))
		}
		if err := p.submit(writes); err != nil {
			t.Fatal(err)
		}
		return writes
	}
	for _, lines := range []int{30, 30, 50, 1, 100, 20} { // 88 fit
		bulk(lines)
	}
	var got []int
	for len(p.queue) > 0 {
		p.batch.Reset()
		got = append(got, len(p.take(&flight{})))
	}
	if want := []int{60, 51 + 38, 62 + 20}; len(got) != 3 || got[0] != want[0] || got[1]+got[2] != want[1]+want[2] || got[1] < 85 {
		t.Errorf("messages of %v lines, want about %v", got, want)
	}
}

// The lines of a bulk whose time is over are taken back together, the others stay.
func TestWritesWhoseTimeIsOverLeaveTheQueue(t *testing.T) {
	p := newPacker(newBench(t), "g0")
	var over, waiting []*write
	for n := range 50_000 {
		w := put([]byte("{}"), wire.SchemaRecord{})
		if n%100 == 0 {
			waiting = append(waiting, w)
		} else {
			w.deadline = time.Now()
			over = append(over, w)
		}
		if err := p.submit([]*write{w}); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithDeadline(t.Context(), time.Now())
	defer cancel()
	c := p.c
	c.packers["g0"] = p
	for _, w := range over {
		if err := c.awaitPacked(ctx, "g0", w); err == nil || err.Code != fault.Deadline || err.Durable != wire.NotDurable {
			t.Fatalf("a write whose time is over: %v", err)
		}
	}
	if len(p.queue) != len(waiting) || p.bytes != len(waiting)*waiting[0].bytes() {
		t.Errorf("%d writes of %d bytes wait, want %d", len(p.queue), p.bytes, len(waiting))
	}
}

// Only an answer of the server, or that nothing was sent, proves that a message is not stored.
func TestWhatProvesThatNothingWasStored(t *testing.T) {
	for _, c := range []struct {
		err  error
		want bool
	}{
		{nats.ErrNoResponders, true}, {nats.ErrReconnectBufExceeded, true}, {nats.ErrMaxPayload, true},
		{nats.ErrTimeout, false},
		{nats.ErrConnectionClosed, false}, // it may have been closed while the acknowledgement was on its way
		{nats.ErrDisconnected, false},
	} {
		if got := certainlyRefused(fmt.Errorf("publish: %w", c.err)); got != c.want {
			t.Errorf("%v proves it: %v, want %v", c.err, got, c.want)
		}
	}
}
