package shard

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jetseek/jetseek/engine"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/subjects/wire"
)

// The JSON form is for people, who look at one member: nats req jetseek.group.g0.any.search '{"collection":"default","query":"gc"}'. The member resolves the query
// itself and scores with its own statistics. Its lease binds all the same.

// personBudgetMs is the budget of a request that names none.
const personBudgetMs = wire.DefaultTimeoutMs

// answerJSON answers a request in its JSON form.
func (m *Member) answerJSON(ctx context.Context, r request) ([]byte, error) {
	if r.op == wire.OpPing {
		return json.Marshal(m.pong(wire.Head{}))
	}
	ctx, cancel, err := budget(ctx, r, personBudgetMs)
	if err != nil {
		return nil, err
	}
	defer cancel()
	snap := m.index.Snapshot()
	defer snap.Close()
	if err := m.admitPerson(snap); err != nil {
		return nil, err
	}
	reply, err := m.answerPerson(ctx, snap, r)
	if err != nil {
		return nil, err
	}
	if !m.mayServe(snap) {
		return nil, m.notServing()
	}
	return json.Marshal(reply)
}

// admitPerson tells whether a snapshot may be shown.
func (m *Member) admitPerson(snap *engine.Snapshot) error {
	dozes := m.dozes() // as in admit
	switch {
	case m.mayServe(snap):
		return nil
	case dozes:
		return asleep{personBudgetMs}
	}
	return m.notServing()
}

func (m *Member) answerPerson(ctx context.Context, snap *engine.Snapshot, r request) (any, error) {
	frame := m.frame(&wire.Head{}, snap)
	switch r.op {
	case wire.OpSearch:
		body, err := wire.DecodeMemberSearch(r.msg.Data)
		if err != nil {
			return nil, err
		}
		coll, err := collectionNamed(snap, body.Collection)
		if err != nil {
			return nil, err
		}
		result, err := searchAlone(ctx, snap, coll, body.Search)
		if err != nil {
			return nil, err
		}
		return &wire.SearchReply{Frame: frame, Total: result.Total, Candidates: result.Candidates}, nil
	case wire.OpStats:
		body, err := wire.DecodeMemberStats(r.msg.Data)
		if err != nil {
			return nil, err
		}
		coll, err := collectionNamed(snap, body.Collection)
		if err != nil {
			return nil, err
		}
		return &wire.StatsReply{Frame: frame, Stats: snap.Stats(coll.Incarnation, body.Fields, body.Terms)}, nil
	case wire.OpDocs, wire.OpGet:
		body, err := wire.DecodeMemberDocs(r.msg.Data)
		if err != nil {
			return nil, err
		}
		coll, err := collectionNamed(snap, body.Collection)
		if err != nil {
			return nil, err
		}
		docs := make([]wire.Doc, len(body.IDs))
		for i, id := range body.IDs {
			docs[i] = document(snap, coll.Incarnation, id)
		}
		if r.op == wire.OpGet && len(docs) == 1 {
			return &wire.GetReply{Frame: frame, Doc: docs[0]}, nil
		}
		return &wire.DocsReply{Frame: frame, Docs: docs}, nil
	case wire.OpSlots:
		return &wire.SlotsReply{Frame: frame, Slots: countSlots(snap)}, nil
	case wire.OpExplain:
		return nil, fault.New(fault.BadRequest, "a member explains under the statistics of all groups, which a coordinator has: ask explain there")
	case wire.OpComplete:
		return nil, fault.New(fault.BadRequest, "a member completes among its own documents only; a coordinator has all: ask suggest there")
	}
	return nil, fault.New(fault.NotFound, "a member has no operation %s", fault.Quote(r.op))
}

func collectionNamed(snap *engine.Snapshot, name string) (engine.CollectionInfo, error) {
	for _, c := range snap.Collections() {
		if c.Name == name {
			return c, nil
		}
	}
	return engine.CollectionInfo{}, fault.New(fault.NoCollection, "this member has no collection %s", fault.Quote(name))
}

// searchAlone searches one member's documents under its own statistics.
func searchAlone(ctx context.Context, snap *engine.Snapshot, coll engine.CollectionInfo, body *wire.SearchBody) (engine.SearchResult, error) {
	if err := body.Validate(); err != nil {
		return engine.SearchResult{}, err
	}
	if body.Snippet != nil {
		return engine.SearchResult{}, fault.New(fault.BadRequest, "a member finds ids and scores; snippets are cut by a coordinator: ask search there")
	}
	request := engine.SearchRequest{Collection: coll.Incarnation, Query: &query.MatchAll{Boost: 1}, Limit: body.From + body.Limit}
	resolve := func(raw json.RawMessage, o query.Options, filter bool) (query.Node, error) {
		node, err := query.DecodeJSON(raw, o)
		if err != nil {
			return nil, err
		}
		return query.Resolve(node, coll.Schema, filter)
	}
	var err error
	if len(body.Query) > 0 {
		if request.Query, err = resolve(body.Query, query.Options{DefaultOperatorAnd: body.DefaultOperator == "and", Lenient: body.Lenient}, false); err != nil {
			return engine.SearchResult{}, err
		}
	}
	for _, raw := range body.Filters {
		filter, err := resolve(raw, query.Options{}, true)
		if err != nil {
			return engine.SearchResult{}, err
		}
		request.Filters = append(request.Filters, filter)
	}
	if request.Sort, err = query.ResolveSort(body.Sort, coll.Schema); err != nil {
		return engine.SearchResult{}, err
	}
	request.Score = len(request.Sort) == 0 || body.TrackScores
	if err := expandAlone(ctx, snap, &request); err != nil {
		return engine.SearchResult{}, err
	}
	leaves := query.Leaves(request.Query)
	fields, terms := query.Question(leaves)
	if request.Weights, err = query.Weigh(leaves, fields, terms, snap.Stats(coll.Incarnation, fields, terms)); err != nil {
		return engine.SearchResult{}, err
	}
	result, err := snap.Search(ctx, request)
	if err != nil {
		return engine.SearchResult{}, fmt.Errorf("search: %w", err)
	}
	result.Candidates = result.Candidates[min(body.From, len(result.Candidates)):]
	return result, nil
}

// expandAlone puts the terms of the member in place of fuzzy words.
func expandAlone(ctx context.Context, snap *engine.Snapshot, r *engine.SearchRequest) error {
	questions := query.FuzzyQuestions(append([]query.Node{r.Query}, r.Filters...)...)
	if len(questions) == 0 {
		return nil
	}
	near, err := snap.Expand(ctx, r.Collection, questions)
	if err != nil {
		return fmt.Errorf("expand fuzzy words: %w", err)
	}
	for i := range questions {
		if near[i], err = query.Agree(&questions[i], [][]query.Expansion{near[i]}); err != nil {
			return err
		}
	}
	if r.Query, err = query.Expand(r.Query, false, questions, near, nil); err != nil {
		return err
	}
	for i, filter := range r.Filters {
		if r.Filters[i], err = query.Expand(filter, true, questions, near, nil); err != nil {
			return err
		}
	}
	return nil
}
