package shard

import (
	"github.com/jetseek/jetseek/engine"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects/wire"
)

// What members tell each other and coordinators of what they hold. No document is shown by it, so that no lease is needed, and a member out of rotation answers as well.

// digests tells what the member held at a mark.
func (m *Member) digests(r request) ([]byte, error) {
	q, err := wire.DecodeDigestRequest(r.msg.Data)
	if err != nil {
		return nil, malformed(err)
	}
	held, ok := m.marks.at(q.At)
	if !ok && m.appliedSeq() < q.At {
		return nil, early{wire.Head{MinSeq: q.At, BudgetMs: q.BudgetMs}}
	}
	if !ok || held.parts == nil {
		return nil, fault.New(fault.NotFound, "member %s does not remember what it held at %d", m.id, q.At)
	}
	snap := m.index.Snapshot()
	defer snap.Close()
	reply := wire.DigestReply{Frame: m.frame(&q.Head, snap), Root: held.root, Rest: wire.Digest(held.parts.Rest())}
	for _, c := range held.parts.Documents() {
		reply.Documents = append(reply.Documents, wire.CollectionDigest{Collection: c.Collection, Digest: wire.Digest(c.Digest)})
	}
	for _, c := range q.Collections {
		slots := wire.SlotDigests{Collection: c}
		for _, s := range held.parts.Slots(c) {
			slots.Slots = append(slots.Slots, wire.SlotDigest{Slot: s.Slot, Documents: s.Documents, Digest: wire.Digest(s.Digest)})
		}
		reply.Slots = append(reply.Slots, slots)
	}
	return wire.AppendDigestReply(nil, &reply), nil
}

// repairOrder takes an order to prove and mend, or tells how far it is.
func (m *Member) repairOrder(r request) ([]byte, error) {
	q, err := wire.DecodeRepairRequest(r.msg.Data)
	if err != nil {
		return nil, malformed(err)
	}
	o := order{at: q.At}
	if !q.Whole {
		o.only = engine.Selection{}
		for _, s := range q.Slots {
			set := &engine.SlotSet{}
			for _, slots := range s.Ranges {
				set.AddRange(slots.From, slots.To)
			}
			o.only[s.Collection] = set
		}
	}
	v := m.verdicts.give(o)
	snap := m.index.Snapshot()
	defer snap.Close()
	reply := wire.RepairReply{Frame: m.frame(&q.Head, snap), Phase: v.phase, Documents: v.documents, Reason: v.reason}
	return wire.AppendRepairReply(nil, &reply), nil
}

// answerAnyway answers what needs no lease; mine is false for other operations.
func (m *Member) answerAnyway(r request) (data []byte, err error, mine bool) {
	switch r.op {
	case wire.OpPing:
		data, err = m.ping(r)
	case wire.OpDigest:
		data, err = m.digests(r)
	case wire.OpRepair:
		data, err = m.repairOrder(r)
	case wire.OpQuarantine:
		data, err = m.quarantined(r)
	default:
		return nil, nil, false
	}
	return data, err, true
}
