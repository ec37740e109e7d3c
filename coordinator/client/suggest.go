package client

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jetseek/jetseek/subjects/ops"
	"github.com/jetseek/jetseek/subjects/wire"
)

// Suggest completes the body's prefix with the terms of a field that most documents hold, or corrects the words of its text that no document holds. Errors are those of a search; too many
// terms to tell which are the first are limit_exceeded.
func (c *Client) Suggest(ctx context.Context, collection string, b *wire.SuggestBody) (*wire.SuggestResponse, error) {
	body, err := json.Marshal(b)
	if err != nil {
		return nil, err
	}
	r, err := c.onCollection(ops.Suggest, collection, body)
	if err != nil {
		return nil, err
	}
	ctx, cancel := within(ctx, max(ops.Suggest.Budget(), time.Duration(b.TimeoutMs)*time.Millisecond+time.Second))
	defer cancel()
	var reply wire.SuggestResponse
	if _, err := c.call(ctx, r, &reply); err != nil {
		return nil, err
	}
	return &reply, nil
}
