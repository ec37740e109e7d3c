package coordinator

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects"
	"github.com/jetseek/jetseek/subjects/placement"
	"github.com/jetseek/jetseek/subjects/wire"
)

// withBudget bounds an operation of the admin plane by the request's budget.
func withBudget(ctx context.Context, msg *nats.Msg) (context.Context, context.CancelFunc, error) {
	p, err := readWriteParams(msg.Header, adminTimeout)
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, p.timeout)
	return ctx, cancel, nil
}

// readCollectionRequest reads the body of an operation on a collection, whose name is valid then, and bounds the operation by the request's budget, or by timeout
// when it names none.
func readCollectionRequest(ctx context.Context, msg *nats.Msg, timeout time.Duration) (context.Context, context.CancelFunc, *wire.CollectionRequest, error) {
	p, err := readWriteParams(msg.Header, timeout)
	if err != nil {
		return nil, nil, nil, err
	}
	req, err := wire.DecodeCollectionRequest(msg.Data)
	if err != nil {
		return nil, nil, nil, err
	}
	if err := subjects.ValidCollection(req.Name); err != nil {
		return nil, nil, nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, p.timeout)
	return ctx, cancel, req, nil
}

func (c *Coordinator) handleCreate(ctx context.Context, _ string, msg *nats.Msg) (answerTo, error) {
	ctx, cancel, req, err := readCollectionRequest(ctx, msg, adminTimeout)
	if err != nil {
		return answerTo{}, err
	}
	defer cancel()
	created, _, err := c.create(ctx, req.Name, req.Schema)
	if err != nil {
		return answerTo{}, err
	}
	body, err := c.show(ctx, req.Name)
	if err != nil {
		return answerTo{}, err
	}
	if created {
		return answerTo{body, 201}, nil
	}
	return answerTo{body, 200}, nil
}

func (c *Coordinator) handleList(ctx context.Context, _ string, msg *nats.Msg) (answerTo, error) {
	ctx, cancel, err := withBudget(ctx, msg)
	if err != nil {
		return answerTo{}, err
	}
	defer cancel()
	list := wire.CollectionsBody{Collections: []wire.CollectionBody{}}
	for _, record := range c.view.View().Collections {
		body, err := c.show(ctx, record.Name)
		if fault.CodeOf(err) == fault.NoCollection {
			continue // dropped meanwhile
		}
		if err != nil {
			return answerTo{}, err
		}
		list.Collections = append(list.Collections, *body)
	}
	return answerTo{list, 200}, nil
}

func (c *Coordinator) handleShow(ctx context.Context, _ string, msg *nats.Msg) (answerTo, error) {
	ctx, cancel, req, err := readCollectionRequest(ctx, msg, adminTimeout)
	if err != nil {
		return answerTo{}, err
	}
	defer cancel()
	body, err := c.show(ctx, req.Name)
	if err != nil {
		return answerTo{}, err
	}
	return answerTo{body, 200}, nil
}

func (c *Coordinator) handleDrop(ctx context.Context, _ string, msg *nats.Msg) (answerTo, error) {
	ctx, cancel, req, err := readCollectionRequest(ctx, msg, defaultDeleteTimeout)
	if err != nil {
		return answerTo{}, err
	}
	defer cancel()
	body, err := c.drop(ctx, req.Name)
	if err != nil {
		return answerTo{}, err
	}
	return answerTo{body, 200}, nil
}

// handleMembers lists every member that the map declares or that has a liveness record, with what its last watermark said.
func (c *Coordinator) handleMembers(_ context.Context, _ string, _ *nats.Msg) (answerTo, error) {
	v := c.view.View()
	ids := make(map[string]bool)
	for _, m := range v.Members {
		ids[subjects.MemberID(m.Group, m.Node)] = true
	}
	if v.Map != nil {
		for _, g := range v.Map.Groups {
			for _, id := range g.Members {
				ids[id] = true
			}
		}
	}
	body := wire.MembersBody{Members: []wire.MemberBody{}, Alarms: append(c.checks.findings(), c.keyAlarms()...), Sync: c.checks.syncs()}
	if e := c.storesNothing(); e != nil {
		body.Alarms = append(body.Alarms, e.Message)
	}
	for id := range ids {
		body.Members = append(body.Members, c.member(id))
	}
	slices.SortFunc(body.Members, func(a, b wire.MemberBody) int {
		return cmp.Or(placement.CompareGroups(a.Group, b.Group), cmp.Compare(a.Node, b.Node))
	})
	for _, m := range body.Members {
		if m.Outlived > 0 {
			body.Alarms = append(body.Alarms, alarm(m.Member, m.Outlived))
		}
	}
	return answerTo{body, 200}, nil
}

func (c *Coordinator) member(id string) wire.MemberBody {
	group, node, _ := subjects.SplitMember(id)
	b := wire.MemberBody{Member: id, Group: group, Node: node, State: "down"}
	marks := c.tracker.marks(group)
	if record, ok := c.view.View().Member(id); ok {
		b.State, b.Reason, b.Applied, b.Key, b.Refused, b.Outlived, b.Quarantined = record.State, record.Reason, record.Applied, record.Key, record.Refused, record.Outlived,
			record.Quarantined
		if h, ok := marks[id]; ok && h.mark.Incarnation == record.Incarnation {
			b.State = h.mark.State
		}
	}
	var head uint64
	for _, h := range marks {
		head = max(head, h.mark.Applied, h.mark.Head)
	}
	if h, ok := marks[id]; ok && h.ago >= silentAfter && b.State == "serving" {
		b.State, b.Reason = "down", "nothing is heard of it" // its record is there until it expires
	}
	if h, ok := marks[id]; ok {
		b.Applied, b.ContentSeq, b.Documents, b.Digest = h.mark.Applied, h.mark.ContentSeq, h.mark.Documents, h.mark.Digest.String()
	}
	b.Lag = head - min(head, b.Applied)
	b.Outlived = max(b.Outlived, c.auditor.servedBy(id)) // both count the same
	return b
}

func (c *Coordinator) handleRing(_ context.Context, _ string, _ *nats.Msg) (answerTo, error) {
	body := wire.RingBody{Rule: string(placement.Ring), Slots: placement.Slots, Vnodes: placement.DefaultVnodes, Groups: map[string]int{}}
	if m := c.view.View().Map; m != nil {
		body.Rule, body.Vnodes, body.Epoch = string(m.Rule), m.Vnodes, m.Epoch
		for i, n := range m.Counts() {
			body.Groups[m.Groups[i].Name] = n
		}
	}
	return answerTo{body, 200}, nil
}

func (c *Coordinator) handlePlacement(_ context.Context, _ string, msg *nats.Msg) (answerTo, error) {
	id, err := wire.DecodeID(msg.Data)
	if err != nil {
		return answerTo{}, err
	}
	body := wire.PlacementBody{ID: id, Hash: placement.Hash(id), Slot: int(placement.Slot(id)), Members: []string{}}
	if m := c.view.View().Map; m != nil {
		owner := m.Owner(uint16(body.Slot))
		body.Group, body.Members = owner.Name, owner.Members
	}
	return answerTo{body, 200}, nil
}

func (c *Coordinator) handleMap(_ context.Context, _ string, _ *nats.Msg) (answerTo, error) {
	m, err := c.mapForWrite()
	if err != nil {
		return answerTo{}, err
	}
	return answerTo{m, 200}, nil
}
