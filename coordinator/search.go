package coordinator

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/jetseek/jetseek/coordinator/rank"
	"github.com/jetseek/jetseek/engine/agg"
	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/subjects/placement"
	"github.com/jetseek/jetseek/subjects/wire"
)

// mostRounds is how often a search is begun: a member lost between two trips, or a map that has changed, costs a round.
const mostRounds = 4

// search answers one search. It is counted, and logged when it was slow.
func (c *Coordinator) search(ctx context.Context, name string, raw []byte) (*wire.SearchResponse, error) {
	began := time.Now()
	reply, out, err := c.searchRounds(ctx, name, raw)
	took := time.Since(began)
	c.metrics.answered(took, out, reply, err)
	c.logSlow(name, raw, took, out, err)
	if err != nil {
		return nil, err
	}
	reply.TookMs = milliseconds(took)
	if out.plan.body.Profile {
		reply.Profile = out.profile()
	}
	return reply, nil
}

// searchRounds asks until a round gives the answer: statistics of all groups at pinned snapshots, the search at those snapshots under the global weights, the merge, the
// winners' documents from the same snapshots. A query whose scores need no statistics saves the first trip. out is what
// the last round brought, nil when none came to an end.
func (c *Coordinator) searchRounds(ctx context.Context, name string, raw []byte) (_ *wire.SearchResponse, out *answered, err error) {
	body, err := wire.DecodeSearch(raw)
	if err != nil {
		return nil, nil, err
	}
	if err := body.Validate(); err != nil {
		return nil, nil, err
	}
	var w *walk
	began := time.Now()
	if body.Cursor != "" {
		if w, body, err = c.openWalk(ctx, name, raw, body); err != nil {
			return nil, nil, err
		}
	}
	ctx, cancel := context.WithDeadline(ctx, began.Add(timeout(body)))
	defer cancel()
	for round := 1; ; round++ {
		coll, err := c.collection(ctx, name)
		if err != nil {
			return nil, out, err
		}
		p, err := planSearch(coll, body)
		if err == nil && w != nil {
			err = p.onWalk(w)
		}
		if err != nil {
			return nil, out, err
		}
		next, err := c.searchRound(ctx, p, round == mostRounds)
		if err != nil {
			return nil, out, err
		}
		if round > 1 {
			next.retried += out.retried + 1 // of the round that another follows
		}
		out = next
		out.rounds = round
		if !out.again || round == mostRounds || ctx.Err() != nil {
			break
		}
		if out.stale {
			if err := c.refresh(ctx, name); err != nil {
				return nil, out, err
			}
		}
	}
	reply, err := out.response()
	if err == nil && w != nil {
		reply.Cursor, err = out.cursor(ctx, c, reply.Total)
	}
	return reply, out, err
}

// part is one group's share in a round.
type part struct {
	group   placement.Group
	node    string // the member that answered, and must answer the later trips
	seq     uint64 // of its snapshot
	stats   bm25.Stats
	near    [][]query.Expansion // of each fuzzy word of the plan
	belief  *wire.Belief        // what its snapshot must have, where that is not known
	result  *wire.SearchReply   // nil: its snapshot has not
	weights []bm25.Weight       // under which it was searched
	err     *wire.Error         // the group is missing from the answer
}

// answered is what a round brought.
type answered struct {
	plan      *plan
	parts     []*part
	page      rank.Page
	sources   map[string]wire.Doc
	aggs      []agg.Partial                  // merged and cut
	aggFailed []string                       // groups whose aggregations are missing though their hits are there
	foundBy   map[string]string              // hits of top_hits: the group
	snippets  map[string]map[string][]string // of each hit, by field; nil where none were asked for
	stats     bm25.Stats                     // of all groups, which the weights were made of
	explained map[string]*bm25.Explanation   // of each hit; nil where none were asked for
	deleted   int                            // hits left out because they were deleted since the snapshot

	again, stale bool // another round may do better; with a newer map or schema
	retried      int  // requests to groups that were made again, and rounds
	rounds       int
	path         string
	shares       map[string]float64 // of the documents, by group; nil while no group is missing

	statsTook, searchTook, docsTook time.Duration
}

// Shares of what is left of the budget that a trip may take while others follow: a group that is silent may use up the trip's, never theirs.
const (
	likeShare   = 0.4
	statsShare  = 0.5
	searchShare = 0.75
	docsShare   = 0.75 // another round may have to follow
)

