package shard

import (
	"context"

	"github.com/jetseek/jetseek/subjects/wire"
)

// complete gives the group's terms that begin with a prefix.
func (m *Member) complete(ctx context.Context, v view, r request) ([]byte, error) {
	q, err := wire.DecodeCompleteRequest(r.msg.Data)
	if err != nil {
		return nil, malformed(err)
	}
	found, err := v.content.Complete(ctx, q.Collection, &q.Question)
	if err != nil {
		return nil, err
	}
	return wire.AppendCompleteReply(nil, &wire.CompleteReply{Frame: m.frame(&q.Head, v.content), Completions: found}), nil
}
