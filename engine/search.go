package engine

import (
	"context"

	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/internal/search"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/schema"
)

// MaxCandidates bounds the candidates of one search.
const MaxCandidates = 1 << 20

// SearchRequest is what to find in a collection.
type SearchRequest struct {
	Collection schema.Incarnation
	Query      query.Node   // resolved
	Filters    []query.Node // resolved; match without scoring
	Weights    []bm25.Weight
	Sort       []query.SortKey  // empty: score descending, then id
	Collapse   bool             // of each value of the last of Sort, a field, only the first document is a candidate. The total counts all
	Score      bool             // compute scores (implied when score is among the keys)
	Limit      int              // k: how many candidates at most; 0: only the total
	After      *query.Candidate // only candidates that come after this one, which has a key for each of Sort; nil: all. The total counts all
	Profile    Clock            // tell what was done, and by this clock how long it took; nil: nobody asks
	CountTo    uint64           // how far matches must be counted, which takes time that finding the first of them does not; 0: all
}

// SearchResult is what was found.
type SearchResult struct {
	Total      uint64 // live, owned documents that match
	Exact      bool   // false: Total is a lower bound above the request's CountTo
	Candidates []query.Candidate
	Profile    *SearchProfile // nil: nobody asked
}

// Clock tells how far the present lies behind a moment that stays the same.
type Clock = search.Clock

// SearchProfile is what a search did, and how long each of its clauses took.
type SearchProfile = search.Profile

// ClauseProfile is what a search did for one clause.
type ClauseProfile = search.ClauseProfile

// Search finds the first documents in the total order, and counts those that match as far as asked for. An unknown collection is an empty one. Errors are ctx's error when it ends, which is
// noticed within a millisecond, and faults: bad_query for a node that cannot be searched, bad_request for a scoring leaf without weight, limit_exceeded
// past [MaxCandidates].
func (s *Snapshot) Search(ctx context.Context, r SearchRequest) (_ SearchResult, err error) {
	defer s.index.files.catch(panicOnFault(), &err)
	if r.Limit < 0 {
		return SearchResult{}, fault.New(fault.BadRequest, "limit %d is negative", r.Limit)
	}
	if r.After != nil && len(r.After.Keys) != len(r.Sort) {
		return SearchResult{}, fault.New(fault.BadRequest, "the place to go on from has %d keys of %d", len(r.After.Keys), len(r.Sort))
	}
	if r.Limit > MaxCandidates {
		return SearchResult{}, fault.New(fault.LimitExceeded, "%d candidates: at most %d", r.Limit, MaxCandidates)
	}
	found := s.state.find(r.Collection)
	if found == nil {
		res := SearchResult{Exact: true}
		if r.Profile != nil {
			res.Profile = &SearchProfile{}
		}
		return res, ctx.Err()
	}
	views := make([]search.View, len(found.parts))
	for i, p := range found.parts {
		views[i] = search.View{Segment: p.seg, Visible: p.visible, Docs: p.docs}
	}
	res, err := search.Run(ctx, views, &search.Request{
		Query: r.Query, Filters: r.Filters, Weights: r.Weights, Sort: r.Sort, Score: r.Score, Limit: r.Limit, After: r.After, Collapse: r.Collapse,
		CountTo: r.CountTo, Profile: r.Profile, Scratch: &s.index.scratch,
	})
	if err != nil {
		return SearchResult{}, err
	}
	return SearchResult{Total: res.Total, Exact: !res.Inexact, Candidates: res.Candidates, Profile: res.Profile}, nil
}
