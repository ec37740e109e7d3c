package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jetseek/jetseek/engine/fault"
)

// Reasons of errors between processes; doc.go says what each means.
const (
	ReasonNotServing  = "not_serving"
	ReasonStaleMap    = "stale_map"
	ReasonPinLost     = "pin_lost"
	ReasonNotCaughtUp = "not_caught_up"
	ReasonDropped     = "dropped"
	ReasonMalformed   = "malformed"
	ReasonInternal    = "internal"
	ReasonCanceled    = "canceled"
)

// Error is an error that crosses the wire and comes back as the same error: [errors.As] finds the [fault.Error] in it.
type Error struct {
	Code     fault.Code
	Message  string
	Position int        // byte offset into the query, or negative
	Reason   string     // a word for programs, or ""
	Durable  Durability // of a write, or ""
}

// NewError makes an error of a code with a reason and without a position.
func NewError(code fault.Code, reason, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...), Position: -1, Reason: reason}
}

// FromError gives err's wire form: an [Error] or a [fault.Error] in its chain as it is, a passed deadline as deadline, and anything else as
// unavailable with the reason internal. Nil stays nil.
func FromError(err error) *Error {
	var w *Error
	var f *fault.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &w):
		return w
	case errors.As(err, &f):
		return &Error{Code: f.Code, Message: f.Message, Position: f.Position}
	case errors.Is(err, context.DeadlineExceeded):
		return NewError(fault.Deadline, "", "the budget ran out")
	case errors.Is(err, context.Canceled):
		return NewError(fault.Unavailable, ReasonCanceled, "the request was cancelled")
	}
	return NewError(fault.Unavailable, ReasonInternal, "%s", cut(err.Error(), 512))
}

func (e *Error) Error() string {
	s := e.fault().Error()
	if e.Reason != "" {
		s += " [" + e.Reason + "]"
	}
	return s
}

// Unwrap gives the error's code, message and position as a [fault.Error].
func (e *Error) Unwrap() error { return e.fault() }

// Status is the HTTP status of the error.
func (e *Error) Status() int { return e.Code.Status() }

// Body is the error as the body of a reply of the public API.
func (e *Error) Body() ErrorBody { return ErrorBody{Error: *e.Info()} }

// Info is the error as it stands in bodies.
func (e *Error) Info() *ErrorInfo {
	info := &ErrorInfo{Code: e.Code, Message: e.Message, Reason: e.Reason, Durable: e.Durable}
	if e.Position >= 0 {
		info.Position = &e.Position
	}
	return info
}

// Err gives the error that the body tells of.
func (i *ErrorInfo) Err() *Error {
	e := &Error{Code: i.Code, Message: i.Message, Position: -1, Reason: i.Reason, Durable: i.Durable}
	if i.Position != nil {
		e.Position = *i.Position
	}
	return e
}

// MarshalJSON gives the body of an error reply, {"error":{…}}.
func (e *Error) MarshalJSON() ([]byte, error) { return json.Marshal(e.Body()) }

// UnmarshalJSON takes the body of an error reply.
func (e *Error) UnmarshalJSON(b []byte) error {
	var body ErrorBody
	if err := json.Unmarshal(b, &body); err != nil {
		return err
	}
	if body.Error.Code == "" {
		return fmt.Errorf("%w: an error without a code", ErrMalformed)
	}
	*e = *body.Error.Err()
	return nil
}

// AppendError appends an error as a message of its own.
func AppendError(dst []byte, e *Error) []byte {
	return appendError(append(dst, binaryV1, kindError), e)
}

// IsError tells whether a binary message is an error on its own.
func IsError(b []byte) bool { return len(b) > 1 && b[0] == binaryV1 && b[1] == kindError }

// DecodeError reads an error in either form.
func DecodeError(b []byte) (*Error, error) {
	if IsJSON(b) {
		e := new(Error)
		if err := json.Unmarshal(b, e); err != nil {
			return nil, fmt.Errorf("error: %w", malformed(err))
		}
		return e, nil
	}
	r := open(b, kindError)
	e := readError(r)
	if err := r.end(); err != nil {
		return nil, fmt.Errorf("error: %w", err)
	}
	return e, nil
}

func (e *Error) fault() *fault.Error {
	return &fault.Error{Code: e.Code, Message: e.Message, Position: e.Position}
}

func appendError(dst []byte, e *Error) []byte {
	dst = appendStr(dst, e.Code)
	dst = appendStr(dst, cut(e.Message, MaxTextBytes))
	dst = appendUvarint(dst, uint64(max(e.Position, -1)+1))
	dst = appendStr(dst, e.Reason)
	return appendStr(dst, e.Durable)
}

func readError(r *reader) *Error {
	e := &Error{Code: fault.Code(r.str(MaxNameBytes)), Message: r.str(MaxTextBytes)}
	if p := r.uvarint32(); p > 1<<31-1 {
		r.fail("position %d", p)
	} else {
		e.Position = int(p) - 1
	}
	e.Reason = r.str(MaxNameBytes)
	switch e.Durable = Durability(r.str(MaxNameBytes)); e.Durable {
	case "", NotDurable, IsDurable, DurableUnknown:
	default:
		r.fail("durable %q", e.Durable)
	}
	return e
}

// cut shortens a message to limit bytes at a character.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && s[limit]&0xC0 == 0x80 {
		limit--
	}
	return s[:limit]
}

// malformed marks an error of a JSON decoder.
func malformed(err error) error { return fmt.Errorf("%w: %w", ErrMalformed, err) }
