// Package bridge is the HTTP door: it translates requests to the calls that any NATS client can make, and adds nothing but status codes and
// protection of itself. It may import coordinator/client and the contract (subjects, subjects/wire), and nothing of a coordinator.
//
// The table of package subjects/ops says everything of every route: method, path, parameters, subject. The mux, the translation and /openapi.json are made
// from it, so that none of them can know a route that another does not.
//
// A request takes these steps: path and origin are checked; parameters become headers or fields of a JSON body, by the table; the body is read under
// the route's limit; the call is made under the caller's budget; the reply's body is passed on as it came, with the end of a line behind it. A 500 never occurs: what goes wrong in here
// is a 503 with reason internal.
package bridge
