package coordinator

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/jetseek/jetseek/subjects/wire"
)

// errNoLog is the error for a group that is in no map: nobody writes to it yet.
var errNoLog = errors.New("the group is in no map yet")

// tell writes a record of control operations, whose outcomes nobody waits for, into a group's log, and gives its place. After an error it may stand there all the same.
func (c *Coordinator) tell(ctx context.Context, group string, operations ...wire.Op) (seq uint64, err error) {
	if wrong := c.checks.wrong(group); wrong != nil {
		return 0, wrong
	}
	if other := c.otherKeys(group); other != nil {
		return 0, other
	}
	rec := wire.Record{Header: c.recordHeader(group, c.counter.Add(1)), Ops: operations}
	rec.Reply = ""
	if rec.Log == (wire.UUID{}) {
		return 0, errNoLog
	}
	msg := &nats.Msg{Subject: c.names.Log(group), Data: c.keys.Sign(wire.AppendRecord(nil, &rec))}
	ack, err := c.js.PublishMsg(ctx, msg, jetstream.WithExpectStream(c.names.Stream(group)), jetstream.WithRetryAttempts(0))
	if err != nil {
		return 0, fmt.Errorf("publish: %w", err)
	}
	return ack.Sequence, nil
}
