package coordinator

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/goccy/go-json"
	"github.com/nats-io/nats.go"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects"
	"github.com/jetseek/jetseek/subjects/ops"
	"github.com/jetseek/jetseek/subjects/wire"
)

// answerTo is what a handler gives: the body and its HTTP status.
type answerTo struct {
	body   any
	status int
}

// serve takes requests until ctx ends, then waits for those that it accepted.
func (c *Coordinator) serve(ctx context.Context, ready func()) error {
	subs := make([]*nats.Subscription, 0, 4)
	c.door.set(true)
	defer c.door.accepted.Wait()
	defer c.door.set(false)
	marks, err := c.conn.Subscribe(c.names.AppliedAll(), c.takeWatermark)
	if err != nil {
		return fmt.Errorf("subscribe to watermarks: %w", err)
	}
	defer func() { _ = marks.Unsubscribe() }()
	for _, plane := range []ops.Plane{ops.Read, ops.Write, ops.Admin} {
		sub, err := c.conn.QueueSubscribe(plane.All(c.names), subjects.CoordinatorService, func(msg *nats.Msg) {
			if !subjects.IsInbox(msg.Reply) {
				return
			}
			id, collection := plane.Parse(c.names, msg.Subject)
			c.admit(msg, collection, c.operation(id), c.send)
		})
		if err != nil {
			return fmt.Errorf("subscribe to requests: %w", err)
		}
		subs = append(subs, sub)
	}
	known, err := c.announce()
	if err != nil {
		return err
	}
	defer known.End()
	if err := c.conn.FlushTimeout(5 * time.Second); err != nil && ctx.Err() == nil {
		c.log.Warn("the subscriptions were not confirmed", "error", err)
	}
	if ready != nil {
		ready()
	}
	<-ctx.Done()
	drain(subs)
	return nil
}

// drainTime bounds the wait for the server's word that no more requests come.
const drainTime = 2 * time.Second

// drain ends subscriptions, and waits until what had come to them was handed out: another coordinator does not get those requests.
func drain(subs []*nats.Subscription) {
	limit := time.NewTimer(drainTime)
	defer limit.Stop()
	for _, sub := range subs {
		ended := make(chan struct{})
		sub.SetClosedHandler(func(string) { close(ended) })
		if sub.Drain() != nil {
			continue // a closed connection has ended it already
		}
		select {
		case <-ended:
		case <-limit.C:
			return
		}
	}
}

// answer works on one request, counts it and gives its reply. A panic is that request's error and no one else's.
func (c *Coordinator) answer(ctx context.Context, msg *nats.Msg, collection string, op *operation, arrived time.Time) *nats.Msg {
	reply, err := c.work(ctx, msg, collection, op)
	if err == nil {
		err = c.fits(msg, reply)
	}
	c.observe(op, arrived, err) // before the reply leaves: who has it finds it counted
	if err != nil {
		return c.errorReply(msg, err)
	}
	return reply
}

// send sends a reply over NATS. When it cannot, nobody is left to tell.
func (c *Coordinator) send(reply *nats.Msg) {
	if err := wire.Respond(c.conn, reply); err != nil {
		c.log.Debug("a reply could not be sent", "error", err)
	}
}

// work makes the reply to one request.
func (c *Coordinator) work(ctx context.Context, msg *nats.Msg, collection string, op *operation) (reply *nats.Msg, err error) {
	defer func() {
		if p := recover(); p != nil {
			c.log.Error("a request made the coordinator panic", "subject", msg.Subject, "panic", p, "stack", string(debug.Stack()))
			err = wire.NewError(fault.Unavailable, wire.ReasonInternal, "an internal fault with this request; it is in the coordinator's log")
		}
	}()
	if collection != "" {
		if err := subjects.ValidCollection(collection); err != nil {
			return nil, err
		}
	}
	out, err := op.handle(ctx, collection, msg)
	if err != nil {
		return nil, err
	}
	body, err := json.MarshalWithOption(out.body, json.DisableHTMLEscape()) // a source stays as it was sent
	if err != nil {
		return nil, fmt.Errorf("encode the reply: %w", err)
	}
	reply = nats.NewMsg(msg.Reply)
	reply.Header.Set(wire.HeaderStatus, fmt.Sprint(out.status))
	reply.Data = body
	return reply, nil
}

// fits tells whether a reply can be sent: in frames if it is large and the asker takes them. What cannot becomes an error, never silence.
func (c *Coordinator) fits(msg, reply *nats.Msg) error {
	limit := c.conn.MaxPayload()
	switch framed := takesFrames(msg); {
	case framed && len(reply.Data) > wire.MaxReplyBytes:
		return fault.New(fault.TooLarge, "the answer of %d bytes is larger than %d: ask for fewer hits, or for fewer fields", len(reply.Data), wire.MaxReplyBytes)
	case !framed && !wire.Fits(len(reply.Data), limit):
		return fault.New(fault.TooLarge, "the answer of %d bytes does not fit a message of %d: ask for fewer hits or fields, or for frames with the header %s: 1", len(reply.Data), limit, wire.HeaderFrames)
	}
	return nil
}

// takesFrames tells whether the asker takes a reply in frames.
func takesFrames(msg *nats.Msg) bool { return msg.Header.Get(wire.HeaderFrames) == "1" }

// errorReply is the reply to a request that failed.
func (c *Coordinator) errorReply(msg *nats.Msg, err error) *nats.Msg {
	e := wire.FromError(err)
	if e.Reason == wire.ReasonInternal {
		c.log.Error("a request failed", "subject", msg.Subject, "error", err)
	}
	reply, err := wire.ErrorReply(msg.Reply, e)
	if err != nil {
		c.log.Error("an error could not be encoded", "subject", msg.Subject, "error", err)
		return nats.NewMsg(msg.Reply) // says neither success nor error, which readers take for a failure
	}
	return reply
}
