package wire

import (
	"net/url"
	"strings"

	"github.com/jetseek/jetseek/engine/fault"
)

// HeaderIDEscaped holds what [HeaderID] cannot carry byte for byte: NATS trims blanks around a header's value and has no line ends in it. Its value is
// percent-encoded, as in a URL's query.
const HeaderIDEscaped = "Jetseek-Id-Escaped"

// SetID puts a document's id into the headers of a write, so that [IDFrom] gives the same bytes.
func SetID(header map[string][]string, id string) {
	if id != strings.TrimSpace(id) || strings.ContainsAny(id, "\r\n") {
		header[HeaderIDEscaped] = []string{url.QueryEscape(id)}
		return
	}
	header[HeaderID] = []string{id}
}

// IDFrom reads a document's id from the headers of a write; false when none is given. Two ids, or an escape that does not decode, are bad_request.
func IDFrom(header map[string][]string) (id string, given bool, err error) {
	plain, escaped := header[HeaderID], header[HeaderIDEscaped]
	switch {
	case len(plain)+len(escaped) > 1:
		return "", false, fault.New(fault.BadRequest, "the id is given more than once in %s and %s", HeaderID, HeaderIDEscaped)
	case len(plain) == 1:
		return plain[0], true, nil
	case len(escaped) == 1:
		if id, err = url.QueryUnescape(escaped[0]); err != nil {
			return "", false, fault.New(fault.BadRequest, "%s does not decode: %s", HeaderIDEscaped, fault.Quote(escaped[0]))
		}
		return id, true, nil
	}
	return "", false, nil
}
