package coordinator

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/goccy/go-json"
	"github.com/nats-io/nats.go"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects"
	"github.com/jetseek/jetseek/subjects/wire"
)

// answerTo is what a handler gives: the body and its HTTP status.
type answerTo struct {
	body   any
	status int
}

// handler answers one request of the public API. collection is "" on the admin plane.
type handler func(ctx context.Context, collection string, msg *nats.Msg) (answerTo, error)

// serve takes requests until ctx ends, then waits for those that it accepted. Background work they need lives in background.
func (c *Coordinator) serve(ctx, background context.Context, ready func()) error {
	var accepted sync.WaitGroup
	subs := make([]*nats.Subscription, 0, 4)
	take := func(msg *nats.Msg, collection string, h handler) {
		if !subjects.IsInbox(msg.Reply) {
			return
		}
		select {
		case c.running <- struct{}{}:
		default:
			c.respondError(msg, fault.New(fault.Overloaded, "%d requests are being worked on: try again", requestsAtATime))
			return
		}
		accepted.Add(1)
		go func() { // ends with its request; serve waits for it
			defer accepted.Done()
			defer func() { <-c.running }()
			c.answer(background, msg, collection, h)
		}()
	}
	marks, err := c.conn.Subscribe(c.names.AppliedAll(), c.takeWatermark)
	if err != nil {
		return fmt.Errorf("subscribe to watermarks: %w", err)
	}
	defer func() { _ = marks.Unsubscribe() }()
	for plane, subject := range map[string]string{"read": c.names.Read("*", "*"), "write": c.names.Write("*", "*"), "admin": c.names.Admin(">")} {
		sub, err := c.conn.QueueSubscribe(subject, subjects.CoordinatorService, func(msg *nats.Msg) {
			collection, op := c.parseSubject(plane, msg.Subject)
			take(msg, collection, c.handlerOf(plane, op))
		})
		if err != nil {
			return fmt.Errorf("subscribe to requests: %w", err)
		}
		subs = append(subs, sub)
	}
	if err := c.conn.FlushTimeout(5 * time.Second); err != nil && ctx.Err() == nil {
		c.log.Warn("the subscriptions were not confirmed", "error", err)
	}
	if ready != nil {
		ready()
	}
	<-ctx.Done()
	for _, sub := range subs {
		_ = sub.Unsubscribe() // a closed connection has ended it already
	}
	accepted.Wait()
	return nil
}

// parseSubject gives the collection and the operation that a subject names.
func (c *Coordinator) parseSubject(plane, subject string) (collection, op string) {
	rest := strings.TrimPrefix(subject, c.names.Prefix()+"."+plane+".")
	if plane == "admin" {
		return "", rest
	}
	collection, op, _ = strings.Cut(rest, ".")
	return collection, op
}

// handlerOf is the table of operations.
func (c *Coordinator) handlerOf(plane, op string) handler {
	switch plane + "." + op {
	case "read.search":
		return c.handleSearch
	case "read.get":
		return c.handleGet
	case "write.index":
		return c.handleIndex
	case "write.delete":
		return c.handleDelete
	case "write.bulk":
		return c.handleBulk
	case "admin.collections.create":
		return c.handleCreate
	case "admin.collections.list":
		return c.handleList
	case "admin.collections.show":
		return c.handleShow
	case "admin.collections.drop":
		return c.handleDrop
	case "admin.status":
		return c.handleStatus
	case "admin.members":
		return c.handleMembers
	case "admin.ring":
		return c.handleRing
	case "admin.placement":
		return c.handlePlacement
	case "admin.map":
		return c.handleMap
	}
	return func(context.Context, string, *nats.Msg) (answerTo, error) {
		return answerTo{}, fault.New(fault.NotFound, "there is no operation %s.%s", plane, op)
	}
}

// answer works on one request. A panic is that request's error and no one else's.
func (c *Coordinator) answer(ctx context.Context, msg *nats.Msg, collection string, h handler) {
	defer func() {
		if p := recover(); p != nil {
			c.log.Error("a request made the coordinator panic", "subject", msg.Subject, "panic", p, "stack", string(debug.Stack()))
			c.respondError(msg, wire.NewError(fault.Unavailable, wire.ReasonInternal, "an internal fault with this request; it is in the coordinator's log"))
		}
	}()
	if collection != "" {
		if err := subjects.ValidCollection(collection); err != nil {
			c.respondError(msg, err)
			return
		}
	}
	out, err := h(ctx, collection, msg)
	if err != nil {
		c.respondError(msg, err)
		return
	}
	body, err := json.MarshalWithOption(out.body, json.DisableHTMLEscape()) // a source stays as it was sent
	if err != nil {
		c.respondError(msg, fmt.Errorf("encode the reply: %w", err))
		return
	}
	reply := nats.NewMsg(msg.Reply)
	reply.Header.Set(wire.HeaderStatus, fmt.Sprint(out.status))
	reply.Data = body
	c.respond(msg, reply)
}

// respond sends a reply, in frames if it is large and the asker takes them; else a reply that does not fit becomes an error, never silence.
func (c *Coordinator) respond(msg, reply *nats.Msg) {
	limit := c.conn.MaxPayload()
	switch framed := msg.Header.Get(wire.HeaderFrames) == "1"; {
	case framed && len(reply.Data) > wire.MaxReplyBytes:
		c.respondError(msg, fault.New(fault.TooLarge, "the answer of %d bytes is larger than %d: ask for fewer hits, or for fewer fields", len(reply.Data), wire.MaxReplyBytes))
		return
	case !framed && !wire.Fits(len(reply.Data), limit):
		c.respondError(msg, fault.New(fault.TooLarge, "the answer of %d bytes does not fit a message of %d: ask for fewer hits or fields, or for frames with the header %s: 1", len(reply.Data), limit, wire.HeaderFrames))
		return
	}
	if err := wire.Respond(c.conn, reply); err != nil {
		c.log.Debug("a reply could not be sent", "subject", msg.Subject, "error", err)
	}
}

func (c *Coordinator) respondError(msg *nats.Msg, err error) {
	e := wire.FromError(err)
	if e.Reason == wire.ReasonInternal {
		c.log.Error("a request failed", "subject", msg.Subject, "error", err)
	}
	body, err := json.Marshal(e.Body())
	if err != nil {
		return
	}
	reply := nats.NewMsg(msg.Reply)
	reply.Header.Set(wire.HeaderStatus, fmt.Sprint(e.Status()))
	reply.Header.Set("Nats-Service-Error", strings.Map(printable, e.Message))
	reply.Header.Set("Nats-Service-Error-Code", fmt.Sprint(e.Status()))
	reply.Data = body
	_ = msg.RespondMsg(reply) // nobody is left to tell
}

// printable keeps what may stand in a header.
func printable(r rune) rune {
	if r < ' ' || r == 0x7f {
		return ' '
	}
	return r
}
