package engine

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/jetseek/jetseek/engine/internal/segment/cursor"
	"github.com/jetseek/jetseek/engine/outcome"
	"github.com/jetseek/jetseek/engine/schema"
)

// KeptQuarantined is how many operations that were set aside an index remembers by name; further ones are rejected and count in the digest, and cannot be tried again.
const KeptQuarantined = 1024

// reasonBytes bounds the reason of a [Quarantined].
const reasonBytes = 256

// Place names an operation of a log: the sequence of its message, and its place in the record there, from 0.
type Place struct {
	Seq uint64
	Op  uint32
}

// Quarantined is an operation that was set aside, since applying it made the engine panic, or since the log says so ([Op.Aside]). It has changed nothing.
type Quarantined struct {
	Place
	Kind       OpKind // OpPut or OpDelete
	Collection schema.Incarnation
	ID         string
	Slot       uint16
	Reason     string // at most 256 bytes; no part of the digest, since another version may word it differently
	// Superseded says that a later operation on the id was done: the one that was set aside comes too late, and does nothing when it is tried again.
	Superseded bool
}

// quarantine is the operations that were set aside. It is part of the state, and of its digest. The zero value is empty.
type quarantine struct {
	entries []Quarantined // by place; never changed in place
	sum     Digest        // of the entries, and of what there was no room for
}

// Quarantine gives the operations that are set aside, in the order of the log. The caller must not change them.
func (s *Snapshot) Quarantine() []Quarantined { return s.state.quarantine.entries }

func (q *quarantine) find(at Place) int {
	return slices.IndexFunc(q.entries, func(e Quarantined) bool { return e.Place == at })
}

func (q *quarantine) add(e Quarantined) {
	q.sum.add(e.digest())
	if len(q.entries) < KeptQuarantined {
		q.entries = append(slices.Clip(q.entries), e)
	}
}

func (q *quarantine) remove(i int) {
	q.sum.sub(q.entries[i].digest())
	q.entries = slices.Delete(slices.Clone(q.entries), i, i+1)
}

// supersede notes that an operation on an id was done, and tells whether that matters to any that was set aside.
func (q *quarantine) supersede(c schema.Incarnation, id string) (changed bool) {
	for i := range q.entries {
		if e := &q.entries[i]; e.ID == id && e.Collection == c && !e.Superseded {
			q.entries = slices.Clone(q.entries)
			e = &q.entries[i]
			q.sum.sub(e.digest())
			e.Superseded = true
			q.sum.add(e.digest())
			changed = true
		}
	}
	return changed
}

// drop forgets the operations of a collection that is dropped.
func (q *quarantine) drop(c schema.Incarnation) {
	for i := len(q.entries) - 1; i >= 0; i-- {
		if q.entries[i].Collection == c {
			q.remove(i)
		}
	}
}

// digest covers an operation that was set aside: place, kind, collection, whether it was superseded, id.
func (e *Quarantined) digest() Digest {
	b := binary.LittleEndian.AppendUint64([]byte{hashedQuarantine}, e.Seq)
	b = binary.LittleEndian.AppendUint32(b, e.Op)
	b = binary.LittleEndian.AppendUint64(append(b, byte(e.Kind)), uint64(e.Collection))
	return half(sha256.Sum256(append(append(b, flag(e.Superseded)), e.ID...)))
}

func flag(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// append gives the quarantine as bytes, as the manifest has it.
func (q *quarantine) append(b []byte) []byte {
	b = binary.AppendUvarint(append(b, q.sum[:]...), uint64(len(q.entries)))
	for i := range q.entries {
		e := &q.entries[i]
		b = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint64(b, e.Seq), e.Op)
		b = binary.LittleEndian.AppendUint64(append(b, byte(e.Kind), flag(e.Superseded)), uint64(e.Collection))
		b = binary.LittleEndian.AppendUint32(b, uint32(e.Slot))
		b = appendString(appendString(b, e.ID), e.Reason)
	}
	return b
}

// readQuarantine reads what append gave; what is none makes the cursor fail.
func readQuarantine(c *cursor.Cursor) (q quarantine) {
	copy(q.sum[:], c.Bytes(len(q.sum)))
	for range c.Len() {
		e := Quarantined{Place: Place{Seq: c.Fixed64(), Op: c.Fixed32()}, Kind: OpKind(c.Byte()), Superseded: c.Byte() == 1, Collection: schema.Incarnation(c.Fixed64())}
		slot := c.Fixed32()
		e.Slot = uint16(slot)
		e.ID, e.Reason = string(c.Bytes(c.Len())), string(c.Bytes(c.Len()))
		if e.Kind != OpPut && e.Kind != OpDelete || slot >= Slots || len(q.entries) == KeptQuarantined {
			c.Fail()
		}
		if !c.OK() {
			return quarantine{}
		}
		q.entries = append(q.entries, e)
	}
	return q
}

// setAside puts an operation into the quarantine. Nothing else changes.
func (a *applying) setAside(m *Message, op *Op, reason string) (outcome.Outcome, bool, error) {
	a.state.quarantine.add(Quarantined{Place: Place{m.Seq, op.Place}, Kind: op.Kind, Collection: op.Collection, ID: op.ID, Slot: op.Slot,
		Reason: strings.ToValidUTF8(reason[:min(len(reason), reasonBytes)], "")})
	return verdict(outcome.Rejected), true, nil
}

// again applies an operation that was set aside, and takes it out of the quarantine: by place, kind and id it must be the one that stands there. One that a later
// operation on its id has superseded does nothing: what was deleted since does not come back, and what was written since stays.
func (a *applying) again(m *Message, i int) (outcome.Outcome, bool, error) {
	op, q := &m.Ops[i], &a.state.quarantine
	at := q.find(*op.Again)
	if at < 0 || q.entries[at].Kind != op.Kind || q.entries[at].Collection != op.Collection || q.entries[at].ID != op.ID {
		return verdict(outcome.NotFound), false, nil
	}
	superseded := q.entries[at].Superseded
	q.remove(at)
	if superseded {
		return verdict(outcome.VersionConflict), true, nil
	}
	out, _, err := a.write(m, i)
	return out, true, err
}

// String gives "17/3".
func (p Place) String() string { return fmt.Sprintf("%d/%d", p.Seq, p.Op) }
