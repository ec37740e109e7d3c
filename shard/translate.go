package shard

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/jetseek/jetseek/engine"
	"github.com/jetseek/jetseek/engine/outcome"
	"github.com/jetseek/jetseek/engine/schema"
	"github.com/jetseek/jetseek/subjects/registry"
	"github.com/jetseek/jetseek/subjects/wire"
)

// translator gives messages of the log as the engine's, and keeps what the log says of members: the lease table. It reads nothing but the log and the cluster's keys, so that
// whoever translates the same log gets the same. A member has one, and each replay of the log another.
type translator struct {
	opts        Options
	id          string // "g0/n1"
	incarnation uint64
	log         wire.UUID
	documents   *registry.Documents
	asides      *asides

	table   leaseTable
	signed  bool          // a record of the log has verified
	told    []attestation // by leases, since somebody looked last
	pinned  []wire.Pin    // as told
	refused atomic.Uint64 // records that were passed over
	missed  *wire.Place   // an operation that was applied, and that a record has set aside since
}

// message gives one message of the log as the engine's, and where the operations of its record are: among the engine's, or one of the places below.
func (m *translator) message(raw message) (engine.Message, []int, error) {
	given := engine.Message{Log: m.log, Seq: raw.seq}
	if errors.Is(raw.err, wire.ErrMalformed) {
		m.opts.Log.Error("a message of the log is no record: passed over", "member", m.id, "seq", raw.seq, "error", raw.err)
		return given, nil, nil
	}
	if raw.err != nil {
		return given, nil, fmt.Errorf("message %d: %w", raw.seq, raw.err)
	}
	err := m.genuine(raw)
	if isRefusal(err) {
		return given, m.passOver(raw, err), nil
	}
	var index []int
	if err == nil {
		given.Ops, index, err = m.translate(raw, raw.record)
	}
	if err != nil {
		return given, nil, fmt.Errorf("message %d: %w", raw.seq, err)
	}
	return given, index, nil
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
func (m *translator) translate(raw message, rec *wire.Record) ([]engine.Op, []int, error) {
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
			op.Place = uint32(i)
			op.Aside, _ = m.asides.reason(wire.Place{Seq: raw.seq, Op: op.Place})
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
func (m *translator) operation(raw message, op *wire.Op) (_ engine.Op, inEngine bool, err error) {
	switch op.Kind {
	case wire.KindPut:
		return engine.Op{Kind: engine.OpPut, Collection: op.Collection, ID: op.ID, Slot: op.Slot, IfVersion: op.IfVersion, Key: op.RequestKey, Body: op.Body}, true, nil
	case wire.KindDelete:
		return engine.Op{Kind: engine.OpDelete, Collection: op.Collection, ID: op.ID, Slot: op.Slot, IfVersion: op.IfVersion, Key: op.RequestKey}, true, nil
	case wire.KindRequeue:
		return requeued(op)
	case wire.KindQuarantine:
		m.setsAside(raw)
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
		m.told = append(m.told, attestation{l, raw.seq})
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
	case wire.KindPin:
		p, err := wire.DecodePin(op.Body)
		if err != nil {
			return engine.Op{}, false, err
		}
		m.pinned = append(m.pinned, p)
	case wire.KindGenesis:
		return engine.Op{}, false, m.genesis(raw, op)
	case wire.KindBarrier, wire.KindCheckpoint, wire.KindCommit: // places in the log, nothing more
	default:
		return engine.Op{}, false, fmt.Errorf("operation of kind %d: %w", op.Kind, wire.ErrNewerLog)
	}
	return engine.Op{}, false, nil
}

// requeued gives an operation that was set aside, and is tried again.
func requeued(op *wire.Op) (engine.Op, bool, error) {
	at, err := wire.ParsePlace(op.RequestKey)
	if err != nil {
		return engine.Op{}, false, err
	}
	again := engine.Op{Kind: engine.OpPut, Collection: op.Collection, ID: op.ID, Slot: op.Slot, IfVersion: op.IfVersion, Body: op.Body, Again: (*engine.Place)(&at)}
	if len(op.Body) == 0 {
		again.Kind = engine.OpDelete
	}
	return again, true, nil
}

// own takes an ownership entry; only its own subject carries them, so that a record can be guarded by it.
func (m *translator) own(raw message, op *wire.Op) (engine.Op, bool, error) {
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
func (m *translator) genesis(raw message, op *wire.Op) error {
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