// withShare bounds a trip by a share of what is left of the budget.
func withShare(ctx context.Context, share float64) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, time.Duration(share*float64(time.Until(deadlineOf(ctx)))))
}

// searchRound runs the trips of one round. The last round makes the best of what it has: where another might do better, the groups that failed are missing.
func (c *Coordinator) searchRound(ctx context.Context, p *plan, last bool) (*answered, error) {
	m := c.view.View().Map
	if m == nil {
		return nil, unavailable(reasonNoMap, "no collection was created yet")
	}
	if err := p.checkMinSeq(m); err != nil {
		return nil, err
	}
	out := &answered{plan: p, path: pathSearch}
	for _, g := range m.Groups {
		if at := p.snapshot(g.Name); p.walk == nil || at != 0 { // a group that came since holds nothing of the walk
			out.parts = append(out.parts, &part{group: g, seq: at})
		}
	}
	if err := c.readLikes(ctx, out); err != nil {
		if out.again && !last {
			return out, nil
		}
		return nil, err
	}
	if err := c.searchGroups(ctx, out); err != nil {
		return nil, err
	}
	if out.again && !last {
		out.shares = c.shares(m)
		return out, nil
	}
	lists := make([][]query.Candidate, len(out.parts))
	for i, part := range out.parts {
		if part.err == nil {
			lists[i] = part.result.Candidates
		}
	}
	out.page = p.merge(lists)
	if out.page.Duplicates > 0 {
		c.log.Error("a document was found by two groups", "collection", p.coll.Name, "duplicates", out.page.Duplicates)
	}
	if err := c.aggregate(ctx, out); err != nil {
		return nil, err
	}
	began := time.Now()
	c.gatherDocs(ctx, out)
	c.explainHits(ctx, out)
	if err := out.cutSnippets(ctx); err != nil {
		return nil, err
	}
	out.docsTook = time.Since(began)
	c.metrics.phase(phaseDocs, out.docsTook)
	if slices.ContainsFunc(out.parts, func(p *part) bool { return p.err != nil }) {
		out.shares = c.shares(m)
	}
	return out, nil
}

// Paths of a search to its results.
const (
	pathSearch   = "search"          // scores need no statistics
	pathAsked    = "stats+search"    // statistics first, then the search at the same snapshots
	pathBelieved = "believed"        // one trip: the statistics that were remembered hold
	pathRepeated = "believed+search" // they did not; the search was repeated at the same snapshots
)

// searchGroups gets every group's results, under weights of statistics that are theirs: remembered and verified, or asked for.
func (c *Coordinator) searchGroups(ctx context.Context, out *answered) error {
	p := out.plan
	began := time.Now()
	defer func() {
		c.metrics.paths.WithLabelValues(out.path).Inc()
		out.searchTook = time.Since(began) - out.statsTook
		c.metrics.phase(phaseSearch, out.searchTook)
	}()
	if !p.needsStats() {
		c.gatherResults(ctx, out, nil)
		return nil
	}
	if c.believe(out) {
		return c.searchBelieved(ctx, out)
	}
	out.path = pathAsked
	weights, err := c.gatherWeights(ctx, out)
	if err == nil {
		c.gatherResults(ctx, out, weights)
	}
	return err
}

// gatherWeights makes the weights of the sum of all groups' statistics; none where each group weighs for itself.
func (c *Coordinator) gatherWeights(ctx context.Context, out *answered) ([]bm25.Weight, error) {
	began := time.Now()
	defer func() {
		out.statsTook = time.Since(began)
		c.metrics.phase(phaseStats, out.statsTook)
	}()
	if _, err := c.gatherStats(ctx, out); err != nil {
		return nil, err
	}
	p := out.plan
	for _, part := range out.parts {
		if part.err == nil && p.walk == nil {
			c.beliefs.remember(believed{p.coll.Incarnation, part.group.Name}, p.fields, p.terms, part.stats)
		}
	}
	return out.weigh()
}

