package client

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nuid"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects/ops"
	"github.com/jetseek/jetseek/subjects/wire"
)

// A coordinator, or the NATS server of one end, may die while a request is under way, and nobody says so. So a request that may be repeated is sent again, once,
// within the deadline of its caller: when the connection is lost, and beside the first when that is silent for half the time; then the reply that comes first counts.
// What certainly reached nobody is sent again until [patience] is over.

const (
	// mostSendings is how often a request goes out that somebody may have got.
	mostSendings = 2
	// patience is how long a call waits for a connection, or for anybody who answers, from when it misses it: longer than clients and coordinators need to
	// reach another NATS server, and short enough to say within a second that there is none.
	patience = 800 * time.Millisecond
	// lookAgain is the pause before a request is sent again that reached nobody.
	lookAgain = 25 * time.Millisecond
	// lookAgainBeside is the same while an earlier sending has no answer yet.
	lookAgainBeside = 250 * time.Millisecond
)

// Of calls that are answered late, no more than one in silentShare is sent again in the long run, and silentBurst at once: a system that is slow is not to get twice the load.
const (
	silentShare = 10
	silentBurst = 100
)

// allowance is what calls have earned for sending again on silence.
type allowance struct {
	mu    sync.Mutex // guards spent
	spent int        // in shares of a sending, at most silentBurst*silentShare
}

// earn is for each call.
func (a *allowance) earn() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.spent = max(0, a.spent-1)
}

// take tells whether a request may be sent again on silence.
func (a *allowance) take() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.spent+silentShare > silentBurst*silentShare {
		return false
	}
	a.spent += silentShare
	return true
}

// repeatable tells whether it is safe to do a request twice: a read, or a write that its request id makes one. A body in the object store is taken from there once.
func (r Request) repeatable() bool {
	return r.Header.Get(wire.HeaderObject) == "" && (!r.Write || r.Header.Get(wire.HeaderRequestID) != "")
}

// withRequestID gives a write of one document a made request id, if the client is to and the caller has not.
func (c *Client) withRequestID(r Request) Request {
	if !c.makeIDs || !r.Write || r.Header.Get(wire.HeaderRequestID) != "" {
		return r
	}
	if id, _ := ops.Write.Parse(c.names, r.Subject); id != ops.Index && id != ops.Delete {
		return r
	}
	return r.with(wire.HeaderRequestID, nuid.Next())
}

// exchange is one request on its way: up to two sendings whose replies may come.
type exchange struct {
	client   *Client
	request  Request
	deadline time.Time
	until    time.Time    // when patience ends; zero while nothing was missed
	sent     int          // sendings that somebody may have got
	waiting  int          // of these, those whose reply may still come
	replies  chan arrival // has room for those that may come at a time
	tokens   []string     // of the sendings, in the inbox
	late     *time.Timer  // when silence becomes too long; nil: the request is not sent again
	allowed  bool         // the allowance was asked
}

// exchange sends a request until it has a reply, or an error that is final.
func (c *Client) exchange(ctx context.Context, r Request, deadline time.Time) (Reply, error) {
	x := &exchange{client: c, request: r, deadline: deadline, replies: make(chan arrival, mostSendings)}
	defer x.end()
	c.silent.earn()
	if r.repeatable() {
		x.late = time.NewTimer(time.Until(deadline) / 2)
	}
	for {
		up, err := x.connected(ctx)
		if err != nil {
			return Reply{}, x.failed(ctx, err)
		}
		err = x.send()
		var reply *nats.Msg
		if err == nil {
			reply, err = x.wait(ctx, up)
		}
		if err == nil {
			return x.settle(readReply(reply))
		}
		if !x.again(ctx, err) {
			return Reply{}, x.failed(ctx, err)
		}
	}
}

// connected waits for the connection, and gives what ends when it is lost.
func (x *exchange) connected(ctx context.Context) (up context.Context, err error) {
	up, back, lost := x.client.link.state()
	if up.Err() == nil {
		return up, nil
	}
	if x.until.IsZero() {
		x.until = lost.Add(patience)
	}
	timer := time.NewTimer(time.Until(x.until))
	defer timer.Stop()
	select {
	case <-back:
		up, _, _ = x.client.link.state()
		return up, nil
	case <-timer.C:
		return nil, errNoConnection
	case <-ctx.Done():
		return nil, errNoConnection
	}
}

