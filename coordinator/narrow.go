package coordinator

import (
	"context"
	"slices"

	"github.com/jetseek/jetseek/engine/agg"
	"github.com/jetseek/jetseek/subjects/wire"
)

const (
	// aggregateParts is how many runs of percentiles and buckets of terms a group sends at first, unless the options say otherwise.
	aggregateParts = 4096
	// mostNarrowings is how often groups are asked for more of their aggregations; the last time, for all that is open.
	mostNarrowings = 4
)

// narrowing asks the groups for what the merge of their aggregations still depends on, at the members and snapshots that answered before.
type narrowing struct {
	c     *Coordinator
	out   *answered
	parts []*part
	said  [][]agg.Partial // of each of parts
}

// run returns when what the groups have said is enough. A group that does not answer is missing from the aggregations, which another round may repair.
func (n *narrowing) run(ctx context.Context) error {
	ctx, cancel := withShare(ctx, searchShare)
	defer cancel()
	for pass := 1; ; pass++ {
		asks, places := agg.Narrow(n.out.plan.aggs, n.said)
		if len(asks) == 0 {
			return nil
		}
		if pass >= mostNarrowings {
			for i := range asks {
				asks[i].Ask = agg.Ask{}
			}
		}
		if err := n.ask(ctx, asks, places); err != nil {
			return err
		}
	}
}

// ask asks all groups; those that fail are dropped, so that run comes to an end.
func (n *narrowing) ask(ctx context.Context, asks []agg.Definition, places []int) error {
	definitions := agg.AppendDefinitions(nil, asks)
	t := &trip{op: wire.OpSearch}
	for i := range n.parts {
		t.targets = append(t.targets, n.target(i, asks, places, definitions))
	}
	n.out.retried += n.c.scatter(ctx, t)
	var parts []*part
	var said [][]agg.Partial
	for i, target := range t.targets {
		if target.err == nil {
			parts, said = append(parts, n.parts[i]), append(said, n.said[i])
			continue
		}
		if isRequestFault(target.err) {
			return target.err
		}
		n.out.note(target.err)
		n.out.again = true
		n.out.aggFailed = append(n.out.aggFailed, n.parts[i].group.Name)
	}
	n.parts, n.said = parts, said
	return nil
}

func (n *narrowing) target(i int, asks []agg.Definition, places []int, definitions []byte) *target {
	p, part := n.out.plan, n.parts[i]
	head := p.head(part.group)
	head.AtSeq = part.seq
	mark := fingerprint(part.weights)
	return &target{
		group: part.group.Name, head: head, members: []string{part.node},
		encode: func(h wire.Head) []byte {
			return wire.AppendSearchRequest(nil, &wire.SearchRequest{Head: h, Query: p.query, Filters: p.filters, Weights: part.weights, CountTo: 1, Fingerprint: mark, Aggs: definitions})
		},
		accept: func(data []byte) *wire.Error {
			reply, err := decodeReply(data, wire.DecodeSearchReply, func(r *wire.SearchReply) *wire.Frame { return &r.Frame })
			if err != nil {
				return err
			}
			if reply.AggsErr != nil {
				return reply.AggsErr
			}
			if reply.Fingerprint != mark || reply.Seq != part.seq {
				return unavailable("malformed", "a reply under other weights, or of another snapshot")
			}
			more, bad := agg.Decode(reply.Aggs, asks)
			said := slices.Clone(n.said[i])
			for j := 0; j < len(asks) && bad == nil; j++ {
				bad = asks[j].Refine(&said[places[j]], more[j])
			}
			if bad != nil {
				return unavailable("malformed", "aggregations of member %s/%s: %v", part.group.Name, part.node, bad)
			}
			n.said[i] = said
			return nil
		},
	}
}
