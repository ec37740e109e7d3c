package shard

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jetseek/jetseek/subjects/registry"
	"github.com/jetseek/jetseek/subjects/wire"
)

const (
	// objectRetry is the pause between tries to read an object of the log while the store cannot be reached.
	objectRetry = 250 * time.Millisecond
	// objectTries is how often an object that is not there is asked for before the log counts as broken: the object was stored and synced before
	// the message that names it.
	objectTries = 20
)

// refersToObjects tells whether a message has bodies in the object store. Such a message is applied on its own, so that one body at a time is in memory.
func refersToObjects(raw message) bool {
	return raw.record != nil && slices.ContainsFunc(raw.record.Ops, func(op wire.Op) bool { return op.Object != "" })
}

// loadObjects puts bodies from the object store into the operations that name them. It waits while the store cannot be reached: the log cannot go on without
// them. An object that is gone, or is not what the log says, is a hole in the log.
func (m *translator) loadObjects(ctx context.Context, raw message) error {
	for i := range raw.record.Ops {
		op := &raw.record.Ops[i]
		if op.Object == "" {
			continue
		}
		body, err := m.loadObject(ctx, op)
		if err != nil {
			return fmt.Errorf("message %d: %w", raw.seq, err)
		}
		op.Body = body
	}
	return nil
}

func (m *translator) loadObject(ctx context.Context, op *wire.Op) ([]byte, error) {
	for missing := 0; ; {
		try, cancel := context.WithTimeout(ctx, readTimeout)
		body, err := m.documents.Get(try, op.Object, op.ObjectDigest)
		cancel()
		if err == nil {
			return body, nil
		}
		if errors.Is(err, registry.ErrNoObject) || errors.Is(err, registry.ErrDigest) {
			if missing++; missing == objectTries {
				return nil, fmt.Errorf("%w: %w", errHole, err)
			}
		}
		m.opts.Log.Warn("an object of the log cannot be read yet", "member", m.id, "error", err)
		if err := sleep(ctx, objectRetry); err != nil {
			return nil, err
		}
	}
}