// gatherStats asks every group for its statistics at a snapshot that it pins, and adds up those that came.
func (c *Coordinator) gatherStats(ctx context.Context, out *answered) (bm25.Stats, error) {
	ctx, cancel := withShare(ctx, statsShare)
	defer cancel()
	p := out.plan
	t := &trip{op: wire.OpStats}
	for _, part := range out.parts {
		head, members := p.head(part.group), []string{part.node}
		if part.node == "" {
			members = c.membersOf(part.group.Name, p.body.MinSeq[part.group.Name])
		}
		head.AtSeq = part.seq
		t.targets = append(t.targets, &target{
			group: part.group.Name, head: head, members: members, held: p.walk != nil && part.node == "",
			encode: func(h wire.Head) []byte {
				return wire.AppendStatsRequest(nil, &wire.StatsRequest{Head: h, Fields: p.fields, Terms: p.terms, Fuzzy: p.fuzzy, Pin: true})
			},
			accept: func(data []byte) *wire.Error {
				reply, err := decodeReply(data, wire.DecodeStatsReply, func(r *wire.StatsReply) *wire.Frame { return &r.Frame })
				if err != nil {
					return err
				}
				if len(reply.Near) != len(p.fuzzy) {
					return unavailable("malformed", "terms near %d words, not %d", len(reply.Near), len(p.fuzzy))
				}
				part.seq, part.stats, part.near = reply.Seq, reply.Stats, reply.Near
				return nil
			},
		})
	}
	out.retried += c.scatter(ctx, t)
	for i, part := range out.parts {
		out.again = out.again || part.node != "" && t.targets[i].err != nil // the document that others are to be like is of its snapshot
		part.node, part.err = t.targets[i].node, t.targets[i].err
		out.note(part.err)
		if part.err == nil && (len(part.stats.Fields) != len(p.fields) || len(part.stats.DF) != len(p.terms)) {
			return bm25.Stats{}, unavailable("malformed", "member %s/%s answers another question", part.group.Name, part.node)
		}
	}
	sum, err := out.sum()
	if err != nil || len(p.fuzzy)+len(p.likes) == 0 {
		return sum, err
	}
	if err := p.agree(out.parts, sum); err != nil {
		return bm25.Stats{}, err
	}
	return out.sum()
}

// sum adds up the statistics of the groups that answered.
func (a *answered) sum() (bm25.Stats, error) {
	sum := bm25.Stats{Fields: make([]bm25.FieldStats, len(a.plan.fields)), DF: make([]uint64, len(a.plan.terms))}
	for _, part := range a.parts {
		if part.err != nil {
			continue
		}
		if err := sum.Add(part.stats); err != nil {
			return bm25.Stats{}, unavailable("malformed", "member %s/%s: %v", part.group.Name, part.node, err)
		}
	}
	return sum, nil
}

// gatherResults searches every group, at the snapshot that its statistics came from where they were asked for.
func (c *Coordinator) gatherResults(ctx context.Context, out *answered, weights []bm25.Weight) {
	ctx, cancel := withShare(ctx, searchShare)
	defer cancel()
	p := out.plan
	t := &trip{op: wire.OpSearch}
	var asked []*part
	weighed := make(map[*part]bool) // its statistics are in the weights
	for _, part := range out.parts {
		if part.err != nil {
			continue
		}
		part.result = nil
		asked = append(asked, part)
		weighed[part] = part.node != ""
		t.targets = append(t.targets, c.searchTarget(p, part, weights))
	}
	if len(asked) == 0 {
		return
	}
	out.retried += c.scatter(ctx, t)
	for i, part := range asked {
		part.node, part.err = t.targets[i].node, t.targets[i].err
		out.note(part.err)
		if part.err != nil && weighed[part] && !isRequestFault(part.err) {
			out.again = true // the answer would be a mixture
		}
	}
}

