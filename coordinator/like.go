package coordinator

import (
	"context"
	"slices"

	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/subjects/placement"
	"github.com/jetseek/jetseek/subjects/wire"
)

// readLikes reads the documents that others are to be like, and asks for the statistics of their words too. Their groups then answer at the snapshots that the documents came from.
func (c *Coordinator) readLikes(ctx context.Context, out *answered) error {
	p := out.plan
	if len(p.likes) == 0 {
		return nil
	}
	sources := map[string][]byte{}
	if err := c.readSources(ctx, out, sources); err != nil {
		return err
	}
	p.candidates = make([][]query.LikeTerm, len(p.likes))
	for i, like := range p.likes {
		source, found := sources[like.ID]
		if !found {
			return fault.New(fault.NotFound, "collection %s has no document %s that others could be like", p.coll.Name, fault.Quote(like.ID))
		}
		var err error
		if p.candidates[i], err = like.Candidates(p.coll.Schema, source); err != nil {
			return err
		}
	}
	p.ask()
	return nil
}

// readSources reads the documents of the plan's likes, each once, from the groups that own them.
func (c *Coordinator) readSources(ctx context.Context, out *answered, sources map[string][]byte) error {
	p, m := out.plan, c.view.View().Map
	ids := map[string][]string{} // by group
	for _, like := range p.likes {
		owner := m.Owner(placement.Slot(like.ID)).Name
		if !slices.Contains(ids[owner], like.ID) {
			ids[owner] = append(ids[owner], like.ID)
		}
	}
	ctx, cancel := withShare(ctx, likeShare)
	defer cancel()
	t := &trip{op: wire.OpDocs}
	var asked []*part
	for _, part := range out.parts {
		wanted := ids[part.group.Name]
		if len(wanted) == 0 {
			continue
		}
		asked = append(asked, part)
		t.targets = append(t.targets, &target{
			group: part.group.Name, head: p.head(part.group), members: c.membersOf(part.group.Name, p.body.MinSeq[part.group.Name]), held: p.walk != nil,
			encode: func(h wire.Head) []byte {
				return wire.AppendDocsRequest(nil, &wire.DocsRequest{Head: h, IDs: wanted})
			},
			accept: func(data []byte) *wire.Error {
				reply, err := decodeReply(data, wire.DecodeDocsReply, func(r *wire.DocsReply) *wire.Frame { return &r.Frame })
				if err != nil {
					return err
				}
				for _, d := range reply.Docs {
					if d.Found {
						sources[d.ID] = d.Source
					}
				}
				part.seq = reply.Seq
				return nil
			},
		})
	}
	out.retried += c.scatter(ctx, t)
	for i, part := range asked {
		if err := t.targets[i].err; err != nil {
			out.note(err)
			return err
		}
		part.node = t.targets[i].node
	}
	return nil
}

// choose settles by which words the plan's likes find others.
func (p *plan) choose(sum bm25.Stats) (map[*query.LikeTerms]query.Node, error) {
	chosen := make(map[*query.LikeTerms]query.Node, len(p.likes))
	for i, like := range p.likes {
		var err error
		if chosen[like], err = like.Choose(p.candidates[i], p.fields, p.terms, sum); err != nil {
			return nil, err
		}
	}
	return chosen, nil
}

// askOfLikes adds the words of likes to the question.
func (p *plan) askOfLikes() {
	for _, candidates := range p.candidates {
		for _, c := range candidates {
			p.fields = append(p.fields, c.Field)
			p.terms = append(p.terms, c.FieldTerm)
		}
	}
	slices.SortFunc(p.terms, query.CompareFieldTerms)
	p.terms = slices.Compact(p.terms)
}
