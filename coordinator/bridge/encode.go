package bridge

import (
	"compress/gzip"
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
		_, _ = w.Write(reply.Body) // the client is gone: nobody to tell
		return
	}
	header.Set("Content-Encoding", "gzip")
	w.WriteHeader(reply.Status)
	z, ok := p.pool.Get().(*gzip.Writer)
	if !ok {
		z = gzip.NewWriter(nil)
	}
	z.Reset(w)
	_, _ = z.Write(reply.Body)
	_ = z.Close()
	p.pool.Put(z)
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
