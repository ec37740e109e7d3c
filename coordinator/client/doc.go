// Package client is the Go client of a jetseek cluster: typed calls over one NATS connection, and the raw call that the HTTP bridge is made of.
// It may import the contract (subjects, subjects/wire), the fault codes and nats.go, and nothing of a coordinator: what it can do, any NATS
// client can do.
//
// Every call is one request and one reply. The caller's deadline bounds it and travels along, a little shortened, so that the coordinator's own
// answer to a deadline arrives before the client gives up; a call without a deadline gets one by its operation. Errors are *[wire.Error]
// (and so *[fault.Error]) by errors.As, whether a coordinator sent them or no reply came; those of writes say what is known of durability.
package client
