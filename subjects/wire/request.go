package wire

import (
	"fmt"
	"math"

	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/schema"
)

// Head stands in front of every request to a member.
type Head struct {
	Call          uint64 // these three come back in the reply's [Frame]
	Round         uint32
	Slot          uint32
	Collection    schema.Incarnation
	SchemaVersion uint64 // by which the request was resolved
	Epoch         uint64 // at which this group's ownership last changed, by the sender's map
	MinSeq        uint64 // the snapshot must be at or past it
	AtSeq         uint64 // the pinned snapshot, or 0 for the present one
	BudgetMs      uint32 // what was left of the caller's budget when this was sent; 0: nothing
}

// StatsRequest asks for the statistics of fields and terms. With Pin the member keeps the snapshot for a while and names it in the reply.
type StatsRequest struct {
	Head
	Fields []string
	Terms  []bm25.FieldTerm
	Fuzzy  []query.FuzzyQuestion // terms near words are asked for
	Pin    bool
}

// SearchRequest asks for the best documents of the group.
type SearchRequest struct {
	Head
	Query       query.Node   // resolved; nil: everything
	Filters     []query.Node // resolved
	Weights     []bm25.Weight
	Sort        []query.SortKey  // empty: by score
	Collapse    bool             // of each value of the last of Sort, a field, only the first document is wanted
	Score       bool             // scores are wanted
	Profile     bool             // and what was done
	Limit       uint32           // candidates at most
	After       *query.Candidate // only those that come after it in the order of Sort; nil: all
	CountTo     uint64           // how far matches are counted; 0: all
	Fingerprint uint64           // of the weights; comes back in the frame
	Belief      *Belief          // else the member's statistics come back in place of results; nil: it does not matter
	Aggs        []byte           // definitions of aggregations, as package agg encodes them; nil: none. Those of a decoded request alias the message
}

// DocsRequest asks for documents that a search has found.
type DocsRequest struct {
	Head
	IDs []string
}

// GetRequest asks for one document.
type GetRequest struct {
	Head
	ID string
}

// PingRequest asks a member how it is; of the head only call, round and slot count.
type PingRequest struct{ Head }

// DecodeHead reads the head of any binary request, for admission before the rest is decoded.
func DecodeHead(b []byte) (Head, error) {
	r := openAny(b, kindStatsRequest, kindSearchRequest, kindDocsRequest, kindGetRequest, kindPingRequest, kindSlotsRequest, kindExplainRequest, kindHasRequest,
		kindDigestRequest, kindRepairRequest, kindQuarantineRequest, kindCompleteRequest)
	h := readHead(r)
	return h, r.err
}

// AppendStatsRequest appends the binary form to dst.
func AppendStatsRequest(dst []byte, q *StatsRequest) []byte {
	dst = appendHead(append(dst, binaryV1, kindStatsRequest), &q.Head)
	return appendFuzzy(appendQuestion(appendFlag(dst, q.Pin), q.Fields, q.Terms), q.Fuzzy)
}

func appendFuzzy(dst []byte, questions []query.FuzzyQuestion) []byte {
	dst = appendUvarint(dst, uint64(len(questions)))
	for i := range questions {
		q := &questions[i]
		dst = appendStr(appendFlag(appendStr(dst, q.Field), q.Exact), q.Word)
		for _, n := range [...]int{q.Edits, q.Prefix, q.Most} {
			dst = appendUvarint(dst, uint64(n))
		}
	}
	return dst
}

func readFuzzy(r *reader) []query.FuzzyQuestion {
	var questions []query.FuzzyQuestion
	for range r.count(6) {
		q := query.FuzzyQuestion{Field: r.str(MaxNameBytes), Exact: r.flag(), Word: r.str(query.MaxBytes)}
		q.Edits, q.Prefix, q.Most = int(r.uvarint32()), int(r.uvarint32()), int(r.uvarint32())
		if q.Edits < 1 || q.Edits > query.MaxEdits || q.Most > query.MaxExpansions {
			r.fail("%d edits, %d expansions", q.Edits, q.Most)
		}
		questions = append(questions, q)
	}
	return questions
}

func appendQuestion(dst []byte, fields []string, terms []bm25.FieldTerm) []byte {
	dst = appendStrings(dst, fields)
	dst = appendUvarint(dst, uint64(len(terms)))
	for _, t := range terms {
		dst = appendStr(dst, t.Field)
		dst = appendStr(dst, t.Term)
	}
	return dst
}

