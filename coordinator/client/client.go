package client

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/jetseek/jetseek/subjects"
)

// Options say how to reach a cluster. The zero value is a cluster with the default prefix.
type Options struct {
	// Prefix begins every subject of the cluster. "": jetseek.
	Prefix string
	// RequestIDs gives every index and delete that has no request id a made one, so that it is sent again when its answer was lost, and its first outcome counts. The price:
	// a group remembers 65,536 writes that have an id, so callers' own are forgotten sooner. Bulks get none: one could push out all others.
	RequestIDs bool
	// Local, when set, answers requests in the client's own process, without NATS. Those for which it gives [nats.ErrNoResponders] go over NATS, and those larger than a message do
	// always. It must not keep the request when it has returned.
	Local func(ctx context.Context, request *nats.Msg) (reply *nats.Msg, err error)
}

// Client calls the coordinators of one cluster. It is safe for concurrent use. The connection stays its caller's to close, and that ends the
// client's one goroutine, which follows whether the connection is up.
type Client struct {
	nc      *nats.Conn
	names   subjects.Names
	link    *link
	inbox   inbox
	objects objects
	silent  allowance
	makeIDs bool
	local   func(context.Context, *nats.Msg) (*nats.Msg, error) // nil: none
}

// New makes a client over an open connection.
func New(nc *nats.Conn, o Options) (*Client, error) {
	if nc == nil {
		return nil, fmt.Errorf("client: no NATS connection")
	}
	var names subjects.Names
	if o.Prefix != "" {
		var err error
		if names, err = subjects.New(o.Prefix); err != nil {
			return nil, fmt.Errorf("client: %w", err)
		}
	}
	return &Client{nc: nc, names: names, link: follow(nc), makeIDs: o.RequestIDs, local: o.Local}, nil
}

// Names gives the subjects of the client's cluster, for [Client.Do].
func (c *Client) Names() subjects.Names { return c.names }

// longestBudget is the most that a coordinator is asked to take.
const longestBudget = 10 * time.Minute

// within gives ctx a deadline if it has none. A call's budget is that of its operation ([ops.ID.Budget]) unless it names one.
func within(ctx context.Context, budget time.Duration) (context.Context, context.CancelFunc) {
	if _, ok := ctx.Deadline(); ok {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, budget)
}
