// Package client is the Go client of a jetseek cluster: typed calls over one NATS connection, and the raw call that the HTTP bridge is made of.
// It may import the contract (subjects, subjects/wire), the fault codes and nats.go, and nothing of a coordinator: what it can do, any NATS
// client can do. A program that has a coordinator in its own process may have it answer without NATS ([Options]): the same requests get the same replies.
//
// Every call is one request and one reply. The caller's deadline bounds it and travels along, a little shortened, so that the coordinator's own
// answer to a deadline arrives before the client gives up; a call without a deadline gets one by its operation. Errors are *[wire.Error]
// (and so *[fault.Error]) by errors.As, whether a coordinator sent them or no reply came; those of writes say what is known of durability.
//
// A call outlives the end of a coordinator, or of the NATS server of either: a read is sent again, once, within the caller's deadline, when the connection is lost or when half
// of the time has gone by in silence. So is a write that has a request id, of which the first outcome counts; any other one is said to be unknown. What reached nobody is
// sent again for up to 0.8 s. Of calls that are merely slow, one in ten is asked twice.
package client