// send lets the request out, with the time that is left as its budget.
func (x *exchange) send() error {
	msg := x.request.message(time.Until(x.deadline))
	token, err := x.client.inbox.send(x.client.nc, msg, x.replies)
	if err != nil {
		return err
	}
	x.tokens = append(x.tokens, token)
	x.sent++
	x.waiting++
	return nil
}

// wait gives the first reply. On silence it sends once more, and goes on to wait for either.
func (x *exchange) wait(ctx, up context.Context) (*nats.Msg, error) {
	var late <-chan time.Time
	if x.late != nil {
		late = x.late.C
	}
	for {
		select {
		case a := <-x.replies:
			x.waiting--
			if !errors.Is(a.err, nats.ErrNoResponders) {
				return a.msg, a.err
			}
			x.sent--
			if x.waiting == 0 {
				return nil, a.err
			}
			x.late.Reset(lookAgainBeside)
		case <-up.Done():
			x.forget()
			return nil, errLost
		case <-late:
			if x.sent < mostSendings && x.mayRepeat() {
				_ = x.send() // the first reply may still come
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// mayRepeat asks the allowance, once.
func (x *exchange) mayRepeat() bool {
	x.allowed = x.allowed || x.client.silent.take()
	return x.allowed
}

// again tells whether the request is to be sent again after an error, and waits for the time to do so.
func (x *exchange) again(ctx context.Context, err error) bool {
	if x.until.IsZero() {
		x.until = time.Now().Add(patience)
	}
	switch {
	case errors.Is(err, errLost):
		return x.late != nil && x.sent < mostSendings
	case errors.Is(err, nats.ErrNoResponders):
		return time.Until(x.until) > lookAgain && pause(ctx, lookAgain)
	}
	return false
}

// pause waits, and tells whether ctx has not ended meanwhile.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// settle gives a reply to the caller. That a write was not stored is no longer certain when another sending of it has no answer.
func (x *exchange) settle(reply Reply) (Reply, error) {
	if !x.request.Write || !reply.failed || x.sent < mostSendings {
		return reply, nil
	}
	e := wire.FromError(reply.Err())
	if e.Durable == wire.NotDurable {
		e.Durable = wire.DurableUnknown
		return Reply{}, e
	}
	return reply, nil
}

// failed is the error of a request without a reply.
func (x *exchange) failed(ctx context.Context, cause error) error {
	switch {
	case x.sent > 0 && errors.Is(cause, errNoConnection):
		cause = errLost
	case x.sent > 0 && errors.Is(cause, nats.ErrNoResponders):
		e := wire.NewError(fault.Unavailable, ReasonNoCoordinator, "the coordinator that had the request has ended, and no other answers")
		x.request.doubt(e)
		return e
	case errors.Is(cause, errNoConnection) && ctx.Err() != nil:
		return x.request.tooLate(ctx)
	case errors.Is(cause, errNoConnection):
		return x.request.unsent(fault.Unavailable, ReasonNoNATS, "no connection to NATS")
	}
	return x.client.unanswered(ctx, x.request, cause)
}

// end lets replies that come later find nobody.
func (x *exchange) end() {
	if x.late != nil {
		x.late.Stop()
	}
	x.client.inbox.forget(x.tokens)
}

// forget gives up the replies that may still come: they have no way back.
func (x *exchange) forget() {
	x.client.inbox.forget(x.tokens)
	x.tokens, x.waiting, x.replies = nil, 0, make(chan arrival, mostSendings)
}

// message makes the message of a request, for the time that is left.
func (r Request) message(left time.Duration) *nats.Msg {
	msg := nats.NewMsg(r.Subject)
	msg.Data = r.Body
	for k, v := range r.Header {
		msg.Header[k] = v
	}
	msg.Header.Set(wire.HeaderBudgetMs, strconv.FormatInt(budget(left).Milliseconds(), 10))
	return msg
}
