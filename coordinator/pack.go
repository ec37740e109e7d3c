package coordinator

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/schema"
	"github.com/jetseek/jetseek/subjects/wire"
)

// Limits of the write path.
const (
	// recordBytes is how large one log message may become, on a server that takes so much; a larger operation is too_large.
	recordBytes = 900 << 10
	// headerRoom is what the headers of a message to the log take at most.
	headerRoom = 1 << 10
	// queuedBytes bounds what waits for a group's log; beyond it writes are refused as overloaded.
	queuedBytes = 32 << 20
	// publishTry bounds one try to publish; for publishLimit the same message is offered again under the same message id, publishRetry after a try that
	// failed, before its outcome stays unknown.
	publishTry   = 2 * time.Second
	publishLimit = 6 * time.Second
	publishRetry = 50 * time.Millisecond
)

// write is one operation on its way into a group's log.
type write struct {
	op       wire.Op
	schema   wire.SchemaRecord // of the version that op names; none: zero
	deadline time.Time         // checked directly before the publish
	together int               // of the first of those submitted at once: bytes of all of them

	packed chan struct{} // closed when flight and index are set, or err
	flight *flight
	index  int
	err    *wire.Error
}

func newWrite(op wire.Op, s wire.SchemaRecord, deadline time.Time) *write {
	return &write{op: op, schema: s, deadline: deadline, packed: make(chan struct{})}
}

func (w *write) bytes() int { return len(w.op.Body) + len(w.op.ID) + 64 }

func (w *write) fail(e *wire.Error) {
	w.err = e
	close(w.packed)
}

// packer is the group commit of one group: one goroutine takes all that queued up while the message before was on its way, packs it into one message and
// publishes it. The log syncs once a message, so concurrent writers share the price; one message is in flight at a time, since the log of one
// server stores them one after the other anyway.
type packer struct {
	c     *Coordinator
	group string

	mu     sync.Mutex // guards the fields below
	queue  []*write
	bytes  int
	wake   chan struct{} // capacity 1
	closed bool

	// known is the schema versions that the log is known to hold; used by run alone.
	known   map[schema.Incarnation]uint64
	checked bool        // its settings were, by the first write
	seen    uint64      // the highest sequence that the log has acknowledged
	owned   bool        // the first own entry is known to stand in the log
	batch   *wire.Batch // memory of the message being packed
	limit   int         // of a message, in bytes

	commits *committer // takes what is stored
}

func newPacker(c *Coordinator, group string) *packer {
	limit := c.largestRecord()
	return &packer{c: c, group: group, wake: make(chan struct{}, 1), known: make(map[schema.Incarnation]uint64), batch: wire.NewBatch(limit), limit: limit, commits: newCommitter(c, group)}
}

// submit queues writes, in order and together. It refuses them all when too much waits already.
func (p *packer) submit(writes []*write) *wire.Error {
	total := 0
	for _, w := range writes {
		total += w.bytes()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return unavailable(reasonStopping, "this coordinator is stopping; ask another")
	}
	if p.bytes > 0 && p.bytes+total > queuedBytes {
		return wire.FromError(fault.New(fault.Overloaded, "group %s has %d bytes of writes waiting, at most %d: try again, slower", p.group, p.bytes, queuedBytes))
	}
	if len(writes) > 0 {
		writes[0].together = total
	}
	p.queue = append(p.queue, writes...)
	p.bytes += total
	select {
	case p.wake <- struct{}{}:
	default:
	}
	return nil
}

// expire takes back the writes whose time is over and that were not packed yet: they are certainly not stored. All at once, since the lines of a bulk
// have the same deadline.
func (p *packer) expire() {
	now := time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.queue = slices.DeleteFunc(p.queue, func(w *write) bool {
		if now.Before(w.deadline) {
			return false
		}
		p.bytes -= w.bytes()
		w.fail(timeOver(p.group))
		return true
	})
}

