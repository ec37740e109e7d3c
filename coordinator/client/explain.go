package client

import (
	"context"
	"encoding/json"

	"github.com/jetseek/jetseek/subjects/ops"
	"github.com/jetseek/jetseek/subjects/wire"
)

// Explain takes apart the score that a search for the body's query gives a document. A document that does not match is no error; one that is not there is of
// code not_found.
func (c *Client) Explain(ctx context.Context, collection string, b *wire.ExplainBody) (*wire.ExplainResponse, error) {
	body, err := json.Marshal(b)
	if err != nil {
		return nil, err
	}
	r, err := c.onCollection(ops.Explain, collection, body)
	if err != nil {
		return nil, err
	}
	ctx, cancel := within(ctx, ops.Explain.Budget())
	defer cancel()
	var reply wire.ExplainResponse
	if _, err := c.call(ctx, r, &reply); err != nil {
		return nil, err
	}
	return &reply, nil
}
