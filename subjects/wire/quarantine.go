package wire

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/schema"
	"github.com/jetseek/jetseek/engine/schema/strictjson"
)

// Place names an operation of a log: the sequence of its message, and its place among the operations of the record, from 0.
type Place struct {
	Seq uint64
	Op  uint32
}

// String gives "17/3".
func (p Place) String() string { return fmt.Sprintf("%d/%d", p.Seq, p.Op) }

// ParsePlace reads what [Place.String] gives.
func ParsePlace(s string) (Place, error) {
	seq, op, _ := strings.Cut(s, "/")
	p := Place{}
	var err error
	if p.Seq, err = strconv.ParseUint(seq, 10, 64); err == nil {
		var n uint64
		n, err = strconv.ParseUint(op, 10, 32)
		p.Op = uint32(n)
	}
	if err != nil || p.String() != s {
		return Place{}, fmt.Errorf("%w: place %q of an operation", ErrMalformed, s)
	}
	return p, nil
}

// Quarantine is the payload of [KindQuarantine]: the operation at the place is set aside, by every member, when it comes to it. The record stands behind it, on a subject of its own:
// who replays the log reads all of these records first.
type Quarantine struct {
	Place
	Member string // that wrote it
	Reason string
}

// AppendQuarantine appends the payload to dst.
func AppendQuarantine(dst []byte, q *Quarantine) []byte {
	dst = appendUvarint(appendUvarint(dst, q.Seq), uint64(q.Op))
	return appendStr(appendStr(dst, q.Member), q.Reason)
}

// DecodeQuarantine reads the payload of a quarantine record.
func DecodeQuarantine(b []byte) (Quarantine, error) {
	r := &reader{b: b}
	q := Quarantine{Place: readLogPlace(r), Member: r.str(MaxNameBytes), Reason: r.str(MaxNameBytes)}
	return q, payloadError("quarantine", r)
}

func readLogPlace(r *reader) Place { return Place{Seq: r.uvarint(), Op: r.uvarint32()} }

// Again makes the operation that tries one again which was set aside at a place: of kind [KindRequeue], with the place for its request key. It is done where it was before and has no
// request key of its own any more.
func Again(op Op, at Place) Op {
	op.Kind, op.RequestKey = KindRequeue, at.String()
	return op
}

// QuarantineRequest asks a member which operations it has set aside. It is answered in every state.
type QuarantineRequest struct{ Head }

// QuarantineReply answers a [QuarantineRequest].
type QuarantineReply struct {
	Frame
	Ops []Quarantined // in the order of the log
}

// Quarantined is an operation that was set aside.
type Quarantined struct {
	Place
	Kind       Kind // KindPut or KindDelete
	Superseded bool // a later operation on its id was done: it does nothing if it is tried again
	Collection schema.Incarnation
	Slot       uint16
	ID         string
	Reason     string
}

// AppendQuarantineRequest appends the binary form to dst.
func AppendQuarantineRequest(dst []byte, q *QuarantineRequest) []byte {
	return appendHead(append(dst, binaryV1, kindQuarantineRequest), &q.Head)
}

// DecodeQuarantineRequest reads the binary form.
func DecodeQuarantineRequest(b []byte) (*QuarantineRequest, error) {
	r := open(b, kindQuarantineRequest)
	q := &QuarantineRequest{Head: readHead(r)}
	return finish(q, "quarantine request", r)
}

// AppendQuarantineReply appends the binary form to dst.
func AppendQuarantineReply(dst []byte, p *QuarantineReply) []byte {
	dst = appendFrame(append(dst, binaryV1, kindQuarantineReply), &p.Frame)
	if p.Err != nil {
		return dst
	}
	dst = appendUvarint(dst, uint64(len(p.Ops)))
	for i := range p.Ops {
		o := &p.Ops[i]
		dst = appendUvarint(appendUvarint(dst, o.Seq), uint64(o.Op))
		dst = appendU64(appendFlag(append(dst, uint8(o.Kind)), o.Superseded), uint64(o.Collection))
		dst = appendStr(appendStr(appendUvarint(dst, uint64(o.Slot)), o.ID), o.Reason)
	}
	return dst
}

