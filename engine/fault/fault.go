// Package fault holds the coded errors that a user can meet: one append-only list of codes and the error that carries one.
// It imports nothing of the project, so that every layer can speak of the same faults.
package fault

import (
	"errors"
	"fmt"
)

// Code names a kind of error on every transport. The list is append-only: a code never changes its meaning.
type Code string

// The codes of the API, each with the HTTP status that the bridge gives it ([Code.Status]).
const (
	BadRequest      Code = "bad_request"      // 400: the request itself is malformed or contradicts itself
	BadQuery        Code = "bad_query"        // 400: a query that cannot be parsed or evaluated; has a position where it is text
	BadDocument     Code = "bad_document"     // 400: a document that is no JSON object, or whose id is not acceptable
	BadField        Code = "bad_field"        // 400: a value that does not fit its field, by name
	BadSort         Code = "bad_sort"         // 400: a sort key that cannot order documents
	BadVector       Code = "bad_vector"       // 400: a vector of wrong dimension or with values that are not finite
	Unauthorized    Code = "unauthorized"     // 401
	Forbidden       Code = "forbidden"        // 403
	NotFound        Code = "not_found"        // 404: no such document, path or operation
	NoCollection    Code = "no_collection"    // 404: no such collection
	VersionConflict Code = "version_conflict" // 409: if_version does not hold
	Exists          Code = "exists"           // 409: the collection exists with another schema
	CursorExpired   Code = "cursor_expired"   // 410
	TooLarge        Code = "too_large"        // 413: names the limit
	LimitExceeded   Code = "limit_exceeded"   // 422: names the limit
	Overloaded      Code = "overloaded"       // 429: a bounded queue is full; try again
	Unavailable     Code = "unavailable"      // 503: has a reason
	Deadline        Code = "deadline"         // 504: the caller's budget ran out
)

// Status gives the HTTP status of the code; an unknown code is 503, since a 500 never occurs.
func (c Code) Status() int {
	switch c {
	case BadRequest, BadQuery, BadDocument, BadField, BadSort, BadVector:
		return 400
	case Unauthorized:
		return 401
	case Forbidden:
		return 403
	case NotFound, NoCollection:
		return 404
	case VersionConflict, Exists:
		return 409
	case CursorExpired:
		return 410
	case TooLarge:
		return 413
	case LimitExceeded:
		return 422
	case Overloaded:
		return 429
	case Deadline:
		return 504
	}
	return 503
}

// Error is an error with a code. Position is a byte offset into the query text, or negative when it has no meaning.
type Error struct {
	Code     Code
	Message  string
	Position int
}

func (e *Error) Error() string {
	if e.Position >= 0 {
		return fmt.Sprintf("%s: %s (at %d)", e.Code, e.Message, e.Position)
	}
	return fmt.Sprintf("%s: %s", e.Code, e.Message)
}

// New makes an error of the code, without a position. The message says what to do, and quotes at most a little of the input ([Quote]).
func New(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...), Position: -1}
}

// At makes an error of the code at a byte offset of the query text.
func At(code Code, position int, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...), Position: position}
}

// CodeOf gives the code of the first [Error] in err's chain, or "" when there is none.
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// Quote renders user text for a message: quoted, escaped, and cut to 64 bytes, so that an error cannot carry a whole document.
func Quote(s string) string {
	const limit = 64
	if len(s) > limit {
		return fmt.Sprintf("%q…", s[:limit])
	}
	return fmt.Sprintf("%q", s)
}
