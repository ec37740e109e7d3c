package shard

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/jetseek/jetseek/engine"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/schema"
	"github.com/jetseek/jetseek/subjects"
	"github.com/jetseek/jetseek/subjects/wire"
)

const (
	// askTimeout bounds the wait for another member's digests.
	askTimeout = 2 * time.Second
	// askedTimes is how often a member is asked that does not answer, until all is compared with the log.
	askedTimes = 3
	// calmAfter is for how long a member that the log has proved right takes no notice of another that says otherwise: that one is mending itself. It doubles up to
	// calmMost while the other goes on.
	calmAfter = 5 * time.Second
	calmMost  = 10 * time.Minute
	// repairRetry is the pause after a repair that did not work, or a replay that could not be read.
	repairRetry = 2 * time.Second
	// mendedSlots is how many slots are mended one by one; a member in doubt about more is proved and made anew as a whole.
	mendedSlots = engine.Slots / 4
)

// order is to prove what the member held at a mark.
type order struct {
	at   uint64
	only engine.Selection // nil: all of it
}

func (o order) equal(p order) bool {
	return o.at == p.at && (o.only == nil) == (p.only == nil) && o.only.Equal(p.only)
}

// verdict is what became of an order.
type verdict struct {
	order     order
	phase     string // one of package wire's
	documents uint64 // mended
	reason    string
}

// verdicts are the orders that others give, one after the other.
type verdicts struct {
	orders chan order // capacity 1: the one that runs was taken out

	mu   sync.Mutex // guards last
	last verdict    // the one that runs, or the last that ended
}

// give gives an order unless another runs, and tells what is known of it.
func (v *verdicts) give(o order) verdict {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.last.phase != "" && v.last.order.equal(o) {
		return v.last
	}
	now := verdict{order: o, phase: wire.RepairRunning}
	if v.last.phase != wire.RepairRunning {
		v.last = now
		v.orders <- o // has room: none runs
	}
	return now
}

func (v *verdicts) end(result verdict) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.last = result
}

// verify settles doubts and carries out orders, one after the other, until ctx ends. Beside it the member goes on.
func (m *Member) verify(ctx context.Context) error {
	calm := map[string]quiet{}
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-m.unreadable:
			m.rebuild(ctx)
		case o := <-m.verdicts.orders:
			m.verdicts.end(m.judge(ctx, o))
		case d := <-m.doubts:
			m.settle(ctx, d, calm)
		}
	}
}

// quiet is for how long, and until when, a member's word is not listened to.
type quiet struct {
	length     time.Duration
	until      time.Time
	unanswered int // questions, one after the other
}

// errSame says that a member holds the same by now as the one that asks.
var errSame = errors.New("it holds the same")

// settle finds out who is wrong when another member has held something else. Each of them does so for itself.
func (m *Member) settle(ctx context.Context, d doubt, calm map[string]quiet) {
	q := calm[d.by]
	defer func() { calm[d.by] = q }()
	if time.Now().Before(q.until) {
		return
	}
	mine, ok := m.marks.at(d.at)
	if !ok || mine.parts == nil {
		return // the next lease tells of a newer mark
	}
	o := order{at: d.at}
	var err error
	switch o.only, err = m.differing(ctx, mine, d); {
	case errors.Is(err, errSame) || fault.CodeOf(err) == fault.NotFound:
		return // it was mended since, or the mark is too old for it
	case err != nil:
		if q.unanswered++; q.unanswered < askedTimes {
			return // the next lease asks again
		}
		m.opts.Log.Warn("another member holds something else, and does not say in what: all is compared with the log", "member", m.id, "other", d.by, "mark", d.at, "error", err)
	}
	q.unanswered = 0
	m.metrics.divergences.Inc()
	switch v := m.judge(ctx, o); v.phase {
	case wire.RepairRight:
		if at, alone := m.alone(ctx, d.by); alone && o.only == nil {
			m.fail(fmt.Errorf("own_fault: this member alone could not apply operation %s, which %s has applied: its software, memory or disk is at fault; compare versions, then start it again", at, d.by))
			return
		}
		m.opts.Log.Warn("another member holds something else, and a replay of the log proves this one right", "member", m.id, "other", d.by, "mark", d.at, "slots", o.only.Slots())
	case wire.RepairFailed:
		m.opts.Log.Error("members hold different things, and who is wrong is not decided", "member", m.id, "other", d.by, "mark", d.at, "error", v.reason)
	case wire.RepairRepaired:
		q = quiet{}
		return
	}
	q.length = min(max(2*q.length, calmAfter), calmMost)
	q.until = time.Now().Add(q.length)
}

