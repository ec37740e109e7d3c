package coordinator

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"golang.org/x/sync/errgroup"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects"
	"github.com/jetseek/jetseek/subjects/ops"
	"github.com/jetseek/jetseek/subjects/wire"
)

// Measures of a repair on demand.
const (
	// repairTimeout is the budget of a repair that names none; the client waits a little longer.
	repairTimeout = ops.RepairBudget - time.Second
	// repairPatience bounds one question to members: to reach the barrier and tell what they hold there, or how far their proof is.
	repairPatience = 10 * time.Second
	// repairAgain is the pause between questions to members that prove.
	repairAgain = 200 * time.Millisecond
	// repairUnanswered is how many questions in a row a member that proves may leave unanswered.
	repairUnanswered = 3
	// repairRounds is how often a group is compared: each time after the first proves what was mended before, or by the members themselves meanwhile.
	repairRounds = 3
	// repairGroups is how many groups are compared at a time.
	repairGroups = 16
)

// handleRepair compares the members of every group, has those that differ prove and mend what they hold, and answers when that is done. Of a coordinator one runs at a time.
func (c *Coordinator) handleRepair(ctx context.Context, _ string, msg *nats.Msg) (answerTo, error) {
	p, err := readWriteParams(msg.Header, repairTimeout)
	if err != nil {
		return answerTo{}, err
	}
	if _, err := c.mapForWrite(); err != nil {
		return answerTo{}, err
	}
	select {
	case c.repairing <- struct{}{}:
		defer func() { <-c.repairing }()
	default:
		return answerTo{}, fault.New(fault.Overloaded, "another repair is running: wait for its report")
	}
	ctx, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	defer context.AfterFunc(c.leaving, cancel)()
	return answerTo{c.repair(ctx), 200}, nil
}

// repair compares and mends all groups, some at a time.
func (c *Coordinator) repair(ctx context.Context) *wire.RepairBody {
	groups := c.groups()
	repairs := make([]*groupRepair, len(groups))
	var g errgroup.Group
	g.SetLimit(repairGroups)
	for i, name := range groups {
		r := newGroupRepair(c, name)
		repairs[i] = r
		g.Go(func() error { r.run(ctx); return nil })
	}
	_ = g.Wait() // no group returns an error: each says of every member what became of it
	body := wire.RepairBody{OK: true, Groups: len(groups), Members: []string{}, Verified: []string{}, RepairedMembers: []string{}, FailedMembers: []string{}}
	for _, r := range repairs {
		r.report(&body)
	}
	return &body
}

// groupRepair is the repair of one group. What becomes of a member stands under its name g0/n1.
type groupRepair struct {
	c       *Coordinator
	group   string
	members []string // declared, or serving and not declared yet; by name

	held     map[string]*wire.DigestReply // what they held at the last barrier
	right    map[string]bool              // the log says what they held at a barrier
	wrong    map[string]bool              // it says otherwise
	failed   map[string]string            // of this round, with the reason
	forgot   bool                         // in this round one did not remember what it held: it is being mended
	unproved string                       // why a member could not prove what it holds, the last time
	mended   uint64                       // documents
	verified []string
}

func newGroupRepair(c *Coordinator, group string) *groupRepair {
	r := &groupRepair{c: c, group: group, right: map[string]bool{}, wrong: map[string]bool{}}
	r.members = slices.Clone(c.declared(group))
	for id := range c.tracker.marks(group) {
		r.members = append(r.members, id)
	}
	slices.Sort(r.members)
	r.members = slices.Compact(r.members)
	return r
}

