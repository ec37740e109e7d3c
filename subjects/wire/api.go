package wire

import (
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/fault"
)

// This file holds the JSON bodies of the public API: what NATS clients, the HTTP bridge and embedded programs exchange with a coordinator.

// Headers of requests and replies of the public API over NATS.
const (
	HeaderID        = "Jetseek-Id"
	HeaderWait      = "Jetseek-Wait"
	HeaderTimeoutMs = "Jetseek-Timeout-Ms"
	HeaderIfVersion = "Jetseek-If-Version"
	HeaderRequestID = "Jetseek-Request-Id" // 1 to [MaxRequestID] printable bytes: makes a repeat of the write safe
	HeaderReport    = "Jetseek-Report"     // the reply tells what each member had to do with the write
	HeaderBudgetMs  = "Jetseek-Budget-Ms"
	HeaderObject    = "Jetseek-Object"     // the body is the object of this name in the cluster's object store; the coordinator removes it
	HeaderFirstLine = "Jetseek-First-Line" // bulk: the number of the body's first line, for a bulk that was split
	HeaderStatus    = "Jetseek-Status"     // reply: the HTTP status that the bridge gives it
)

// Durability is what an error says about a write: nothing (""), certainly not stored ("false"), stored ("true") or not known ("unknown").
// In JSON it is false, true or "unknown".
type Durability string

// The values of [Durability].
const (
	NotDurable     Durability = "false"
	IsDurable      Durability = "true"
	DurableUnknown Durability = "unknown"
)

// MarshalJSON gives false, true or "unknown".
func (d Durability) MarshalJSON() ([]byte, error) {
	if d == DurableUnknown {
		return []byte(`"unknown"`), nil
	}
	return []byte(d), nil
}

// UnmarshalJSON takes false, true or "unknown".
func (d *Durability) UnmarshalJSON(b []byte) error {
	var s any
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	switch s {
	case false:
		*d = NotDurable
	case true:
		*d = IsDurable
	default:
		*d = DurableUnknown
	}
	return nil
}

// ErrorBody is the body of every error reply.
type ErrorBody struct {
	Error ErrorInfo `json:"error"`
}

// ErrorInfo is an error with its code as JSON.
type ErrorInfo struct {
	Code     fault.Code `json:"code"`
	Message  string     `json:"message"`
	Position *int       `json:"position,omitempty"` // byte offset in q
	Reason   string     `json:"reason,omitempty"`   // of unavailable: a word for programs
	Durable  Durability `json:"durable,omitempty"`  // of a write
}

// WriteReply answers one write (POST or DELETE /index).
type WriteReply struct {
	OK        bool       `json:"ok"`
	ID        string     `json:"id"`
	Outcome   string     `json:"outcome"` // created, updated, deleted, not_found, version_conflict; "" when no member has told it: wait is none, or no member is up
	Version   uint64     `json:"version"`
	Group     string     `json:"group"`
	Seq       uint64     `json:"seq"`
	Durable   bool       `json:"durable"`
	Visible   bool       `json:"visible"`
	Verified  *bool      `json:"verified,omitempty"` // deletes only; false where a condition kept the document
	Members   int        `json:"members"`
	MembersOK int        `json:"members_ok"`
	Behind    []string   `json:"behind"`
	Repeated  bool       `json:"repeated,omitempty"` // the outcome is that of an earlier write with the same request id, and nothing was done now
	Error     *ErrorInfo `json:"error,omitempty"`    // version_conflict

	Report []Acknowledged `json:"report,omitempty"` // when the request asks for it: by member and incarnation
}

// Acknowledged tells what one incarnation of a member had to do with a write: one of the times stands in it, or none while it is not known how far a declared member without a
// lease is. Times are of the coordinator's clock.
type Acknowledged struct {
	Member      string `json:"member"`
	Incarnation string `json:"incarnation,omitempty"` // 16 hex digits; "" of a declared member that held no lease and has not applied the write

	AckedAt     *time.Time `json:"acked_at,omitempty"`      // it has applied the write
	LeaseRanOut *time.Time `json:"lease_ran_out,omitempty"` // it has not, and could not serve without it from here on
	LeaseUntil  *time.Time `json:"lease_until,omitempty"`   // it has not, and may serve without it until then at most
}

// BulkReply answers a bulk.
type BulkReply struct {
	OK        bool              `json:"ok"`
	Durable   bool              `json:"durable"`
	Visible   bool              `json:"visible"`
	Indexed   int               `json:"indexed"` // created + updated
	Deleted   int               `json:"deleted"`
	NotFound  int               `json:"not_found"`
	Failed    int               `json:"failed"`
	Undecided int               `json:"undecided,omitempty"` // lines that stand, and of which no member has told the outcome: wait is none, or no member is up
	Repeated  int               `json:"repeated,omitempty"`  // lines whose outcome is that of an earlier bulk with the same request id: counted above as they were decided then
	Groups    int               `json:"groups"`              // these three: of the groups that the bulk touched
	Members   int               `json:"members"`
	MembersOK int               `json:"members_ok"`
	Behind    []string          `json:"behind"`
	Seq       map[string]uint64 `json:"seq"`
	Errors    []LineError       `json:"errors"`
	TookMs    float64           `json:"took_ms"`

	RepeatedLines []LineRange `json:"repeated_lines,omitempty"` // the lines that Repeated counts; all others were decided now

	Report map[string][]Acknowledged `json:"report,omitempty"` // when the request asks for it: of each group's last line
}

