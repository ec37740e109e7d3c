package shard

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/jetseek/jetseek/subjects"
	"github.com/jetseek/jetseek/subjects/wire"
)

const (
	// nearGap is the largest gap that is read message by message; beyond it a consumer is cheaper.
	nearGap = 64
	// readTimeout bounds one read of the stream; it is tried again.
	readTimeout = 2 * time.Second
	// holeLooks is how often a message that should be there is looked for, each time by name, and anewLooks-th times through a consumer of its own as well: another
	// replica may have it.
	holeLooks = 10
	anewLooks = 5
	// retryAfter is the pause after a read of the stream that failed.
	retryAfter = 100 * time.Millisecond
)

// message is one message of the log, taken apart.
type message struct {
	seq     uint64
	subject string
	bytes   int
	data    []byte
	hash    [sha256.Size]byte // of the payload
	record  *wire.Record
	err     error // why it is no record
}

func newMessage(seq uint64, subject string, data []byte) message {
	rec, err := wire.DecodeRecord(data)
	return message{seq: seq, subject: subject, bytes: len(data), data: data, hash: sha256.Sum256(data), record: rec, err: err}
}

// follower gives a group's log in order without a gap, from two sources: the tail, which costs nothing and has no state to lose, and the stream, where the tail
// has a gap or has not begun. The tail is a plain subject: what comes there and is no record of this stream, or names a sequence beyond the next, only
// makes the follower ask the stream; who may publish records there is a matter of the server's permissions. It is used by one goroutine; only hint may be
// called from others.
type follower struct {
	conn   *nats.Conn // of the tail
	stream jetstream.Stream
	name   string         // of the stream
	all    string         // the subjects of all logs
	tail   chan *nats.Msg // all subjects, about in the order in which the server sent them
	held   atomic.Int64   // bytes of messages in tail
	subs   []*nats.Subscription

	next    uint64                    // the sequence that is due
	ahead   *message                  // a tail message beyond next: there is a gap before it
	claimed uint64                    // the highest sequence that the tail has named
	read    jetstream.MessagesContext // open while a long gap is being read
	past    past                      // what was given, to notice that the log has become another
	links   uint64                    // reconnects of conn after which the log was compared with past
	doubted bool                      // the tail has repeated a sequence with another message

	checks  atomic.Bool   // the log is to be compared with past
	dropped atomic.Uint64 // the highest sequence of a tail message that there was no room for
	head    atomic.Uint64 // the highest sequence that the server has acknowledged
	kick    chan struct{} // capacity 1: head has risen
	called  atomic.Bool   // batch is to return, with nothing
}

// follow starts to listen to the tail; the first message due is next.
func follow(conn *nats.Conn, names subjects.Names, group string, stream jetstream.Stream, next uint64) (*follower, error) {
	f := &follower{conn: conn, stream: stream, name: names.Stream(group), all: names.Log(">"), tail: make(chan *nats.Msg, tailMessages), next: next,
		links: conn.Stats().Reconnects, kick: make(chan struct{}, 1)}
	for _, subject := range []string{names.Tail(group), names.TailOwn(group), names.TailQuarantine(group)} {
		sub, err := conn.Subscribe(subject, f.hear)
		if err != nil {
			f.close()
			return nil, fmt.Errorf("subscribe to the tail: %w", err)
		}
		f.subs = append(f.subs, sub)
	}
	return f, nil
}

// hear keeps a message of the tail until it is taken. What there is no room for is read from the stream: what comes next shows that it is missing.
func (f *follower) hear(m *nats.Msg) {
	if f.held.Add(int64(len(m.Data))) <= tailBytes {
		select {
		case f.tail <- m:
			return
		default:
		}
	}
	f.held.Add(-int64(len(m.Data)))
	if seq, err := strconv.ParseUint(m.Header.Get("Nats-Sequence"), 10, 64); err == nil && m.Header.Get("Nats-Stream") == f.name {
		for dropped := f.dropped.Load(); seq > dropped && !f.dropped.CompareAndSwap(dropped, seq); dropped = f.dropped.Load() {
		}
	}
}

// call makes batch return with nothing, soon.
func (f *follower) call() {
	f.called.Store(true)
	select {
	case f.kick <- struct{}{}:
	default:
	}
}

// rewind goes on behind a place that was given before; the zero place: with message 1.
func (f *follower) rewind(at place) {
	f.stopReading()
	f.next, f.ahead, f.past, f.doubted = at.seq+1, nil, past{}, false
	f.remember(at)
}

