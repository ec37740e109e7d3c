package snippet

import (
	"unicode/utf8"

	"github.com/jetseek/jetseek/engine/fault"
)

// Defaults of [Options].
const (
	DefaultSize   = 160
	DefaultNumber = 3
	DefaultOpen   = "<em>"
	DefaultClose  = "</em>"
)

// Limits of snippets. Past one of the first six a request is refused with limit_exceeded.
const (
	MaxFields   = 32     // of a request
	MaxSize     = 10_000 // characters of a passage
	MaxNumber   = 100    // passages of a field
	MaxNoMatch  = 10_000 // characters
	MaxTagBytes = 256    // of one tag
	MaxPatterns = 64     // prefixes, wildcards and expressions of a query for one field
	// MaxTextBytes is how much of a field's values in one document is looked at. Nothing is found behind.
	MaxTextBytes = 1 << 20
)

// Options says what to cut.
type Options struct {
	Fields      []string // dotted names; one that no document has gives nothing
	Size        int      // characters of a passage, about
	Number      int      // passages of a field at most
	Open, Close string   // tags before and behind a mark, written as they are
	NoMatch     int      // of a field without a match so many characters from its beginning, up to the end of a word; 0: nothing
}

// NewOptions gives the defaults for some fields.
func NewOptions(fields ...string) *Options {
	return &Options{Fields: fields, Size: DefaultSize, Number: DefaultNumber, Open: DefaultOpen, Close: DefaultClose}
}

// Check refuses what is out of bounds: bad_request, and limit_exceeded past a limit.
func (o *Options) Check() error {
	for _, n := range [...]struct {
		name               string
		value, least, most int
	}{
		{"fields", len(o.Fields), 0, MaxFields},
		{"size", o.Size, 1, MaxSize},
		{"number", o.Number, 1, MaxNumber},
		{"no_match", o.NoMatch, 0, MaxNoMatch},
		{"tags", max(len(o.Open), len(o.Close)), 0, MaxTagBytes},
	} {
		switch {
		case n.value < n.least:
			return fault.New(fault.BadRequest, "snippet.%s is %d, and must be at least %d", n.name, n.value, n.least)
		case n.value > n.most:
			return fault.New(fault.LimitExceeded, "snippet.%s is %d, and may be at most %d", n.name, n.value, n.most)
		}
	}
	if !utf8.ValidString(o.Open) || !utf8.ValidString(o.Close) {
		return fault.New(fault.BadRequest, "snippet.tags are not UTF-8")
	}
	return nil
}
