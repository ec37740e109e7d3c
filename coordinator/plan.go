package coordinator

import (
	"encoding/json"
	"hash/fnv"
	"math"
	"time"

	"encoding/binary"

	"github.com/jetseek/jetseek/engine/agg"
	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/snippet"
	"github.com/jetseek/jetseek/subjects/placement"
	"github.com/jetseek/jetseek/subjects/wire"
)

// plan is one search, resolved: what each group is asked, whatever the groups are.
type plan struct {
	coll    *collection
	body    *wire.SearchBody
	text    string // the query as the reply repeats it
	query   query.Node
	filters []query.Node
	sort    []query.SortKey
	shown   int // of these the first are shown with a hit
	score   bool
	limit   int    // candidates asked of each group: no document below place from+limit of its group can be on the page
	countTo uint64 // how far each group counts, 0: all; the whole counts so far only if each group does

	aggs   []agg.Definition // aggregations, then facets
	facets int              // where these begin
	hidden int              // the last, which are not shown

	leaves []query.Leaf
	fields []string
	terms  []bm25.FieldTerm
	fuzzy  []query.FuzzyQuestion // of words whose terms are not agreed yet

	likes      []*query.LikeTerms // whose words are not chosen yet
	candidates [][]query.LikeTerm // for each

	walk *walk // nil: the search is one page
}

// planSearch checks a search against the collection's schema and resolves it.
func planSearch(coll *collection, body *wire.SearchBody) (*plan, error) {
	p := &plan{coll: coll, body: body, limit: body.From + body.Limit}
	if body.TrackTotal != wire.TrackExact {
		p.countTo = uint64(max(body.TrackTotal, 1))
	}
	if body.Limit == 0 {
		p.limit = 0
	}
	options := query.Options{DefaultOperatorAnd: body.DefaultOperator == "and", Lenient: body.Lenient}
	node, err := decodeQuery(body.Query, options)
	if err != nil {
		return nil, err
	}
	p.text = echo(body.Query, node)
	if p.query, err = query.Resolve(node, coll.Schema, false); err != nil {
		return nil, err
	}
	if body.MinScore != nil {
		p.query = &query.AtLeast{Child: p.query, Score: *body.MinScore}
	}
	for _, raw := range body.Filters {
		node, err := decodeQuery(raw, query.Options{})
		if err != nil {
			return nil, err
		}
		filter, err := query.Resolve(node, coll.Schema, true)
		if err != nil {
			return nil, err
		}
		p.filters = append(p.filters, filter)
	}
	if p.sort, err = query.ResolveSort(body.Sort, coll.Schema); err != nil {
		return nil, err
	}
	p.shown = len(p.sort)
	p.score = len(p.sort) == 0 || body.TrackScores || body.Explain || sortsByScore(p.sort)
	if body.Snippet != nil {
		if _, err := snippet.New(coll.Schema, p.query, body.Snippet); err != nil {
			return nil, err // before it depends on what is found
		}
	}
	if err := p.planAggregations(); err != nil {
		return nil, err
	}
	if err := p.planCollapse(); err != nil {
		return nil, err
	}
	if p.likes, err = query.Likes(p.nodes()...); err != nil {
		return nil, err
	}
	p.ask()
	return p, nil
}

func decodeQuery(raw json.RawMessage, o query.Options) (query.Node, error) {
	if len(raw) == 0 {
		return &query.MatchAll{Boost: 1}, nil
	}
	return query.DecodeJSON(raw, o)
}

// echo gives the query as a reply repeats it: the text that was sent, or a query in JSON as it prints.
func echo(sent json.RawMessage, node query.Node) string {
	var text string
	if len(sent) > 0 && sent[0] == '"' && json.Unmarshal(sent, &text) == nil {
		return text
	}
	return query.String(node)
}

func sortsByScore(keys []query.SortKey) bool {
	for _, k := range keys {
		if k.By == query.ByScore {
			return true
		}
	}
	return false
}

// needsStats tells whether something must be known of the corpus first: statistics that scores depend on, or the terms near fuzzy words.
func (p *plan) needsStats() bool { return len(p.fields)+len(p.fuzzy)+len(p.likes) > 0 }

// head is what every request of the plan to a group says.
func (p *plan) head(g placement.Group) wire.Head {
	at := p.snapshot(g.Name)
	return wire.Head{Collection: p.coll.Incarnation, SchemaVersion: p.coll.Version, Epoch: g.OwnEpoch, MinSeq: max(minSeqOf(p.body, g.Name), at), AtSeq: at}
}

// checkMinSeq refuses sequences of groups that do not exist.
func (p *plan) checkMinSeq(m *placement.Map) error {
	for name := range p.body.MinSeq {
		if _, ok := m.Group(name); !ok {
			return fault.New(fault.BadRequest, "min_seq names group %s, which does not exist", fault.Quote(name))
		}
	}
	return nil
}

// fingerprint names a set of weights, so that no reply under others can be merged.
func fingerprint(weights []bm25.Weight) uint64 {
	h := fnv.New64a()
	var b [8]byte
	for _, w := range weights {
		for _, f := range [...]float64{w.W, w.C0, w.C1} {
			binary.LittleEndian.PutUint64(b[:], math.Float64bits(f))
			h.Write(b[:])
		}
	}
	return h.Sum64()
}

// timeout is the whole budget of a search.
func timeout(body *wire.SearchBody) time.Duration {
	return time.Duration(body.TimeoutMs) * time.Millisecond
}
