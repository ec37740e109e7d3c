package client

import (
	"context"
	"encoding/json"
	"iter"
	"time"

	"github.com/jetseek/jetseek/subjects/ops"
	"github.com/jetseek/jetseek/subjects/wire"
)

// Search asks a collection; [wire.NewSearch] makes a request with the defaults of the API. Without a deadline in ctx the client waits a little longer
// than the request's own budget.
func (c *Client) Search(ctx context.Context, collection string, s *wire.SearchBody) (*wire.SearchResponse, error) {
	body, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	return c.search(ctx, collection, body, time.Duration(min(s.TimeoutMs, longestBudget.Milliseconds()))*time.Millisecond)
}

// SearchJSON asks with a body as POST /search takes it, for example {"query":"go","limit":3}. A search with a timeout_ms beyond the default of 1 s wants
// a context that lives longer.
func (c *Client) SearchJSON(ctx context.Context, collection string, body []byte) (*wire.SearchResponse, error) {
	return c.search(ctx, collection, body, 0)
}

// Walk gives every hit of a search, in order, as the documents were when it began, less those deleted meanwhile; pages have s.Limit hits. It ends with an error when there is one,
// cursor_expired when there was more than a minute between two pages.
func (c *Client) Walk(ctx context.Context, collection string, s *wire.SearchBody) iter.Seq2[*wire.Hit, error] {
	return func(yield func(*wire.Hit, error) bool) {
		page := *s
		for page.Cursor = wire.CursorStart; page.Cursor != ""; {
			reply, err := c.Search(ctx, collection, &page)
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range reply.Hits {
				if !yield(&reply.Hits[i], nil) {
					return
				}
			}
			page = wire.SearchBody{Cursor: reply.Cursor, TimeoutMs: s.TimeoutMs}
		}
	}
}

func (c *Client) search(ctx context.Context, collection string, body []byte, budget time.Duration) (*wire.SearchResponse, error) {
	r, err := c.onCollection(ops.Search, collection, body)
	if err != nil {
		return nil, err
	}
	ctx, cancel := within(ctx, max(ops.Search.Budget(), budget+time.Second))
	defer cancel()
	var reply wire.SearchResponse
	if _, err := c.call(ctx, r, &reply); err != nil {
		return nil, err
	}
	return &reply, nil
}
