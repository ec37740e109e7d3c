package coordinator

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects/registry"
	"github.com/jetseek/jetseek/subjects/wire"
)

// opOverhead is what an operation takes in a message beside its body and id, at most.
const opOverhead = 4 << 10

// removeTime bounds the removal of an upload, which the reply waits for.
const removeTime = time.Second

// requestBody gives the body of a write: the message's, or that of the object which its header names. release removes the object.
func (c *Coordinator) requestBody(ctx context.Context, msg *nats.Msg, limit int) (body []byte, release func(), err error) {
	name, ok := header(msg.Header, wire.HeaderObject)
	if !ok {
		if len(msg.Data) > limit {
			return nil, nil, fault.New(fault.TooLarge, "a body of %d bytes: the limit is %d", len(msg.Data), limit)
		}
		return msg.Data, func() {}, nil
	}
	if name == "" {
		return nil, nil, fault.New(fault.BadRequest, "the header %s names no object", wire.HeaderObject)
	}
	body, err = c.uploads.Body(ctx, name, limit)
	switch {
	case errors.Is(err, registry.ErrNoObject):
		return nil, nil, fault.New(fault.BadRequest, "the header %s names %s, and there is no such object", wire.HeaderObject, fault.Quote(name))
	case err != nil && fault.CodeOf(err) == "":
		return nil, nil, notDurable(unavailable(reasonNoNATS, "the object of the request cannot be read: %v", err))
	case err != nil:
		return nil, nil, err
	}
	return body, func() {
		removing, cancel := context.WithTimeout(context.WithoutCancel(ctx), removeTime)
		defer cancel()
		if err := c.uploads.Remove(removing, name); err != nil {
			c.log.Warn("the object of a request was not removed", "error", err)
		}
	}, nil
}

// spill moves a body that does not fit a message to the log, beside its collection's schema, into the object store.
func (c *Coordinator) spill(ctx context.Context, coll *collection, op *wire.Op) error {
	if len(op.Body)+len(op.ID)+len(coll.Collection.Schema)+opOverhead <= c.largestRecord() {
		return nil
	}
	name, digest, err := c.documents.Put(ctx, op.Body)
	if err != nil {
		return notDurable(unavailable(reasonNoNATS, "the document could not be put into the object store: %v", err))
	}
	op.Object, op.ObjectDigest, op.Body = name, digest, nil
	return nil
}
