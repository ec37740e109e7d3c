package shard

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"golang.org/x/sync/errgroup"

	"github.com/jetseek/jetseek/engine"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects"
	"github.com/jetseek/jetseek/subjects/wire"
)

// request is one message to this member, with the time at which it came: what it waits in the queue is taken from its budget.
type request struct {
	msg     *nats.Msg
	op      string
	arrived time.Time
}

// listen subscribes the member's own subject, before anybody can learn that it serves. The NATS callback only queues: a full queue is answered at once.
func (m *Member) listen() (*nats.Subscription, error) {
	own, err := m.opts.Conn.Subscribe(m.opts.Names.Member(m.opts.Group, m.opts.Node, "*"), m.accept)
	if err != nil {
		return nil, fmt.Errorf("subscribe to requests: %w", err)
	}
	if err := m.opts.Conn.FlushTimeout(publishTimeout); err != nil {
		return nil, fmt.Errorf("subscribe to requests: %w", err)
	}
	return own, nil
}

// serve answers requests until ctx ends, then finishes those that were accepted.
func (m *Member) serve(ctx context.Context) error {
	known, err := m.announce()
	if err != nil {
		return err
	}
	defer known.End()
	workers, wctx := errgroup.WithContext(context.WithoutCancel(ctx))
	stop := make(chan struct{})
	for range m.opts.Workers {
		workers.Go(func() error { return m.work(wctx, ctx, stop) })
	}
	m.joinQueue(ctx)
	_ = m.listening.Unsubscribe() // a closed connection has ended it already
	close(stop)
	err = workers.Wait()
	m.parked.Wait()
	m.refuseQueued()
	return err
}

// joinQueue listens to requests for any member of the group for as long as this one is serving.
func (m *Member) joinQueue(ctx context.Context) {
	var sub *nats.Subscription
	leave := func() {
		if sub != nil {
			_ = sub.Unsubscribe()
			sub = nil
		}
	}
	defer leave()
	for {
		state, changed := m.status.watch()
		if state != Serving {
			leave()
		} else if sub == nil {
			var err error
			sub, err = m.opts.Conn.QueueSubscribe(m.opts.Names.Any(m.opts.Group, "*"), subjects.ShardService, m.accept)
			if err != nil {
				m.opts.Log.Warn("requests for any member are not taken", "member", m.id, "error", err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-changed:
		}
	}
}

// accept queues a request. Only a reply subject that is an inbox is answered: no request can aim a member's reply into a log.
func (m *Member) accept(msg *nats.Msg) {
	if !subjects.IsInbox(msg.Reply) {
		return
	}
	op := msg.Subject[strings.LastIndexByte(msg.Subject, '.')+1:]
	if wakes(op) {
		m.rest.need()
	}
	m.enqueue(request{msg: msg, op: op, arrived: time.Now()})
}

func (m *Member) enqueue(r request) {
	select {
	case m.requests <- r:
	default:
		m.refuse(r, fault.New(fault.Overloaded, "member %s has %d requests waiting: try again, or ask another", m.id, queuedRequests))
	}
}

// refuseQueued refuses what was queued behind the workers' end.
func (m *Member) refuseQueued() {
	for {
		select {
		case r := <-m.requests:
			m.refuse(r, m.notServing())
		default:
			return
		}
	}
}

// work answers queued requests, one after the other, until stop is closed and the queue is empty. leaving ends when the member leaves.
func (m *Member) work(ctx, leaving context.Context, stop chan struct{}) error {
	for {
		select {
		case r := <-m.requests:
			m.answer(ctx, leaving, r)
			continue
		default:
		}
		select {
		case r := <-m.requests:
			m.answer(ctx, leaving, r)
		case <-stop:
			return nil
		}
	}
}

// answer works on one request. A panic is that request's error and no one else's.
func (m *Member) answer(ctx, leaving context.Context, r request) {
	defer func() {
		if p := recover(); p != nil {
			if err, ok := p.(error); ok && errors.Is(err, engine.ErrUnreadable) {
				m.refuseUnreadable(r, err)
				return
			}
			m.opts.Log.Error("a request made the member panic", "member", m.id, "op", r.op, "panic", p, "stack", string(debug.Stack()))
			m.refuse(r, wire.NewError(fault.Unavailable, wire.ReasonInternal, "member %s met an internal fault with this request", m.id))
		}
	}()
	var data []byte
	var err error
	if isForPeople(r.msg.Data) {
		data, err = m.answerJSON(ctx, r)
	} else {
		data, err = m.answerBinary(ctx, r)
	}
	var ahead early
	if errors.As(err, &ahead) {
		m.park(leaving, r, ahead.head)
		return
	}
	var sleeping asleep
	if errors.As(err, &sleeping) && wakes(r.op) {
		m.parkUntilRisen(leaving, r, sleeping.budgetMs)
		return
	}
	if errors.As(err, &sleeping) {
		err = m.notServing()
	}
	if errors.Is(err, engine.ErrUnreadable) {
		m.refuseUnreadable(r, err)
		return
	}
	if err != nil {
		m.refuse(r, err)
		return
	}
	m.reply(r, data)
}

// refuseUnreadable takes a member out of rotation whose files cannot be read any more: others of the group answer, and it begins anew.
func (m *Member) refuseUnreadable(r request, err error) {
	m.damaged(err)
	m.refuse(r, err)
}

// reply sends an answer. Coordinators take a large one in frames, people where they ask for them; else it becomes an error, never silence.
func (m *Member) reply(r request, data []byte) {
	limit := m.opts.Conn.MaxPayload()
	switch framed := !isForPeople(r.msg.Data) || r.msg.Header.Get(wire.HeaderFrames) == "1"; {
	case framed && len(data) > wire.MaxReplyBytes:
		m.refuse(r, fault.New(fault.TooLarge, "the answer of %d bytes is larger than %d: ask for fewer documents or fields", len(data), wire.MaxReplyBytes))
		return
	case !framed && !wire.Fits(len(data), limit):
		m.refuse(r, fault.New(fault.TooLarge, "the answer of %d bytes does not fit a message of %d: ask for fewer documents or fields, or for frames with the header %s: 1", len(data), limit, wire.HeaderFrames))
		return
	}
	m.observe(r, nil) // before the reply leaves: who has it finds it counted
	if err := wire.Respond(m.opts.Conn, &nats.Msg{Subject: r.msg.Reply, Data: data}); err != nil {
		m.opts.Log.Debug("a reply could not be sent", "member", m.id, "error", err)
	}
}

// refuse answers with an error, in the form of the request.
func (m *Member) refuse(r request, err error) {
	m.observe(r, err)
	e := wire.FromError(err)
	if !isForPeople(r.msg.Data) {
		_ = r.msg.Respond(wire.AppendError(nil, e)) // nobody is left to tell
		return
	}
	if reply, err := wire.ErrorReply(r.msg.Reply, e); err == nil {
		_ = r.msg.RespondMsg(reply) // as above
	}
}

// isForPeople tells whether a request is in its JSON form; one without a body asks in it.
func isForPeople(data []byte) bool { return len(data) == 0 || wire.IsJSON(data) }
