package shard

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jetseek/jetseek/engine"
	"github.com/jetseek/jetseek/subjects/wire"
)

// explain takes the score of one document of a pinned snapshot apart. One that was deleted since is not found.
func (m *Member) explain(ctx context.Context, v view, r request) ([]byte, error) {
	q, err := wire.DecodeExplainRequest(r.msg.Data)
	if err != nil {
		return nil, malformed(err)
	}
	reply := wire.ExplainReply{Frame: m.frame(&q.Head, v.content)}
	doc, ok := v.content.Get(q.Collection, q.ID)
	if !ok || v.pinned() && deletedSince(v, q.Collection, doc) {
		return wire.AppendExplainReply(nil, &reply), nil
	}
	explained, found, err := v.content.Explain(ctx, engine.ExplainRequest{
		Collection: q.Collection, Query: q.Query, ID: q.ID, Fields: q.Fields, Terms: q.Terms, Stats: q.Stats,
	})
	if err != nil {
		return nil, err
	}
	reply.Found, reply.Matched = found, explained.Matched
	if reply.Explanation, err = json.Marshal(explained.Explanation); err != nil {
		return nil, fmt.Errorf("explain: %w", err)
	}
	return wire.AppendExplainReply(nil, &reply), nil
}
