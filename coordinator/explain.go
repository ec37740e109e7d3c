package coordinator

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/schema"
	"github.com/jetseek/jetseek/subjects/placement"
	"github.com/jetseek/jetseek/subjects/wire"
)

func (c *Coordinator) handleExplain(ctx context.Context, collection string, msg *nats.Msg) (answerTo, error) {
	ctx, cancel, err := withReadBudget(ctx, msg, time.Second)
	if err != nil {
		return answerTo{}, err
	}
	defer cancel()
	body, err := wire.DecodeExplain(msg.Data)
	if err != nil {
		return answerTo{}, err
	}
	if err := schema.CheckID(body.ID); err != nil {
		return answerTo{}, err
	}
	reply, err := c.explain(ctx, collection, body)
	if err != nil {
		return answerTo{}, err
	}
	return answerTo{reply, 200}, nil
}

// explain takes the score that a search gives a document apart. Like a search it begins again when a member was lost between two trips or the map has changed.
func (c *Coordinator) explain(ctx context.Context, name string, body *wire.ExplainBody) (*wire.ExplainResponse, error) {
	for round := 1; ; round++ {
		coll, err := c.collection(ctx, name)
		if err != nil {
			return nil, err
		}
		p, err := planSearch(coll, body.Search())
		if err != nil {
			return nil, err
		}
		out := &answered{plan: p}
		reply, err := c.explainRound(ctx, out, body.ID)
		if err == nil || !out.again || round == mostRounds || ctx.Err() != nil {
			return reply, err
		}
		if out.stale {
			if err := c.refresh(ctx, name); err != nil {
				return nil, err
			}
		}
	}
}

// explainRound gathers the statistics of all groups, of which none may be missing, and asks the owner of the document at the snapshot that its own came from.
func (c *Coordinator) explainRound(ctx context.Context, out *answered, id string) (*wire.ExplainResponse, error) {
	m, p := c.view.View().Map, out.plan
	if m == nil {
		return nil, unavailable(reasonNoMap, "no collection was created yet")
	}
	for _, g := range m.Groups {
		out.parts = append(out.parts, &part{group: g})
	}
	if err := c.readLikes(ctx, out); err != nil {
		return nil, err
	}
	var stats bm25.Stats
	if p.needsStats() {
		var err error
		if stats, err = c.gatherStats(ctx, out); err != nil {
			return nil, err
		}
		for _, part := range out.parts {
			if part.err != nil {
				return nil, part.err
			}
		}
	}
	owner := m.Owner(placement.Slot(id)).Name
	own := out.parts[slices.IndexFunc(out.parts, func(p *part) bool { return p.group.Name == owner })]
	reply, err := c.askExplain(ctx, p, own, id, stats)
	if err != nil {
		out.note(err)
		out.again = out.again || own.seq != 0 && !isRequestFault(err)
		return nil, err
	}
	if !reply.Found {
		return nil, fault.New(fault.NotFound, "collection %s has no document %s", p.coll.Name, fault.Quote(id))
	}
	r := &wire.ExplainResponse{ID: id, Matched: reply.Matched}
	if err := json.Unmarshal(reply.Explanation, &r.Explanation); err != nil {
		return nil, unavailable("malformed", "member %s/%s: an explanation that does not decode: %v", owner, own.node, err)
	}
	r.Score = r.Explanation.Value
	return r, nil
}

func (c *Coordinator) askExplain(ctx context.Context, p *plan, own *part, id string, stats bm25.Stats) (found *wire.ExplainReply, err *wire.Error) {
	head, members := p.head(own.group), []string{own.node}
	if own.seq == 0 {
		members = c.membersOf(own.group.Name, 0)
	}
	head.AtSeq = own.seq
	t := &trip{op: wire.OpExplain, targets: []*target{{
		group: own.group.Name, head: head, members: members,
		encode: func(h wire.Head) []byte {
			return wire.AppendExplainRequest(nil, &wire.ExplainRequest{Head: h, ID: id, Query: p.query, Fields: p.fields, Terms: p.terms, Stats: stats})
		},
		accept: func(data []byte) (err *wire.Error) {
			found, err = decodeReply(data, wire.DecodeExplainReply, func(r *wire.ExplainReply) *wire.Frame { return &r.Frame })
			return err
		},
	}}}
	c.scatter(ctx, t)
	return found, t.targets[0].err
}
