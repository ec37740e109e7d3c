package query

import (
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/query/pattern"
)

// Limits of a query. Past one of them it is refused with limit_exceeded.
const (
	// MaxBytes is the length of a query as text or JSON, in bytes. Lists of terms and ids may be longer: see [MaxJSONBytes].
	MaxBytes = 64 << 10
	// MaxClauses is how many leaves a query has as written. A list of terms or ids counts one.
	MaxClauses = 1024
	// MaxDepth is how deep a query nests: parentheses of q, queries in queries of JSON.
	MaxDepth = 32
	// MaxTerms is how many values a list of terms or ids holds.
	MaxTerms = 65_536
	// MaxJSONBytes is the length of a query in JSON with its lists, in bytes: what MaxTerms values of 128 bytes take.
	MaxJSONBytes = 8 << 20
	// MaxEdits is the greatest edit distance of a fuzzy term.
	MaxEdits = 2
	// MaxStates is how many states the regular expressions and wildcards of a query have together: one has at most [pattern.MaxStates].
	MaxStates = 5 * pattern.MaxStates
	// MaxSlop is the greatest slop of a phrase, in positions.
	MaxSlop = 10_000
	// MaxLeaves is how many leaves a query has once words are spread over fields.
	MaxLeaves = 16_384
)

// budget counts what a query may still spend while it is read.
type budget struct{ clauses int }

func newBudget() *budget { return &budget{clauses: MaxClauses} }

// clause counts one leaf at a position of q (negative: none).
func (b *budget) clause(pos int) error {
	if b.clauses--; b.clauses < 0 {
		return fault.At(fault.LimitExceeded, pos, "a query has at most %d clauses", MaxClauses)
	}
	return nil
}

func checkDepth(depth, pos int) error {
	if depth > MaxDepth {
		return fault.At(fault.LimitExceeded, pos, "a query nests at most %d deep", MaxDepth)
	}
	return nil
}