// DecodeQuarantineReply reads the binary form.
func DecodeQuarantineReply(b []byte) (*QuarantineReply, error) {
	r := open(b, kindQuarantineReply)
	p := &QuarantineReply{Frame: readFrame(r)}
	if p.Err != nil {
		return finish(p, "quarantine reply", r)
	}
	for range r.count(15) {
		o := Quarantined{Place: readLogPlace(r), Kind: Kind(r.u8()), Superseded: r.flag(), Collection: schema.Incarnation(r.u64())}
		slot := r.uvarint()
		if slot > 1<<14-1 || o.Kind != KindPut && o.Kind != KindDelete {
			r.fail("an operation of kind %d in slot %d", o.Kind, slot)
		}
		o.Slot, o.ID, o.Reason = uint16(slot), r.str(MaxIDBytes), r.str(MaxNameBytes)
		p.Ops = append(p.Ops, o)
	}
	return finish(p, "quarantine reply", r)
}

// QuarantineBody answers /_quarantine.
type QuarantineBody struct {
	Operations []QuarantinedBody `json:"operations"` // by group, in the order of its log
	Unanswered []string          `json:"unanswered"` // groups of which no member has answered
}

// QuarantinedBody is an operation that the members of a group have set aside: applying it made the software panic or its process end.
type QuarantinedBody struct {
	Group      string `json:"group"`
	Seq        uint64 `json:"seq"`        // of its message in the log
	Operation  uint32 `json:"operation"`  // its number in the message, from 0
	Kind       string `json:"kind"`       // put or delete
	Collection string `json:"collection"` // its name; its incarnation in hex when the name is not known
	ID         string `json:"id"`
	Reason     string `json:"reason"`
	Superseded bool   `json:"superseded"` // a later operation on its id was done: trying it again does nothing
}

// RequeueRequest is the body of admin.requeue: which operation is tried again.
type RequeueRequest struct {
	Group     string `json:"group"`
	Seq       uint64 `json:"seq"`
	Operation uint32 `json:"operation"`
}

// Place names the operation in the group's log.
func (q *RequeueRequest) Place() Place { return Place{q.Seq, q.Operation} }

// DecodeRequeueRequest reads the body strictly; errors are bad_request.
func DecodeRequeueRequest(raw []byte) (*RequeueRequest, error) {
	q := new(RequeueRequest)
	err := decodeObject(raw, bodyDepth, func(key string, r *strictjson.Reader) (err error) {
		switch key {
		case "group":
			q.Group, err = readText(key, r)
		case "seq":
			q.Seq, err = readSequence(key, r)
		case "operation":
			var n int64
			if n, err = readWhole(key, r); err == nil && (n < 0 || n > math.MaxUint32) {
				err = fault.New(fault.BadRequest, "operation is a whole number from 0: GET /_quarantine lists them")
			}
			q.Operation = uint32(n)
		default:
			err = fault.New(fault.BadRequest, "unknown key %s in a request to try an operation again", fault.Quote(key))
		}
		return err
	})
	if err == nil && (q.Group == "" || q.Seq == 0) {
		err = fault.New(fault.BadRequest, "group, seq and operation name what is tried again: GET /_quarantine lists them")
	}
	return q, err
}

// RequeueBody answers POST /_requeue.
type RequeueBody struct {
	OK      bool   `json:"ok"` // it was applied
	Group   string `json:"group"`
	ID      string `json:"id"`
	Outcome string `json:"outcome"` // created, updated, deleted, not_found; version_conflict: the document is another by now; superseded: a later operation on the id stands; rejected: it is set aside again
	Version uint64 `json:"version"`
	Seq     uint64 `json:"seq"` // of the message that tried it again
}
