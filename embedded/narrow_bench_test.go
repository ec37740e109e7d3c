package embedded

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/jetseek/jetseek/coordinator/client"
	"github.com/jetseek/jetseek/subjects/wire"
)

// BenchmarkAggregationTransfer asks three groups for percentiles of 1,000,000 doubles, and for the largest of 200,000 keys, by what is needed and by all: bytes that went through NATS, and processor time of
// the whole system, for each answer. go test -run none -bench AggregationTransfer -benchtime 5x ./embedded.
func BenchmarkAggregationTransfer(b *testing.B) {
	dir := b.TempDir()
	fillNumbers(b, dir)
	for _, how := range []struct {
		name  string
		parts int
	}{{"needed", 0}, {"all", 1 << 26}} {
		db, err := Open(dir, Options{Groups: 3, aggregateParts: how.parts})
		if err != nil {
			b.Fatal(err)
		}
		for _, c := range []struct{ name, body string }{
			{"percentiles", `{"percentiles":{"field":"x","percents":[50,95,99]}}`},
			{"terms", `{"terms":{"field":"k","size":10}}`},
		} {
			search := wire.NewSearch("")
			search.Query, search.Limit, search.Aggs, search.TimeoutMs = json.RawMessage(`{"match_all":{}}`), 0, json.RawMessage(`{"a":`+c.body+`}`), 30_000
			b.Run(c.name+"/"+how.name, func(b *testing.B) {
				sent, began := throughNATS(b, db), processorTime()
				for b.Loop() {
					if r, err := db.Client().Search(b.Context(), "c", search); err != nil || !r.Exact {
						b.Fatalf("%v, %+v", err, r)
					}
				}
				b.ReportMetric(float64(throughNATS(b, db)-sent)/float64(b.N), "wire-B/op")
				b.ReportMetric(float64((processorTime()-began).Milliseconds())/float64(b.N), "cpu-ms/op")
			})
		}
		if err := db.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func throughNATS(b *testing.B, db *DB) int64 {
	b.Helper()
	v, err := db.nats.srv.Varz(nil)
	if err != nil {
		b.Fatal(err)
	}
	return v.InBytes
}

func fillNumbers(b *testing.B, dir string) {
	b.Helper()
	db, err := Open(dir, Options{Groups: 3})
	if err != nil {
		b.Fatal(err)
	}
	if _, err := db.Client().CreateCollection(b.Context(), "c", json.RawMessage(`{"fields":{"x":{"type":"double"},"k":{"type":"keyword"}}}`)); err != nil {
		b.Fatal(err)
	}
	r := rand.New(rand.NewPCG(6, 6))
	zipf := rand.NewZipf(r, 1.05, 20, 199_999)
	for at := 0; at < 62_500; at += 500 {
		var lines []byte
		for i := range 500 {
			x, k := make([]float64, 16), make([]string, 16)
			for j := range x {
				x[j], k[j] = r.NormFloat64(), fmt.Sprintf("key%06d", zipf.Uint64())
				if j < 4 {
					k[j] = fmt.Sprintf("key%06d", (4*(at+i)+j)%200_000) // each of them somewhere
				}
			}
			line, err := json.Marshal(map[string]any{"id": fmt.Sprint(at + i), "x": x, "k": k})
			if err != nil {
				b.Fatal(err)
			}
			lines = append(append(lines, line...), '\n')
		}
		if reply, err := db.Client().Bulk(b.Context(), "c", lines, client.WriteOptions{Timeout: time.Minute}); err != nil || !reply.OK {
			b.Fatalf("%v, %.300v", err, reply)
		}
	}
	if err := db.Close(); err != nil {
		b.Fatal(err)
	}
}
