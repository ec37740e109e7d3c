package coordinator

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/jetseek/jetseek/subjects/wire"
)

// loggedBytes is how much of a user's text is logged.
const loggedBytes = 256

// logSlow logs a search that took as long as the operator calls slow, once, with where its time went. out is what its last round brought, or nil.
func (c *Coordinator) logSlow(collection string, raw []byte, took time.Duration, out *answered, err error) {
	if c.slow <= 0 || took < c.slow {
		return
	}
	query, args := string(raw), []any{}
	if out != nil {
		query = out.plan.text
		args = append(args, "path", out.path, "rounds", out.rounds, "retried", out.retried, "groups", len(out.parts), "missing", out.missing(),
			"stats_ms", milliseconds(out.statsTook), "search_ms", milliseconds(out.searchTook), "docs_ms", milliseconds(out.docsTook))
	}
	if err != nil {
		args = append(args, "code", string(wire.FromError(err).Code))
	}
	c.log.Warn("slow search", append([]any{"collection", collection, "query", loggable(query), "took_ms", milliseconds(took)}, args...)...)
}

// missing counts the groups that did not answer.
func (a *answered) missing() int {
	n := 0
	for _, part := range a.parts {
		if part.err != nil {
			n++
		}
	}
	return n
}

// loggable is a user's text for a log: cut, and with what could steer a terminal or forge a line escaped, whatever handler writes it.
func loggable(s string) string {
	cut := len(s) > loggedBytes
	if cut {
		n := loggedBytes
		for n > 0 && !utf8.RuneStart(s[n]) {
			n--
		}
		s = s[:n]
	}
	var b strings.Builder
	for _, r := range s {
		if unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	if cut {
		b.WriteString("…")
	}
	return b.String()
}
