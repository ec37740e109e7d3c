// Package ops is the table of operations: everything that a client may ask of a cluster, over NATS and over HTTP. It may import package subjects, wire and
// the engine's vocabulary, and does nothing but say.
//
// One [Op] is one subject of the public API with its HTTP routes. From the table are made
//
//	the HTTP mux, the translation of requests, and /openapi.json   coordinator/bridge
//	the dispatch of requests, and the headers that it takes        coordinator
//	subjects and budgets of calls                                  coordinator/client
//	who may publish what                                           subjects/access
//
// so that no one of them can know an operation that another does not. A new operation is a row in table.go and a handler in the coordinator, which
// does not start without it.
//
// # Parameters
//
// Over NATS a parameter is a header or a member of the JSON body; over HTTP it stands in the query string or the path. A [Param] says which becomes
// which. Where the HTTP body is a document or lines of them, it is the body of the NATS request as it is, and parameters are headers.
package ops