func (f *follower) close() {
	for _, s := range f.subs {
		_ = s.Unsubscribe() // the connection may be gone, which ends it as well
	}
	f.stopReading()
}

// hint tells that the server has acknowledged the sequence, so that a lost last tail message is noticed.
func (f *follower) hint(seq uint64) {
	if !f.raiseHead(seq) {
		return
	}
	select {
	case f.kick <- struct{}{}:
	default:
	}
}

// check has the log compared with what was given of it, before anything more is.
func (f *follower) check() {
	f.checks.Store(true)
	select {
	case f.kick <- struct{}{}:
	default:
	}
}

// raiseHead tells whether the sequence was news.
func (f *follower) raiseHead(seq uint64) bool {
	for known := f.head.Load(); seq > known; known = f.head.Load() {
		if f.head.CompareAndSwap(known, seq) {
			return true
		}
	}
	return false
}

// batch waits for messages and gives them, contiguous, the first being the one that is due, or none when it is called. It fails with ctx, with errHole or errShorter after it has looked again (a
// replica that lags does not have yet what others have), or with errRewritten.
func (f *follower) batch(ctx context.Context) ([]message, error) {
	for looked := 0; ; {
		if f.called.Swap(false) {
			return nil, nil
		}
		got, err := f.look(ctx)
		switch {
		case len(got) > 0:
			f.past.add(got)
			return got, nil
		case ctx.Err() != nil, errors.Is(err, errRewritten):
			return nil, err
		case errors.Is(err, errHole):
			looked++
			if looked%anewLooks == 0 && f.readAnew(ctx) {
				continue
			}
			if looked >= holeLooks {
				return nil, f.hole(ctx)
			}
		case errors.Is(err, errShorter):
			if looked++; looked >= holeLooks {
				return nil, err
			}
		}
		if err != nil {
			if err := sleep(ctx, retryAfter); err != nil {
				return nil, err
			}
		}
	}
}

// look takes what the tail or the stream has, or waits until something has come that may be worth another look.
func (f *follower) look(ctx context.Context) ([]message, error) {
	got := f.fromTail()
	if f.suspicious() { // after the tail was read: what it has is of the connection that is compared here
		if err := f.compare(ctx); err != nil {
			f.putBack(got)
			return nil, err
		}
	}
	if len(got) > 0 {
		return got, nil
	}
	if f.due() {
		return f.fromStream(ctx)
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-f.kick:
	case m := <-f.tail:
		f.take(m)
	}
	return nil, nil
}

// putBack forgets what was taken from the tail: the stream has it.
func (f *follower) putBack(got []message) {
	if len(got) > 0 {
		f.next = got[0].seq
		f.claimed = max(f.claimed, got[len(got)-1].seq)
		f.ahead = nil
	}
}

// due tells whether the stream is said to hold messages that the tail has not brought.
func (f *follower) due() bool {
	if f.ahead != nil {
		return f.ahead.seq > f.next
	}
	return max(f.head.Load(), f.claimed, f.dropped.Load()) >= f.next && len(f.tail) == 0
}

// take puts a tail message where fromTail finds it; an old one is dropped, and of what is no record only the sequence is noted. An old one that is another message than
// the one that was given raises doubt.
func (f *follower) take(m *nats.Msg) {
	f.held.Add(-int64(len(m.Data)))
	seq, err := strconv.ParseUint(m.Header.Get("Nats-Sequence"), 10, 64)
	if err != nil || m.Header.Get("Nats-Stream") != f.name {
		return
	}
	if seq < f.next {
		if hash, known := f.past.at(seq); known && hash != sha256.Sum256(m.Data) {
			f.doubted = true
		}
		return
	}
	f.claimed = max(f.claimed, seq)
	if msg := newMessage(seq, m.Header.Get("Nats-Subject"), m.Data); msg.err == nil {
		f.ahead = &msg
	}
}

// fromTail takes what the tail holds, as far as it is contiguous.
func (f *follower) fromTail() []message {
	var got []message
	bytes := 0
	for len(got) < batchMessages && bytes < batchBytes {
		if f.ahead == nil {
			select {
			case m := <-f.tail:
				f.take(m)
			default:
				return got
			}
			continue
		}
		if f.ahead.seq < f.next {
			f.ahead = nil
			continue
		}
		if f.ahead.seq > f.next {
			return got
		}
		got, bytes = append(got, *f.ahead), bytes+f.ahead.bytes
		f.ahead = nil
		f.next++
	}
	return got
}

