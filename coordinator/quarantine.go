package coordinator

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/outcome"
	"github.com/jetseek/jetseek/subjects/wire"
)

// superseded is the outcome of an operation that comes too late: another on its id was done since it was set aside.
const superseded = "superseded"

// handleQuarantine lists the operations that are set aside, of each group as one of its members tells.
func (c *Coordinator) handleQuarantine(ctx context.Context, _ string, msg *nats.Msg) (answerTo, error) {
	ctx, cancel, err := withBudget(ctx, msg)
	if err != nil {
		return answerTo{}, err
	}
	defer cancel()
	body := wire.QuarantineBody{Operations: []wire.QuarantinedBody{}, Unanswered: []string{}}
	groups := c.groups()
	aside := c.quarantined(ctx, groups)
	for _, group := range groups {
		told, ok := aside[group]
		if !ok {
			body.Unanswered = append(body.Unanswered, group)
		}
		for i := range told {
			body.Operations = append(body.Operations, c.quarantinedBody(group, &told[i]))
		}
	}
	return answerTo{body, 200}, nil
}

func (c *Coordinator) quarantinedBody(group string, o *wire.Quarantined) wire.QuarantinedBody {
	b := wire.QuarantinedBody{Group: group, Seq: o.Seq, Operation: o.Op, Kind: "put", ID: o.ID, Reason: o.Reason, Superseded: o.Superseded, Collection: fmt.Sprintf("%016x", uint64(o.Collection))}
	if o.Kind == wire.KindDelete {
		b.Kind = "delete"
	}
	if r, ok := c.view.View().Incarnation(o.Collection); ok {
		b.Collection = r.Name
	}
	return b
}

// quarantined asks one member of each group what is set aside; groups that do not answer are left out.
func (c *Coordinator) quarantined(ctx context.Context, groups []string) map[string][]wire.Quarantined {
	aside := map[string][]wire.Quarantined{}
	t := &trip{op: wire.OpQuarantine}
	for _, group := range groups {
		t.targets = append(t.targets, &target{group: group, members: c.membersOf(group, 0),
			encode: func(h wire.Head) []byte { return wire.AppendQuarantineRequest(nil, &wire.QuarantineRequest{Head: h}) },
			accept: func(data []byte) *wire.Error {
				reply, err := decodeReply(data, wire.DecodeQuarantineReply, func(p *wire.QuarantineReply) *wire.Frame { return &p.Frame })
				if err == nil {
					aside[group] = reply.Ops
				}
				return err
			}})
	}
	c.scatter(ctx, t)
	return aside
}

// handleRequeue tries an operation again that was set aside: the log has it, and gets it a second time.
func (c *Coordinator) handleRequeue(ctx context.Context, _ string, msg *nats.Msg) (answerTo, error) {
	ctx, cancel, err := withBudget(ctx, msg)
	if err != nil {
		return answerTo{}, err
	}
	defer cancel()
	q, err := wire.DecodeRequeueRequest(msg.Data)
	if err != nil {
		return answerTo{}, err
	}
	if !slices.Contains(c.groups(), q.Group) {
		return answerTo{}, fault.New(fault.NotFound, "there is no group %s", fault.Quote(q.Group))
	}
	body, err := c.requeue(ctx, q)
	if err != nil {
		return answerTo{}, err
	}
	return answerTo{body, 200}, nil
}

func (c *Coordinator) requeue(ctx context.Context, q *wire.RequeueRequest) (*wire.RequeueBody, error) {
	aside, ok := c.quarantined(ctx, []string{q.Group})[q.Group]
	if !ok {
		return nil, notDurable(unavailable(reasonNoMember, "no member of group %s says what is set aside: see /_members", q.Group))
	}
	i := slices.IndexFunc(aside, func(o wire.Quarantined) bool { return o.Place == q.Place() })
	if i < 0 {
		return nil, notAside(q)
	}
	op, err := c.loggedOp(ctx, q)
	if err != nil {
		return nil, notDurable(unavailable(reasonNoNATS, "operation %s cannot be read from the log of group %s: %v", q.Place(), q.Group, err))
	}
	if op.Kind != aside[i].Kind || op.ID != aside[i].ID {
		return nil, notDurable(unavailable("internal", "the log of group %s has another operation at %s than its members", q.Group, q.Place()))
	}
	deadline, _ := ctx.Deadline()
	w := newWrite(wire.Again(op, q.Place()), wire.SchemaRecord{}, deadline)
	if err := c.packer(q.Group).submit([]*write{w}); err != nil {
		return nil, notDurable(err)
	}
	out, werr := c.outcomeOf(ctx, q.Group, w, waitApplied)
	if werr != nil {
		return nil, werr
	}
	return c.requeued(ctx, q, w, op, out)
}

// requeued says what came of an operation that was tried again.
func (c *Coordinator) requeued(ctx context.Context, q *wire.RequeueRequest, w *write, op wire.Op, out outcome.Outcome) (*wire.RequeueBody, error) {
	body := &wire.RequeueBody{OK: true, Group: q.Group, ID: op.ID, Outcome: out.Code.String(), Version: out.Version, Seq: c.tracker.seqOf(w.flight)}
	switch out.Code {
	case outcome.NotFound:
		if op.Kind == wire.KindPut {
			return nil, notAside(q) // somebody else has tried it again meanwhile
		}
	case outcome.VersionConflict:
		body.OK = false
		if op.IfVersion == wire.NoCondition {
			body.Outcome = superseded
		}
		return body, nil
	case outcome.Rejected:
		body.OK = false
		return body, nil
	case outcome.Created, outcome.Updated, outcome.Deleted:
	default:
		return nil, withDurable(unavailable("internal", "operation %s of group %s was tried again and gave %s", q.Place(), q.Group, out.Code), wire.IsDurable)
	}
	select {
	case <-w.flight.visible:
	case <-ctx.Done(): // it is applied, and visible later
	}
	return body, nil
}

func notAside(q *wire.RequeueRequest) error {
	return fault.New(fault.NotFound, "operation %s of group %s is not set aside: GET /_quarantine lists those that are", q.Place(), q.Group)
}

// loggedOp reads an operation from a group's log. What stands there is believed as far as members do.
func (c *Coordinator) loggedOp(ctx context.Context, q *wire.RequeueRequest) (wire.Op, error) {
	stream, err := c.js.Stream(ctx, c.names.Stream(q.Group))
	if err != nil {
		return wire.Op{}, fmt.Errorf("open the log: %w", err)
	}
	raw, err := stream.GetMsg(ctx, q.Seq)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return wire.Op{}, errors.New("the log does not have it any more")
	}
	if err != nil {
		return wire.Op{}, err
	}
	rec, err := wire.DecodeRecord(raw.Data)
	if err != nil {
		return wire.Op{}, err
	}
	if int(q.Operation) >= len(rec.Ops) {
		return wire.Op{}, fmt.Errorf("its message has %d operations", len(rec.Ops))
	}
	op := rec.Ops[q.Operation]
	if op.Kind == wire.KindRequeue { // set aside for the second time
		op.Kind = wire.KindPut
		if len(op.Body) == 0 && op.Object == "" {
			op.Kind = wire.KindDelete
		}
	}
	return op, nil
}
