package coordinator

import (
	"context"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/schema"
	"github.com/jetseek/jetseek/subjects/placement"
	"github.com/jetseek/jetseek/subjects/wire"
)

// adminTimeout is the budget of an operation of the admin plane that names none.
const adminTimeout = 10 * time.Second

func (c *Coordinator) handleSearch(ctx context.Context, collection string, msg *nats.Msg) (answerTo, error) {
	ctx, cancel, err := withCallersBudget(ctx, msg)
	if err != nil {
		return answerTo{}, err
	}
	defer cancel()
	reply, err := c.search(ctx, collection, msg.Data)
	if err != nil {
		return answerTo{}, err
	}
	return answerTo{reply, 200}, nil
}

func (c *Coordinator) handleGet(ctx context.Context, collection string, msg *nats.Msg) (answerTo, error) {
	ctx, cancel, id, err := readIDRequest(ctx, msg, time.Second)
	if err != nil {
		return answerTo{}, err
	}
	defer cancel()
	if err := schema.CheckID(id); err != nil {
		return answerTo{}, err
	}
	reply, err := c.get(ctx, collection, id)
	if err != nil {
		return answerTo{}, err
	}
	return answerTo{reply, 200}, nil
}

// withCallersBudget bounds a request whose body says its timeout by what is left of the caller's time, where the headers say it.
func withCallersBudget(ctx context.Context, msg *nats.Msg) (context.Context, context.CancelFunc, error) {
	budget, ok := header(msg.Header, wire.HeaderBudgetMs)
	if !ok {
		return ctx, func() {}, nil
	}
	d, err := parseTimeout(budget)
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, d)
	return ctx, cancel, nil
}

// readIDRequest reads a body of {"id":…} and the budget from the headers.
func readIDRequest(ctx context.Context, msg *nats.Msg, timeout time.Duration) (context.Context, context.CancelFunc, string, error) {
	ctx, cancel, err := withReadBudget(ctx, msg, timeout)
	if err != nil {
		return nil, nil, "", err
	}
	id, err := wire.DecodeID(msg.Data)
	if err != nil {
		cancel()
		return nil, nil, "", err
	}
	return ctx, cancel, id, nil
}

// withReadBudget gives a read the budget that its headers say, else the timeout.
func withReadBudget(ctx context.Context, msg *nats.Msg, timeout time.Duration) (context.Context, context.CancelFunc, error) {
	if _, given := header(msg.Header, wire.HeaderBudgetMs); given {
		timeout = mostTimeout // the caller says how long it waits: nothing is gained by giving up before
	}
	p, err := readWriteParams(msg.Header, timeout)
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, p.timeout)
	return ctx, cancel, nil
}

func (c *Coordinator) handleIndex(ctx context.Context, collection string, msg *nats.Msg) (answerTo, error) {
	p, err := readWriteParams(msg.Header, defaultWriteTimeout)
	if err != nil {
		return answerTo{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	body, release, err := c.requestBody(ctx, msg, wire.MaxDocumentBytes)
	if err != nil {
		return answerTo{}, err
	}
	defer release()
	reply, err := c.index(ctx, collection, body, p)
	if err != nil {
		return answerTo{}, err
	}
	return answerTo{reply, writeStatus(reply, p.wait)}, nil
}

func (c *Coordinator) handleDelete(ctx context.Context, collection string, msg *nats.Msg) (answerTo, error) {
	p, err := readWriteParams(msg.Header, defaultDeleteTimeout)
	if err != nil {
		return answerTo{}, err
	}
	id, err := wire.DecodeID(msg.Data)
	if err != nil {
		return answerTo{}, err
	}
	reply, err := c.remove(ctx, collection, id, p)
	if err != nil {
		return answerTo{}, err
	}
	return answerTo{reply, writeStatus(reply, p.wait)}, nil
}

func (c *Coordinator) handleBulk(ctx context.Context, collection string, msg *nats.Msg) (answerTo, error) {
	p, err := readWriteParams(msg.Header, defaultWriteTimeout)
	if err != nil {
		return answerTo{}, err
	}
	first, err := firstLine(msg.Header)
	if err != nil {
		return answerTo{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	body, release, err := c.requestBody(ctx, msg, wire.MaxBulkBytes)
	if err != nil {
		return answerTo{}, err
	}
	defer release()
	reply, err := c.bulk(ctx, collection, body, first, p)
	if err != nil {
		return answerTo{}, err
	}
	if !takesFrames(msg) {
		reply.Cut(int(c.conn.MaxPayload()) / 2)
	}
	return answerTo{reply, bulkStatus(reply, p.wait)}, nil
}

// get reads one document from the group that owns its id: what a search there would give.
func (c *Coordinator) get(ctx context.Context, name, id string) (*wire.DocReply, error) {
	for round := 1; ; round++ {
		coll, err := c.collection(ctx, name)
		if err != nil {
			return nil, err
		}
		reply, werr := c.getOnce(ctx, coll, id)
		if werr == nil && reply == nil {
			return nil, fault.New(fault.NotFound, "collection %s has no document %s", name, fault.Quote(id))
		}
		if werr == nil {
			return reply, nil
		}
		stale := werr.Reason == wire.ReasonStaleMap || werr.Reason == wire.ReasonDropped
		if !stale || round == mostRounds || ctx.Err() != nil {
			return nil, werr
		}
		if err := c.refresh(ctx, name); err != nil {
			return nil, err
		}
	}
}

func (c *Coordinator) getOnce(ctx context.Context, coll *collection, id string) (found *wire.DocReply, err *wire.Error) {
	m := c.view.View().Map
	if m == nil {
		return nil, unavailable(reasonNoMap, "no collection was created yet")
	}
	group := m.Owner(placement.Slot(id))
	t := &trip{op: wire.OpGet, targets: []*target{{
		group: group.Name, members: c.membersOf(group.Name, 0),
		head:   wire.Head{Collection: coll.Incarnation, SchemaVersion: coll.Version, Epoch: group.OwnEpoch},
		encode: func(h wire.Head) []byte { return wire.AppendGetRequest(nil, &wire.GetRequest{Head: h, ID: id}) },
		accept: func(data []byte) *wire.Error {
			reply, err := decodeReply(data, wire.DecodeGetReply, func(r *wire.GetReply) *wire.Frame { return &r.Frame })
			if err == nil && reply.Doc.Found {
				found = &wire.DocReply{ID: id, Version: reply.Doc.Version, Seq: reply.Seq, Group: group.Name, Source: reply.Doc.Source}
			}
			return err
		},
	}}}
	c.scatter(ctx, t)
	return found, t.targets[0].err
}
