package remote

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects/ops"
	"github.com/jetseek/jetseek/subjects/wire"
)

// ReasonUnreachable: no reply came over HTTP.
const ReasonUnreachable = "unreachable"

const (
	// mostReply bounds the reply that is read.
	mostReply = 256 << 20
	// conns is how many connections are kept to the one host there is: no call of a load has to open its own.
	conns = 512
	// grace is how much longer than the budget a reply is waited for: so long the other side waits for its own.
	grace = 2 * time.Second
)

// httpLink leads over HTTP.
type httpLink struct {
	base  *url.URL
	http  *http.Client
	table []ops.Op
}

// OverHTTP makes a link to the HTTP door at a URL, http://HOST:PORT.
func OverHTTP(base string) (Link, error) {
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("URL %q: want http://HOST:PORT", base)
	}
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: conns, MaxIdleConns: conns, IdleConnTimeout: 30 * time.Second}
	return &httpLink{base: u, http: &http.Client{Transport: transport}, table: ops.Table()}, nil
}

func (l *httpLink) Where() string { return l.base.Redacted() }

func (l *httpLink) Close() { l.http.CloseIdleConnections() }

// Do makes a call by the operation's route.
func (l *httpLink) Do(ctx context.Context, c Call) (Answer, error) {
	op := find(l.table, c.Op)
	route := routeFor(op, c)
	path, query := strings.ReplaceAll(route.Path, "{collection}", url.PathEscape(cmp.Or(c.Collection, c.Params["collection"]))), url.Values{}
	for name, value := range c.Params {
		if name != "collection" {
			query.Set(name, value)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(c.Budget, c.Op.Budget())+grace)
	defer cancel()
	target := l.base.JoinPath(path)
	target.RawQuery = query.Encode()
	r, err := http.NewRequestWithContext(ctx, route.Method, target.String(), bytes.NewReader(c.Body))
	if err != nil {
		return Answer{}, err
	}
	if media := route.Body.MediaType(); media != "" {
		r.Header.Set("Content-Type", media)
	}
	answer, err := l.send(r)
	if err != nil {
		return Answer{}, l.unanswered(op, err)
	}
	return answer, failure(answer)
}

func (l *httpLink) send(r *http.Request) (Answer, error) {
	reply, err := l.http.Do(r)
	if err != nil {
		return Answer{}, err
	}
	defer reply.Body.Close()
	body, err := io.ReadAll(io.LimitReader(reply.Body, mostReply))
	return Answer{Status: reply.StatusCode, Body: body}, err
}

// unanswered is the error of a call without a reply. Only a connection that was refused proves that a write was not stored.
func (l *httpLink) unanswered(op *ops.Op, cause error) error {
	if asked := new(url.Error); errors.As(cause, &asked) {
		cause = asked.Err // without the URL, which is said already
	}
	e := wire.NewError(fault.Unavailable, ReasonUnreachable, "no answer from %s: %v", l.Where(), cause)
	if errors.Is(cause, context.DeadlineExceeded) {
		e = wire.NewError(fault.Deadline, "", "no answer from %s within the time given", l.Where())
	}
	if op.ID.Changes() {
		e.Durable = wire.DurableUnknown
		if isRefused(cause) {
			e.Durable = wire.NotDurable
		}
	}
	return e
}

// routeFor chooses the way of a call: the one with the collection in its path, and with a body when the call has one.
func routeFor(op *ops.Op, c Call) *ops.Route {
	i := slices.IndexFunc(op.Routes, func(r ops.Route) bool {
		return (c.Collection == "" || strings.Contains(r.Path, "{collection}")) && (c.Body == nil || r.Body != ops.NoBody)
	})
	return &op.Routes[max(i, 0)]
}

// isRefused tells whether no connection was made at all.
func isRefused(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}