func timeOver(group string) *wire.Error {
	return notDurable(wire.FromError(fault.New(fault.Deadline, "the write waited for the log of group %s until its time was over: try again, or give it more with timeout_ms", group)))
}

// run packs and publishes until ctx ends; then it fails what still waits, which is certainly not stored.
func (p *packer) run(ctx context.Context) error {
	defer p.close()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-p.wake:
		}
		for ctx.Err() == nil && p.commit(ctx) {
		}
	}
}

func (p *packer) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for _, w := range p.queue {
		w.fail(notDurable(unavailable(reasonStopping, "this coordinator is stopping; ask another")))
	}
	p.queue, p.bytes = nil, 0
}

// commit packs one message of what waits and publishes it; false when nothing waited.
func (p *packer) commit(ctx context.Context) bool {
	if !p.waiting() {
		return false
	}
	if e := p.wrong(ctx); e != nil {
		p.failOne(notDurable(e))
		return true
	}
	if !p.owned {
		if err := p.c.ensureOwn(ctx, p.group); err != nil {
			p.failOne(notDurable(err))
			return true
		}
		p.owned = true
	}
	f := p.c.tracker.launch(p.group, p.c.counter.Add(1))
	if f == nil {
		p.failOne(notDurable(wire.FromError(fault.New(fault.Overloaded, "too many messages of group %s are on their way: try again", p.group))))
		return true
	}
	p.gather()
	p.batch.Reset()
	writes := p.take(f)
	if len(writes) == 0 {
		p.c.tracker.abandon(f)
		return true
	}
	head := p.c.recordHeader(p.group, f.counter)
	data := p.c.keys.Sign(p.batch.Bytes(&head))
	p.c.metrics.packed(len(writes), len(data))
	p.publish(ctx, f, data, len(writes))
	return true
}

func (p *packer) waiting() bool { return p.waitingBytes() > 0 }

func (p *packer) waitingBytes() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.bytes
}

const (
	// gatherTurns is how often other goroutines get their turn without a new write in the queue before it is packed: from the connection to the queue a request passes
	// through as many.
	gatherTurns = 4
	// gatherBytes is what must wait for a message to be worth its sync: no more is gathered then.
	gatherBytes = 64 << 10
)

// gather lets writes join the message that have come to this process and are on their way to the queue: writers that were answered at the same time come again at
// nearly the same time, and a message with the first of them alone would have the others wait for its sync. It waits for no time and no event.
func (p *packer) gather() {
	bytes := p.waitingBytes()
	for quiet := 0; quiet < gatherTurns && bytes < gatherBytes; quiet++ {
		runtime.Gosched()
		if now := p.waitingBytes(); now > bytes {
			bytes, quiet = now, -1
		}
	}
}

// failOne fails the write that has waited longest.
func (p *packer) failOne(e *wire.Error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.queue) == 0 {
		return
	}
	p.drop().fail(e)
}

// drop takes the first write off the queue.
func (p *packer) drop() *write {
	w := p.queue[0]
	p.queue[0] = nil
	p.queue = p.queue[1:]
	p.bytes -= w.bytes()
	return w
}

// take moves writes from the queue into the batch until it is full, with the schema records that they need and that the log does not hold yet.
func (p *packer) take(f *flight) []*write {
	now := time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	var taken []*write
	for len(p.queue) > 0 {
		w := p.queue[0]
		if !now.Before(w.deadline) {
			p.drop().fail(timeOver(p.group))
			continue
		}
		if len(taken) > 0 && w.together <= p.limit && p.batch.Size()+w.together > p.limit {
			break // a bulk that fits a message is not divided: else it waits for two
		}
		fresh := w.schema.Version > p.known[w.schema.Collection]
		if fresh && !p.batch.AddSchema(&w.schema) || !p.batch.Add(&w.op) {
			if len(taken) > 0 {
				break
			}
			p.drop().fail(notDurable(tooLarge(p.limit)))
			p.batch.Reset() // with its schema record, which the next write has to bring
			continue
		}
		if fresh {
			p.known[w.schema.Collection] = w.schema.Version
		}
		p.drop()
		w.flight, w.index = f, len(taken)
		taken = append(taken, w)
		close(w.packed)
		if w.op.Object != "" {
			break // members read an object whole to apply it: one a message
		}
	}
	return taken
}

