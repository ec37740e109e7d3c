package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/jetseek/jetseek/engine"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/schema"
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
	if j.x, err = engine.Open(engine.Options{}); err != nil {
		return nil, err
	}
	err = j.apply([]engine.Op{
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
	snapshot := j.x.Snapshot()
	defer snapshot.Close()
	info, _ := snapshot.Collection(collection)
	return figures{"docs": int64(docs), "segments": int64(info.Segments), "bytes": info.Bytes, "postings_bytes": info.PostingsBytes}, nil
}

func operation(kind engine.OpKind, doc int) engine.Op {
	return engine.Op{Kind: kind, Collection: collection, ID: strconv.Itoa(doc), Slot: uint16(mix(uint64(doc)) % engine.Slots), IfVersion: -1}
}

func (j *jetseek) applyAndMerge(ctx context.Context, ops []engine.Op) error {
	if err := j.apply(ops); err != nil {
		return err
	}
	for did := true; did; {
		var err error
		if did, err = j.x.Merge(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (j *jetseek) apply(ops []engine.Op) error {
	j.seq++
	_, err := j.x.Apply([]engine.Message{{Seq: j.seq, Ops: ops}})
	return err
}

func (j *jetseek) open(context.Context, string) error {
	j.at = j.x.Snapshot()
	return nil
}

func (j *jetseek) prepare(q question) (func(context.Context) (answer, error), error) {
	r := engine.SearchRequest{Collection: collection, Limit: q.hits}
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
	return nil
}
