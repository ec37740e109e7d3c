package coordinator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/jetseek/jetseek/subjects/wire"
)

// Times of commit records.
const (
	// commitAfter is how long a report of a stored message is waited for while members are heard of.
	commitAfter = 500 * time.Millisecond
	// downAfter is how long nothing must have been heard of any member for the group to count as down: four of their watermarks.
	downAfter = time.Second
	// commitEvery is the pause between two commit records of a group: one stands for all messages before it.
	commitEvery = 100 * time.Millisecond
)

// committer decides, without any member, that what a group's log has stored is durable. Which slots a group owns changes only by entries on the log's own subject.
// A commit record is published under the condition that the newest of them is still the one that this coordinator has read: when the log takes it, no other stands
// between the two, so the operations between them fell under that ownership. One is in flight at a time, since a cluster of NATS servers refuses a second one.
type committer struct {
	c     *Coordinator
	group string
	wake  chan struct{} // capacity 1

	mu      sync.Mutex // guards the fields below
	flights []stored   // not known to be decided, in the order of the log
	done    uint64     // a commit record stands here: it said all that one can say of what is before it

	own    *wire.Own // as last read, at sequence ownSeq; nil: not known. Used by run alone.
	ownSeq uint64
}

// stored is a message with its place in the log.
type stored struct {
	*flight
	seq uint64
}

func newCommitter(c *Coordinator, group string) *committer {
	return &committer{c: c, group: group, wake: make(chan struct{}, 1)}
}

// follow takes a message that the log has stored.
func (k *committer) follow(f *flight, seq uint64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.flights) >= flightsPerGroup {
		k.dropDecided()
	}
	k.flights = append(k.flights, stored{f, seq})
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

// run writes a commit record whenever messages have waited for a report too long, until ctx ends.
func (k *committer) run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-k.wake:
		}
		for f := k.oldest(); f != nil; f = k.oldest() {
			pause := k.c.tracker.patience(f)
			if pause <= 0 {
				pause = commitEvery
				if err := k.commit(ctx); err != nil && ctx.Err() == nil {
					k.c.log.Debug("a commit record could not be written", "group", k.group, "error", err)
				}
			}
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(pause):
			}
		}
	}
}

// oldest gives the message that has waited longest, or nil.
func (k *committer) oldest() *flight {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.dropDecided()
	if len(k.flights) == 0 {
		return nil
	}
	return k.flights[0].flight
}

func (k *committer) dropDecided() {
	k.flights = slices.DeleteFunc(k.flights, func(f stored) bool {
		return f.seq < k.done || isClosed(f.decided) || !k.c.tracker.follows(f.flight)
	})
}

// commit writes one commit record. An error means that there is none, or that it is not known: the next one stands for the same messages.
func (k *committer) commit(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, publishTry)
	defer cancel()
	if err := k.readOwn(ctx); err != nil {
		return err
	}
	if other := k.c.otherKeys(k.group); other != nil {
		return other
	}
	rec := wire.Record{
		Header: k.c.recordHeader(k.group, k.c.counter.Add(1)),
		Ops:    []wire.Op{{Kind: wire.KindCommit, IfVersion: wire.NoCondition, Body: wire.AppendCommit(nil, &wire.Commit{Own: k.ownSeq})}},
	}
	rec.Reply = ""
	msg := &nats.Msg{Subject: k.c.names.Log(k.group), Data: k.c.keys.Sign(wire.AppendRecord(nil, &rec))}
	ack, err := k.c.js.PublishMsg(ctx, msg, jetstream.WithExpectLastSequenceForSubject(k.ownSeq, k.c.names.LogOwn(k.group)),
		jetstream.WithExpectStream(k.c.names.Stream(k.group)), jetstream.WithRetryAttempts(0))
	if err != nil {
		k.own = nil // a newer entry may stand there
		return fmt.Errorf("publish: %w", err)
	}
	k.c.metrics.commits.Inc()
	k.c.tracker.committed(k.group, k.ownSeq, k.own, ack.Sequence)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.done = ack.Sequence
	return nil
}

// readOwn reads the newest ownership entry of the group's log, unless it is known. It need not be the newest: the log compares.
func (k *committer) readOwn(ctx context.Context) error {
	if k.own != nil {
		return nil
	}
	stream, err := k.c.js.Stream(ctx, k.c.names.Stream(k.group))
	if err != nil {
		return fmt.Errorf("open the log: %w", err)
	}
	msg, err := stream.GetLastMsgForSubject(ctx, k.c.names.LogOwn(k.group))
	if err != nil {
		return fmt.Errorf("read the ownership: %w", err)
	}
	rec, err := wire.DecodeRecord(msg.Data)
	if err != nil {
		return fmt.Errorf("read the ownership: %w", err)
	}
	if len(rec.Ops) != 1 || rec.Ops[0].Kind != wire.KindOwn {
		return errors.New("the newest message on the subject of ownership is no entry of it")
	}
	own, err := wire.DecodeOwn(rec.Ops[0].Body)
	if err != nil {
		return fmt.Errorf("read the ownership: %w", err)
	}
	k.own, k.ownSeq = &own, msg.Sequence
	return nil
}
