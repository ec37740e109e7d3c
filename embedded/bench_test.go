package embedded

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/jetseek/jetseek/coordinator/client"
	"github.com/jetseek/jetseek/subjects"
	"github.com/jetseek/jetseek/subjects/wire"
)

// These benchmarks compare the product with what bare NATS needs for the same messages, in pairs within one run: what they report is a ratio of
// medians, since the figures of a machine that others use mean little on their own.

// pairs times two operations in turn.
type pairs struct{ product, raw []time.Duration }

func (p *pairs) add(product, raw func()) {
	began := time.Now()
	product()
	p.product = append(p.product, time.Since(began))
	began = time.Now()
	raw()
	p.raw = append(p.raw, time.Since(began))
}

func (p *pairs) report(b *testing.B) {
	product, raw := median(p.product), median(p.raw)
	b.ReportMetric(0, "ns/op") // the loop's own figure would be the sum of both
	b.ReportMetric(float64(product.Nanoseconds())/1000, "µs")
	b.ReportMetric(float64(raw.Nanoseconds())/1000, "raw-µs")
	b.ReportMetric(float64(product)/float64(raw), "x-raw")
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

// BenchmarkScatter is a cheap query over 3 groups, client to client, against three bare responders that are asked at once and answer with the bytes of a
// reply of ten hits.
func BenchmarkScatter(b *testing.B) {
	db := open(b, Options{Groups: 3, Members: 1})
	fill(b, db, 3000)
	for _, c := range []struct{ name, query string }{{"filter", "kind:k3"}, {"one-word", "w7"}, {"three-words", "w7 w40 w300"}} {
		for _, limit := range []int{0, 10} {
			b.Run(fmt.Sprintf("%s/limit%d", c.name, limit), func(b *testing.B) {
				fan := newFan(b, db, 3, 200+30*limit)
				body := wire.NewSearch(c.query)
				body.Limit, body.TimeoutMs = limit, 10_000
				var p pairs
				for b.Loop() {
					p.add(func() {
						if _, err := db.Client().Search(b.Context(), "default", body); err != nil {
							b.Fatal(err)
						}
					}, fan.ask)
				}
				p.report(b)
			})
		}
	}
}

// fill indexes documents of about 1 KB.
func fill(b *testing.B, db *DB, n int) {
	b.Helper()
	if _, err := db.Client().CreateCollection(b.Context(), "default", json.RawMessage(`{"fields":{"kind":{"type":"keyword"},"body":{"type":"text"}},"dynamic":false,"default_fields":["body"]}`)); err != nil {
		b.Fatal(err)
	}
	for at := 0; at < n; at += 500 {
		if _, err := db.Client().Bulk(b.Context(), "default", bulkOf(at, min(500, n-at)), client.WriteOptions{Timeout: time.Minute}); err != nil {
			b.Fatal(err)
		}
	}
}

func bulkOf(first, n int) []byte {
	b := make([]byte, 0, n*1024)
	for i := range n {
		b = append(appendDoc(b, first+i), '\n')
	}
	return b
}

// appendDoc appends a document of 1 KB whose words are spread like those of a text: the n-th word stands in every n-th document or so. Making it costs next to nothing,
// as both sides of a comparison do it.
func appendDoc(b []byte, n int) []byte {
	b = append(b, `{"id":"doc-`...)
	b = strconv.AppendInt(b, int64(n), 10)
	return append(b, tails()[n%len(tails())]...)
}

var tails = sync.OnceValue(func() []string {
	tails := make([]string, 1000)
	for n := range tails {
		var s strings.Builder
		fmt.Fprintf(&s, `","kind":"k%d","body":"`, n%50)
		for w := 1; s.Len() < 980; w++ {
			fmt.Fprintf(&s, "w%d ", (n*7919+w*w)%(w*20))
		}
		s.WriteString(`"}`)
		tails[n] = s.String()
	}
	return tails
})

// fan is a bare request to n responders, each on a connection of its own.
type fan struct {
	conn    *nats.Conn
	inbox   string
	n       int
	replies chan *nats.Msg
}

func newFan(b *testing.B, db *DB, n, replyBytes int) *fan {
	b.Helper()
	f := &fan{conn: db.Conn(), inbox: nats.NewInbox(), n: n, replies: make(chan *nats.Msg, n)}
	reply := make([]byte, replyBytes)
	for i := range n {
		conn, err := db.connect("bench", nil)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(conn.Close)
		if _, err := conn.Subscribe(fmt.Sprintf("bench.%d", i), func(m *nats.Msg) { _ = m.Respond(reply) }); err != nil {
			b.Fatal(err)
		}
		if err := conn.Flush(); err != nil {
			b.Fatal(err)
		}
	}
	if _, err := f.conn.Subscribe(f.inbox+".*", func(m *nats.Msg) { f.replies <- m }); err != nil {
		b.Fatal(err)
	}
	return f
}

func (f *fan) ask() {
	request := make([]byte, 150)
	for i := range f.n {
		_ = f.conn.PublishRequest(fmt.Sprintf("bench.%d", i), fmt.Sprintf("%s.%d", f.inbox, i), request)
	}
	for range f.n {
		<-f.replies
	}
}

// BenchmarkWrite is documents of 1 KB, acknowledged when every member has them, against bare publishes of the same bytes to as many synced streams, packed as
// the coordinator packs them: documents a second, and their ratio. Documents of the collection plain have no fields: what is left is the way of a write; those of default are
// indexed.
func BenchmarkWrite(b *testing.B) {
	for _, shape := range []struct{ groups, members int }{{1, 1}, {3, 2}} {
		db := open(b, Options{Groups: shape.groups, Members: shape.members})
		fill(b, db, 1)
		if _, err := db.Client().CreateCollection(b.Context(), "plain", json.RawMessage(`{"fields":{},"dynamic":false}`)); err != nil {
			b.Fatal(err)
		}
		raw := newRawLogs(b, db, shape.groups)
		for _, collection := range []string{"plain", "default"} {
			for _, clients := range []int{1, 4} {
				b.Run(fmt.Sprintf("%dx%d/%s/bulk500/clients%d", shape.groups, shape.members, collection, clients), func(b *testing.B) {
					compareRates(b, func(n int) { writeBulks(b, db, collection, clients, n) }, func(n int) { raw.publish(b, n, 500/shape.groups) })
				})
			}
			for _, writers := range []int{1, 16, 64, 256} {
				b.Run(fmt.Sprintf("%dx%d/%s/writers%d", shape.groups, shape.members, collection, writers), func(b *testing.B) {
					compareRates(b, func(n int) { writeSingles(b, db, collection, writers, n) }, func(n int) { raw.publish(b, n, max(1, writers/shape.groups)) })
				})
			}
		}
	}
}

// compareRates writes in turn through the product and past it, some hundred milliseconds each. It also tells the processor time that a document took: that of a machine which
// others use too.
func compareRates(b *testing.B, product, raw func(n int)) {
	var ours, bare rates
	n := 64
	for b.Loop() {
		ours.add(n, product)
		bare.add(n, raw)
		n = min(max(64, int(ours.last()*0.2)), 50_000)
	}
	o, r := ours.median(), bare.median()
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(o, "docs/s")
	b.ReportMetric(r, "raw-docs/s")
	b.ReportMetric(o/r, "x-raw")
	b.ReportMetric(ours.processor(), "cpu-µs/doc")
	b.ReportMetric(bare.processor(), "raw-cpu-µs/doc")
}

// rates are those of one side of a comparison.
type rates struct {
	perSecond []float64
	documents int
	used      time.Duration // processor time of the whole process
}

func (r *rates) add(n int, write func(int)) {
	began, before := time.Now(), processorTime()
	write(n)
	r.perSecond = append(r.perSecond, float64(n)/time.Since(began).Seconds())
	r.documents += n
	r.used += processorTime() - before
}

func (r *rates) last() float64 { return r.perSecond[len(r.perSecond)-1] }

func (r *rates) median() float64 {
	sorted := slices.Sorted(slices.Values(r.perSecond))
	return sorted[len(sorted)/2]
}

// processor gives the microseconds of processor time that a document took.
func (r *rates) processor() float64 {
	return float64(r.used.Microseconds()) / float64(r.documents)
}

var benchID atomic.Int64

func writeSingles(b *testing.B, db *DB, collection string, writers, n int) {
	var wg sync.WaitGroup
	var left atomic.Int64
	left.Store(int64(n))
	for range writers {
		wg.Go(func() {
			for left.Add(-1) >= 0 {
				if _, err := db.Client().Index(context.Background(), collection, appendDoc(nil, int(benchID.Add(1))), client.WriteOptions{Timeout: time.Minute}); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}

func writeBulks(b *testing.B, db *DB, collection string, clients, n int) {
	var left atomic.Int64
	left.Store(int64(n))
	var wg sync.WaitGroup
	for range clients {
		wg.Go(func() {
			for {
				size := 500 + min(0, int(left.Add(-500)))
				if size <= 0 {
					return
				}
				if _, err := db.Client().Bulk(context.Background(), collection, bulkOf(int(benchID.Add(500)), size), client.WriteOptions{Timeout: time.Minute}); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// rawLogs are synced streams like the groups' logs, with nobody behind them.
type rawLogs struct {
	js       jetstream.JetStream
	subjects []string
}

func newRawLogs(b *testing.B, db *DB, n int) *rawLogs {
	b.Helper()
	js, err := jetstream.New(db.Conn())
	if err != nil {
		b.Fatal(err)
	}
	names, err := subjects.New("bench")
	if err != nil {
		b.Fatal(err)
	}
	r := &rawLogs{js: js}
	for i := range n {
		group := fmt.Sprintf("g%d", i)
		if _, err := js.CreateOrUpdateStream(b.Context(), names.StreamConfig(group, subjects.StreamLimits{})); err != nil {
			b.Fatal(err)
		}
		r.subjects = append(r.subjects, names.Log(group))
	}
	return r
}

// publish sends n documents, size of them a message, one message at a time in each stream.
func (r *rawLogs) publish(b *testing.B, n, size int) {
	var wg sync.WaitGroup
	for i, subject := range r.subjects {
		share := n / len(r.subjects)
		if i == 0 {
			share = n - share*(len(r.subjects)-1)
		}
		wg.Go(func() {
			for share > 0 {
				now := min(size, share)
				if _, err := r.js.Publish(context.Background(), subject, bulkOf(0, now)); err != nil {
					b.Error(err)
					return
				}
				share -= now
			}
		})
	}
	wg.Wait()
}
