package collect_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/jetseek/jetseek/engine/agg"
	"github.com/jetseek/jetseek/engine/internal/collect"
	"github.com/jetseek/jetseek/engine/internal/docset"
	"github.com/jetseek/jetseek/engine/internal/segment"
	"github.com/jetseek/jetseek/engine/schema"
)

const benchSchema = `{"fields":{"few":{"type":"keyword"},"many":{"type":"keyword"},"long":{"type":"long"},"small":{"type":"long"},"double":{"type":"double"},"some":{"type":"double"},"on":{"type":"date"}}}`

// benchSegment is a segment of so many documents with a value of every field but some, which half of them have.
func benchSegment(b *testing.B, docs int) *segment.Segment {
	b.Helper()
	r := rand.New(rand.NewPCG(5, 5))
	var builder segment.Builder
	builder.Reset(1)
	for i := range docs {
		id := fmt.Sprintf("%07d", i)
		builder.Add(id, segment.HashID(id), segment.State{Version: 1}, nil)
		builder.Exact("few", []string{fmt.Sprintf("k%d", r.IntN(10))})
		builder.Exact("many", []string{fmt.Sprintf("k%d", r.IntN(1000))})
		builder.Ints("long", []int64{r.Int64() - r.Int64()})
		builder.Ints("small", []int64{r.Int64N(200)})
		builder.Floats("double", []float64{r.NormFloat64() * 1e6})
		if i%2 == 0 {
			builder.Floats("some", []float64{r.Float64()})
		}
		builder.Ints("on", []int64{1.6e18 + r.Int64N(1e17)})
	}
	s, _, err := builder.Cut(0, builder.Docs())
	if err != nil {
		b.Fatal(err)
	}
	return s
}

// BenchmarkAggregations computes one aggregation over a million documents, all of them or every tenth, on one thread:
// GOMAXPROCS=1 go test -run none -bench Aggregations ./engine/internal/collect.
func BenchmarkAggregations(b *testing.B) {
	const docs = 1_000_000
	fields, err := schema.Parse([]byte(benchSchema))
	if err != nil {
		b.Fatal(err)
	}
	src := collect.Source{Segment: benchSegment(b, docs)}
	tenth := docset.New(docs)
	for i := uint32(0); i < docs; i += 10 {
		tenth.Add(i + i/10%10)
	}
	for _, c := range []struct{ name, body string }{
		{"terms of 10", `{"terms":{"field":"few"}}`},
		{"terms of 1,000", `{"terms":{"field":"many"}}`},
		{"terms of longs", `{"terms":{"field":"small"}}`},
		{"stats of longs", `{"stats":{"field":"long"}}`},
		{"stats of doubles", `{"stats":{"field":"double"}}`},
		{"stats of doubles half", `{"stats":{"field":"some"}}`},
		{"months", `{"date_histogram":{"field":"on","calendar_interval":"month"}}`},
		{"days in a zone", `{"date_histogram":{"field":"on","calendar_interval":"day","time_zone":"Europe/Oslo"}}`},
		{"hours", `{"date_histogram":{"field":"on","fixed_interval":"1h"}}`},
		{"histogram", `{"histogram":{"field":"small","interval":7}}`},
		{"percentiles of doubles", `{"percentiles":{"field":"double"}}`},
		{"percentiles of small longs", `{"percentiles":{"field":"small"}}`},
		{"cardinality of 1,000", `{"cardinality":{"field":"many"}}`},
		{"cardinality of longs", `{"cardinality":{"field":"long"}}`},
	} {
		defs, err := agg.Parse([]byte(`{"a":`+c.body+`}`), fields)
		if err != nil {
			b.Fatal(err)
		}
		for _, of := range []struct {
			name string
			set  docset.Set
			n    float64
		}{{"all", docset.Full(docs), docs}, {"tenth", tenth, docs / 10}} {
			b.Run(c.name+"/"+of.name, func(b *testing.B) {
				began := processorTime()
				for b.Loop() {
					var budget agg.Budget
					if _, err := collect.Collect(context.Background(), src, of.set, defs, &budget); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64((processorTime()-began).Nanoseconds())/float64(b.N)/of.n, "cpu-ns/document")
			})
		}
	}
}
