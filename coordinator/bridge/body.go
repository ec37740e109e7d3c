package bridge

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects/ops"
)

// readBody reads what the route takes of a body, under two limits: what the route takes at all, and what one NATS message takes. release gives the memory
// back; it is never nil.
func (h *handler) readBody(w http.ResponseWriter, r *http.Request, use ops.BodyUse) (body []byte, release func(), err error) {
	release = func() {}
	compressed, err := isCompressed(r.Header)
	if err != nil {
		return nil, release, err
	}
	if use == ops.NoBody {
		if n, _ := io.ReadFull(r.Body, make([]byte, 1)); n > 0 {
			return nil, release, fault.New(fault.BadRequest, "%s %s takes no body", r.Method, fault.Quote(r.URL.Path))
		}
		return nil, release, nil
	}
	most := use.MaxBytes()
	limit := most
	if one := h.client.MaxRequest(); one > 0 && !use.GoesInParts() { // not connected: the call will say so
		limit = min(most, one)
	}
	if r.ContentLength > limit {
		return nil, release, tooLarge(most, limit)
	}
	length, reserve := r.ContentLength, r.ContentLength
	switch {
	case length < 0:
		reserve = limit
	case compressed:
		length, reserve = -1, min(limit, ratioFree+length*mostRatio)
	}
	if !h.room.TryAcquire(reserve) {
		return nil, release, fault.New(fault.Overloaded, "too many bytes of requests are in flight; try again")
	}
	release = func() { h.room.Release(reserve) }
	var from io.Reader = r.Body
	if use.GoesInParts() {
		from = patient(w, r)
	}
	if compressed {
		if from, err = inflate(from, limit); err != nil {
			return nil, release, fault.New(fault.BadRequest, "the body does not decompress: %v", err)
		}
	}
	body, err = readUpTo(from, limit, length)
	switch {
	case errors.Is(err, errOver):
		return nil, release, tooLarge(most, limit)
	case errors.Is(err, errRatio):
		return nil, release, fault.New(fault.TooLarge, "the body decompresses to more than %d times its size; send it in parts, or as it is", mostRatio)
	case err != nil:
		return nil, release, fault.New(fault.BadRequest, "the body did not arrive whole: %v", err)
	}
	return body, release, nil
}

var errOver = errors.New("more bytes than the limit")

// readUpTo reads r to its end; past limit bytes it gives errOver. length is the announced size, or negative.
func readUpTo(r io.Reader, limit, length int64) ([]byte, error) {
	body := make([]byte, 0, max(length, 0)+512)
	for {
		n, err := r.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		switch {
		case int64(len(body)) > limit:
			return nil, errOver
		case err == io.EOF:
			return body, nil
		case err != nil:
			return nil, err
		case len(body) == cap(body):
			body = append(body, 0)[:len(body)]
		}
	}
}

// mostDiscarded is how much of a body is read only to throw it away. Many clients look at an answer when they have sent all, and a server that hangs up before
// gives them a broken connection instead of the error.
const mostDiscarded = 128 << 20

// discardRest reads what is left of the body of a request that is refused, within the connection's time limits. What announces more than we would ever read gets its answer
// at once, and so does a client that waits to be asked for its body.
func discardRest(r *http.Request) {
	if r.Body == nil || r.ContentLength > mostDiscarded || strings.EqualFold(r.Header.Get("Expect"), "100-continue") {
		return
	}
	_, _ = io.CopyN(io.Discard, r.Body, mostDiscarded) // a client that breaks off reads no answer either
}

func tooLarge(most, limit int64) error {
	if limit < most {
		return fault.New(fault.TooLarge, "the body has more than %d bytes, which is what one message of this NATS server takes (max_payload, less room for headers)", limit)
	}
	return fault.New(fault.TooLarge, "the body has more than %d bytes, the limit of this path", most)
}

// callBody makes the body of the call from the body of the request and the fields that its parameters gave.
func callBody(use ops.BodyUse, c *call, body []byte) ([]byte, error) {
	switch use {
	case ops.NoBody:
		return c.body(), nil
	case ops.SchemaBody:
		if len(body) == 0 {
			body = []byte("{}")
		}
		if !json.Valid(body) {
			return nil, fault.New(fault.BadRequest, "the schema is no JSON")
		}
		c.addField("schema", string(body))
		return c.body(), nil
	}
	return body, nil
}

// timeoutOf peeks at the budget in a search's body, which its coordinator reads strictly; 0 when there is none to be seen.
func timeoutOf(body []byte) int64 {
	var said struct {
		TimeoutMs int64 `json:"timeout_ms"`
	}
	if err := json.Unmarshal(body, &said); err != nil {
		return 0
	}
	return said.TimeoutMs
}
