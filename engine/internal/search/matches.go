package search

import (
	"context"
	"math"

	"github.com/jetseek/jetseek/engine/internal/docset"
	"github.com/jetseek/jetseek/engine/query"
)

// Matches finds all visible documents that match a query and filters, a set for each view. Nothing is scored, and nothing left out. The sets may be those of the views: do not change
// them. Errors are as of [Run].
func Matches(ctx context.Context, views []View, q query.Node, filters []query.Node, scratch *Scratch) ([]docset.Set, error) {
	m := scratch.get()
	defer scratch.put(m)
	e, c, s := &m.env, &m.c, &m.sweep
	e.reset(ctx, nil)
	c.begin(&Request{Query: q, Filters: filters, Sort: []query.SortKey{{By: query.ByID}}})
	s.env, s.c, s.scoring = e, c, false
	defer func() { s.found = nil }()
	m.plan.start(filters)
	m.plan.every = true
	if _, all := q.(*query.MatchAll); !all {
		m.plan.filters = append(m.plan.filters, q)
	}
	found := make([]docset.Set, len(views))
	for i := range views {
		v := &views[i]
		if len(m.plan.filters) == 0 {
			found[i] = v.Visible
			continue
		}
		e.enter(v)
		c.enter(v.Segment)
		found[i] = docset.New(v.Segment.Docs())
		if s.found = found[i]; s.enter(&m.plan) {
			s.run(true, math.MaxUint64)
		}
		if err := e.leave(); err != nil {
			return nil, err
		}
	}
	return found, e.err
}
