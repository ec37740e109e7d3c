package search_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/jetseek/jetseek/engine/internal/docset"
	"github.com/jetseek/jetseek/engine/internal/search"
	"github.com/jetseek/jetseek/engine/internal/segment"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/schema"
)

// BenchmarkColumns filters and sorts a million documents by longs in no order and by those that grow.
func BenchmarkColumns(b *testing.B) {
	const docs = 1_000_000
	r := rand.New(rand.NewPCG(8, 8))
	var builder segment.Builder
	builder.Reset(1)
	for i := range docs {
		id := fmt.Sprintf("%07d", i)
		builder.Add(id, segment.HashID(id), segment.State{Version: 1}, nil)
		builder.Ints("random", []int64{r.Int64N(1 << 30)})
		builder.Ints("grows", []int64{int64(i)*1000 + r.Int64N(5000)})
	}
	s, _, err := builder.Cut(0, builder.Docs())
	if err != nil {
		b.Fatal(err)
	}
	views := []search.View{{Segment: s, Visible: docset.Full(docs), Docs: docs}}
	var scratch search.Scratch
	for _, field := range []string{"random", "grows"} {
		for _, c := range []struct {
			name    string
			request search.Request
		}{
			{"range", search.Request{Query: &query.LongRange{Field: field, Lo: 1 << 28, Hi: 1 << 29}}},
			{"sort asc", search.Request{Query: &query.MatchAll{}, Limit: 10, CountTo: 1, Sort: []query.SortKey{{By: query.ByField, Field: field, Type: schema.Long}}}},
			{"sort desc", search.Request{Query: &query.MatchAll{}, Limit: 10, CountTo: 1, Sort: []query.SortKey{{By: query.ByField, Field: field, Type: schema.Long, Desc: true}}}},
			{"sort asc, exact total", search.Request{Query: &query.MatchAll{}, Limit: 10, Sort: []query.SortKey{{By: query.ByField, Field: field, Type: schema.Long}}}},
		} {
			b.Run(field+"/"+c.name, func(b *testing.B) {
				c.request.Scratch = &scratch
				for b.Loop() {
					if _, err := search.Run(context.Background(), views, &c.request); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/docs, "ns/document")
			})
		}
	}
}