// fromStream reads messages from next on, up to the tail message ahead or the known head.
func (f *follower) fromStream(ctx context.Context) ([]message, error) {
	last := max(f.head.Load(), f.claimed, f.dropped.Load())
	if f.ahead != nil {
		last = f.ahead.seq - 1
	}
	if last > f.head.Load() {
		var err error
		if last, err = f.confirm(ctx, last); err != nil || last < f.next {
			return nil, err
		}
	}
	if last-f.next+1 <= nearGap && f.read == nil {
		return f.readNear(ctx, last)
	}
	got, err := f.readFar(ctx, last)
	if err != nil || f.next > last {
		f.stopReading()
	}
	return got, err
}

// confirm asks the stream how far it really goes, and forgets what the tail has claimed beyond.
func (f *follower) confirm(ctx context.Context, claimed uint64) (last uint64, err error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	info, err := f.stream.Info(ctx)
	if err != nil {
		return 0, fmt.Errorf("read the state of the log: %w", err)
	}
	end := info.State.LastSeq
	if end+1 < f.next {
		return 0, fmt.Errorf("%w: it ends at %d, before %d", errShorter, end, f.next-1)
	}
	f.raiseHead(end)
	f.claimed = min(f.claimed, end)
	f.dropped.Store(min(f.dropped.Load(), end))
	if f.ahead != nil && f.ahead.seq > end {
		f.ahead = nil
	}
	return min(claimed, end), nil
}

// readNear reads message by message.
func (f *follower) readNear(ctx context.Context, last uint64) ([]message, error) {
	var got []message
	bytes := 0
	for f.next <= last && bytes < batchBytes {
		m, err := f.get(ctx, f.next)
		if err != nil {
			return got, err
		}
		got, bytes = append(got, m), bytes+m.bytes
		f.next++
	}
	return got, nil
}

func (f *follower) get(ctx context.Context, seq uint64) (message, error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	m, err := f.stream.GetMsg(ctx, seq)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return message{}, f.missing(ctx, seq)
	}
	if err != nil {
		return message{}, fmt.Errorf("read message %d of the log: %w", seq, err)
	}
	return newMessage(m.Sequence, m.Subject, m.Data), nil
}

// readFar reads through an ordered consumer, which stays open until the gap is closed. An ordered consumer starts silently at the first message there is, so
// contiguity is checked here.
func (f *follower) readFar(ctx context.Context, last uint64) ([]message, error) {
	if f.read == nil {
		opening, cancel := context.WithTimeout(ctx, readTimeout)
		defer cancel()
		consumer, err := f.stream.OrderedConsumer(opening, jetstream.OrderedConsumerConfig{DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: f.next})
		if err != nil {
			return nil, fmt.Errorf("open a consumer of the log: %w", err)
		}
		f.read, err = consumer.Messages(jetstream.PullMaxMessagesWithBytesLimit(256, 8<<20))
		if err != nil {
			return nil, fmt.Errorf("read the log: %w", err)
		}
	}
	var got []message
	bytes := 0
	for f.next <= last && len(got) < batchMessages && bytes < batchBytes {
		m, err := f.nextRead(ctx)
		if err != nil && len(got) == 0 && ctx.Err() == nil {
			f.stopReading()
			return f.readNear(ctx, f.next) // a consumer says nothing of messages that are lost at the end of a log
		}
		if err != nil {
			return got, fmt.Errorf("read the log: %w", err)
		}
		meta, err := m.Metadata()
		if err != nil {
			return got, fmt.Errorf("read the log: %w", err)
		}
		switch seq := meta.Sequence.Stream; {
		case seq < f.next:
			continue
		case seq > f.next:
			// The consumer jumped: ask for the missing one by name before it is called a hole.
			missed, err := f.get(ctx, f.next)
			if err != nil {
				return got, err
			}
			f.stopReading()
			f.next++
			return append(got, missed), nil
		}
		got, bytes = append(got, newMessage(f.next, m.Subject(), m.Data())), bytes+len(m.Data())
		f.next++
		if meta.NumPending == 0 {
			break
		}
	}
	return got, nil
}

func (f *follower) nextRead(ctx context.Context) (jetstream.Msg, error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	return f.read.Next(jetstream.NextContext(ctx))
}

func (f *follower) stopReading() {
	if f.read != nil {
		f.read.Stop()
		f.read = nil
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
