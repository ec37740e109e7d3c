package engine_test

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/jetseek/jetseek/engine"
	"github.com/jetseek/jetseek/engine/schema"
)

// BenchmarkIndexing measures documents a second of processor time, all threads and the garbage collector counted, from an empty index on and with all merges
// that become due: of generated documents of about 60 tokens, a keyword and a number, by the number of operations that Apply is given at once, and of package
// descriptions where the data lies beside the checkout.
func BenchmarkIndexing(b *testing.B) {
	for _, c := range []struct{ docs, batch int }{{100_000, 5000}, {100_000, 500}, {20_000, 10}, {10_000, 1}} {
		b.Run(fmt.Sprintf("small/batch=%d", c.batch), func(b *testing.B) {
			z, ops := newZipf(), make([]engine.Op, c.docs)
			for i := range ops {
				ops[i] = z.small(fmt.Sprintf("doc-%d", i))
			}
			benchIndexing(b, smallSchema(), ops, c.batch)
		})
	}
	b.Run("packages/batch=1000", func(b *testing.B) { benchIndexing(b, packageSchema(), packages(b), 1000) })
}

func benchIndexing(b *testing.B, s *schema.Schema, ops []engine.Op, batch int) {
	segments, began := 0, processorTime(b)
	b.ReportAllocs()
	for b.Loop() {
		x := indexWith(b, s)
		seq := uint64(1)
		for from := 0; from < len(ops); from += batch {
			seq++
			apply(b, x, seq, ops[from:min(from+batch, len(ops))]...)
			if seq%64 == 0 || from+batch >= len(ops) {
				mergeAll(b, x)
			}
		}
		snapshot := x.Snapshot()
		info, _ := snapshot.Collection(benchCollection)
		segments = info.Segments
		if info.Documents != uint64(len(ops)) {
			b.Fatalf("%d documents of %d", info.Documents, len(ops))
		}
		snapshot.Close()
	}
	docs := float64(b.N) * float64(len(ops))
	b.ReportMetric(docs/(processorTime(b)-began).Seconds(), "docs/cpu-s")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/docs, "ns/doc")
	b.ReportMetric(float64(segments), "segments")
}

// small makes a document of about 60 tokens.
func (z *zipf) small(id string) engine.Op {
	body := fmt.Sprintf(`{"id":%q,"body":%q,"tag":"t%d","year":%d}`, id, z.text(60), z.r.IntN(100), z.r.IntN(50))
	return engine.Op{Kind: engine.OpPut, Collection: benchCollection, ID: id, Slot: slotOf(id), IfVersion: -1, Body: []byte(body)}
}

func smallSchema() *schema.Schema {
	return &schema.Schema{Fields: []schema.Field{
		{Name: "body", Type: schema.Text, Analyzer: "standard", Boost: 1},
		{Name: "tag", Type: schema.Keyword, Boost: 1},
		{Name: "year", Type: schema.Long, Boost: 1},
	}}
}

func packageSchema() *schema.Schema {
	return &schema.Schema{Fields: []schema.Field{
		{Name: "body", Type: schema.Text, Analyzer: "standard", Boost: 1},
		{Name: "installed_size_kb", Type: schema.Long, Boost: 1},
		{Name: "section", Type: schema.Keyword, Boost: 1},
		{Name: "title", Type: schema.Text, Analyzer: "standard", Boost: 1},
	}}
}

// packages reads the descriptions of Debian's packages, which are not part of the project.
func packages(b *testing.B) []engine.Op {
	folder := os.Getenv("JETSEEK_SHARED")
	if folder == "" {
		folder = "../../shared"
	}
	f, err := os.Open(filepath.Join(folder, "data/judged/debian/corpus.jsonl.gz"))
	if err != nil {
		b.Skipf("the descriptions of packages are not there (JETSEEK_SHARED says where): %v", err)
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		b.Fatal(err)
	}
	var ops []engine.Op
	for lines := bufio.NewReader(unzipped); ; {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return ops
		}
		var all struct {
			ID      string `json:"id"`
			Title   string `json:"title"`
			Body    string `json:"body"`
			Section string `json:"section"`
			Size    int64  `json:"installed_size_kb"`
		}
		if err := json.Unmarshal(line, &all); err != nil {
			b.Fatal(err)
		}
		body, err := json.Marshal(all)
		if err != nil {
			b.Fatal(err)
		}
		ops = append(ops, engine.Op{Kind: engine.OpPut, Collection: benchCollection, ID: all.ID, Slot: slotOf(all.ID), IfVersion: -1, Body: body})
	}
}

func indexWith(b testing.TB, s *schema.Schema) *engine.Index {
	b.Helper()
	x, err := engine.Open(engine.Options{})
	if err != nil {
		b.Fatal(err)
	}
	apply(b, x, 1, engine.Op{Kind: engine.OpOwn, Slots: engine.AllSlots()},
		engine.Op{Kind: engine.OpSchema, Collection: benchCollection, Version: 2, Name: "bench", Schema: s})
	return x
}

func mergeAll(b testing.TB, x *engine.Index) {
	b.Helper()
	for did := true; did; {
		var err error
		if did, err = x.Merge(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}

// processorTime gives what the process has used so far, as user and for the system.
func processorTime(b *testing.B) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
