package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/custom"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"
	"github.com/blevesearch/bleve/v2/analysis/tokenizer/whitespace"
	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search/query"
	index "github.com/blevesearch/bleve_index_api"
)

// bleveIndex is bleve's own index on disk, scorch, with BM25. It always counts exactly. A disjunction multiplies the sum by the share of its terms that match (coord), so the hits
// of OR queries agree less with those of the others, which do not.
type bleveIndex struct{ x bleve.Index }

const bleveBatch = 1000

// bleveMapping keeps of a document what the others keep: positions of the body, and the source.
func bleveMapping() (mapping.IndexMapping, error) {
	m := bleve.NewIndexMapping()
	m.ScoringModel = index.BM25Scoring
	if err := m.AddCustomAnalyzer("words", map[string]any{"type": custom.Name, "tokenizer": whitespace.Name}); err != nil {
		return nil, err
	}
	body, tag := bleve.NewTextFieldMapping(), bleve.NewTextFieldMapping()
	body.Analyzer, body.Store, body.IncludeInAll, body.DocValues = "words", true, false, false
	tag.Analyzer, tag.Store, tag.IncludeInAll, tag.IncludeTermVectors = keyword.Name, true, false, false
	doc := bleve.NewDocumentStaticMapping()
	doc.AddFieldMappingsAt("body", body)
	doc.AddFieldMappingsAt("tag", tag)
	m.DefaultMapping = doc
	return m, nil
}

func (b *bleveIndex) path(folder string) string { return filepath.Join(folder, "bleve") }

func (b *bleveIndex) index(ctx context.Context, folder string) (figures, error) {
	m, err := bleveMapping()
	if err != nil {
		return nil, err
	}
	if err := os.RemoveAll(b.path(folder)); err != nil {
		return nil, err
	}
	if b.x, err = bleve.NewUsing(b.path(folder), m, scorch.Name, scorch.Name, nil); err != nil {
		return nil, err
	}
	batch, docs := b.x.NewBatch(), 0
	flush := func() error {
		err := b.x.Batch(batch)
		batch.Reset()
		return err
	}
	for doc, err := range documents(folder) {
		if err != nil {
			return nil, err
		}
		docs++
		fields := map[string]any{"body": string(doc.words), "tag": string(doc.tag)}
		if err := batch.Index(strconv.Itoa(doc.number), fields); err != nil {
			return nil, err
		}
		if batch.Size() == bleveBatch {
			if err := flush(); err != nil {
				return nil, err
			}
		}
	}
	for n := range docs {
		if deleted(n) {
			batch.Delete(strconv.Itoa(n))
		}
		if batch.Size() >= bleveBatch || n == docs-1 {
			if err := flush(); err != nil {
				return nil, err
			}
		}
	}
	if err := atRest(ctx); err != nil {
		return nil, err
	}
	return figures{"docs": int64(docs), "bytes": folderBytes(b.path(folder))}, nil
}

// atRest waits until the process has had next to nothing to do for a while: scorch merges behind its caller's back, and does not say when it has done.
func atRest(ctx context.Context) error {
	const look, quiet, idle = 100 * time.Millisecond, 10, 5 * time.Millisecond
	for still := 0; still < quiet; {
		before := processTime()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(look):
		}
		if still++; processTime()-before > idle {
			still = 0
		}
	}
	return nil
}

// folderBytes gives what the files below a folder hold.
func folderBytes(path string) int64 {
	total := int64(0)
	_ = filepath.WalkDir(path, func(_ string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil // a file that merging has removed meanwhile
		}
		if info, err := d.Info(); err == nil {
			total += info.Size()
		}
		return nil
	})
	return total
}

func (b *bleveIndex) open(_ context.Context, folder string) (err error) {
	if err := b.close(); err != nil {
		return err
	}
	b.x, err = bleve.Open(b.path(folder))
	return err
}

func (b *bleveIndex) prepare(q question) (func(context.Context) (answer, error), error) {
	terms := make([]query.Query, len(q.words))
	for i, word := range q.words {
		terms[i] = inField(word, "body")
	}
	var node query.Query
	switch {
	case q.kind == phrase:
		node = bleve.NewPhraseQuery(q.words, "body")
	case len(terms) == 1:
		node = terms[0]
	case q.kind == anyOf:
		node = bleve.NewDisjunctionQuery(terms...)
	case q.kind == allOf:
		node = bleve.NewConjunctionQuery(terms...)
	default:
		return nil, fmt.Errorf("unknown kind %q", q.kind)
	}
	if q.tag != "" {
		filtered := bleve.NewBooleanQuery()
		filtered.AddMust(node)
		filtered.AddFilter(inField(q.tag, "tag"))
		node = filtered
	}
	return func(ctx context.Context) (answer, error) {
		found, err := b.x.SearchInContext(ctx, bleve.NewSearchRequestOptions(node, q.hits, 0, false))
		if err != nil {
			return answer{}, err
		}
		ids := make([]string, len(found.Hits))
		for i, hit := range found.Hits {
			ids[i] = hit.ID
		}
		return answer{int64(found.Total), ids}, nil
	}, nil
}

func inField(term, field string) query.Query {
	q := bleve.NewTermQuery(term)
	q.SetField(field)
	return q
}

func (b *bleveIndex) close() error {
	if b.x == nil {
		return nil
	}
	x := b.x
	b.x = nil
	return x.Close()
}
