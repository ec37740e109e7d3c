package search

import (
	"context"
	"math"

	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/internal/docset"
	"github.com/jetseek/jetseek/engine/query"
)

// Matches finds all visible documents that match a query and filters, a set for each view. Nothing is left out, and nothing scored unless matches depend on it ([query.Judges]): else there may be no weights. The sets may be those of the views: do not change
// them. Errors are as of [Run].
func Matches(ctx context.Context, views []View, q query.Node, filters []query.Node, weights []bm25.Weight, scratch *Scratch) ([]docset.Set, error) {
	m := scratch.get()
	defer scratch.put(m)
	e, c, s := &m.env, &m.c, &m.sweep
	e.reset(ctx, weights)
	r := &Request{Query: q, Filters: filters, Sort: []query.SortKey{{By: query.ByID}}}
	c.begin(r)
	s.env, s.c, s.scoring = e, c, false
	defer func() { s.found = nil }()
	m.plan.start(filters)
	m.plan.every = true
	if _, all := q.(*query.MatchAll); !all {
		m.plan.filters = append(m.plan.filters, q)
	}
	judges := query.Judges(q)
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
		if judges {
			e.gather(e.request(r), found[i])
		} else if s.found = found[i]; s.enter(&m.plan) {
			s.run(true, math.MaxUint64)
		}
		if err := e.leave(); err != nil {
			return nil, err
		}
	}
	return found, e.err
}

// gather puts every visible match in a set. Each must have a score.
func (e *env) gather(s scorer, set docset.Set) {
	if s == nil {
		return
	}
	for doc := s.Doc(); doc != noDoc; doc = s.Next() {
		if !e.whole && !e.view.Visible.Has(doc) {
			continue
		}
		if s.Score(); e.baseless {
			e.fail(query.ErrNoScore())
			return
		}
		set.Add(doc)
	}
}
