package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/textproto"
	"strconv"
	"time"

	"github.com/goccy/go-json"
	"github.com/nats-io/nats.go"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects/wire"
)

// Reasons of unavailable that the client itself gives.
const (
	// ReasonNoCoordinator: nobody answers on the subject.
	ReasonNoCoordinator = "no_coordinator"
	// ReasonNoNATS: the connection to the NATS server is down.
	ReasonNoNATS = "no_nats"
	// ReasonBadReply: a reply came that this client cannot read.
	ReasonBadReply = "bad_reply"
)

// Request is one raw call.
type Request struct {
	Subject string
	Header  nats.Header // may be nil; Do adds the budget
	Body    []byte
	Write   bool // a failure says whether the write can have been stored, and it is sent again only under a request id
}

// Reply is what came back: a success or the error of a coordinator.
type Reply struct {
	Status int // as HTTP has it
	Header nats.Header
	Body   []byte
	failed bool
}

// Err gives the error that the reply carries, or nil for a success. A version conflict of a write is a success here: its body is a [wire.WriteReply].
func (r Reply) Err() error {
	if !r.failed {
		return nil
	}
	e := new(wire.Error)
	if err := json.Unmarshal(r.Body, e); err != nil {
		return wire.NewError(fault.Unavailable, ReasonBadReply, "the coordinator failed: %s", fault.Quote(r.Header.Get(wire.HeaderServiceError)))
	}
	return e
}

// Do sends one request and waits for its reply until ctx ends; ctx must have a deadline. The error is for what kept a reply from coming and is a
// *[wire.Error]: unavailable, deadline, or too_large before anything was sent. A reply that carries an error comes back as a reply. A read, and a write with a request id,
// is sent again when its answer was lost; what reached nobody is sent again in any case.
func (c *Client) Do(ctx context.Context, r Request) (Reply, error) {
	deadline, ok := ctx.Deadline()
	if !ok {
		panic("client: Do wants a context with a deadline")
	}
	if ctx.Err() != nil {
		return Reply{}, r.tooLate(ctx)
	}
	r = c.withRequestID(r)
	if size(r.message(time.Until(deadline))) > c.nc.MaxPayload() {
		return c.doLarge(ctx, r)
	}
	if c.local != nil {
		reply, err := c.local(ctx, r.message(time.Until(deadline)))
		switch {
		case err == nil:
			return readReply(reply), nil
		case !errors.Is(err, nats.ErrNoResponders):
			return Reply{}, c.unanswered(ctx, r, err)
		}
	}
	return c.exchange(ctx, r, deadline)
}

// MaxRequest is how many bytes a request's body may have at present, beside headers of some hundred bytes.
func (c *Client) MaxRequest() int64 { return max(0, c.nc.MaxPayload()-headerRoom) }

// headerRoom is what is kept free for a request's headers; an id has up to 1,024 bytes, and three times that when escaped.
const headerRoom = 4 << 10

// budget is the part of what is left that a coordinator gets: a twentieth stays here, for the way back, within 1 and 100 ms.
func budget(left time.Duration) time.Duration {
	left -= min(max(left/20, time.Millisecond), 100*time.Millisecond)
	return min(max(left, time.Millisecond), longestBudget)
}

// size counts a message as the server's limit does: headers and data.
func size(m *nats.Msg) int64 {
	const frame = len("NATS/1.0\r\n") + len("\r\n")
	n := frame + len(m.Data)
	for k, vs := range m.Header {
		for _, v := range vs {
			n += len(k) + len(": ") + len(textproto.TrimString(v)) + len("\r\n")
		}
	}
	return int64(n)
}

// readReply tells a success from an error by the headers; a reply that says neither is an error of the other side.
func readReply(m *nats.Msg) Reply {
	if code := m.Header.Get(wire.HeaderServiceErrorCode); code != "" {
		status, err := strconv.Atoi(code)
		if err != nil || status < 400 || status > 599 || status == 500 {
			status = fault.Unavailable.Status()
		}
		return Reply{Status: status, Header: m.Header, Body: m.Data, failed: true}
	}
	status, err := strconv.Atoi(m.Header.Get(wire.HeaderStatus))
	if err != nil || status < 200 || status > 599 {
		return Reply{Status: fault.Unavailable.Status(), Header: m.Header, failed: true}
	}
	return Reply{Status: status, Header: m.Header, Body: m.Data}
}

// unsent is the error of a request that certainly did not leave.
func (r Request) unsent(code fault.Code, reason, format string, args ...any) error {
	e := wire.NewError(code, reason, format, args...)
	if r.Write {
		e.Durable = wire.NotDurable
	}
	return e
}

// tooLate is the error of a request whose time was over before it could leave.
func (r Request) tooLate(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return fmt.Errorf("%w: %w", r.unsent(fault.Unavailable, wire.ReasonCanceled, "the caller gave up"), context.Cause(ctx))
	}
	return fmt.Errorf("%w: %w", r.unsent(fault.Deadline, "", "the time given was over before the request was sent"), context.Cause(ctx))
}

// unanswered is the error of a request without a reply. Only a refusal by the NATS server itself proves that a write was not stored.
func (c *Client) unanswered(ctx context.Context, r Request, cause error) error {
	switch {
	case errors.Is(cause, nats.ErrNoResponders):
		return r.unsent(fault.Unavailable, ReasonNoCoordinator, "no coordinator answers; is one running on this NATS server?")
	case errors.Is(cause, nats.ErrMaxPayload): // it shrank since Do looked
		return r.unsent(fault.TooLarge, "", "more than a message of this NATS server takes (max_payload, %d bytes)", c.nc.MaxPayload())
	}
	var e *wire.Error
	switch {
	case errors.Is(cause, errLost):
		e = wire.NewError(fault.Unavailable, ReasonNoNATS, "no answer: %v", errLost)
	case errors.Is(cause, context.DeadlineExceeded) && c.refusal(r.Subject) != "":
		e = wire.NewError(fault.Forbidden, "", "no answer: %s", c.refusal(r.Subject))
	case errors.Is(cause, context.DeadlineExceeded):
		e = wire.NewError(fault.Deadline, "", "no answer within the time given")
	case errors.Is(cause, context.Canceled):
		e = wire.NewError(fault.Unavailable, wire.ReasonCanceled, "the caller gave up")
	default:
		e = wire.NewError(fault.Unavailable, ReasonNoNATS, "the request was lost: %v", cause)
	}
	r.doubt(e)
	if cause := context.Cause(ctx); cause != nil {
		return fmt.Errorf("%w: %w", e, cause)
	}
	return e
}

// doubt says in the error of a write that it may have been stored.
func (r Request) doubt(e *wire.Error) {
	if r.Write {
		e.Durable = wire.DurableUnknown
	}
}

// call does a request and decodes the success into out. It gives the reply's status.
func (c *Client) call(ctx context.Context, r Request, out any) (int, error) {
	reply, err := c.Do(ctx, r)
	if err != nil {
		return 0, err
	}
	if err := reply.Err(); err != nil {
		return reply.Status, err
	}
	d := json.NewDecoder(bytes.NewReader(reply.Body))
	d.UseNumber() // sort values of long fields stay whole
	if err := d.Decode(out); err != nil {
		return reply.Status, wire.NewError(fault.Unavailable, ReasonBadReply, "unreadable reply: %v", err)
	}
	return reply.Status, nil
}
