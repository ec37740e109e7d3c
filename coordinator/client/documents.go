package client

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/jetseek/jetseek/subjects/ops"
	"github.com/jetseek/jetseek/subjects/wire"
)

// WriteOptions are the parameters of a write. The zero value waits until the write is visible to every search.
type WriteOptions struct {
	// ID is the document's id, when its body has none. Index only.
	ID string
	// Wait is what the reply waits for: applied, durable or none. "": applied.
	Wait string
	// Timeout is the coordinator's budget, in whole milliseconds. 0: the context's deadline, or the default of the operation (5 s, deletes 20 s).
	Timeout time.Duration
	// IfVersion is the version that must stand, 0 for an absent document. nil: no condition.
	IfVersion *uint64
	// RequestID makes a repeat of this write safe: 1 to 256 printable bytes, of which a cluster remembers the last 65,536 writes of a group. The same write under the
	// same id is done once and answered with its first outcome; another write under it is bad_request. "": none.
	RequestID string
	// Report asks for what each member had to do with the write: see [wire.Acknowledged].
	Report bool
}

// header gives the options as headers; nil when there are none.
func (o WriteOptions) header() nats.Header {
	h := nats.Header{}
	if o.ID != "" {
		wire.SetID(h, o.ID)
	}
	if o.Wait != "" {
		h.Set(wire.HeaderWait, o.Wait)
	}
	if o.Timeout > 0 {
		h.Set(wire.HeaderTimeoutMs, strconv.FormatInt(max(1, o.Timeout.Milliseconds()), 10))
	}
	if o.IfVersion != nil {
		h.Set(wire.HeaderIfVersion, strconv.FormatUint(*o.IfVersion, 10))
	}
	if o.RequestID != "" {
		h.Set(wire.HeaderRequestID, o.RequestID)
	}
	if o.Report {
		h.Set(wire.HeaderReport, "true")
	}
	return h
}

// budget is how long to wait for the reply when the context does not say.
func (o WriteOptions) budget(otherwise time.Duration) time.Duration {
	if o.Timeout > 0 {
		return o.Timeout + time.Second
	}
	return otherwise
}

// Index writes one document, a JSON object. A version conflict gives both: the reply with the version that stands, and an error of code version_conflict.
func (c *Client) Index(ctx context.Context, collection string, document []byte, o WriteOptions) (*wire.WriteReply, error) {
	return c.write(ctx, ops.Index, collection, document, o)
}

// Delete deletes one document, and by default waits until no member can serve it any more. A document that is not there is no error.
func (c *Client) Delete(ctx context.Context, collection, id string, o WriteOptions) (*wire.WriteReply, error) {
	body, err := json.Marshal(wire.IDRequest{ID: id})
	if err != nil {
		return nil, err
	}
	o.ID = ""
	return c.write(ctx, ops.Delete, collection, body, o)
}

func (c *Client) write(ctx context.Context, id ops.ID, collection string, body []byte, o WriteOptions) (*wire.WriteReply, error) {
	r, err := c.onCollection(id, collection, body)
	if err != nil {
		return nil, err
	}
	r.Header = o.header()
	ctx, cancel := within(ctx, o.budget(id.Budget()))
	defer cancel()
	var reply wire.WriteReply
	if _, err := c.call(ctx, r, &reply); err != nil {
		return nil, err
	}
	if reply.Error != nil {
		return &reply, reply.Error.Err()
	}
	return &reply, nil
}

// Bulk writes many documents, one JSON object a line; a line {"_delete":"ID"} deletes. A line that fails is named in the reply and is no error here.
// Lines beyond a message of the NATS server ([Client.MaxRequest]) go one message after the other, and count as one bulk; at most [wire.MaxBulkBytes] of them.
func (c *Client) Bulk(ctx context.Context, collection string, lines []byte, o WriteOptions) (*wire.BulkReply, error) {
	r, err := c.onCollection(ops.Bulk, collection, lines)
	if err != nil {
		return nil, err
	}
	o.ID, o.IfVersion = "", nil
	r.Header = o.header()
	ctx, cancel := within(ctx, o.budget(ops.Bulk.Budget()))
	defer cancel()
	var reply wire.BulkReply
	if _, err := c.call(ctx, r, &reply); err != nil {
		return nil, err
	}
	return &reply, nil
}

// Get reads one document by id; a missing one is an error of code not_found.
func (c *Client) Get(ctx context.Context, collection, id string) (*wire.DocReply, error) {
	body, err := json.Marshal(wire.IDRequest{ID: id})
	if err != nil {
		return nil, err
	}
	r, err := c.onCollection(ops.Get, collection, body)
	if err != nil {
		return nil, err
	}
	ctx, cancel := within(ctx, ops.Get.Budget())
	defer cancel()
	var reply wire.DocReply
	if _, err := c.call(ctx, r, &reply); err != nil {
		return nil, err
	}
	return &reply, nil
}
