package bridge

import (
	"fmt"
	"time"

	"github.com/jetseek/jetseek/coordinator/client"
	"github.com/jetseek/jetseek/subjects/ops"
)

// route is a route with its operation.
type route struct {
	*ops.Route
	op  *ops.Op     // nil: answered here
	own localAnswer // nil: the operation's reply is passed on as it is
}

// routes gives all routes by path and method: those of the table of operations, and /openapi.json, which describes them.
func routes() map[string]map[string]*route {
	own := map[string]localAnswer{"/ready": ready, "/health": health}
	byPath := map[string]map[string]*route{}
	add := func(r *route) {
		if byPath[r.Path] == nil {
			byPath[r.Path] = map[string]*route{}
		}
		byPath[r.Path][r.Method] = r
	}
	table := ops.Table()
	for i := range table {
		op := &table[i]
		for j := range op.Routes {
			r := &route{Route: &op.Routes[j], op: op}
			if r.own = own[r.Path]; r.Own != (r.own != nil) {
				panic(fmt.Sprintf("bridge: the table says own=%t of %s %s", r.Own, r.Method, r.Path))
			}
			add(r)
		}
	}
	add(&route{Route: &ops.Route{Method: "GET", Path: "/openapi.json"}, own: openAPI})
	return byPath
}

// request makes the call of what a request has become.
func (rt *route) request(c *client.Client, asked *call, body []byte) client.Request {
	if rt.op == nil {
		return client.Request{}
	}
	return client.Request{Subject: rt.op.ID.Subject(c.Names(), asked.collection), Header: asked.header, Body: body, Write: rt.op.ID.Changes()}
}

// wait is how long to wait for the reply: what the caller said, in a parameter or in a search's body, with some grace; else the operation's budget.
func (rt *route) wait(asked *call, body []byte) time.Duration {
	ms := asked.timeoutMs
	if rt.Body == ops.SearchBody {
		ms = timeoutOf(body)
	}
	switch {
	case ms > 0:
		return min(time.Duration(min(ms, longestBudget.Milliseconds()))*time.Millisecond+grace, longestBudget)
	case rt.op == nil:
		return grace
	}
	return rt.op.ID.Budget()
}