// run compares the members at a barrier, and lets them prove and mend what differs, until those that answer agree. A member that is the only one of its group, or the only one that answers, has nobody to be compared
// with: it is compared with its log.
func (r *groupRepair) run(ctx context.Context) {
	for round := 1; ; round++ {
		r.failed, r.forgot = map[string]string{}, false
		at, err := r.c.barrier(ctx, r.group)
		if err != nil {
			r.failAll(fmt.Sprintf("its log has taken no barrier: %v", err))
			return
		}
		r.held = r.digests(ctx, at, r.members, nil)
		if round <= repairRounds && r.forgot && waitFor(ctx, repairAgain) {
			continue
		}
		if r.agree() && !r.isUnprovedAlone() {
			for _, id := range r.members {
				if r.held[id] != nil {
					r.verified = append(r.verified, id)
				}
			}
			return
		}
		if round > repairRounds || ctx.Err() != nil {
			r.failAll(r.openReason())
			return
		}
		r.prove(ctx, r.order(ctx, at))
	}
}

// agree tells whether the members that answered hold the same.
func (r *groupRepair) agree() bool {
	var first *wire.DigestReply
	for _, h := range r.held {
		if first == nil {
			first = h
		}
		if h.Root != first.Root {
			return false
		}
	}
	return true
}

// isUnprovedAlone tells whether one member alone has answered, and has yet to prove what it holds.
func (r *groupRepair) isUnprovedAlone() bool {
	for id := range r.held {
		if len(r.held) == 1 {
			return !r.right[id] && !r.wrong[id]
		}
	}
	return false
}

func (r *groupRepair) openReason() string {
	switch {
	case len(r.held) > 1:
		return "it differs from others of its group, and was not mended"
	case r.unproved != "":
		return "it could not be compared with its log: " + r.unproved
	}
	return "the replay of its log was not done in time; it goes on, and mends what is wrong: a larger timeout_ms waits for it"
}

// failAll fails the members that have not failed for a reason of their own; who differs from others and was proved right is verified.
func (r *groupRepair) failAll(reason string) {
	for _, id := range r.members {
		switch {
		case r.failed[id] != "":
		case r.held[id] != nil && r.right[id] && !r.wrong[id]:
			r.verified = append(r.verified, id)
		default:
			r.failed[id] = reason
		}
	}
}

// report adds what became of the group.
func (r *groupRepair) report(b *wire.RepairBody) {
	b.Members = append(b.Members, r.members...)
	b.Verified = append(b.Verified, r.verified...)
	b.RepairedDocuments += r.mended
	for _, id := range r.verified {
		if r.wrong[id] {
			b.RepairedMembers = append(b.RepairedMembers, id)
		}
	}
	for _, id := range r.members {
		if r.failed[id] == "" {
			continue
		}
		b.FailedMembers = append(b.FailedMembers, id)
		if b.Reasons == nil {
			b.Reasons = map[string]string{}
		}
		b.Reasons[id] = r.failed[id]
		r.c.log.Warn("a repair did not verify a member", "member", id, "reason", r.failed[id])
	}
	b.OK = b.OK && len(r.failed) == 0 && len(r.verified) > 0
}

// barrier puts a place into a group's log at which members are compared, and gives its sequence.
func (c *Coordinator) barrier(ctx context.Context, group string) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, repairPatience)
	defer cancel()
	return c.tell(ctx, group, wire.Op{Kind: wire.KindBarrier, IfVersion: wire.NoCondition})
}

// askEach asks members, each one question, and gives the answers to take; who does not give one has failed, with the reason that is given back.
func (r *groupRepair) askEach(ctx context.Context, op string, members []string, encode func(wire.Head) []byte, take func(id string, data []byte) *wire.Error) map[string]*wire.Error {
	ctx, cancel := context.WithTimeout(ctx, repairPatience)
	defer cancel()
	t := &trip{op: op}
	for _, id := range members {
		_, node, _ := subjects.SplitMember(id)
		t.targets = append(t.targets, &target{group: r.group, members: []string{node}, encode: encode,
			accept: func(data []byte) *wire.Error { return take(id, data) }})
	}
	r.c.scatter(ctx, t)
	unanswered := map[string]*wire.Error{}
	for i, id := range members {
		if err := t.targets[i].err; err != nil {
			unanswered[id] = err
		}
	}
	return unanswered
}

