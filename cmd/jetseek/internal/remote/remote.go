// Package remote asks a cluster from outside, over NATS or over HTTP: one call, said once, takes either way by the table of operations. It may import
// coordinator/client and the contract (subjects and below).
package remote

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects/ops"
	"github.com/jetseek/jetseek/subjects/wire"
)

// Call is one request for an operation.
type Call struct {
	Op         ops.ID
	Collection string            // where the operation acts on one
	Params     map[string]string // by the names that the table gives them
	Body       []byte            // of a document, lines, a search or a schema; nil: made of the parameters
	Budget     time.Duration     // how long to wait for the reply; 0: the operation's
}

// Answer is the reply to a call.
type Answer struct {
	Status int // as HTTP has it
	Body   []byte
}

// Link is a way to a cluster. It may be used by many goroutines at once.
type Link interface {
	// Do makes a call. An error of the cluster, or of the way to it, is a *[wire.Error]; the answer is given with it when there is one.
	Do(ctx context.Context, c Call) (Answer, error)
	// Where says where it leads, for messages; it holds no secret.
	Where() string
	// Close ends it.
	Close()
}

// Decode reads an answer.
func Decode[T any](a Answer) (*T, error) {
	out := new(T)
	if err := json.Unmarshal(a.Body, out); err != nil {
		return nil, wire.NewError(fault.Unavailable, "bad_reply", "the reply cannot be read: %v", err)
	}
	return out, nil
}

// find gives an operation of the table.
func find(table []ops.Op, id ops.ID) *ops.Op {
	i := slices.IndexFunc(table, func(o ops.Op) bool { return o.ID == id })
	if i < 0 {
		panic(fmt.Sprintf("remote: no operation %s", id))
	}
	return &table[i]
}

// failure gives the error that a reply with a status carries, or nil for a success.
func failure(a Answer) error {
	if a.Status < 400 {
		return nil
	}
	e := new(wire.Error)
	if err := json.Unmarshal(a.Body, e); err != nil {
		return wire.NewError(fault.Unavailable, "bad_reply", "status %d, and no error that can be read: %s", a.Status, fault.Quote(string(a.Body)))
	}
	return e
}