func (c *Coordinator) searchTarget(p *plan, part *part, weights []bm25.Weight) *target {
	head, members := p.head(part.group), []string{part.node}
	if part.node == "" {
		members = c.membersOf(part.group.Name, p.body.MinSeq[part.group.Name])
	}
	head.AtSeq = part.seq
	if p.needsStats() && weights == nil { // each group under its own statistics
		own, err := query.Weigh(p.leaves, p.fields, p.terms, part.stats)
		if err != nil {
			own = make([]bm25.Weight, len(p.leaves))
		}
		weights = own
	}
	part.weights = weights
	mark := fingerprint(weights)
	return &target{
		group: part.group.Name, head: head, members: members, held: p.walk != nil && part.node == "",
		encode: func(h wire.Head) []byte {
			return wire.AppendSearchRequest(nil, &wire.SearchRequest{Head: h, Query: p.query, Filters: p.filters, Weights: weights, Sort: p.sort, Score: p.score, Profile: p.body.Profile, Limit: uint32(p.limit), Belief: part.belief, After: p.after(), Collapse: p.body.Collapse != "", CountTo: p.countTo, Fingerprint: mark, Aggs: c.encodeAggregations(p)})
		},
		accept: func(data []byte) *wire.Error {
			reply, err := decodeReply(data, wire.DecodeSearchReply, func(r *wire.SearchReply) *wire.Frame { return &r.Frame })
			if err != nil {
				return err
			}
			if reply.Fingerprint != mark {
				return unavailable("malformed", "a reply under other weights")
			}
			if reply.Fresh != nil {
				if part.belief == nil || len(reply.Fresh.Fields) != len(p.fields) || len(reply.Fresh.DF) != len(p.terms) {
					return unavailable("malformed", "statistics that answer another question")
				}
				part.seq, part.stats = reply.Seq, *reply.Fresh
				return nil
			}
			if err := rank.Check(p.sort, reply.Candidates); err != nil {
				return unavailable("malformed", "member of group %s: %v", part.group.Name, err)
			}
			part.seq, part.result = reply.Seq, reply
			return nil
		},
	}
}

// gatherDocs fetches the page's documents from the members and snapshots that found them.
func (c *Coordinator) gatherDocs(ctx context.Context, out *answered) {
	ids := make([][]string, len(out.parts))
	for i, hit := range out.page.Page {
		at := out.page.Lists[i]
		ids[at] = append(ids[at], hit.ID)
	}
	below := out.bucketHits()
	for i, part := range out.parts {
		ids[i] = append(ids[i], below[part.group.Name]...)
	}
	ctx, cancel := withShare(ctx, docsShare)
	defer cancel()
	out.sources = make(map[string]wire.Doc, len(out.page.Page))
	t := &trip{op: wire.OpDocs}
	for i, part := range out.parts {
		if len(ids[i]) == 0 {
			continue
		}
		head := out.plan.head(part.group)
		head.AtSeq = part.seq
		t.targets = append(t.targets, &target{
			group: part.group.Name, head: head, members: []string{part.node},
			encode: func(h wire.Head) []byte {
				return wire.AppendDocsRequest(nil, &wire.DocsRequest{Head: h, IDs: ids[i]})
			},
			accept: func(data []byte) *wire.Error {
				reply, err := decodeReply(data, wire.DecodeDocsReply, func(r *wire.DocsReply) *wire.Frame { return &r.Frame })
				if err != nil {
					return err
				}
				for _, d := range reply.Docs {
					if d.Found {
						out.sources[d.ID] = d
					}
				}
				return nil
			},
		})
	}
	if len(t.targets) == 0 {
		return
	}
	out.retried += c.scatter(ctx, t)
	for _, target := range t.targets {
		if target.err == nil {
			continue
		}
		out.note(target.err)
		out.again = true // never a newer body under an older score: the round is repeated at another member
		for _, part := range out.parts {
			if part.group.Name == target.group {
				part.err = target.err
			}
		}
	}
}

// note takes from a group's error whether another round may do better.
func (a *answered) note(err *wire.Error) {
	if err == nil {
		return
	}
	switch err.Reason {
	case wire.ReasonStaleMap, wire.ReasonDropped:
		a.again, a.stale = true, true
	case wire.ReasonPinLost:
		a.again = true
	}
}

// response makes the reply of what the round brought, or the error that stands for all groups.
func (a *answered) response() (*wire.SearchResponse, error) {
	body := a.plan.body
	r := &wire.SearchResponse{
		Query: a.plan.text, Stats: body.Stats, Hits: []wire.Hit{},
		Shards:   wire.Shards{Total: len(a.parts), FailedGroups: []string{}, Retried: a.retried},
		Coverage: wire.Coverage{Seq: map[string]uint64{}},
		Pipeline: wire.Pipeline{Quality: body.Quality, Version: 1, Stages: []string{"retrieve", "merge"}, Shed: []string{}},
	}
	if err := a.cover(r); err != nil {
		return nil, err
	}
	r.Total = a.total(!r.Partial)
	if w := a.plan.walk; w != nil && !w.first {
		r.Total = w.Total
	}
	for i := range a.page.Page {
		hit, ok, err := a.hit(&a.page.Page[i])
		if err != nil {
			return nil, err
		}
		if ok {
			r.Hits = append(r.Hits, hit)
		}
	}
	if err := a.showAggregations(r); err != nil {
		return nil, err
	}
	r.Exact, r.ExactNote = a.exact()
	return r, nil
}

