package client

import (
	"context"

	"github.com/jetseek/jetseek/subjects/wire"
)

// SearchJSON asks with a body as POST /search takes it. Without a deadline in ctx the client waits longer than the default budget of a search, 1 s;
// a search with a longer timeout_ms wants a context that lives longer.
func (c *Client) SearchJSON(ctx context.Context, collection string, body []byte) (*wire.SearchResponse, error) {
	r, err := c.onCollection(collection, body, c.names.Read, "search")
	if err != nil {
		return nil, err
	}
	ctx, cancel := within(ctx, readBudget)
	defer cancel()
	var reply wire.SearchResponse
	if _, err := c.call(ctx, r, &reply); err != nil {
		return nil, err
	}
	return &reply, nil
}
