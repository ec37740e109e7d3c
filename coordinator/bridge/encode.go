package bridge

import (
	"compress/gzip"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/jetseek/jetseek/coordinator/client"
)

// leastCompressed is the size from which a reply is worth compressing.
const leastCompressed = 1400

// replyWriter writes replies, compressed where that was asked for.
type replyWriter struct{ pool sync.Pool } // of *gzip.Writer

func (p *replyWriter) write(w http.ResponseWriter, r *http.Request, reply client.Reply) {
	header := w.Header()
	header.Add("Vary", "Accept-Encoding")
	if len(reply.Body) < leastCompressed || !takesGzip(r.Header.Values("Accept-Encoding")) {
		w.WriteHeader(reply.Status)
		writeLine(w, reply.Body)
		return
	}
	header.Set("Content-Encoding", "gzip")
	w.WriteHeader(reply.Status)
	z, ok := p.pool.Get().(*gzip.Writer)
	if !ok {
		z = gzip.NewWriter(nil)
	}
	z.Reset(w)
	writeLine(z, reply.Body)
	_ = z.Close()
	p.pool.Put(z)
}

// writeLine writes a body and ends its line, for those who read it in a terminal.
func writeLine(w io.Writer, body []byte) {
	_, _ = w.Write(body) // an error: the client is gone, and there is nobody to tell
	_, _ = w.Write([]byte{'\n'})
}

// takesGzip tells whether a request asks for gzip by name, or by *, with a weight that is not zero.
func takesGzip(accept []string) bool {
	star := false
	for item := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		name, weight, _ := strings.Cut(item, ";")
		name = strings.ToLower(strings.TrimSpace(name))
		if name != "gzip" && name != "*" {
			continue
		}
		_, q, weighed := strings.Cut(weight, "=")
		value, err := strconv.ParseFloat(strings.TrimSpace(q), 64)
		wanted := !weighed || err == nil && value > 0
		if name == "gzip" {
			return wanted
		}
		star = wanted
	}
	return star
}