// Stands tells whether a line of the bulk stands. Durable and Visible speak of those lines; where there is none, both are false.
func (r *BulkReply) Stands() bool { return r.Indexed+r.Deleted+r.NotFound+r.Undecided > 0 }

// LineRange is some lines of a bulk, both ends included.
type LineRange struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// MaxRequestID bounds a request id, in bytes.
const MaxRequestID = 256

// CheckRequestID tells whether a request id can stand in a header: 1 to [MaxRequestID] printable bytes of UTF-8, no blank at the ends. It fails with bad_request.
func CheckRequestID(id string) error {
	if id == "" || len(id) > MaxRequestID || !utf8.ValidString(id) || strings.TrimSpace(id) != id || strings.ContainsFunc(id, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return fault.New(fault.BadRequest, "request_id is 1 to %d printable bytes without blanks at the ends, not %s", MaxRequestID, fault.Quote(id))
	}
	return nil
}

// LineError is one failed line of a bulk, numbered from 1, blank lines counted.
type LineError struct {
	Line    int        `json:"line"`
	ID      string     `json:"id,omitempty"`
	Code    fault.Code `json:"code"`
	Message string     `json:"message"`
	Durable Durability `json:"durable,omitempty"`
}

// MaxLineErrors is how many failed lines the reply to a bulk names; those beyond it are counted in Failed alone.
const MaxLineErrors = 10_000

// Fail counts a failed line, and names it while there is room.
func (r *BulkReply) Fail(e LineError) {
	r.Failed++
	if len(r.Errors) < MaxLineErrors {
		r.Errors = append(r.Errors, e)
	}
}

// maxLineRanges is how many ranges of repeated lines a reply names, and lineRangeBytes what one takes of it at most.
const (
	maxLineRanges  = 10_000
	lineRangeBytes = 48
)

// Repeat names a line whose outcome was decided before, while there is room; lines come in order. Counting is the caller's.
func (r *BulkReply) Repeat(lines LineRange) {
	if n := len(r.RepeatedLines); n > 0 && r.RepeatedLines[n-1].To+1 == lines.From {
		r.RepeatedLines[n-1].To = lines.To
	} else if n < maxLineRanges {
		r.RepeatedLines = append(r.RepeatedLines, lines)
	}
}

// Cut leaves out the last of the named lines, until errors take at most so many bytes of JSON and ranges half of it.
func (r *BulkReply) Cut(bytes int) {
	r.RepeatedLines = r.RepeatedLines[:min(len(r.RepeatedLines), bytes/2/lineRangeBytes)]
	for i := range r.Errors {
		line, err := json.Marshal(&r.Errors[i])
		if bytes -= len(line) + 1; err != nil || bytes < 0 {
			r.Errors = r.Errors[:i]
			return
		}
	}
}

// DeleteRequest and GetRequest's JSON form over NATS is {"id":…}.
type IDRequest struct {
	ID string `json:"id"`
}

// DocReply answers GET /doc.
type DocReply struct {
	ID      string          `json:"id"`
	Version uint64          `json:"version"`
	Seq     uint64          `json:"seq"` // of the snapshot that answered
	Group   string          `json:"group"`
	Source  json.RawMessage `json:"source"`
}

// SearchResponse answers a search.
type SearchResponse struct {
	TookMs    float64         `json:"took_ms"`
	Query     string          `json:"query"`
	Total     Total           `json:"total"`
	Hits      []Hit           `json:"hits"`
	Aggs      json.RawMessage `json:"aggs,omitempty"`   // by name, in the order of the request; of the groups that have them
	Facets    json.RawMessage `json:"facets,omitempty"` // by field: values and counts
	Exact     bool            `json:"exact"`
	ExactNote string          `json:"exact_note"`
	Stats     string          `json:"stats"`
	Partial   bool            `json:"partial"`
	Shards    Shards          `json:"shards"`
	Coverage  Coverage        `json:"coverage"`
	Pipeline  Pipeline        `json:"pipeline"`
	Profile   *SearchProfile  `json:"profile,omitempty"`
	Cursor    string          `json:"cursor,omitempty"` // of a walk: asks for the next page; "" when the snapshot has no place behind this one
	Cached    bool            `json:"cached"`
}

// Total is how many documents match: eq, gte or estimate.
type Total struct {
	Value    uint64 `json:"value"`
	Relation string `json:"relation"`
}

