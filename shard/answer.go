package shard

import (
	"context"
	"slices"
	"time"

	"github.com/jetseek/jetseek/engine"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/schema"
	"github.com/jetseek/jetseek/subjects/wire"
)

// answerBinary answers a coordinator's request.
func (m *Member) answerBinary(ctx context.Context, r request) ([]byte, error) {
	if data, err, mine := m.answerAnyway(r); mine {
		return data, err
	}
	head, err := wire.DecodeHead(r.msg.Data)
	if err != nil {
		return nil, malformed(err)
	}
	ctx, cancel, err := budget(ctx, r, head.BudgetMs)
	if err != nil {
		return nil, err
	}
	defer cancel()
	view, err := m.open(head)
	if err != nil {
		return nil, err
	}
	defer view.close()
	var data []byte
	switch r.op {
	case wire.OpStats:
		data, err = m.stats(ctx, view, r)
	case wire.OpSearch:
		data, err = m.search(ctx, view, r)
	case wire.OpDocs:
		data, err = m.docs(view, r)
	case wire.OpGet:
		data, err = m.get(view, r)
	case wire.OpSlots:
		data, err = m.slots(view, r)
	case wire.OpExplain:
		data, err = m.explain(ctx, view, r)
	case wire.OpHas:
		data, err = m.has(ctx, view, r)
	case wire.OpComplete:
		data, err = m.complete(ctx, view, r)
	default:
		return nil, fault.New(fault.NotFound, "a member has no operation %s", fault.Quote(r.op))
	}
	if err != nil {
		return nil, err
	}
	if !m.mayServe(view.current) {
		return nil, m.notServing()
	}
	return data, nil
}

func malformed(err error) error {
	return wire.NewError(fault.BadRequest, wire.ReasonMalformed, "the request does not decode: %v", err)
}

// budget gives the request the time that is left to it; one whose time ran out in the queue is not begun.
func budget(ctx context.Context, r request, ms uint32) (context.Context, context.CancelFunc, error) {
	deadline := r.arrived.Add(time.Duration(ms) * time.Millisecond)
	if !time.Now().Before(deadline) {
		return nil, nil, fault.New(fault.Deadline, "the budget ran out in the member's queue")
	}
	ctx, cancel := context.WithDeadline(ctx, deadline)
	return ctx, cancel, nil
}

// view is what one request sees: the snapshot that gives its content, and the current one that gives the permission. They are the same
// unless the request names a pinned sequence.
type view struct {
	content, current *engine.Snapshot
}

func (v view) close() {
	v.current.Close()
	if v.content != v.current {
		v.content.Close()
	}
}

// pinned tells whether the content may be older than the permission.
func (v view) pinned() bool { return v.content != v.current }

// open takes the snapshots that a request may see. A request that is ahead of the member gets an [early] error.
func (m *Member) open(head wire.Head) (view, error) {
	current := m.index.Snapshot()
	if m.opts.Hooks.AfterSnapshot != nil {
		m.opts.Hooks.AfterSnapshot(current.Seq())
	}
	v := view{content: current, current: current}
	if !reached(current, head) {
		v.close()
		return view{}, early{head}
	}
	if head.AtSeq != 0 && head.AtSeq != current.Seq() {
		pinned := m.atSeq(head.AtSeq)
		if pinned == nil {
			v.close()
			return view{}, wire.NewError(fault.Unavailable, wire.ReasonPinLost, "member %s does not hold its snapshot at %d any more", m.id, head.AtSeq)
		}
		v.content = pinned
	}
	if err := m.admit(v, head); err != nil {
		v.close()
		return view{}, err
	}
	return v, nil
}

// admit tells whether a request may be answered from its snapshots.
func (m *Member) admit(v view, head wire.Head) error {
	dozes := m.dozes() // before the lease is looked at: one that comes meanwhile is newer than the snapshot
	if !m.mayServe(v.current) {
		if dozes {
			return asleep{head.BudgetMs}
		}
		return m.notServing()
	}
	if v.current.Epoch() > head.Epoch {
		return wire.NewError(fault.Unavailable, wire.ReasonStaleMap, "ownership changed at epoch %d, the request was planned at %d", v.current.Epoch(), head.Epoch)
	}
	info, state := v.current.Collection(head.Collection)
	switch {
	case state == engine.Dropped:
		return wire.NewError(fault.NoCollection, wire.ReasonDropped, "the collection was dropped")
	case state == engine.Present && info.Version > head.SchemaVersion:
		return wire.NewError(fault.Unavailable, wire.ReasonStaleMap, "the collection's schema is at version %d, the request was planned with %d", info.Version, head.SchemaVersion)
	}
	return nil
}

// mayServe tells whether a snapshot that was taken before may be served now.
func (m *Member) mayServe(snap *engine.Snapshot) bool {
	state, _ := m.status.get()
	return state == Serving && m.grants.mayServe(m.permissionOf(snap))
}

func (m *Member) notServing() error {
	state, reason := m.status.get()
	if state == Serving {
		reason = "it holds no valid lease"
		if m.dozes() {
			reason = "it is idle, and holds no lease"
		}
	}
	return wire.NewError(fault.Unavailable, wire.ReasonNotServing, "member %s does not serve: %s %s", m.id, state, reason)
}

// frame begins the reply to a request from a snapshot.
func (m *Member) frame(h *wire.Head, snap *engine.Snapshot) wire.Frame {
	f := h.Reply()
	f.Seq, f.Epoch, f.Incarnation = snap.Seq(), snap.Epoch(), m.incarnation
	return f
}

