package shard

import (
	"context"
	"fmt"

	"github.com/jetseek/jetseek/engine"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/schema"
	"github.com/jetseek/jetseek/subjects/wire"
)

// has tells which of some deleted documents the member would serve, by their births. What outlived its delete is counted, and said in the member's record: there is no
// right way to it.
func (m *Member) has(ctx context.Context, v view, r request) ([]byte, error) {
	q, err := wire.DecodeHasRequest(r.msg.Data)
	if err != nil {
		return nil, malformed(err)
	}
	reply := wire.HasReply{Frame: m.frame(&q.Head, v.content)}
	if reply.Births, err = m.births(ctx, v.content, q.Collection, q.Deleted); err != nil {
		return nil, err
	}
	if !m.mayServe(v.current) {
		return nil, m.notServing()
	}
	for i, d := range q.Deleted {
		if d.Outlived(reply.Births[i]) {
			m.outlived.Add(1)
			m.opts.Log.Error("the member would serve a document that was deleted", "member", m.id, "id", d.ID, "born", reply.Births[i], "deleted", d.Seq, "snapshot", v.content.Seq())
		}
	}
	return wire.AppendHasReply(nil, &reply), nil
}

// births gives the births of documents as reads and searches find them; 1, the oldest that there is, of what only a search finds.
func (m *Member) births(ctx context.Context, snap *engine.Snapshot, c schema.Incarnation, deleted []wire.Deletion) ([]uint64, error) {
	births := make([]uint64, len(deleted))
	at := make(map[string][]int, len(deleted))
	var ids []string
	for i, d := range deleted {
		if at[d.ID] == nil {
			ids = append(ids, d.ID)
		}
		at[d.ID] = append(at[d.ID], i)
		if doc, ok := snap.Get(c, d.ID); ok {
			births[i] = doc.Birth.Seq
		}
	}
	if len(ids) == 0 {
		return births, nil
	}
	found, err := snap.Search(ctx, engine.SearchRequest{Collection: c, Query: &query.IDs{Values: ids, Boost: 1}, Limit: len(ids), CountTo: 1})
	if err != nil {
		return nil, fmt.Errorf("look for deleted documents: %w", err)
	}
	for _, candidate := range found.Candidates {
		for _, i := range at[candidate.ID] {
			births[i] = max(births[i], 1)
		}
	}
	return births, nil
}
