package search

import (
	"context"

	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/internal/docset"
	"github.com/jetseek/jetseek/engine/internal/segment"
	"github.com/jetseek/jetseek/engine/query"
)

// View is one segment and those of its documents that count.
type View struct {
	Segment *segment.Segment
	Visible docset.Set
	Docs    int // in Visible
}

// Request is what to find.
type Request struct {
	Query   query.Node   // resolved
	Filters []query.Node // resolved; all must match, none scores
	Weights []bm25.Weight
	Sort    []query.SortKey // empty: by score
	Score   bool            // scores are wanted though nothing is sorted by them
	Limit   int             // candidates at most; 0: only the total
}

// Result is what was found.
type Result struct {
	Total      uint64            // matches
	Candidates []query.Candidate // the first of them in the total order
}

// Run searches all views. The error is the context's, a fault for a request that cannot be evaluated, or that of a segment that does not decode.
func Run(ctx context.Context, views []View, r *Request) (Result, error) {
	e := &env{ctx: ctx, weights: r.Weights}
	c := newCollector(r)
	total := uint64(0)
	for i := range views {
		e.enter(&views[i])
		s := e.request(r, c.scoring)
		if s == nil || e.err != nil {
			continue
		}
		c.enter(views[i].Segment)
		total += e.collect(s, c)
		if err := e.leave(); err != nil {
			return Result{}, err
		}
	}
	if e.err != nil {
		return Result{}, e.err
	}
	return Result{Total: total, Candidates: c.sorted()}, nil
}

// request compiles query and filters for the segment entered.
func (e *env) request(r *Request, scoring bool) scorer {
	s := e.compile(r.Query, scoring)
	if s == nil {
		return nil
	}
	if len(r.Filters) == 0 {
		return e.windowed(s, scoring)
	}
	required := []scorer{s}
	for _, f := range r.Filters {
		f := e.compile(f, false)
		if f == nil {
			return nil
		}
		required = append(required, f)
	}
	return newConjunction(required, []scorer{s})
}

// windowCost is how many postings make a window worth its memory.
const windowCost = 1024

// windowed gives a window in the place of a disjunction of terms with many postings.
func (e *env) windowed(s scorer, scoring bool) scorer {
	d, ok := s.(*disjunction)
	if !ok || d.need > 1 || d.cost < windowCost {
		return s
	}
	terms := make([]*term, len(d.heap))
	for i, h := range d.heap {
		if terms[i], ok = h.s.(*term); !ok {
			return s
		}
	}
	return e.union(terms, scoring)
}

// collect hands every visible match to the collector and counts them.
func (e *env) collect(s scorer, c *collector) uint64 {
	total := uint64(0)
	for doc := s.Doc(); doc != noDoc; doc = s.Next() {
		if !e.whole && !e.view.Visible.Has(doc) {
			continue
		}
		total++
		if c.limit == 0 {
			continue
		}
		score := int64(0)
		if c.scoring {
			score = s.Score()
		}
		c.add(doc, score)
	}
	return total
}
