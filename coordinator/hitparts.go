package coordinator

import (
	"context"
	"encoding/json"

	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/subjects/wire"
)

// explainHits takes the scores of the page's hits apart, at the snapshots and by the statistics that they were found with. A hit that was deleted meanwhile has no parts, and is left out of the page
// as if it had been deleted before.
func (c *Coordinator) explainHits(ctx context.Context, out *answered) {
	p := out.plan
	if !p.body.Explain || len(out.page.Page) == 0 {
		return
	}
	ctx, cancel := withShare(ctx, docsShare)
	defer cancel()
	out.explained = make(map[string]*bm25.Explanation, len(out.page.Page))
	t := &trip{op: wire.OpExplain}
	var owners []*part
	for i := range out.page.Page {
		part := out.parts[out.page.Lists[i]]
		if part.err != nil {
			continue
		}
		owners = append(owners, part)
		t.targets = append(t.targets, out.explainTarget(part, &out.page.Page[i]))
	}
	out.retried += c.scatter(ctx, t)
	for i, target := range t.targets {
		if target.err != nil {
			out.note(target.err)
			out.again = true
			owners[i].err = target.err
		}
	}
}

func (a *answered) explainTarget(part *part, hit *query.Candidate) *target {
	p := a.plan
	head := p.head(part.group)
	head.AtSeq = part.seq
	stats := a.stats
	if p.body.Stats == "local" {
		stats = part.stats
	}
	return &target{
		group: part.group.Name, head: head, members: []string{part.node},
		encode: func(h wire.Head) []byte {
			return wire.AppendExplainRequest(nil, &wire.ExplainRequest{Head: h, ID: hit.ID, Query: p.query, Fields: p.fields, Terms: p.terms, Stats: stats})
		},
		accept: func(data []byte) *wire.Error {
			reply, err := decodeReply(data, wire.DecodeExplainReply, func(r *wire.ExplainReply) *wire.Frame { return &r.Frame })
			if err != nil || !reply.Found {
				return err
			}
			e := new(bm25.Explanation)
			if err := json.Unmarshal(reply.Explanation, e); err != nil {
				return unavailable("malformed", "an explanation that does not decode: %v", err)
			}
			a.explained[hit.ID] = e
			return nil
		},
	}
}