func readQuestion(r *reader) (fields []string, terms []bm25.FieldTerm) {
	fields = readStrings(r, MaxNameBytes)
	if n := r.count(2); n > 0 {
		terms = make([]bm25.FieldTerm, n)
	}
	for i := range terms {
		terms[i] = bm25.FieldTerm{Field: r.str(MaxNameBytes), Term: r.str(MaxTermBytes)}
	}
	return fields, terms
}

// DecodeStatsRequest reads the binary form.
func DecodeStatsRequest(b []byte) (*StatsRequest, error) {
	r := open(b, kindStatsRequest)
	q := &StatsRequest{Head: readHead(r)}
	q.Pin = r.flag()
	q.Fields, q.Terms = readQuestion(r)
	q.Fuzzy = readFuzzy(r)
	return finish(q, "stats request", r)
}

const (
	searchScore   = 1
	searchQuery   = 2
	searchAggs    = 4
	searchAfter   = 8
	searchOnce    = 16
	searchProfile = 32
	searchIf      = 64
)

// AppendSearchRequest appends the binary form to dst.
func AppendSearchRequest(dst []byte, q *SearchRequest) []byte {
	dst = appendHead(append(dst, binaryV1, kindSearchRequest), &q.Head)
	var flags uint8
	if q.Score {
		flags |= searchScore
	}
	if q.Query != nil {
		flags |= searchQuery
	}
	if q.Aggs != nil {
		flags |= searchAggs
	}
	if q.After != nil {
		flags |= searchAfter
	}
	if q.Collapse {
		flags |= searchOnce
	}
	if q.Profile {
		flags |= searchProfile
	}
	if q.Belief != nil {
		flags |= searchIf
	}
	dst = append(dst, flags)
	dst = appendUvarint(appendUvarint(dst, uint64(q.Limit)), q.CountTo)
	dst = appendU64(dst, q.Fingerprint)
	if q.Query != nil {
		dst = query.AppendNode(dst, q.Query)
	}
	dst = appendUvarint(dst, uint64(len(q.Filters)))
	for _, f := range q.Filters {
		dst = query.AppendNode(dst, f)
	}
	dst = appendUvarint(dst, uint64(len(q.Weights)))
	for _, w := range q.Weights {
		dst = appendF64(appendF64(appendF64(dst, w.W), w.C0), w.C1)
	}
	dst = query.AppendSortKeys(dst, q.Sort)
	if q.Aggs != nil {
		dst = appendStr(dst, q.Aggs)
	}
	if q.Belief != nil {
		dst = appendStats(appendQuestion(dst, q.Belief.Fields, q.Belief.Terms), &q.Belief.Stats)
	}
	if q.After != nil { // at the end, since candidates are read from both ends
		dst = appendCandidates(dst, []query.Candidate{*q.After})
	}
	return dst
}

// DecodeSearchRequest reads the binary form.
func DecodeSearchRequest(b []byte) (*SearchRequest, error) {
	r := open(b, kindSearchRequest)
	q := &SearchRequest{Head: readHead(r)}
	flags := r.u8()
	if flags > searchScore|searchQuery|searchAggs|searchAfter|searchOnce|searchProfile|searchIf {
		r.fail("flags %#x of a search", flags)
	}
	q.Score, q.Collapse, q.Profile = flags&searchScore != 0, flags&searchOnce != 0, flags&searchProfile != 0
	q.Limit, q.CountTo = r.uvarint32(), r.uvarint()
	q.Fingerprint = r.u64()
	if flags&searchQuery != 0 {
		q.Query = readNode(r)
	}
	for range r.count(1) {
		if r.err != nil { // one broken node leaves nothing to read the others from
			break
		}
		q.Filters = append(q.Filters, readNode(r))
	}
	if n := r.count(24); n > 0 {
		q.Weights = make([]bm25.Weight, n)
	}
	for i := range q.Weights {
		w := bm25.Weight{W: r.f64(), C0: r.f64(), C1: r.f64()}
		if !isFinite(w.W) || !isFinite(w.C0) || !isFinite(w.C1) {
			r.fail("weight %d is not finite", i)
		}
		q.Weights[i] = w
	}
	if r.err == nil {
		keys, rest, err := query.DecodeSortKeys(r.b)
		if err != nil {
			r.fail("sort keys: %v", err)
		} else {
			q.Sort, r.b = keys, rest
		}
	}
	if q.Collapse && (len(q.Sort) == 0 || q.Sort[len(q.Sort)-1].By != query.ByField) {
		r.fail("nothing to collapse by")
	}
	if flags&searchAggs != 0 {
		q.Aggs = r.bytes(len(b))
	}
	if flags&searchIf != 0 {
		q.Belief = readBelief(r)
	}
	if flags&searchAfter != 0 {
		q.After = readPlaceInOrder(r, q.Sort)
	}
	return finish(q, "search request", r)
}

