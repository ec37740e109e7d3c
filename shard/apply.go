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
	"github.com/jetseek/jetseek/engine/schema"
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

// applyParts applies messages in batches: those with bodies in the object store one by one, the others together.
func (m *Member) applyParts(ctx context.Context, messages []message) error {
	for len(messages) > 0 {
		n := slices.IndexFunc(messages, refersToObjects)
		switch n {
		case -1:
			n = len(messages)
		case 0:
			if err := m.loadObjects(ctx, messages[0]); err != nil {
				return err
			}
			n = 1
		}
		if err := m.index.AwaitRoom(ctx); err != nil {
			return err
		}
		if err := m.applyBatch(messages[:n]); err != nil {
			return err
		}
		messages = messages[n:]
	}
	return nil
}

// applyBatch applies messages as one batch, publishes the new snapshot to those who wait, then reports.
func (m *Member) applyBatch(batch []message) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("apply messages %d to %d: panic: %v\n%s", batch[0].seq, batch[len(batch)-1].seq, r, debug.Stack())
		}
	}()
	began, last := time.Now(), batch[len(batch)-1].seq
	at, err := m.advanced(batch)
	if err != nil {
		return err
	}
	if m.opts.Hooks.BeforeApply != nil {
		m.opts.Hooks.BeforeApply(last)
	}
	messages := make([]engine.Message, len(batch))
	done := make([]applied, len(batch))
	index := make([][]int, len(batch)) // message, operation of the record -> operation of the engine, or one of the places below
	for i, raw := range batch {
		messages[i].Log, messages[i].Seq = m.log, raw.seq
		done[i] = applied{seq: raw.seq, before: m.table}
		if errors.Is(raw.err, wire.ErrMalformed) {
			m.opts.Log.Error("a message of the log is no record: passed over", "member", m.id, "seq", raw.seq, "error", raw.err)
			continue
		}
		if raw.err != nil {
			return fmt.Errorf("message %d: %w", raw.seq, raw.err)
		}
		rec := raw.record
		done[i].counter, done[i].reply = rec.Counter, rec.Reply
		err := m.genuine(raw)
		if isRefusal(err) {
			index[i] = m.passOver(raw, err)
			continue
		}
		if err != nil {
			return fmt.Errorf("message %d: %w", raw.seq, err)
		}
		if messages[i].Ops, index[i], err = m.translate(raw, rec); err != nil {
			return fmt.Errorf("message %d: %w", raw.seq, err)
		}
	}
	if err := m.attach(messages, at); err != nil {
		return err
	}
	outcomes, err := m.index.Apply(messages)
	if err != nil {
		return fmt.Errorf("apply messages %d to %d: %w", batch[0].seq, last, err)
	}
	for i := range done {
		done[i].outcomes = pick(outcomes[i], index[i])
	}
	m.reached.Store(&at)
	m.progress.advance(m.table)
	if slices.ContainsFunc(batch, isWrite) {
		m.rest.need()
	}
	m.metrics.batched(batch, time.Since(began))
	m.reportAll(done)
	return nil
}

// isWrite tells whether a message changes what the group holds. Leases, and places in the log, do not.
func isWrite(raw message) bool {
	if raw.record == nil {
		return false
	}
	return len(raw.record.Schemas) > 0 || slices.ContainsFunc(raw.record.Ops, func(op wire.Op) bool {
		switch op.Kind {
		case wire.KindPut, wire.KindDelete, wire.KindDropCollection, wire.KindSchema, wire.KindOwn:
			return true
		}
		return false
	})
}

// Places of operations that the engine never sees.
const (
	inMember   = -1 // done by the member itself
	passedOver = -2 // its body does not decode, for any member
)

// pick puts the engine's outcomes where the record's operations stand.
func pick(outcomes []outcome.Outcome, index []int) []outcome.Outcome {
	all := make([]outcome.Outcome, len(index))
	for i, at := range index {
		switch at {
		case inMember:
			all[i] = outcome.Outcome{Code: outcome.Done}
		case passedOver:
			all[i] = outcome.Outcome{Code: outcome.Rejected}
		default:
			all[i] = outcomes[at]
		}
	}
	return all
}

