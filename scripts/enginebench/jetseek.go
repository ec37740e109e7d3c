package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/jetseek/jetseek/engine"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/schema"
	"github.com/jetseek/jetseek/engine/vfs"
)

// jetseek is the engine of this project, through its public door, as a member of a group uses it.
type jetseek struct {
	x   *engine.Index
	at  *engine.Snapshot
	seq uint64
}

const (
	collection = schema.Incarnation(1)
	applyOps   = 1000 // a message
)

func (j *jetseek) index(ctx context.Context, folder string) (figures, error) {
	fields, err := schema.Parse([]byte(`{"fields":{"body":{"type":"text"},"tag":{"type":"keyword"}}}`))
	if err != nil {
		return nil, err
	}
	if err := os.RemoveAll(path(folder)); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(path(folder), 0o755); err != nil {
		return nil, err
	}
	if err := j.openIndex(folder); err != nil {
		return nil, err
	}
	err = j.apply(ctx, []engine.Op{
		{Kind: engine.OpOwn, Slots: engine.AllSlots()},
		{Kind: engine.OpSchema, Collection: collection, Version: 1, Name: "bench", Schema: fields},
	})
	if err != nil {
		return nil, err
	}
	var ops []engine.Op
	docs := 0
	for doc, err := range documents(folder) {
		if err != nil {
			return nil, err
		}
		docs++
		body := make([]byte, 0, len(doc.words)+len(doc.tag)+24)
		body = append(append(body, `{"body":"`...), doc.words...)
		body = append(append(append(body, `","tag":"`...), doc.tag...), `"}`...)
		op := operation(engine.OpPut, doc.number)
		op.Body = body
		if ops = append(ops, op); len(ops) == applyOps {
			if err := j.applyAndMerge(ctx, ops); err != nil {
				return nil, err
			}
			ops = ops[:0]
		}
	}
	for n := range docs {
		if deleted(n) {
			ops = append(ops, operation(engine.OpDelete, n))
		}
		if len(ops) >= applyOps || n == docs-1 {
			if err := j.applyAndMerge(ctx, ops); err != nil {
				return nil, err
			}
			ops = ops[:0]
		}
	}
	// What was merged after the last flush is in files that only the next manifest names.
	if err := j.flushAndMerge(ctx); err != nil {
		return nil, err
	}
	if err := j.x.Flush(ctx); err != nil {
		return nil, err
	}
	snapshot := j.x.Snapshot()
	defer snapshot.Close()
	info, _ := snapshot.Collection(collection)
	return figures{"docs": int64(docs), "segments": int64(info.Segments), "bytes": info.Bytes, "postings_bytes": info.PostingsBytes}, nil
}

func operation(kind engine.OpKind, doc int) engine.Op {
	return engine.Op{Kind: kind, Collection: collection, ID: strconv.Itoa(doc), Slot: uint16(mix(uint64(doc)) % engine.Slots), IfVersion: -1}
}

// applyAndMerge does after a message what is due then: a member does it beside applying, which costs the same.
func (j *jetseek) applyAndMerge(ctx context.Context, ops []engine.Op) error {
	if err := j.apply(ctx, ops); err != nil {
		return err
	}
	select {
	case <-j.x.FlushDue():
		return j.flushAndMerge(ctx)
	default:
		return j.merge(ctx)
	}
}

func (j *jetseek) apply(ctx context.Context, ops []engine.Op) error {
	if err := j.x.AwaitRoom(ctx); err != nil {
		return err
	}
	j.seq++
	_, err := j.x.Apply([]engine.Message{{Seq: j.seq, Ops: ops}})
	return err
}

func (j *jetseek) flushAndMerge(ctx context.Context) error {
	if err := j.x.Flush(ctx); err != nil {
		return err
	}
	return j.merge(ctx)
}

func (j *jetseek) merge(ctx context.Context) error {
	for did := true; did; {
		var err error
		if did, err = j.x.Merge(ctx); err != nil {
			return err
		}
	}
	return nil
}

func path(folder string) string { return filepath.Join(folder, "jetseek") }

func (j *jetseek) openIndex(folder string) error {
	files, err := vfs.Disk(path(folder))
	if err != nil {
		return err
	}
	j.x, err = engine.Open(engine.Options{Folder: files})
	return err
}

func (j *jetseek) open(_ context.Context, folder string) error {
	if err := j.close(); err != nil {
		return err
	}
	if err := j.openIndex(folder); err != nil {
		return err
	}
	j.at = j.x.Snapshot()
	return nil
}

func (j *jetseek) prepare(q question) (func(context.Context) (answer, error), error) {
	r := engine.SearchRequest{Collection: collection, Limit: q.hits, CountTo: uint64(q.hits)}
	if q.exact {
		r.CountTo = 0
	}
	leaves := make([]query.Node, len(q.words))
	for i, word := range q.words {
		leaves[i] = &query.TextTerm{Field: "body", Term: word, Boost: 1, Leaf: i}
	}
	switch {
	case q.kind == phrase:
		offsets := make([]int, len(q.words))
		for i := range offsets {
			offsets[i] = i
		}
		r.Query = &query.TextPhrase{Field: "body", Terms: q.words, Offsets: offsets, Boost: 1}
	case len(leaves) == 1:
		r.Query = leaves[0]
	case q.kind == anyOf:
		r.Query = &query.Bool{Should: leaves, MinShould: 1, Boost: 1}
	case q.kind == allOf:
		r.Query = &query.Bool{Must: leaves, Boost: 1}
	default:
		return nil, fmt.Errorf("unknown kind %q", q.kind)
	}
	if !q.exact {
		r.CountTo = 1
	}
	if q.tag != "" {
		r.Filters = []query.Node{&query.KeywordSet{Field: "tag", Values: []string{q.tag}}}
	}
	return func(ctx context.Context) (answer, error) { return j.search(ctx, r) }, nil
}

// search asks for statistics, makes weights of them and searches: the two rounds of a query, without the network.
func (j *jetseek) search(ctx context.Context, r engine.SearchRequest) (answer, error) {
	leaves := query.Leaves(r.Query)
	fields, terms := query.Question(leaves)
	weights, err := query.Weigh(leaves, fields, terms, j.at.Stats(collection, fields, terms))
	if err != nil {
		return answer{}, err
	}
	r.Weights = weights
	found, err := j.at.Search(ctx, r)
	if err != nil {
		return answer{}, err
	}
	ids := make([]string, len(found.Candidates))
	for i := range found.Candidates {
		ids[i] = found.Candidates[i].ID
	}
	return answer{int64(found.Total), ids}, nil
}

func (j *jetseek) close() error {
	if j.at != nil {
		j.at.Close()
	}
	if j.x != nil {
		j.x.Close()
	}
	j.at, j.x = nil, nil
	return nil
}
