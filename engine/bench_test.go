package engine_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/jetseek/jetseek/engine"
	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/schema"
)

const benchCollection = schema.Incarnation(1)

// zipf makes documents of words by a fixed seed: frequent words are frequent.
type zipf struct {
	r     *rand.Rand
	words *rand.Zipf
}

func newZipf() *zipf {
	r := rand.New(rand.NewPCG(1, 1))
	return &zipf{r, rand.NewZipf(r, 1.1, 4, 50000)}
}

func (z *zipf) text(words int) string {
	var b strings.Builder
	for range words {
		fmt.Fprintf(&b, "w%d ", z.words.Uint64())
	}
	return b.String()
}

// put makes a document of about the given number of words.
func (z *zipf) put(id string, words int) engine.Op {
	body := fmt.Sprintf(`{"title":%q,"body":%q,"tag":"t%d","year":%d}`, z.text(4), z.text(words), z.r.IntN(100), z.r.IntN(50))
	return engine.Op{Kind: engine.OpPut, Collection: benchCollection, ID: id, Slot: slotOf(id), IfVersion: -1, Body: []byte(body)}
}

func benchIndex(b testing.TB) *engine.Index {
	b.Helper()
	x, err := engine.Open(engine.Options{})
	if err != nil {
		b.Fatal(err)
	}
	apply(b, x, 1, engine.Op{Kind: engine.OpOwn, Slots: engine.AllSlots()},
		engine.Op{Kind: engine.OpSchema, Collection: benchCollection, Version: 2, Name: "bench", Schema: testSchema(2)})
	return x
}

func apply(b testing.TB, x *engine.Index, seq uint64, ops ...engine.Op) {
	b.Helper()
	if _, err := x.Apply([]engine.Message{{Seq: seq, Ops: ops}}); err != nil {
		b.Fatal(err)
	}
}

// fill applies documents in batches and merges in between.
func fill(b testing.TB, x *engine.Index, docs int) {
	b.Helper()
	z := newZipf()
	for i := 0; i < docs; i += 500 {
		ops := make([]engine.Op, 0, 500)
		for n := i; n < min(i+500, docs); n++ {
			ops = append(ops, z.put(fmt.Sprintf("doc-%d", n), 50))
		}
		apply(b, x, uint64(i+2), ops...)
		for {
			did, err := x.Merge(context.Background())
			if err != nil {
				b.Fatal(err)
			}
			if !did {
				break
			}
		}
	}
}

func BenchmarkApplyOne(b *testing.B) {
	for _, words := range []int{10, 150} {
		b.Run(fmt.Sprintf("words=%d", words), func(b *testing.B) {
			x, z := benchIndex(b), newZipf()
			ops := make([]engine.Op, 4096)
			for i := range ops {
				ops[i] = z.put("", words)
			}
			seq := uint64(1)
			b.ReportAllocs()
			for b.Loop() {
				seq++
				op := ops[seq%uint64(len(ops))]
				op.ID = fmt.Sprintf("doc-%d", seq)
				apply(b, x, seq, op)
			}
			s := x.Snapshot()
			defer s.Close()
			info, _ := s.Collection(benchCollection)
			b.ReportMetric(float64(info.Segments), "segments")
		})
	}
}

func BenchmarkApplyBatch500(b *testing.B) {
	x, z := benchIndex(b), newZipf()
	ops := make([]engine.Op, 500)
	for i := range ops {
		ops[i] = z.put("", 150)
	}
	seq := uint64(1)
	bytes := 0
	b.ReportAllocs()
	for b.Loop() {
		seq++
		bytes = 0
		for i := range ops {
			ops[i].ID = fmt.Sprintf("doc-%d-%d", seq, i)
			ops[i].Slot = slotOf(ops[i].ID)
			bytes += len(ops[i].Body)
		}
		apply(b, x, seq, ops...)
	}
	b.ReportMetric(500*float64(b.N)/b.Elapsed().Seconds(), "docs/s")
	b.ReportMetric(float64(bytes)/500, "bytes/doc")
}

func textTerm(term string, leaf int) *query.TextTerm {
	return &query.TextTerm{Field: "body", Term: term, Leaf: leaf}
}

func weights(s *engine.Snapshot, terms ...string) []bm25.Weight {
	var ws []bm25.Weight
	for _, t := range terms {
		st := s.Stats(benchCollection, []string{"body"}, []bm25.FieldTerm{{Field: "body", Term: t}})
		ws = append(ws, bm25.MakeWeight(1, bm25.IDF(st.Fields[0].Docs, st.DF[0]), st.Fields[0]))
	}
	return ws
}

func BenchmarkSearch100k(b *testing.B) {
	x := benchIndex(b)
	fill(b, x, 100000)
	s := x.Snapshot()
	defer s.Close()
	terms := []string{"w3", "w12"}
	for name, q := range map[string]query.Node{
		"or":     &query.Bool{Should: []query.Node{textTerm(terms[0], 0), textTerm(terms[1], 1)}, MinShould: 1},
		"and":    &query.Bool{Must: []query.Node{textTerm(terms[0], 0), textTerm(terms[1], 1)}},
		"phrase": &query.TextPhrase{Field: "body", Terms: terms, Offsets: []int{0, 1}, Leaf: 0},
		"range":  &query.LongRange{Field: "year", Lo: 10, Hi: 20},
	} {
		b.Run(name, func(b *testing.B) {
			r := engine.SearchRequest{Collection: benchCollection, Query: q, Weights: weights(s, terms...), Limit: 10}
			b.ReportAllocs()
			var total uint64
			for b.Loop() {
				res, err := s.Search(context.Background(), r)
				if err != nil {
					b.Fatal(err)
				}
				total = res.Total
			}
			b.ReportMetric(float64(total), "hits")
		})
	}
}

func BenchmarkStatsWithDeletes(b *testing.B) {
	x := benchIndex(b)
	fill(b, x, 100000)
	var ops []engine.Op
	for i := 0; i < 100000; i += 20 {
		id := fmt.Sprintf("doc-%d", i)
		ops = append(ops, engine.Op{Kind: engine.OpDelete, Collection: benchCollection, ID: id, Slot: slotOf(id), IfVersion: -1})
	}
	apply(b, x, 1<<40, ops...)
	terms := []bm25.FieldTerm{{Field: "body", Term: "w3"}}
	b.Run("cached", func(b *testing.B) {
		s := x.Snapshot()
		defer s.Close()
		for b.Loop() {
			s.Stats(benchCollection, nil, terms)
		}
	})
	b.Run("after a delete", func(b *testing.B) {
		seq := uint64(1 << 40)
		for b.Loop() {
			seq++
			id := fmt.Sprintf("doc-%d", 1+20*(seq%5000))
			apply(b, x, seq, engine.Op{Kind: engine.OpDelete, Collection: benchCollection, ID: id, Slot: slotOf(id), IfVersion: -1})
			s := x.Snapshot()
			s.Stats(benchCollection, nil, terms)
			s.Close()
		}
	})
}
