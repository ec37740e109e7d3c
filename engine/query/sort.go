package query

import "github.com/jetseek/jetseek/engine/schema"

// SortBy says what a sort key orders by.
type SortBy uint8

const (
	// ByScore orders by the score, as its fixed-point value.
	ByScore SortBy = iota + 1
	// ByID orders by the id's bytes.
	ByID
	// ByField orders by the values of a field.
	ByField
)

// SortKey is one key of the total order, resolved against the schema. After the last key, ids decide, ascending, always.
// A document with several values is ordered by its least when ascending, by its greatest when descending.
type SortKey struct {
	By           SortBy
	Field        string
	Type         schema.Type // ByField: Keyword (also exact values of dynamic strings), Long, Double, Date, Bool; 0: the field is unknown, all missing
	Desc         bool
	MissingFirst bool // else documents without a value come last, in both orders
}

// KeyKind tells which member of a [Key] holds its value.
type KeyKind uint8

const (
	// KeyMissing: the document has no value.
	KeyMissing KeyKind = iota
	// KeyInt: Int holds a long, a date (ns since the epoch), a bool (0, 1) or a score in units of 2^-32.
	KeyInt
	// KeyFloat: Float holds a double, never NaN; -0 is 0.
	KeyFloat
	// KeyString: Str holds an exact value or an id.
	KeyString
)

// Key is one document's value under one [SortKey].
type Key struct {
	Kind  KeyKind
	Int   int64
	Float float64
	Str   string
}

// Candidate is one document of a member's local top k: what the total order needs, and nothing else.
type Candidate struct {
	ID    string
	Score int64 // units of 2^-32; 0 when the request does not score
	Keys  []Key // one a SortKey of the request; nil when it is ordered by score alone
}
