package shard

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// What can be wrong with a log. The first word is the reason that programs see; a member that meets one of them leaves rotation and keeps all that it has.
var (
	// errHole says that messages which were stored are not there any more, and more was stored behind them.
	errHole = errors.New("log_hole")
	// errRewritten says that the log is not the one that the member has applied: it is shorter, has other messages, or is another log.
	errRewritten = errors.New("log_rewritten")
	// errShorter says that the stream's server tells of an end before what was applied. That alone proves nothing, a server that leads no more may say it; the next
	// publish, which has its place in the log's order, does.
	errShorter = errors.New("the log seems to be shorter than what was applied of it")
)

const (
	// pastMessages is how many of the last messages are remembered by their hashes.
	pastMessages = 4096
	// compared is how many of the last messages are tried until one is found that the log still has.
	compared = 8
	// anewTimeout bounds a look for one message through a consumer of its own.
	anewTimeout = 500 * time.Millisecond
)

// past is the hashes of the last messages that were given, contiguous up to last.
type past struct {
	hashes [][sha256.Size]byte // message seq stands at seq % pastMessages; grows up to that
	last   uint64
	count  uint64
}

func (p *past) add(got []message) {
	if p.hashes == nil {
		p.hashes = make([][sha256.Size]byte, pastMessages)
	}
	for _, m := range got {
		p.hashes[m.seq%pastMessages], p.last = m.hash, m.seq
	}
	p.count = min(p.count+uint64(len(got)), pastMessages)
}

// remember notes the place that the follower goes on from, and has it compared with the log first.
func (f *follower) remember(at place) {
	if at.seq == 0 {
		return
	}
	f.past.add([]message{{seq: at.seq, hash: at.payload}})
	f.check()
}

// at gives the hash of a message, if it is remembered.
func (p *past) at(seq uint64) (hash [sha256.Size]byte, known bool) {
	if seq > p.last || seq+p.count <= p.last {
		return hash, false
	}
	return p.hashes[seq%pastMessages], true
}

// suspicious tells whether the log must be compared before more of it is given: the connection was lost and found, somebody wants to know, or the tail has contradicted itself.
func (f *follower) suspicious() bool {
	return f.doubted || f.checks.Load() || f.conn.Stats().Reconnects != f.links
}

// compare looks whether the log still holds what was given last, and is at peace again if so.
func (f *follower) compare(ctx context.Context) error {
	f.checks.Store(false)
	links := f.conn.Stats().Reconnects
	if err := f.comparePast(ctx); err != nil {
		f.checks.Store(true)
		return err
	}
	f.doubted, f.links = false, links
	return nil
}

func (f *follower) comparePast(ctx context.Context) error {
	for seq := f.past.last; seq > 0 && f.past.last-seq < compared; seq-- {
		want, known := f.past.at(seq)
		if !known {
			return nil
		}
		m, err := f.read1(ctx, seq)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			if err := f.reaches(ctx, f.past.last); err != nil {
				return err
			}
			continue // lost, or purged, after it was applied: those before it can tell as well
		}
		if err != nil {
			return err
		}
		if got := sha256.Sum256(m.Data); got != want {
			return fmt.Errorf("%w: message %d of %s is another than the one that was applied; %s", errRewritten, seq, f.name, keepAndRestore)
		}
		return nil
	}
	return nil
}

// keepAndRestore says what to do about a log that has become another.
const keepAndRestore = "NATS has lost or replaced what it had acknowledged. The member serves no more and keeps its data: stop writing, restore the stream from a backup or a " +
	"healthy replica, then start the member again; to go on with what the stream has now, remove the member's data folder"

// read1 reads a message as it is stored.
func (f *follower) read1(ctx context.Context, seq uint64) (*jetstream.RawStreamMsg, error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	m, err := f.stream.GetMsg(ctx, seq)
	if err != nil {
		return nil, fmt.Errorf("read message %d of the log: %w", seq, err)
	}
	return m, nil
}

// reaches fails when the stream is said to end before seq, or cannot be asked.
func (f *follower) reaches(ctx context.Context, seq uint64) error {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	info, err := f.stream.Info(ctx)
	if err != nil {
		return fmt.Errorf("read the state of the log: %w", err)
	}
	if last := info.State.LastSeq; last < seq {
		return fmt.Errorf("%w: it ends at %d, before %d", errShorter, last, seq)
	}
	return nil
}

// missing says why a message that should be stored was not found: a hole when the stream is said to be past it.
func (f *follower) missing(ctx context.Context, seq uint64) error {
	if err := f.reaches(ctx, seq); err != nil {
		return err
	}
	return fmt.Errorf("%w: message %d", errHole, seq)
}

// readAnew looks for the message that is due through a consumer of its own, which another replica may feed, and puts it where fromTail finds it.
func (f *follower) readAnew(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, anewTimeout)
	defer cancel()
	consumer, err := f.stream.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: f.next})
	if err != nil {
		return false
	}
	read, err := consumer.Messages(jetstream.PullMaxMessages(1))
	if err != nil {
		return false
	}
	defer read.Stop()
	m, err := read.Next(jetstream.NextContext(ctx))
	if err != nil {
		return false
	}
	meta, err := m.Metadata()
	if err != nil || meta.Sequence.Stream != f.next {
		return false
	}
	found := newMessage(f.next, m.Subject(), m.Data())
	f.ahead = &found
	return true
}

// hole says which messages the log has lost, from the one that is due on.
func (f *follower) hole(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	last := max(f.next, f.head.Load()) // unless something is found behind the hole
	if m, err := f.stream.GetMsg(ctx, f.next, jetstream.WithGetMsgSubject(f.all)); err == nil {
		last = m.Sequence - 1
	}
	if info, err := f.stream.Info(ctx); err == nil && info.State.FirstSeq > f.next {
		return purged(f.name, f.next, info.State.FirstSeq)
	}
	return fmt.Errorf("%w{%d..%d}: %s has lost messages that it had acknowledged, and the member cannot go on past them. It serves no more and keeps its data: restore the "+
		"stream from a backup or a healthy replica, then start the member again; members that had applied them go on", errHole, f.next, last, f.name)
}

// purged is the error for a stream that begins behind the message that is due.
func purged(stream string, due, first uint64) error {
	return fmt.Errorf("%w{%d..%d}: %s begins at message %d, and the member lacks what was purged before it: let it start from a copy of the data folder of a member that has applied message %d, "+
		"or restore the stream from a backup", errHole, due, first-1, stream, first, first-1)
}