// differing asks another member what it held at a mark, and gives the slots that differ; nil when more than documents does.
func (m *Member) differing(ctx context.Context, mine mark, d doubt) (engine.Selection, error) {
	all, err := m.askDigests(ctx, d, nil)
	if err != nil {
		return nil, err
	}
	if all.Root == mine.root {
		return nil, errSame
	}
	if all.Rest != wire.Digest(mine.parts.Rest()) {
		return nil, nil
	}
	differ := differingCollections(mine.parts.Documents(), all.Documents)
	theirs, err := m.askDigests(ctx, d, differ)
	if err != nil {
		return nil, err
	}
	only := engine.Selection{}
	for _, c := range theirs.Slots {
		slots := make([]engine.SlotDigest, len(c.Slots))
		for i, s := range c.Slots {
			slots[i] = engine.SlotDigest{Slot: s.Slot, Documents: s.Documents, Digest: engine.Digest(s.Digest)}
		}
		if set := engine.DifferingSlots(mine.parts.Slots(c.Collection), slots); set.Count() > 0 {
			only[c.Collection] = set
		}
	}
	if len(only) == 0 {
		return nil, errSame
	}
	return only, nil
}

// differingCollections gives the collections whose documents have another digest; both lists are by incarnation.
func differingCollections(mine []engine.CollectionDigest, theirs []wire.CollectionDigest) []schema.Incarnation {
	other := make(map[schema.Incarnation]wire.Digest, len(theirs))
	for _, c := range theirs {
		other[c.Collection] = c.Digest
	}
	var differ []schema.Incarnation
	for _, c := range mine {
		if other[c.Collection] != wire.Digest(c.Digest) {
			differ = append(differ, c.Collection)
		}
		delete(other, c.Collection)
	}
	for _, c := range theirs {
		if _, left := other[c.Collection]; left {
			differ = append(differ, c.Collection)
		}
	}
	return differ
}

// askDigests asks another member for the digests at a mark.
func (m *Member) askDigests(ctx context.Context, d doubt, collections []schema.Incarnation) (*wire.DigestReply, error) {
	q := wire.DigestRequest{Head: wire.Head{BudgetMs: uint32(askTimeout.Milliseconds())}, At: d.at, Collections: collections}
	data, err := m.askMember(ctx, d.by, wire.OpDigest, wire.AppendDigestRequest(nil, &q))
	if err != nil {
		return nil, err
	}
	reply, err := wire.DecodeDigestReply(data)
	if err == nil && reply.Err != nil {
		return nil, reply.Err
	}
	return reply, err
}

// askMember asks another member of the group for a moment; an error that it answers with is one.
func (m *Member) askMember(ctx context.Context, id, op string, question []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	_, node, ok := subjects.SplitMember(id)
	if !ok || subjects.ValidNode(node) != nil {
		return nil, fmt.Errorf("member %q has no name", id)
	}
	data, err := m.ask(ctx, m.opts.Names.Member(m.opts.Group, node, op), question)
	if err == nil && wire.IsError(data) {
		var e *wire.Error
		if e, err = wire.DecodeError(data); err == nil {
			err = e
		}
	}
	if err != nil {
		return nil, fmt.Errorf("ask member %s for its %s: %w", id, op, err)
	}
	return data, nil
}

// ask sends one request and gives the answer, which may come in frames.
func (m *Member) ask(ctx context.Context, subject string, data []byte) ([]byte, error) {
	inbox := m.opts.Conn.NewInbox()
	sub, err := m.opts.Conn.SubscribeSync(inbox)
	if err != nil {
		return nil, err
	}
	defer func() { _ = sub.Unsubscribe() }()
	if err := m.opts.Conn.PublishMsg(&nats.Msg{Subject: subject, Reply: inbox, Data: data}); err != nil {
		return nil, err
	}
	var joined wire.Joiner
	for {
		msg, err := sub.NextMsgWithContext(ctx)
		if err != nil {
			return nil, err
		}
		whole, err := joined.Add(msg)
		if err != nil {
			return nil, err
		}
		if whole != nil {
			return whole.Data, nil
		}
	}
}
