package client

import (
	"context"
	"encoding/json"

	"github.com/jetseek/jetseek/subjects/ops"
	"github.com/jetseek/jetseek/subjects/wire"
)

// Analyze shows what an analyzer makes of a text: tokens, their positions, and the bytes of the text that they came from.
func (c *Client) Analyze(ctx context.Context, collection string, b *wire.AnalyzeBody) (*wire.AnalyzeResponse, error) {
	body, err := json.Marshal(b)
	if err != nil {
		return nil, err
	}
	r, err := c.onCollection(ops.Analyze, collection, body)
	if err != nil {
		return nil, err
	}
	ctx, cancel := within(ctx, ops.Analyze.Budget())
	defer cancel()
	var reply wire.AnalyzeResponse
	if _, err := c.call(ctx, r, &reply); err != nil {
		return nil, err
	}
	return &reply, nil
}
