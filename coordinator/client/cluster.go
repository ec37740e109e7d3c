package client

import (
	"context"
	"encoding/json"

	"github.com/jetseek/jetseek/subjects"
	"github.com/jetseek/jetseek/subjects/wire"
)

// CreateCollection creates a collection with a schema (nil: {}), or finds it there with the same; with another it is an error of code exists.
func (c *Client) CreateCollection(ctx context.Context, name string, schema json.RawMessage) (*wire.CollectionBody, error) {
	if schema == nil {
		schema = json.RawMessage("{}")
	}
	return admin[wire.CollectionBody](ctx, c, "collections.create", wire.CollectionRequest{Name: name, Schema: schema}, true)
}

// Collection shows a collection with its counts; a missing one is an error of code no_collection.
func (c *Client) Collection(ctx context.Context, name string) (*wire.CollectionBody, error) {
	return admin[wire.CollectionBody](ctx, c, "collections.show", wire.CollectionRequest{Name: name}, false)
}

// Collections lists all collections, by name.
func (c *Client) Collections(ctx context.Context) ([]wire.CollectionBody, error) {
	body, err := admin[wire.CollectionsBody](ctx, c, "collections.list", struct{}{}, false)
	if err != nil {
		return nil, err
	}
	return body.Collections, nil
}

// DropCollection deletes a collection with all its documents, and waits for that as a delete does.
func (c *Client) DropCollection(ctx context.Context, name string) (*wire.DropBody, error) {
	ctx, cancel := within(ctx, deleteBudget)
	defer cancel()
	return admin[wire.DropBody](ctx, c, "collections.drop", wire.CollectionRequest{Name: name}, true)
}

// Ready tells which groups answer.
func (c *Client) Ready(ctx context.Context) (*wire.ReadyBody, error) {
	return admin[wire.ReadyBody](ctx, c, "status", struct{}{}, false)
}

// Members lists all declared members with what is known of them.
func (c *Client) Members(ctx context.Context) ([]wire.MemberBody, error) {
	body, err := admin[wire.MembersBody](ctx, c, "members", struct{}{}, false)
	if err != nil {
		return nil, err
	}
	return body.Members, nil
}

// Ring tells the placement rule and how many slots each group owns.
func (c *Client) Ring(ctx context.Context) (*wire.RingBody, error) {
	return admin[wire.RingBody](ctx, c, "ring", struct{}{}, false)
}

// Placement tells where a document with this id belongs, whether it exists or not.
func (c *Client) Placement(ctx context.Context, id string) (*wire.PlacementBody, error) {
	return admin[wire.PlacementBody](ctx, c, "placement", wire.IDRequest{ID: id}, false)
}

// admin does an operation on the cluster.
func admin[T any](ctx context.Context, c *Client, op string, request any, write bool) (*T, error) {
	body, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	ctx, cancel := within(ctx, adminBudget)
	defer cancel()
	out := new(T)
	if _, err := c.call(ctx, Request{Subject: c.names.Admin(op), Body: body, Write: write}, out); err != nil {
		return nil, err
	}
	return out, nil
}

// onCollection makes a request about a collection; its name enters a subject, so it is checked first.
func (c *Client) onCollection(collection string, body []byte, subject func(collection, op string) string, op string) (Request, error) {
	if err := subjects.ValidCollection(collection); err != nil {
		return Request{}, err
	}
	return Request{Subject: subject(collection, op), Body: body}, nil
}
