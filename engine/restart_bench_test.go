package engine_test

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"runtime/debug"
	"strconv"
	"testing"

	"github.com/jetseek/jetseek/engine"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/vfs"
)

// BenchmarkRestart opens an index of a million documents of about 20 words from files that are in the page cache, and answers one query. It also tells how large the files are, and
// what of the process is resident then: heap and the like, and mapped files, of which all was read to verify it.
func BenchmarkRestart(b *testing.B) {
	for _, docs := range []int{100_000, 1_000_000} {
		b.Run(fmt.Sprintf("docs=%d", docs), func(b *testing.B) {
			folder, err := vfs.Disk(b.TempDir())
			if err != nil {
				b.Fatal(err)
			}
			fillFolder(b, folder, docs)
			var x *engine.Index
			for b.Loop() {
				if x != nil {
					x.Close()
				}
				if x, err = engine.Open(engine.Options{Folder: folder}); err != nil {
					b.Fatal(err)
				}
				s := x.Snapshot()
				if res, err := s.Search(context.Background(), engine.SearchRequest{Collection: benchCollection, Query: &query.TextTerm{Field: "title", Term: "w7", Leaf: -1},
					Sort: []query.SortKey{{By: query.ByID}}, Limit: 10}); err != nil || res.Total == 0 {
					b.Fatalf("%d hits, %v", res.Total, err)
				}
				s.Close()
			}
			s := x.Snapshot()
			info, _ := s.Collection(benchCollection)
			s.Close()
			if info.Documents != uint64(docs) {
				b.Fatalf("%d documents", info.Documents)
			}
			b.ReportMetric(float64(info.Bytes)/1e6, "MB-files")
			b.ReportMetric(float64(info.Segments), "segments")
			debug.FreeOSMemory()
			b.ReportMetric(resident(b, "RssAnon"), "MB-heap")
			b.ReportMetric(resident(b, "RssFile"), "MB-mapped")
			x.Close()
		})
	}
}

// fillFolder makes an index in files, flushed as the memory of a process asks for it.
func fillFolder(b *testing.B, folder vfs.Folder, docs int) {
	b.Helper()
	x, err := engine.Open(engine.Options{Folder: folder})
	if err != nil {
		b.Fatal(err)
	}
	defer x.Close()
	apply(b, x, 1, engine.Op{Kind: engine.OpOwn, Slots: engine.AllSlots()},
		engine.Op{Kind: engine.OpSchema, Collection: benchCollection, Version: 2, Name: "bench", Schema: testSchema(2)})
	z := newZipf()
	for i := 0; i < docs; i += 1000 {
		ops := make([]engine.Op, 0, 1000)
		for n := i; n < min(i+1000, docs); n++ {
			ops = append(ops, z.put(fmt.Sprintf("doc-%d", n), 16))
		}
		apply(b, x, uint64(i+2), ops...)
		select {
		case <-x.FlushDue():
			flushAndMerge(b, x)
		default:
		}
	}
	flushAndMerge(b, x)
	if err := x.Flush(context.Background()); err != nil {
		b.Fatal(err)
	}
}

func flushAndMerge(b *testing.B, x *engine.Index) {
	b.Helper()
	if err := x.Flush(context.Background()); err != nil {
		b.Fatal(err)
	}
	for did := true; did; {
		var err error
		if did, err = x.Merge(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}

// resident gives a figure of this process in MB, 0 where there is none.
func resident(b *testing.B, name string) float64 {
	b.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	m := regexp.MustCompile(name + `:\s+(\d+) kB`).FindSubmatch(status)
	if m == nil {
		return 0
	}
	kb, err := strconv.ParseFloat(string(m[1]), 64)
	if err != nil {
		b.Fatal(err)
	}
	return kb * 1024 / 1e6
}