// translate takes what concerns the member itself out of a record and gives the rest as the engine's operations, schemas first, with the place of every operation of the
// record among them. What does not decode is passed over by every member alike; only a kind that this software does not know is an error.
func (m *Member) translate(raw message, rec *wire.Record) ([]engine.Op, []int, error) {
	ops := make([]engine.Op, 0, len(rec.Schemas)+len(rec.Ops))
	for i := range rec.Schemas {
		op, err := schemaOp(&rec.Schemas[i])
		if err != nil {
			m.opts.Log.Error("a schema of the log does not parse: passed over", "member", m.id, "seq", raw.seq, "error", err)
			continue
		}
		ops = append(ops, op)
	}
	index := make([]int, len(rec.Ops))
	for i := range rec.Ops {
		op, inEngine, err := m.operation(raw, &rec.Ops[i])
		switch {
		case errors.Is(err, wire.ErrMalformed):
			m.opts.Log.Error("an operation of the log does not decode: passed over", "member", m.id, "seq", raw.seq, "operation", i, "error", err)
			index[i] = passedOver
		case err != nil:
			return nil, nil, err
		case inEngine && skips(m.incarnation, raw.seq, i):
			index[i] = passedOver
		case inEngine:
			index[i] = len(ops)
			ops = append(ops, op)
		default:
			index[i] = inMember
		}
	}
	return ops, index, nil
}

func schemaOp(r *wire.SchemaRecord) (engine.Op, error) {
	s, err := schema.Parse(r.Schema)
	if err != nil {
		return engine.Op{}, fmt.Errorf("schema %d of collection %s: %w", r.Version, r.Name, err)
	}
	return engine.Op{Kind: engine.OpSchema, Collection: r.Collection, Name: r.Name, Version: r.Version, Schema: s, IfVersion: wire.NoCondition}, nil
}

// operation handles one operation of the log: in the lease table, or as one of the engine's.
func (m *Member) operation(raw message, op *wire.Op) (_ engine.Op, inEngine bool, err error) {
	switch op.Kind {
	case wire.KindPut:
		return engine.Op{Kind: engine.OpPut, Collection: op.Collection, ID: op.ID, Slot: op.Slot, IfVersion: op.IfVersion, Key: op.RequestKey, Body: op.Body}, true, nil
	case wire.KindDelete:
		return engine.Op{Kind: engine.OpDelete, Collection: op.Collection, ID: op.ID, Slot: op.Slot, IfVersion: op.IfVersion, Key: op.RequestKey}, true, nil
	case wire.KindDropCollection:
		return engine.Op{Kind: engine.OpDropCollection, Collection: op.Collection, IfVersion: wire.NoCondition}, true, nil
	case wire.KindOwn:
		return m.own(raw, op)
	case wire.KindLease:
		l, err := wire.DecodeLease(op.Body)
		if err != nil {
			return engine.Op{}, false, err
		}
		m.table = m.table.granted(l, raw.seq)
	case wire.KindRelease:
		r, err := wire.DecodeRelease(op.Body)
		if err != nil {
			return engine.Op{}, false, err
		}
		m.table = m.table.released(r)
	case wire.KindEvict:
		e, err := wire.DecodeEvict(op.Body)
		if err != nil {
			return engine.Op{}, false, err
		}
		m.table = m.table.evicted(e)
	case wire.KindGenesis:
		return engine.Op{}, false, m.genesis(raw, op)
	case wire.KindBarrier, wire.KindCheckpoint, wire.KindCommit: // places in the log, nothing more
	default:
		return engine.Op{}, false, fmt.Errorf("operation of kind %d: %w", op.Kind, wire.ErrNewerLog)
	}
	return engine.Op{}, false, nil
}

// own takes an ownership entry; only its own subject carries them, so that a record can be guarded by it.
func (m *Member) own(raw message, op *wire.Op) (engine.Op, bool, error) {
	if raw.subject != m.opts.Names.LogOwn(m.opts.Group) {
		m.opts.Log.Error("an ownership entry on another subject: passed over", "member", m.id, "seq", raw.seq, "subject", raw.subject)
		return engine.Op{}, false, nil
	}
	own, err := wire.DecodeOwn(op.Body)
	if err != nil {
		return engine.Op{}, false, err
	}
	slots := new(engine.SlotSet)
	for _, r := range own.Ranges {
		slots.AddRange(r.From, r.To)
	}
	return engine.Op{Kind: engine.OpOwn, Epoch: own.Epoch, Slots: slots, IfVersion: wire.NoCondition}, true, nil
}

// genesis checks that the log is the one that this member began with.
func (m *Member) genesis(raw message, op *wire.Op) error {
	g, err := wire.DecodeGenesis(op.Body)
	if err != nil {
		return err
	}
	if raw.seq != 1 {
		return nil // a loser's offer that came late; the first message decides
	}
	if g.Group != m.opts.Group {
		return fmt.Errorf("the log belongs to group %s", g.Group)
	}
	return nil
}