// digests asks what members held at a mark, in the slots of the collections named; who does not say has failed.
func (r *groupRepair) digests(ctx context.Context, at uint64, members []string, collections []wire.CollectionDigest) map[string]*wire.DigestReply {
	held := map[string]*wire.DigestReply{}
	encode := func(h wire.Head) []byte {
		q := wire.DigestRequest{Head: h, At: at}
		for _, c := range collections {
			q.Collections = append(q.Collections, c.Collection)
		}
		return wire.AppendDigestRequest(nil, &q)
	}
	for id, err := range r.askEach(ctx, wire.OpDigest, members, encode, func(id string, data []byte) *wire.Error {
		reply, err := decodeReply(data, wire.DecodeDigestReply, func(p *wire.DigestReply) *wire.Frame { return &p.Frame })
		if err == nil {
			held[id] = reply
		}
		return err
	}) {
		r.failed[id] = err.Message
		r.forgot = r.forgot || err.Code == fault.NotFound
	}
	return held
}

// order makes the order to prove what the members that answered hold differently; all of it when more than documents is, or when they do not say in which slots.
func (r *groupRepair) order(ctx context.Context, at uint64) wire.RepairRequest {
	whole := wire.RepairRequest{At: at, Whole: true}
	if len(r.held) == 1 {
		return whole
	}
	var answered []string
	for _, id := range r.members {
		if r.held[id] != nil {
			answered = append(answered, id)
		}
	}
	first := r.held[answered[0]]
	var documents [][]wire.CollectionDigest
	for _, id := range answered {
		if r.held[id].Rest != first.Rest {
			return whole
		}
		documents = append(documents, r.held[id].Documents)
	}
	told := r.digests(ctx, at, answered, differingCollections(documents))
	if len(told) < len(answered) {
		return whole
	}
	var slots [][]wire.SlotDigests
	for _, id := range answered {
		slots = append(slots, told[id].Slots)
	}
	return wire.RepairRequest{At: at, Slots: differingSlots(slots)}
}

// prove has the members that answered prove and mend what they hold, and waits until each has said what came of it.
func (r *groupRepair) prove(ctx context.Context, order wire.RepairRequest) {
	var open []string
	for _, id := range r.members {
		if r.held[id] != nil {
			open = append(open, id)
		}
	}
	encode := func(h wire.Head) []byte {
		q := order
		q.Head = h
		return wire.AppendRepairRequest(nil, &q)
	}
	silent := map[string]int{}
	for len(open) > 0 && ctx.Err() == nil {
		ended := map[string]*wire.RepairReply{}
		unanswered := r.askEach(ctx, wire.OpRepair, open, encode, func(id string, data []byte) *wire.Error {
			reply, err := decodeReply(data, wire.DecodeRepairReply, func(p *wire.RepairReply) *wire.Frame { return &p.Frame })
			if err == nil && reply.Phase != wire.RepairRunning {
				ended[id] = reply
			}
			return err
		})
		open = slices.DeleteFunc(open, func(id string) bool {
			if unanswered[id] == nil {
				silent[id] = 0
				return ended[id] != nil
			}
			silent[id]++
			return silent[id] >= repairUnanswered
		})
		r.judge(ended)
		if len(open) > 0 {
			waitFor(ctx, repairAgain)
		}
	}
}

// waitFor waits; false when ctx ends before.
func waitFor(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// judge takes what members have proved. Who held something else than one that is right was wrong, also when it could not prove it: it may have mended itself meanwhile.
func (r *groupRepair) judge(ended map[string]*wire.RepairReply) {
	for id, reply := range ended {
		switch reply.Phase {
		case wire.RepairRepaired:
			r.wrong[id] = true
			r.mended += reply.Documents
		case wire.RepairRight:
			r.right[id] = true
			for other, h := range r.held {
				if h.Root != r.held[id].Root {
					r.wrong[other] = true
				}
			}
		case wire.RepairFailed:
			r.unproved = reply.Reason
			r.c.log.Warn("a member could not prove what it holds", "member", id, "reason", reply.Reason)
		}
	}
}
