package client

import (
	"context"
	"encoding/json"

	"github.com/jetseek/jetseek/subjects"
	"github.com/jetseek/jetseek/subjects/ops"
	"github.com/jetseek/jetseek/subjects/wire"
)

// CreateCollection creates a collection with a schema (nil: {}), or finds it there with the same; with another it is an error of code exists.
func (c *Client) CreateCollection(ctx context.Context, name string, schema json.RawMessage) (*wire.CollectionBody, error) {
	if schema == nil {
		schema = json.RawMessage("{}")
	}
	return admin[wire.CollectionBody](ctx, c, ops.CollectionsCreate, wire.CollectionRequest{Name: name, Schema: schema})
}

// Collection shows a collection with its counts; a missing one is an error of code no_collection.
func (c *Client) Collection(ctx context.Context, name string) (*wire.CollectionBody, error) {
	return admin[wire.CollectionBody](ctx, c, ops.CollectionsShow, wire.CollectionRequest{Name: name})
}

// Collections lists all collections, by name.
func (c *Client) Collections(ctx context.Context) ([]wire.CollectionBody, error) {
	body, err := admin[wire.CollectionsBody](ctx, c, ops.CollectionsList, struct{}{})
	if err != nil {
		return nil, err
	}
	return body.Collections, nil
}

// DropCollection deletes a collection with all its documents, and waits for that as a delete does.
func (c *Client) DropCollection(ctx context.Context, name string) (*wire.DropBody, error) {
	return admin[wire.DropBody](ctx, c, ops.CollectionsDrop, wire.CollectionRequest{Name: name})
}

// Ready tells which groups answer.
func (c *Client) Ready(ctx context.Context) (*wire.ReadyBody, error) {
	return admin[wire.ReadyBody](ctx, c, ops.Status, struct{}{})
}

// Members lists all declared members with what is known of them.
func (c *Client) Members(ctx context.Context) ([]wire.MemberBody, error) {
	body, err := c.Cluster(ctx)
	if err != nil {
		return nil, err
	}
	return body.Members, nil
}

// Cluster tells all that /_members does: the members, and what must never be.
func (c *Client) Cluster(ctx context.Context) (*wire.MembersBody, error) {
	return admin[wire.MembersBody](ctx, c, ops.Members, struct{}{})
}

// Ring tells the placement rule and how many slots each group owns.
func (c *Client) Ring(ctx context.Context) (*wire.RingBody, error) {
	return admin[wire.RingBody](ctx, c, ops.Ring, struct{}{})
}

// Placement tells where a document with this id belongs, whether it exists or not.
func (c *Client) Placement(ctx context.Context, id string) (*wire.PlacementBody, error) {
	return admin[wire.PlacementBody](ctx, c, ops.Placement, wire.IDRequest{ID: id})
}

// Repair compares the members of every group, has those that differ prove by a replay of the log what they hold and mend what is wrong, and gives the report. It waits until that is
// done: without a deadline in ctx for five minutes. A member that did not answer is named there, and is no error.
func (c *Client) Repair(ctx context.Context) (*wire.RepairBody, error) {
	return admin[wire.RepairBody](ctx, c, ops.Repair, struct{}{})
}

// Quarantine tells which operations are set aside, since no member could apply them.
func (c *Client) Quarantine(ctx context.Context) (*wire.QuarantineBody, error) {
	return admin[wire.QuarantineBody](ctx, c, ops.Quarantine, struct{}{})
}

// Requeue tries an operation again that is set aside. That it could not be applied, or comes too late, is no error: the answer says so.
func (c *Client) Requeue(ctx context.Context, group string, at wire.Place) (*wire.RequeueBody, error) {
	return admin[wire.RequeueBody](ctx, c, ops.Requeue, wire.RequeueRequest{Group: group, Seq: at.Seq, Operation: at.Op})
}

// admin does an operation on the cluster.
func admin[T any](ctx context.Context, c *Client, id ops.ID, request any) (*T, error) {
	body, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	ctx, cancel := within(ctx, id.Budget())
	defer cancel()
	out := new(T)
	if _, err := c.call(ctx, c.request(id, "", body), out); err != nil {
		return nil, err
	}
	return out, nil
}

// request makes a request for an operation; the collection counts only where it acts on one.
func (c *Client) request(id ops.ID, collection string, body []byte) Request {
	return Request{Subject: id.Subject(c.names, collection), Body: body, Write: id.Changes()}
}

// onCollection makes a request about a collection; its name enters a subject, so it is checked first.
func (c *Client) onCollection(id ops.ID, collection string, body []byte) (Request, error) {
	if err := subjects.ValidCollection(collection); err != nil {
		return Request{}, err
	}
	return c.request(id, collection, body), nil
}
