package shard

import (
	"context"
	"time"

	"github.com/jetseek/jetseek/engine"
	"github.com/jetseek/jetseek/engine/agg"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/subjects/wire"
)

const (
	// aggregateShare is how much of the time that is left aggregations may take: hits that were found must still arrive when they do not end.
	aggregateShare = 0.8
	// maxAggregateBytes leaves room for hits in a reply.
	maxAggregateBytes = wire.MaxReplyBytes - 8<<20
)

// aggregate computes what a search asks of all that it matches, and gives its encoding.
func aggregate(ctx context.Context, v view, q *wire.SearchRequest, matching query.Node) ([]byte, error) {
	defs, err := agg.DecodeDefinitions(q.Aggs)
	if err != nil {
		return nil, malformed(err)
	}
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(aggregateShare*float64(time.Until(deadline))))
		defer cancel()
	}
	partials, err := v.content.Aggregate(ctx, engine.AggregateRequest{
		Collection: q.Collection, Query: matching, Filters: q.Filters, Weights: q.Weights, Definitions: defs,
	})
	if err != nil {
		return nil, err
	}
	data := agg.Append([]byte{}, defs, partials)
	if len(data) > maxAggregateBytes {
		return nil, fault.New(fault.LimitExceeded, "the aggregations of a group are %d bytes, at most %d: ask for fewer buckets or values", len(data), maxAggregateBytes)
	}
	return data, nil
}