// Belief is what a member's snapshot must have for its results to be wanted: Stats answers the question Fields and Terms.
type Belief struct {
	Fields []string
	Terms  []bm25.FieldTerm
	Stats  bm25.Stats
}

func readBelief(r *reader) *Belief {
	b := &Belief{}
	b.Fields, b.Terms = readQuestion(r)
	b.Stats = readStats(r)
	if len(b.Stats.Fields) != len(b.Fields) || len(b.Stats.DF) != len(b.Terms) {
		r.fail("statistics of %d fields and %d terms, not %d and %d", len(b.Stats.Fields), len(b.Stats.DF), len(b.Fields), len(b.Terms))
	}
	return b
}

// readPlaceInOrder reads the one candidate of a list, which has a key for each of the sort keys.
func readPlaceInOrder(r *reader, sort []query.SortKey) *query.Candidate {
	list := readCandidates(r)
	if r.err == nil && (len(list) != 1 || len(list[0].Keys) != len(sort)) {
		r.fail("%d candidates to go on from, or another number of keys than %d", len(list), len(sort))
	}
	if r.err != nil {
		return nil
	}
	return &list[0]
}

// AppendDocsRequest appends the binary form to dst.
func AppendDocsRequest(dst []byte, q *DocsRequest) []byte {
	return appendStrings(appendHead(append(dst, binaryV1, kindDocsRequest), &q.Head), q.IDs)
}

// DecodeDocsRequest reads the binary form.
func DecodeDocsRequest(b []byte) (*DocsRequest, error) {
	r := open(b, kindDocsRequest)
	q := &DocsRequest{Head: readHead(r)}
	q.IDs = readStrings(r, MaxIDBytes)
	return finish(q, "docs request", r)
}

// AppendGetRequest appends the binary form to dst.
func AppendGetRequest(dst []byte, q *GetRequest) []byte {
	return appendStr(appendHead(append(dst, binaryV1, kindGetRequest), &q.Head), q.ID)
}

// DecodeGetRequest reads the binary form.
func DecodeGetRequest(b []byte) (*GetRequest, error) {
	r := open(b, kindGetRequest)
	q := &GetRequest{Head: readHead(r)}
	q.ID = r.str(MaxIDBytes)
	return finish(q, "get request", r)
}

// AppendPingRequest appends the binary form to dst.
func AppendPingRequest(dst []byte, q *PingRequest) []byte {
	return appendHead(append(dst, binaryV1, kindPingRequest), &q.Head)
}

// DecodePingRequest reads the binary form.
func DecodePingRequest(b []byte) (*PingRequest, error) {
	r := open(b, kindPingRequest)
	q := &PingRequest{Head: readHead(r)}
	return finish(q, "ping request", r)
}

func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

func appendHead(dst []byte, h *Head) []byte {
	dst = appendUvarint(dst, h.Call)
	dst = appendUvarint(dst, uint64(h.Round))
	dst = appendUvarint(dst, uint64(h.Slot))
	dst = appendU64(dst, uint64(h.Collection))
	dst = appendUvarint(dst, h.SchemaVersion)
	dst = appendUvarint(dst, h.Epoch)
	dst = appendUvarint(dst, h.MinSeq)
	dst = appendUvarint(dst, h.AtSeq)
	return appendUvarint(dst, uint64(h.BudgetMs))
}

func readHead(r *reader) Head {
	return Head{
		Call:          r.uvarint(),
		Round:         r.uvarint32(),
		Slot:          r.uvarint32(),
		Collection:    schema.Incarnation(r.u64()),
		SchemaVersion: r.uvarint(),
		Epoch:         r.uvarint(),
		MinSeq:        r.uvarint(),
		AtSeq:         r.uvarint(),
		BudgetMs:      r.uvarint32(),
	}
}

func appendStrings(dst []byte, list []string) []byte {
	dst = appendUvarint(dst, uint64(len(list)))
	for _, s := range list {
		dst = appendStr(dst, s)
	}
	return dst
}

func readStrings(r *reader, limit int) []string {
	n := r.count(1)
	if n == 0 {
		return nil
	}
	list := make([]string, n)
	for i := range list {
		list[i] = r.str(limit)
	}
	return list
}

func readNode(r *reader) query.Node {
	if r.err != nil {
		return nil
	}
	n, rest, err := query.DecodeNode(r.b)
	if err != nil {
		r.fail("query: %v", err)
		return nil
	}
	r.b = rest
	return n
}

// finish gives the decoded message, or the reader's fault with its name.
func finish[T any](m *T, what string, r *reader) (*T, error) {
	if err := r.end(); err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	return m, nil
}
