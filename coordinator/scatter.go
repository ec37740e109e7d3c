package coordinator

import (
	"context"
	"fmt"
	"time"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects"
	"github.com/jetseek/jetseek/subjects/wire"
)

const (
	// mostAttempts is how many requests a group is sent in one trip.
	mostAttempts = 8
	// secondLook is the pause before a group all of whose members seem to be gone is asked once more: interest in a subject travels from server to
	// server, and a member that has just started may look absent for a moment.
	secondLook = 25 * time.Millisecond
	// firstTry and longestTry bound how long one member is waited for before the next is asked; in between it is a share of what is left.
	firstTry   = 20 * time.Millisecond
	longestTry = 2 * time.Second
)

// trip is one scatter: the same question to one member of each of several groups, with another member asked where one does not answer.
type trip struct {
	op      string
	targets []*target
}

// target is one group of a trip.
type target struct {
	group   string
	head    wire.Head                     // without call, slot and budget
	members []string                      // nodes, in the order in which they are asked
	encode  func(h wire.Head) []byte      // the request
	accept  func(data []byte) *wire.Error // the reply; an error asks the next member, unless it is final
	held    bool                          // every member may hold the snapshot that is asked for: that one does not is not final

	node     string // who answered
	done     bool
	err      *wire.Error // why it failed, or nil
	asked    int         // requests sent; the n-th went to members[n % len(members)]
	looked   bool        // it is being asked for the second time
	pausing  bool        // deadline is the end of a pause
	deadline time.Time   // of the request that was sent last, or the end of the pause before the next
}

// due gives the index of the member that is asked next, or false when none is left.
func (t *target) due() (int, bool) {
	most := len(t.members)
	if t.looked {
		most *= 2
	}
	if t.asked >= min(most, mostAttempts) {
		return 0, false
	}
	return t.asked % len(t.members), true
}

// last is the member that was asked last.
func (t *target) last() string {
	return subjects.MemberID(t.group, t.members[(t.asked-1)%len(t.members)])
}

// final tells whether an error would be the same from any member.
func final(e *wire.Error) bool {
	switch {
	case e.Reason == wire.ReasonStaleMap, e.Reason == wire.ReasonPinLost, e.Reason == wire.ReasonDropped:
		return true // the whole question has to be planned anew
	case e.Code == fault.Unavailable, e.Code == fault.Overloaded, e.Code == fault.Deadline:
		return false
	}
	return true
}

// scatter asks all targets and returns when each has an answer, a final error, or no member left, or when ctx ends.
func (c *Coordinator) scatter(ctx context.Context, t *trip) (retried int) {
	g := c.mux.begin(len(t.targets) * mostAttempts)
	defer c.mux.end(g)
	open := 0
	for i := range t.targets {
		if c.ask(ctx, t, g, i) {
			open++
		}
	}
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for open > 0 {
		timer.Reset(time.Until(t.next()))
		select {
		case a := <-g.answers:
			if i := int(a.slot) % len(t.targets); c.take(ctx, t, g, i, a) {
				open--
			}
		case <-timer.C:
			now := time.Now()
			for i, target := range t.targets {
				if target.done || now.Before(target.deadline) {
					continue
				}
				if !target.pausing {
					c.suspects.add(target.last())
					target.err = wire.FromError(fault.New(fault.Deadline, "member %s did not answer in time", target.last()))
				}
				if !c.ask(ctx, t, g, i) {
					open--
				}
			}
		case <-ctx.Done():
			for _, target := range t.targets {
				if !target.done {
					target.done = true
					if target.asked > 0 {
						c.suspects.add(target.last())
					}
					target.err = wire.FromError(fault.New(fault.Deadline, "group %s did not answer in time", target.group))
				}
			}
			open = 0
		}
	}
	for _, target := range t.targets {
		retried += max(0, target.asked-1)
		c.metrics.scatters.WithLabelValues(t.op).Add(float64(target.asked))
	}
	c.metrics.scatterRetries.WithLabelValues(t.op).Add(float64(retried))
	return retried
}

// next is the earliest moment at which a target's next member is due.
func (t *trip) next() time.Time {
	var next time.Time
	for _, target := range t.targets {
		if !target.done && (next.IsZero() || target.deadline.Before(next)) {
			next = target.deadline
		}
	}
	return next
}