// Hit is one document of the answer. Sort stands when the request names sort keys: the keys' values, then the id.
type Hit struct {
	ID     string          `json:"id"`
	Score  *float64        `json:"score"` // null when ordered by fields alone and track_scores is not set
	Source json.RawMessage `json:"source"`
	// Snippet has the passages in which the query was found, by field, the best first: HTML. nil where none were asked for.
	Snippet map[string][]string `json:"snippet,omitzero"`
	Sort    []any               `json:"sort,omitempty"`
	// Explanation takes the score apart: folding its ops over details gives Score, bit for bit. nil where it was not asked for.
	Explanation *bm25.Explanation `json:"explanation,omitempty"`
}

// Shards counts the groups that answered.
type Shards struct {
	Total        int               `json:"total"`
	OK           int               `json:"ok"`
	Failed       int               `json:"failed"`
	FailedGroups []string          `json:"failed_groups"`
	Hedged       int               `json:"hedged"`
	Retried      int               `json:"retried"`
	Reasons      map[string]string `json:"reasons,omitempty"`
	AggFailed    []string          `json:"agg_failed_groups,omitempty"` // whose aggregations are missing though their hits are there
}

// Coverage is the share of the documents that the answer speaks of, and each group's snapshot.
type Coverage struct {
	Documents float64           `json:"documents"`
	Seq       map[string]uint64 `json:"seq"`
}

// Pipeline is what was executed.
type Pipeline struct {
	Quality string   `json:"quality"`
	Version int      `json:"version"`
	Stages  []string `json:"stages"`
	Shed    []string `json:"shed"`
}

// CollectionBody answers PUT and GET of a collection.
type CollectionBody struct {
	Name      string            `json:"name"`
	Schema    json.RawMessage   `json:"schema"`
	Documents uint64            `json:"documents"`
	Groups    map[string]uint64 `json:"groups"`
}

// CollectionRequest is the body of admin.collections.create, .show and .drop over NATS; Schema for create only.
type CollectionRequest struct {
	Name   string          `json:"name"`
	Schema json.RawMessage `json:"schema,omitempty"`
}

// CollectionsBody answers GET /collections.
type CollectionsBody struct {
	Collections []CollectionBody `json:"collections"`
}

// DropBody answers DELETE of a collection.
type DropBody struct {
	OK       bool   `json:"ok"`
	Name     string `json:"name"`
	Verified bool   `json:"verified"`
}

// ReadyBody answers /ready (admin.status).
type ReadyBody struct {
	Ready  bool            `json:"ready"`
	Groups map[string]bool `json:"groups"`
}

// RingBody answers /_ring.
type RingBody struct {
	Rule   string         `json:"rule"`
	Slots  int            `json:"slots"`
	Vnodes int            `json:"vnodes"`
	Epoch  uint64         `json:"epoch"`
	Groups map[string]int `json:"groups"`
}

// PlacementBody answers /_placement.
type PlacementBody struct {
	ID      string   `json:"id"`
	Hash    uint32   `json:"hash"`
	Slot    int      `json:"slot"`
	Group   string   `json:"group"`
	Members []string `json:"members"`
}

// MemberBody is one member in /_members.
type MemberBody struct {
	Member      string `json:"member"`
	Group       string `json:"group"`
	Node        string `json:"node"`
	State       string `json:"state"` // joining, serving, fenced, stalled, draining, failed; down without a liveness record
	Reason      string `json:"reason,omitempty"`
	Applied     uint64 `json:"applied"`
	ContentSeq  uint64 `json:"content_seq"`
	Lag         uint64 `json:"lag"`
	Documents   uint64 `json:"documents"`
	Digest      string `json:"digest"`
	Key         string `json:"key"`                   // id of the cluster key that signs its records; "" without one
	Refused     uint64 `json:"refused,omitempty"`     // records of the log that it has passed over since its start
	Quarantined int    `json:"quarantined,omitempty"` // operations of its log that are set aside
	Outlived    uint64 `json:"outlived,omitempty"`    // times since its start that an auditor found it would serve a document whose delete was verified: must stay 0
}

// MembersBody answers /_members.
type MembersBody struct {
	Members []MemberBody `json:"members"`
	Alarms  []string     `json:"alarms"` // what must never be, or stops writes, each in a sentence
	Sync    string       `json:"sync"`   // whether NATS syncs every message: always, every D, or unknown: WHY
}

// RepairBody answers POST /_repair. Members are named, in order.
type RepairBody struct {
	OK                bool              `json:"ok"` // every member is verified
	Groups            int               `json:"groups"`
	Members           []string          `json:"members"`
	Verified          []string          `json:"verified"`         // hold the same as their group; who has differed, what the log says
	RepairedMembers   []string          `json:"repaired_members"` // of these, those that did not before
	RepairedDocuments uint64            `json:"repaired_documents"`
	FailedMembers     []string          `json:"failed_members"`    // did not answer, or were not mended
	Reasons           map[string]string `json:"reasons,omitempty"` // by failed member
}