// cover counts the groups that answered. With none, or with partial=fail and one missing, there is no answer but an error.
func (a *answered) cover(r *wire.SearchResponse) error {
	var failed *wire.Error
	for _, part := range a.parts {
		if part.err == nil {
			r.Shards.OK++
			r.Coverage.Seq[part.group.Name] = part.seq
			r.Coverage.Documents += a.shares[part.group.Name]
			continue
		}
		failed = part.err
		r.Shards.Failed++
		r.Shards.FailedGroups = append(r.Shards.FailedGroups, part.group.Name)
		if r.Shards.Reasons == nil {
			r.Shards.Reasons = map[string]string{}
		}
		r.Shards.Reasons[part.group.Name] = reasonOf(part.err)
	}
	if failed == nil {
		r.Coverage.Documents = 1
		return nil
	}
	if a.plan.walk != nil {
		return a.walkError(failed)
	}
	r.Partial = labelsPartial
	if isRequestFault(failed) || r.Shards.OK == 0 {
		return failed
	}
	if a.plan.body.Partial != "allow" {
		return unavailable(reasonPartial, "groups %v did not answer, and the request says partial=%s", r.Shards.FailedGroups, a.plan.body.Partial)
	}
	return nil
}

// isRequestFault tells whether an error is the request's own, whichever group says so.
func isRequestFault(e *wire.Error) bool {
	switch e.Code {
	case fault.Unavailable, fault.Overloaded, fault.Deadline:
		return false
	}
	return true
}

func reasonOf(e *wire.Error) string {
	if e.Reason != "" {
		return e.Reason
	}
	return string(e.Code)
}

// hit makes one hit of a candidate; a document deleted since the snapshot is left out.
func (a *answered) hit(c *query.Candidate) (wire.Hit, bool, error) {
	doc, ok := a.sources[c.ID]
	if !ok || a.explained != nil && a.explained[c.ID] == nil {
		a.deleted++
		return wire.Hit{}, false, nil
	}
	source, err := wire.Project(doc.Source, a.plan.body.Fields)
	if err != nil {
		return wire.Hit{}, false, fmt.Errorf("project the source of %s: %w", fault.Quote(c.ID), err)
	}
	h := wire.Hit{ID: c.ID, Source: json.RawMessage(source), Snippet: a.snippets[c.ID], Explanation: a.explained[c.ID]}
	if a.plan.score {
		shown := bm25.Shown(c.Score)
		h.Score = &shown
	}
	if a.plan.shown > 0 {
		for i, key := range a.plan.sort[:a.plan.shown] {
			h.Sort = append(h.Sort, query.KeyJSON(key, c.Keys[i]))
		}
		h.Sort = append(h.Sort, c.ID)
	}
	return h, true, nil
}

// exact tells whether the exactness contract holds in full, and else why not.
func (a *answered) exact() (bool, string) {
	for _, part := range a.parts {
		if part.err != nil {
			return false, fmt.Sprintf("group %s did not answer: its documents are missing", part.group.Name)
		}
	}
	if len(a.aggFailed) > 0 {
		return false, fmt.Sprintf("the aggregations of groups %v did not end in time: their documents are missing from them", a.aggFailed)
	}
	if a.page.Duplicates > 0 {
		return false, fmt.Sprintf("%d documents were found by two groups: their ownership is in doubt, and the total counts them twice", a.page.Duplicates)
	}
	if a.plan.body.Stats == "local" && len(a.parts) > 1 && a.plan.needsStats() {
		return false, "each group scored with its own statistics (stats=local)"
	}
	switch {
	case a.deleted == 1:
		return true, "1 document deleted since the snapshot is left out of the page"
	case a.deleted > 1:
		return true, fmt.Sprintf("%d documents deleted since the snapshot are left out of the page", a.deleted)
	}
	return true, ""
}
