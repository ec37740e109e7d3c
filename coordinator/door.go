package coordinator

import (
	"bytes"
	"context"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects/ops"
	"github.com/jetseek/jetseek/subjects/wire"
)

// requestsAtATime is how many requests a coordinator works on; one more is refused as overloaded.
const requestsAtATime = 2048

// door lets requests in, while it is open.
type door struct {
	running  chan struct{}  // has room for the requests that are worked on at a time
	accepted sync.WaitGroup // requests whose reply has not left

	mu   sync.RWMutex // guards open
	open bool
}

// enter counts one request more, if the door is open.
func (d *door) enter() bool {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if d.open {
		d.accepted.Add(1)
	}
	return d.open
}

// set opens or shuts the door.
func (d *door) set(open bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open = open
}

// admit has a request answered beside others, and its reply sent; false when the door is shut.
func (c *Coordinator) admit(msg *nats.Msg, collection string, op *operation, send func(reply *nats.Msg)) bool {
	if !c.door.enter() {
		return false
	}
	arrived := time.Now()
	select {
	case c.door.running <- struct{}{}:
	default:
		defer c.door.accepted.Done()
		err := fault.New(fault.Overloaded, "%d requests are being worked on: try again", requestsAtATime)
		c.observe(op, arrived, err)
		send(c.errorReply(msg, err))
		return true
	}
	go func() { // ends with its request; serve waits for it
		defer c.door.accepted.Done()
		defer func() { <-c.door.running }()
		send(c.answer(c.ended, msg, collection, op, arrived))
	}()
	return true
}

// Ask has a request answered in this process, as if it had come as a message over NATS: its reply is what the message would get, in one piece. The body is copied. ctx bounds the
// wait for the reply, and not the work, whose time is that of the headers. The error is ctx's, or [nats.ErrNoResponders] while the coordinator takes no requests, or when the
// subject is none of theirs.
func (c *Coordinator) Ask(ctx context.Context, request *nats.Msg) (*nats.Msg, error) {
	id, collection, ok := ops.Parse(c.names, request.Subject)
	if !ok {
		return nil, nats.ErrNoResponders
	}
	msg := nats.NewMsg(request.Subject)
	for key, values := range request.Header {
		msg.Header[key] = values
	}
	msg.Header.Set(wire.HeaderFrames, "1") // any size is taken
	msg.Data = bytes.Clone(request.Data)
	replies := make(chan *nats.Msg, 1)
	if !c.admit(msg, collection, c.operation(id), func(reply *nats.Msg) { replies <- reply }) {
		return nil, nats.ErrNoResponders
	}
	select {
	case reply := <-replies:
		return reply, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
