package search

import (
	"context"
	"fmt"

	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/internal/segment/postings"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/query/pattern"
)

// checkSteps is how many steps leaves do between two looks at the context: a step takes from a nanosecond to a few hundred.
const checkSteps = 2048

// env is what all scorers of one search share. It serves one goroutine.
type env struct {
	ctx     context.Context
	weights []bm25.Weight
	err     error // the first; ends the search

	profile *profiler // nil: nobody asks

	baseless bool // the document scored last has no score: see query.ErrNoScore

	view  *View
	whole bool // all documents of the segment are visible
	left  int  // steps to the next look at the context

	automata map[*query.TermPattern]*pattern.Automaton // compiled so far

	lists []*postings.Iterator // of this segment, then reused by the next
	used  int
}

// reset begins a search, and keeps the memory of iterators.
func (e *env) reset(ctx context.Context, weights []bm25.Weight) {
	*e = env{ctx: ctx, weights: weights, lists: e.lists}
}

// forget lets go of what a search was given, so that its memory keeps nothing alive.
func (e *env) forget() {
	for _, it := range e.lists {
		it.Close()
	}
	*e = env{lists: e.lists}
}

// enter begins a segment.
func (e *env) enter(v *View) {
	e.view, e.whole, e.used = v, v.Docs == v.Segment.Docs(), 0
	e.check()
}

// leave ends a segment: its faults, if any.
func (e *env) leave() error {
	if e.profile != nil {
		e.profile.leave()
	}
	for _, it := range e.lists[:e.used] {
		if err := it.Err(); err != nil && e.err == nil {
			e.err = fmt.Errorf("search: %w", err)
		}
	}
	return e.err
}

// step counts one step of a leaf and tells whether it may be done.
func (e *env) step() bool { return e.steps(1) }

// steps counts several steps, as many as take less than a millisecond.
func (e *env) steps(n int) bool {
	e.left -= n
	if e.left < 0 {
		e.check()
	}
	return e.err == nil
}

func (e *env) check() {
	e.left = checkSteps
	if err := e.ctx.Err(); err != nil && e.err == nil {
		e.err = err
	}
}

func (e *env) fail(err error) {
	if e.err == nil {
		e.err = err
	}
}

// list gives an iterator for a list of the segment entered.
func (e *env) list(src postings.Source, ref postings.Ref) *postings.Iterator {
	if e.used == len(e.lists) {
		e.lists = append(e.lists, &postings.Iterator{})
	}
	it := e.lists[e.used]
	e.used++
	it.Init(src, ref)
	if e.profile != nil {
		e.profile.list(ref, it)
	}
	return it
}

// done gives back the list taken last, when it has been read to its end.
func (e *env) done(it *postings.Iterator) {
	if err := it.Err(); err != nil {
		e.fail(fmt.Errorf("search: %w", err))
	}
	if e.used--; e.profile != nil {
		e.profile.done()
	}
}
