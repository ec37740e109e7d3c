// Package showcase is what jetseek demo shows: it puts the documentation of Go's standard library into a collection, once, and answers a few queries on a
// terminal. It may import coordinator/client, the contract, and package godocs; all it does any NATS client can do.
package showcase
