package wire

import (
	"encoding/json"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/schema/strictjson"
)

// SlotsRequest asks a group how many documents of all collections it holds in each of its slots; the head names no collection.
type SlotsRequest struct{ Head }

// SlotsReply answers a [SlotsRequest].
type SlotsReply struct {
	Frame
	Slots []SlotCount // ascending; only slots that have documents
}

// SlotCount is how many documents a slot has.
type SlotCount struct {
	Slot      uint16 `json:"slot"`
	Documents uint64 `json:"documents"`
}

// AppendSlotsRequest appends the binary form to dst.
func AppendSlotsRequest(dst []byte, q *SlotsRequest) []byte {
	return appendHead(append(dst, binaryV1, kindSlotsRequest), &q.Head)
}

// DecodeSlotsRequest reads the binary form.
func DecodeSlotsRequest(b []byte) (*SlotsRequest, error) {
	r := open(b, kindSlotsRequest)
	q := &SlotsRequest{Head: readHead(r)}
	return finish(q, "slots request", r)
}

// AppendSlotsReply appends the binary form to dst.
func AppendSlotsReply(dst []byte, p *SlotsReply) []byte {
	dst = appendFrame(append(dst, binaryV1, kindSlotsReply), &p.Frame)
	if p.Err != nil {
		return dst
	}
	dst = appendUvarint(dst, uint64(len(p.Slots)))
	for _, s := range p.Slots {
		dst = appendUvarint(appendUvarint(dst, uint64(s.Slot)), s.Documents)
	}
	return dst
}

// DecodeSlotsReply reads the binary form, whose order it checks.
func DecodeSlotsReply(b []byte) (*SlotsReply, error) {
	r := open(b, kindSlotsReply)
	p := &SlotsReply{Frame: readFrame(r)}
	if p.Err != nil {
		return finish(p, "slots reply", r)
	}
	n, least := r.count(2), uint64(0)
	for range n {
		slot, documents := r.uvarint(), r.uvarint()
		if slot < least || slot > 1<<14-1 {
			r.fail("slot %d", slot)
			break
		}
		least = slot + 1
		p.Slots = append(p.Slots, SlotCount{uint16(slot), documents})
	}
	return finish(p, "slots reply", r)
}

// MarshalJSON gives the reply for people, or the body of its error.
func (p *SlotsReply) MarshalJSON() ([]byte, error) {
	if p.Err != nil {
		return p.Err.MarshalJSON()
	}
	return json.Marshal(struct {
		frameJSON
		Slots []SlotCount `json:"slots"`
	}{p.json(), p.Slots})
}

// PlanRequest is the body of admin.plan over NATS: how many groups there shall be.
type PlanRequest struct {
	Shards int `json:"shards"`
}

// DecodePlanRequest reads the body strictly; errors are bad_request.
func DecodePlanRequest(raw []byte) (*PlanRequest, error) {
	p := new(PlanRequest)
	err := decodeObject(raw, bodyDepth, func(key string, r *strictjson.Reader) error {
		if key != "shards" {
			return fault.New(fault.BadRequest, "unknown key %s in a request for a plan", fault.Quote(key))
		}
		var err error
		p.Shards, err = readInt(key, r)
		return err
	})
	return p, err
}

// PlanBody answers /_plan: what each rule would move to reach a number of groups. Nothing is moved.
type PlanBody struct {
	Shards    int               `json:"shards"`
	Groups    []string          `json:"groups"`    // that there would be, in order
	Documents uint64            `json:"documents"` // of all collections
	Counts    map[string]uint64 `json:"counts"`    // documents by group, as they are
	Rules     []RulePlan        `json:"rules"`
}

// RulePlan is what one rule would do.
type RulePlan struct {
	Rule       string            `json:"rule"`
	Moved      uint64            `json:"moved"` // documents that would change their group
	MovedSlots int               `json:"moved_slots"`
	Counts     map[string]uint64 `json:"counts"` // documents by group, after
}
