package coordinator

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jetseek/jetseek/engine/agg"
	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/subjects/wire"
)

// planAggregations resolves what the search asks of all that it matches: aggregations first, then facets.
func (p *plan) planAggregations() (err error) {
	if len(p.body.Aggs) > 0 {
		if p.aggs, err = agg.Parse(p.body.Aggs, p.coll.Schema); err != nil {
			return err
		}
	}
	p.facets = len(p.aggs)
	for _, field := range p.body.Facets {
		d, err := agg.Facet(field, p.coll.Schema)
		if err != nil {
			return err
		}
		p.aggs = append(p.aggs, d)
	}
	return nil
}

// nodes are all queries of the plan.
func (p *plan) nodes() []query.Node {
	nodes := append([]query.Node{p.query}, p.filters...)
	_ = agg.EachFilter(p.aggs, func(n *query.Node) error { nodes = append(nodes, *n); return nil })
	return nodes
}

// encodeAggregations gives the definitions as members are first sent them, nil for none.
func (c *Coordinator) encodeAggregations(p *plan) []byte {
	if len(p.aggs) == 0 {
		return nil
	}
	return agg.AppendDefinitions(nil, agg.Bounded(p.aggs, c.aggregateParts))
}

// aggregate merges what the groups say, once it is enough. A group whose aggregations did not end in time is missing from them alone; an error is the request's own, whichever group says so.
func (c *Coordinator) aggregate(ctx context.Context, out *answered) error {
	defs := out.plan.aggs
	if len(defs) == 0 {
		return nil
	}
	n := &narrowing{c: c, out: out}
	for _, part := range out.parts {
		if part.err != nil {
			continue
		}
		if e := part.result.AggsErr; e != nil {
			if isRequestFault(e) {
				return e
			}
			out.aggFailed = append(out.aggFailed, part.group.Name)
			continue
		}
		partials, err := agg.Decode(part.result.Aggs, defs)
		if err != nil {
			return unavailable("malformed", "aggregations of member %s/%s: %v", part.group.Name, part.node, err)
		}
		n.parts, n.said = append(n.parts, part), append(n.said, partials)
	}
	if err := n.run(ctx); err != nil {
		return err
	}
	merged := agg.Empty(defs)
	for i, part := range n.parts {
		out.noteHits(part, n.said[i])
		merged = agg.Merge(defs, merged, n.said[i])
	}
	out.aggs = merged
	return agg.Cut(defs, merged)
}

// noteHits remembers which group found the hits of top_hits.
func (a *answered) noteHits(part *part, partials []agg.Partial) {
	agg.EachHit(a.plan.aggs, partials, func(_ *agg.Definition, c *query.Candidate) {
		if a.foundBy == nil {
			a.foundBy = map[string]string{}
		}
		a.foundBy[c.ID] = part.group.Name
	})
}

// bucketHits gives the ids of hits that buckets show and the page does not, by group.
func (a *answered) bucketHits() map[string][]string {
	ids := map[string][]string{}
	seen := map[string]bool{}
	for i := range a.page.Page {
		seen[a.page.Page[i].ID] = true
	}
	agg.EachHit(a.plan.aggs, a.aggs, func(_ *agg.Definition, c *query.Candidate) {
		if !seen[c.ID] {
			seen[c.ID] = true
			ids[a.foundBy[c.ID]] = append(ids[a.foundBy[c.ID]], c.ID)
		}
	})
	return ids
}

// showAggregations puts aggregations and facets in the reply.
func (a *answered) showAggregations(r *wire.SearchResponse) (err error) {
	p := a.plan
	r.Shards.AggFailed = a.aggFailed
	if a.aggs == nil {
		return nil
	}
	if len(p.body.Aggs) > 0 {
		if r.Aggs, err = agg.AppendJSON(nil, p.aggs[:p.facets], a.aggs[:p.facets], a.bucketHit); err != nil {
			return err
		}
	}
	if len(p.body.Facets) == 0 {
		return nil
	}
	facets := []byte{'{'}
	for i := p.facets; i < len(p.aggs)-p.hidden; i++ {
		if i > p.facets {
			facets = append(facets, ',')
		}
		name, err := json.Marshal(p.aggs[i].Name)
		if err != nil {
			return fmt.Errorf("name facet %s: %w", fault.Quote(p.aggs[i].Name), err)
		}
		if facets, err = agg.AppendFacet(append(append(facets, name...), ':'), &p.aggs[i], &a.aggs[i]); err != nil {
			return err
		}
	}
	r.Facets = append(facets, '}')
	return nil
}

// bucketHit makes a hit of top_hits; a document deleted since the snapshot is left out.
func (a *answered) bucketHit(d *agg.Definition, c *query.Candidate) (json.RawMessage, error) {
	doc, ok := a.sources[c.ID]
	if !ok {
		return nil, nil
	}
	source, err := wire.Project(doc.Source, a.plan.body.Fields)
	if err != nil {
		return nil, fmt.Errorf("project the source of %s: %w", fault.Quote(c.ID), err)
	}
	h := wire.Hit{ID: c.ID, Source: json.RawMessage(source)}
	if d.Scored() {
		shown := bm25.Shown(c.Score)
		h.Score = &shown
	}
	if len(d.Sort) > 0 {
		for i, key := range d.Sort {
			h.Sort = append(h.Sort, query.KeyJSON(key, c.Keys[i]))
		}
		h.Sort = append(h.Sort, c.ID)
	}
	return json.Marshal(h)
}
