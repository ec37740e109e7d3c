package shard

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"github.com/jetseek/jetseek/engine"
	"github.com/jetseek/jetseek/engine/outcome"
	"github.com/jetseek/jetseek/subjects/wire"
)

// applied is one message after it was applied: what its report says.
type applied struct {
	seq      uint64
	counter  uint64
	reply    string
	outcomes []outcome.Outcome
	before   leaseTable // the lease table before it
}

// applyLog applies the log as it comes, until ctx ends. A log that cannot be followed makes the member fail, with the reason, and is no error of the
// process: the others go on.
func (m *Member) applyLog(ctx context.Context) error {
	for {
		batch, err := m.follower.batch(ctx)
		if ctx.Err() != nil {
			return nil
		}
		switch {
		case err == nil && len(batch) == 0:
			m.runJob(ctx)
		case err == nil:
			err = m.applyParts(ctx, batch)
		case errors.Is(err, errShorter):
			err = m.prove(ctx)
		}
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			m.fail(err)
			return nil
		}
	}
}

// applyParts applies messages in batches.
func (m *Member) applyParts(ctx context.Context, messages []message) error {
	for len(messages) > 0 {
		n := m.portion(messages)
		if refersToObjects(messages[0]) {
			if err := m.loadObjects(ctx, messages[0]); err != nil {
				return err
			}
		}
		if err := m.awaitRoom(ctx); err != nil {
			return err
		}
		if messages[0].seq != m.appliedSeq()+1 {
			return nil // the index was made anew meanwhile: the follower begins again
		}
		if s := m.trial.suspect; s != nil && s.Seq == messages[0].seq {
			if goOn, err := m.awaitDecision(ctx, s); !goOn {
				return err // the index was opened anew: the follower begins again
			}
		}
		err := m.applyBatch(messages[:n])
		if broken := (*brokenOff)(nil); errors.As(err, &broken) {
			return m.takeBack(ctx, broken)
		}
		if err != nil {
			return err
		}
		messages = messages[n:]
	}
	return nil
}

// portion is how many messages are applied as one batch, at least one: one alone of those that broke off.
func (m *Member) portion(messages []message) int {
	if m.trial.has(messages[0].seq) {
		return 1
	}
	n := portion(messages)
	if i := slices.IndexFunc(messages[:n], func(raw message) bool { return m.trial.has(raw.seq) }); i > 0 {
		return i
	}
	return n
}

// portion is how many messages, at least one, are applied as one batch: one with bodies in the object store alone, others up to it or to a mark.
func portion(messages []message) int {
	for i, raw := range messages {
		switch {
		case refersToObjects(raw):
			return max(i, 1)
		case isMark(raw):
			return i + 1
		}
	}
	return len(messages)
}

// applyBatch applies messages as one batch, publishes the new snapshot to those who wait, then reports. A [brokenOff] says that the engine could not apply them.
func (m *Member) applyBatch(batch []message) (err error) {
	began, first, last := time.Now(), batch[0].seq, batch[len(batch)-1].seq
	var at *wire.Place // the operation that is being applied, where they are applied one at a time
	defer func() {
		if r := recover(); r != nil {
			m.opts.Log.Error("applying messages panicked", "member", m.id, "from", first, "to", last, "panic", r, "stack", string(debug.Stack()))
			err = newBrokenOff(first, last, at, fmt.Sprintf("panic: %v", r))
		}
	}()
	place, err := m.advanced(batch)
	if err != nil {
		return err
	}
	if m.opts.Hooks.BeforeApply != nil {
		m.opts.Hooks.BeforeApply(last)
	}
	messages := make([]engine.Message, len(batch))
	done := make([]applied, len(batch))
	index := make([][]int, len(batch))
	for i, raw := range batch {
		done[i] = applied{seq: raw.seq, before: m.table}
		if raw.err == nil {
			done[i].counter, done[i].reply = raw.record.Counter, raw.record.Reply
		}
		if messages[i], index[i], err = m.message(raw); err != nil {
			return err
		}
	}
	if m.opts.Hooks.Alter != nil {
		m.opts.Hooks.Alter(messages)
	}
	if err := m.attach(messages, place); err != nil {
		return err
	}
	if m.trial.has(first) {
		at = new(wire.Place)
	}
	outcomes, err := m.handOver(messages, last, at)
	if err != nil {
		return newBrokenOff(first, last, at, err.Error())
	}
	m.folder.note(attempt{})
	at = nil
	for i := range done {
		done[i].outcomes = pick(outcomes[i], index[i])
	}
	m.reached.Store(&place)
	if isMark(batch[len(batch)-1]) {
		m.mark()
		m.takePins(last)
	}
	m.progress.advance(m.table)
	if slices.ContainsFunc(batch, isWrite) {
		m.rest.need()
	}
	m.metrics.batched(batch, time.Since(began))
	m.reportAll(done)
	m.compareTold()
	if m.missed != nil {
		m.damaged(fmt.Errorf("operation %s was applied, which the log sets aside", m.missed))
		m.missed = nil
	}
	return nil
}

// handOver lets the engine apply messages, one operation at a time where at is told which; what it is at is written down before.
func (m *Member) handOver(messages []engine.Message, last uint64, at *wire.Place) ([][]outcome.Outcome, error) {
	m.pace.begin(messages)
	defer m.pace.end()
	if at != nil {
		return m.applySingly(messages[0], at)
	}
	m.folder.note(attempt{from: messages[0].Seq, to: last})
	return m.index.get().Apply(messages)
}

// isWrite tells whether a message changes what the group holds. Leases, and places in the log, do not.
func isWrite(raw message) bool {
	if raw.record == nil {
		return false
	}
	return len(raw.record.Schemas) > 0 || slices.ContainsFunc(raw.record.Ops, func(op wire.Op) bool {
		switch op.Kind {
		case wire.KindPut, wire.KindDelete, wire.KindDropCollection, wire.KindSchema, wire.KindOwn, wire.KindRequeue, wire.KindQuarantine:
			return true
		}
		return false
	})
}