// stats gives the statistics of the terms and fields asked for, and the terms near fuzzy words, and pins the snapshot where asked.
func (m *Member) stats(ctx context.Context, v view, r request) ([]byte, error) {
	q, err := wire.DecodeStatsRequest(r.msg.Data)
	if err != nil {
		return nil, malformed(err)
	}
	if q.Pin {
		m.pins.keep(v.content)
	}
	near, err := v.content.Expand(ctx, q.Collection, q.Fuzzy)
	if err != nil {
		return nil, err
	}
	reply := wire.StatsReply{Frame: m.frame(&q.Head, v.content), Stats: v.content.Stats(q.Collection, q.Fields, q.Terms), Near: near}
	return wire.AppendStatsReply(nil, &reply), nil
}

// search gives the group's best documents, and pins the snapshot for the fetch that follows.
func (m *Member) search(ctx context.Context, v view, r request) ([]byte, error) {
	q, err := wire.DecodeSearchRequest(r.msg.Data)
	if err != nil {
		return nil, malformed(err)
	}
	if b := q.Belief; b != nil {
		if fresh := v.content.Stats(q.Collection, b.Fields, b.Terms); !slices.Equal(fresh.Fields, b.Stats.Fields) || !slices.Equal(fresh.DF, b.Stats.DF) {
			m.pins.keep(v.content)
			reply := wire.SearchReply{Frame: m.frame(&q.Head, v.content), Fresh: &fresh}
			reply.Fingerprint = q.Fingerprint
			return wire.AppendSearchReply(nil, &reply), nil
		}
		m.pins.keep(v.content) // another group's may not hold
	}
	matching := q.Query
	if matching == nil {
		matching = &query.MatchAll{}
	}
	began := time.Now()
	clock := engine.Clock(nil)
	if q.Profile {
		clock = func() time.Duration { return time.Since(began) }
	}
	result, err := v.content.Search(ctx, engine.SearchRequest{
		Profile:    clock,
		Collection: q.Collection, Query: matching, Filters: q.Filters, Weights: q.Weights, Sort: q.Sort, Score: q.Score, Limit: int(q.Limit), After: q.After, Collapse: q.Collapse, CountTo: q.CountTo,
	})
	if err != nil {
		return nil, err
	}
	searched := time.Now()
	if q.Limit > 0 || q.Aggs != nil { // buckets show hits too
		m.pins.keep(v.content)
	}
	reply := wire.SearchReply{Frame: m.frame(&q.Head, v.content), Total: result.Total, Candidates: result.Candidates}
	reply.Fingerprint = q.Fingerprint
	aggregated := time.Duration(0)
	if q.Aggs != nil {
		if reply.Aggs, err = aggregate(ctx, v, q, matching); err != nil {
			reply.AggsErr = wire.FromError(err)
		}
		aggregated = time.Since(searched)
	}
	if q.Profile {
		if reply.Profile, err = m.profile(result.Profile, searched.Sub(began), aggregated); err != nil {
			return nil, err
		}
	}
	return wire.AppendSearchReply(nil, &reply), nil
}

// docs gives documents of a pinned snapshot, less those that were deleted since; or of the present one, which it pins.
func (m *Member) docs(v view, r request) ([]byte, error) {
	q, err := wire.DecodeDocsRequest(r.msg.Data)
	if err != nil {
		return nil, malformed(err)
	}
	if q.AtSeq == 0 {
		m.pins.keep(v.content)
	}
	reply := wire.DocsReply{Frame: m.frame(&q.Head, v.content), Docs: make([]wire.Doc, len(q.IDs))}
	for i, id := range q.IDs {
		reply.Docs[i].ID = id
		doc, ok := v.content.Get(q.Collection, id)
		if !ok || v.pinned() && deletedSince(v, q.Collection, doc) {
			continue
		}
		reply.Docs[i] = wire.Doc{Found: true, ID: id, Version: doc.Version, Source: doc.Source}
	}
	return wire.AppendDocsReply(nil, &reply), nil
}

// deletedSince tells whether a document of the content snapshot is gone from the current one: absent, or another document of the same id.
func deletedSince(v view, c schema.Incarnation, doc engine.Doc) bool {
	now, ok := v.current.Get(c, doc.ID)
	return !ok || now.Birth != doc.Birth
}

// get gives one document.
func (m *Member) get(v view, r request) ([]byte, error) {
	q, err := wire.DecodeGetRequest(r.msg.Data)
	if err != nil {
		return nil, malformed(err)
	}
	reply := wire.GetReply{Frame: m.frame(&q.Head, v.content), Doc: document(v.content, q.Collection, q.ID)}
	return wire.AppendGetReply(nil, &reply), nil
}

// document gives a document of a snapshot as it goes over the wire, or its absence.
func document(snap *engine.Snapshot, c schema.Incarnation, id string) wire.Doc {
	doc, ok := snap.Get(c, id)
	if !ok {
		return wire.Doc{ID: id}
	}
	return wire.Doc{Found: true, ID: id, Version: doc.Version, Source: doc.Source}
}

// ping tells how the member is; it answers in every state.
func (m *Member) ping(r request) ([]byte, error) {
	q, err := wire.DecodePingRequest(r.msg.Data)
	if err != nil {
		return nil, malformed(err)
	}
	return wire.AppendPingReply(nil, m.pong(q.Head)), nil
}

func (m *Member) pong(h wire.Head) *wire.PingReply {
	snap := m.index.Snapshot()
	defer snap.Close()
	state, _ := m.status.get()
	return &wire.PingReply{Frame: m.frame(&h, snap), State: string(state), Applied: snap.Seq(), ContentSeq: snap.ContentSeq(), Documents: countDocuments(snap), Digest: wire.Digest(snap.Digest())}
}

// countDocuments counts the live documents of all collections.
func countDocuments(snap *engine.Snapshot) uint64 {
	var n uint64
	for _, c := range snap.Collections() {
		n += c.Documents
	}
	return n
}