// ask sends a target's request to its next member; false, and the target done, when there is none left.
func (c *Coordinator) ask(ctx context.Context, t *trip, g *gather, i int) bool {
	target := t.targets[i]
	target.pausing = false
	left := time.Until(deadlineOf(ctx))
	for member, ok := target.due(); ok && left > 0; member, ok = target.due() {
		node := target.members[member]
		slot := uint32(target.asked*len(t.targets) + i)
		target.asked++
		target.deadline = time.Now().Add(patience(left, len(target.members)-1-member))
		head := target.head
		head.Call, head.Round, head.Slot, head.BudgetMs = g.call, g.round, slot, uint32(max(left.Milliseconds(), 1))
		reply := subjects.ReplySubject(c.mux.inbox, subjects.Call{ID: g.call, Round: g.round, Slot: slot})
		data := target.encode(head)
		if limit := c.conn.MaxPayload(); int64(len(data)) > limit {
			target.done, target.err = true, wire.FromError(fault.New(fault.TooLarge, "the query of %d bytes does not fit a message of %d: make it smaller", len(data), limit))
			return false
		}
		err := c.conn.PublishRequest(c.names.Member(target.group, node, t.op), reply, data)
		if err == nil {
			c.metrics.scatterBytes.WithLabelValues("sent").Add(float64(len(data)))
			return true
		}
		target.err = unavailable(reasonNoNATS, "NATS cannot be reached: %v", err)
	}
	target.done = true
	if target.err == nil {
		target.err = unavailable(reasonNoMember, "no member of group %s serves", target.group)
	}
	return false
}

// patience is how long a member is waited for before the next of so many others is asked.
func patience(left time.Duration, others int) time.Duration {
	if others == 0 {
		return left
	}
	return min(max(left/time.Duration(others+2), firstTry), longestTry, left)
}

// take takes an answer; it tells whether the target is done by it.
func (c *Coordinator) take(ctx context.Context, t *trip, g *gather, i int, a answer) bool {
	target := t.targets[i]
	attempt := int(a.slot) / len(t.targets)
	if target.done || attempt >= target.asked {
		return false
	}
	node := target.members[attempt%len(target.members)]
	id := subjects.MemberID(target.group, node)
	var err *wire.Error
	switch {
	case a.err != nil:
		err = unavailable("malformed", "member %s: %v", id, a.err)
	case a.noResponders:
		c.suspects.add(id)
		err = unavailable(reasonNoMember, "member %s is not there", id)
	default:
		c.metrics.scatterBytes.WithLabelValues("received").Add(float64(len(a.data)))
		err = target.accept(a.data)
	}
	if err == nil {
		c.suspects.clear(id)
		target.done, target.err, target.node = true, nil, node
		return true
	}
	target.err = err
	if final(err) && !(target.held && err.Reason == wire.ReasonPinLost) {
		target.done = true
		return true
	}
	if attempt+1 < target.asked {
		return false // a later member is being waited for
	}
	if _, ok := target.due(); !ok && a.noResponders && !target.looked {
		target.looked, target.pausing = true, true
		target.deadline = time.Now().Add(secondLook)
		return false
	}
	return !c.ask(ctx, t, g, i)
}

// decodeReply decodes a member's reply with the given decoder, or the error that came instead.
func decodeReply[T any](data []byte, decode func([]byte) (*T, error), frame func(*T) *wire.Frame) (*T, *wire.Error) {
	if wire.IsError(data) {
		e, err := wire.DecodeError(data)
		if err != nil {
			return nil, unavailable("malformed", "a member's error does not decode: %v", err)
		}
		return nil, e
	}
	reply, err := decode(data)
	if err != nil {
		return nil, unavailable("malformed", "a member's reply does not decode: %v", err)
	}
	if f := frame(reply); f.Err != nil {
		return nil, f.Err
	}
	return reply, nil
}

func deadlineOf(ctx context.Context) time.Time {
	d, ok := ctx.Deadline()
	if !ok {
		panic(fmt.Sprintf("coordinator: a trip without a deadline: %v", ctx))
	}
	return d
}
