package engine

import (
	"context"

	"github.com/jetseek/jetseek/engine/agg"
	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/internal/collect"
	"github.com/jetseek/jetseek/engine/internal/docset"
	"github.com/jetseek/jetseek/engine/internal/search"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/schema"
)

// AggregateRequest is what to tell of all that matches a query and filters.
type AggregateRequest struct {
	Collection  schema.Incarnation
	Query       query.Node   // resolved
	Filters     []query.Node // resolved
	Weights     []bm25.Weight
	Definitions []agg.Definition
}

// Aggregate computes partial results, as much of them as the definitions ask for, over all live, owned documents that match; none is left out, however many a search would show. An unknown collection is an empty
// one. Errors are ctx's error when it ends, and faults: limit_exceeded when the memory of [agg.MaxBytes] does not suffice, and those of [Snapshot.Search].
func (s *Snapshot) Aggregate(ctx context.Context, r AggregateRequest) (_ []agg.Partial, err error) {
	defer s.index.files.catch(panicOnFault(), &err)
	merged := agg.Empty(r.Definitions)
	found := s.state.find(r.Collection)
	if found == nil {
		return merged, ctx.Err()
	}
	views := make([]search.View, len(found.parts))
	for i, p := range found.parts {
		views[i] = search.View{Segment: p.seg, Visible: p.visible, Docs: p.docs}
	}
	sets, err := search.Matches(ctx, views, r.Query, r.Filters, r.Weights, &s.index.scratch)
	if err != nil {
		return nil, err
	}
	var budget agg.Budget
	for i := range views {
		partials, err := collect.Collect(ctx, s.source(&views[i], &r), sets[i], r.Definitions, &budget)
		if err != nil {
			return nil, err
		}
		merged = agg.Merge(r.Definitions, merged, partials)
	}
	agg.Reduce(r.Definitions, merged)
	return merged, nil
}

// source is a view as aggregations see it.
func (s *Snapshot) source(v *search.View, r *AggregateRequest) collect.Source {
	return collect.Source{
		Segment: v.Segment,
		Matches: func(ctx context.Context, filter query.Node) (docset.Set, error) {
			sets, err := search.Matches(ctx, []search.View{*v}, filter, nil, nil, &s.index.scratch)
			if err != nil {
				return nil, err
			}
			return sets[0], nil
		},
		Top: func(ctx context.Context, set docset.Set, docs int, keys []query.SortKey, n int) ([]query.Candidate, error) {
			res, err := search.Run(ctx, []search.View{{Segment: v.Segment, Visible: set, Docs: docs}}, &search.Request{
				Query: r.Query, Weights: r.Weights, Sort: keys, Limit: n, CountTo: 1, Scratch: &s.index.scratch,
			})
			return res.Candidates, err
		},
	}
}
