package search

import (
	"context"
	"math"
	"slices"
	"sync"

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
	Query    query.Node   // resolved
	Filters  []query.Node // resolved; all must match, none scores
	Weights  []bm25.Weight
	Sort     []query.SortKey  // empty: by score
	Collapse bool             // of each value of the last of Sort, a field, only the first document is a candidate; those without one all are. The total counts all
	Score    bool             // scores are wanted though nothing is sorted by them
	Limit    int              // candidates at most; 0: only the total
	After    *query.Candidate // only candidates that come after it in the total order, with a key for each of Sort; nil: all. The total counts all
	CountTo  uint64           // count at least so many matches exactly; 0: all
	Profile  Clock            // tell what was done, and by this clock how long it took; nil: nobody asks
	Scratch  *Scratch         // memory to use again; nil: none
}

// Result is what was found.
type Result struct {
	Total      uint64            // matches; with Inexact at least so many, and more than CountTo
	Inexact    bool              // there may be more matches
	Candidates []query.Candidate // the first of them in the total order
	Profile    *Profile          // nil: nobody asked
}

// Scratch keeps the memory of searches that have ended for those to come. The zero value is ready; it may be used from any goroutine.
type Scratch struct{ pool sync.Pool }

// memory is what one search needs, about 150 KiB and more for long lists.
type memory struct {
	env   env
	c     collector
	sweep sweep
	plan  plan
	order []*View
}

func (s *Scratch) get() *memory {
	if s != nil {
		if m, ok := s.pool.Get().(*memory); ok {
			return m
		}
	}
	return &memory{}
}

func (s *Scratch) put(m *memory) {
	m.env.forget()
	m.sweep.forget()
	m.plan.forget()
	m.c.seg, m.c.sort, m.c.after, m.c.bar = nil, nil, nil, bar{}
	clear(m.c.sources)
	clear(m.order)
	if s != nil {
		s.pool.Put(m)
	}
}

// Run searches all views. The error is the context's, a fault for a request that cannot be evaluated, or that of a segment that does not decode.
func Run(ctx context.Context, views []View, r *Request) (Result, error) {
	var p *profiler
	if r.Profile != nil {
		p = newProfiler(r)
	}
	m := r.Scratch.get()
	defer r.Scratch.put(m)
	e, c, s := &m.env, &m.c, &m.sweep
	e.reset(ctx, r.Weights)
	e.profile = p
	c.begin(r)
	s.env, s.c, s.scoring = e, c, c.scoring && r.Limit > 0
	windows := m.plan.of(r.Query, r.Filters, s.scoring, len(r.Sort) > 0) && !query.Judges(r.Query)
	s.guessing = true
	res, err := m.all(views, r, windows)
	if err == nil && c.short() {
		if c.begin(r); r.Profile != nil { // and without a guess
			e.profile.again()
		}
		res, err = m.all(views, r, windows)
	}
	if err != nil {
		return Result{}, err
	}
	if r.Profile != nil {
		e.charge(&e.profile.sorting)
	}
	if res.Candidates = c.sorted(); r.Profile != nil {
		res.Profile = e.profile.profile(len(views))
	}
	return res, nil
}

// all goes over all views.
func (m *memory) all(views []View, r *Request, windows bool) (res Result, err error) {
	e, c, s := &m.env, &m.c, &m.sweep
	for _, v := range m.largestFirst(views) {
		e.enter(v)
		c.enter(v.Segment)
		enough := uint64(math.MaxUint64)
		if r.CountTo > 0 {
			enough = r.CountTo - min(res.Total, r.CountTo)
		}
		if windows {
			if s.enter(&m.plan) {
				s.run(r.CountTo == 0 || res.Total <= r.CountTo, enough)
				res.Total += s.counted
				res.Inexact = res.Inexact || !s.exact
			}
		} else if walk := e.request(r); walk != nil && e.err == nil {
			res.Total += e.collect(walk, c)
		}
		if err := e.leave(); err != nil {
			return res, err
		}
	}
	return res, e.err
}

// largestFirst orders the views: the more documents are behind it the higher is the floor, and the more of the others may be left out.
func (m *memory) largestFirst(views []View) []*View {
	m.order = m.order[:0]
	for i := range views {
		m.order = append(m.order, &views[i])
	}
	slices.SortStableFunc(m.order, func(a, b *View) int { return b.Docs - a.Docs })
	return m.order
}

// request compiles query and filters for the segment entered.
func (e *env) request(r *Request) scorer {
	s := e.compile(r.Query, true)
	if s == nil || len(r.Filters) == 0 {
		return s
	}
	required := []scorer{s}
	for _, f := range r.Filters {
		f := e.compile(f, false)
		if f == nil {
			return nil
		}
		required = append(required, f)
	}
	return e.timed(newConjunction(required, []scorer{s}), e.account(r.Query))
}

// collect hands every visible match to the collector and counts them. Each must have a score, whether the collector wants it or not.
func (e *env) collect(s scorer, c *collector) uint64 {
	total, was := uint64(0), e.collecting()
	for doc := s.Doc(); doc != noDoc; doc = s.Next() {
		if !e.whole && !e.view.Visible.Has(doc) {
			continue
		}
		total++
		score := s.Score()
		if e.baseless {
			e.fail(query.ErrNoScore())
			break
		}
		c.add(doc, score)
	}
	e.charge(was)
	return total
}