// publish offers the message until the log has it, it is certainly refused, or the tries are used up: then its outcome is unknown, and may still become
// known by a report.
func (p *packer) publish(ctx context.Context, f *flight, data []byte, writes int) {
	msg := &nats.Msg{Subject: p.c.names.Log(p.group), Data: data, Header: nats.Header{}}
	id := wire.MsgID(p.c.incarnation, f.counter)
	if p.c.js.Conn().IsClosed() {
		p.refuse(f, nats.ErrConnectionClosed)
		return
	}
	seen := max(p.seen, p.c.tracker.highest(p.group))
	var err error
	for try, began := 0, time.Now(); try == 0 || time.Since(began) < publishLimit && p.pause(ctx, f); try++ {
		var ack *jetstream.PubAck
		ack, err = p.publishOnce(ctx, msg, id)
		if err == nil {
			if !ack.Duplicate && ack.Sequence <= seen {
				p.setBack(f, ack.Sequence, seen)
				return
			}
			p.seen = max(p.seen, ack.Sequence)
			p.c.tracker.storedAs(f, ack.Sequence)
			p.commits.follow(f, ack.Sequence)
			return
		}
		if try == 0 && certainlyRefused(err) {
			p.refuse(f, err)
			return
		}
		p.tried(f, writes)
	}
	if isClosed(f.stored) {
		return // a member has reported it: the acknowledgement was lost, the message was not
	}
	p.c.log.Warn("a publish to the log was not acknowledged", "group", p.group, "writes", writes, "error", err)
	clear(p.known) // whether its schema records are in the log is as unknown as the rest
}

// pause waits a moment before the next try; false when none is needed, since a member has reported the message or the coordinator ends.
func (p *packer) pause(ctx context.Context, f *flight) bool {
	timer := time.NewTimer(publishRetry)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-f.stored:
	case <-ctx.Done():
	}
	return false
}

func (p *packer) publishOnce(ctx context.Context, msg *nats.Msg, id string) (*jetstream.PubAck, error) {
	ctx, cancel := context.WithTimeout(ctx, publishTry)
	defer cancel()
	return p.c.js.PublishMsg(ctx, msg, jetstream.WithMsgID(id), jetstream.WithExpectStream(p.c.names.Stream(p.group)), jetstream.WithRetryAttempts(0))
}

// refuse tells all writes of a message that it was certainly not stored.
func (p *packer) refuse(f *flight, err error) {
	clear(p.known)
	if errors.Is(err, jetstream.ErrNoStreamResponse) {
		p.c.checks.doubt(p.group) // the stream may be gone
	}
	if isFull(err) {
		f.refused = notDurable(unavailable(reasonLogFull, "the log of group %s has no room for the write: %v; give NATS more room, or the stream a higher limit", p.group, err))
	} else {
		f.refused = notDurable(unavailable(reasonLogRefused, "the log of group %s refused the write: %v", p.group, err))
	}
	close(f.failed)
	p.c.tracker.abandon(f)
}

// certainlyRefused tells whether a failed first publish cannot have been stored: the server said no, or the client never sent it. A connection that is
// closed while an acknowledgement is waited for proves nothing.
func certainlyRefused(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) || errors.Is(err, jetstream.ErrNoStreamResponse) || errors.Is(err, nats.ErrNoResponders) ||
		errors.Is(err, nats.ErrReconnectBufExceeded) || errors.Is(err, nats.ErrMaxPayload)
}

// largestRecord is how large a message to a log may be.
func (c *Coordinator) largestRecord() int {
	if limit := int(c.js.Conn().MaxPayload()); limit > 0 {
		return min(recordBytes, limit-headerRoom)
	}
	return recordBytes
}
