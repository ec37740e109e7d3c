package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/jetseek/jetseek/cmd/jetseek/internal/layout"
	"github.com/jetseek/jetseek/cmd/jetseek/internal/load"
	"github.com/jetseek/jetseek/cmd/jetseek/internal/remote"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/schema"
	"github.com/jetseek/jetseek/subjects/ops"
	"github.com/jetseek/jetseek/subjects/wire"
)

// benchCollection is made for a measurement and dropped after it.
const benchCollection = "jetseek-bench"

// Limits of a measurement.
const (
	mostClients   = 512
	mostSeconds   = 3600
	mostRate      = 1e6
	mostDocuments = 1_000_000
)

func benchCommand() *cli.Command {
	flags := clientFlags(
		&cli.IntFlag{Name: "clients", Value: 8, Usage: "`NUMBER` of requests at a time"},
		&cli.IntFlag{Name: "seconds", Value: 10, Usage: "`SECONDS` of writes, and as many of reads"},
		&cli.Float64Flag{Name: "rate", Usage: "requests come `NUMBER` a second, whatever the answers do, and their time counts from when they were due (default: each client asks when it has its answer)"},
		&cli.IntFlag{Name: "documents", Value: 5000, Usage: "`NUMBER` of documents that are written first"},
		&cli.StringSliceFlag{Name: "query", Usage: "only read, with this `QUERY`, from the collection of --collection; repeatable: in turn"},
		&cli.StringFlag{Name: "collection", Aliases: []string{"c"}, Usage: "`NAME` of the collection that --query asks (default: " + ops.DefaultCollection + ")"},
	)
	command := clientCommand("bench", "measure writes and reads, and print how long they take", arguments{}, flags, bench)
	command.Description = "It writes documents of its own into a collection " + benchCollection + ", which it drops in the end. Each write waits until all members have applied it."
	return command
}

// benchmark is one measurement.
type benchmark struct {
	cli        *cli.Context
	link       remote.Link
	collection string
	queries    []string
	rows       []benchRow
}

// benchRow is what was measured of one kind of request.
type benchRow struct {
	Kind      string           `json:"kind"`
	Requests  int64            `json:"requests"`
	PerSecond float64          `json:"per_second"`
	P50       float64          `json:"p50_ms"`
	P90       float64          `json:"p90_ms"`
	P99       float64          `json:"p99_ms"`
	Max       float64          `json:"max_ms"`
	Faults    map[string]int64 `json:"faults"`
}

func bench(c *cli.Context, link remote.Link) (err error) {
	if err := checkBench(c); err != nil {
		return err
	}
	b := &benchmark{cli: c, link: link, collection: c.String("collection"), queries: c.StringSlice("query")}
	if len(b.queries) > 0 {
		if b.collection == "" {
			b.collection = ops.DefaultCollection
		}
		b.measure("read", b.read)
		return b.print()
	}
	b.collection, b.queries = benchCollection, benchQueries()
	if err := b.create(); err != nil {
		return err
	}
	defer func() { // also when it was interrupted
		ctx, cancel := context.WithTimeout(context.WithoutCancel(c.Context), ops.CollectionsDrop.Budget())
		defer cancel()
		_, e := link.Do(ctx, remote.Call{Op: ops.CollectionsDrop, Params: map[string]string{"collection": benchCollection}})
		err = errors.Join(err, e)
	}()
	if err := b.fill(); err != nil {
		return err
	}
	b.measure("write", b.write)
	b.measure("read", b.read)
	return b.print()
}

func checkBench(c *cli.Context) error {
	for _, limit := range []struct {
		flag        string
		value, most float64
		least       float64
	}{
		{"clients", float64(c.Int("clients")), mostClients, 1}, {"seconds", float64(c.Int("seconds")), mostSeconds, 1},
		{"rate", c.Float64("rate"), mostRate, 0}, {"documents", float64(c.Int("documents")), mostDocuments, 1},
	} {
		if !(limit.value >= limit.least && limit.value <= limit.most) {
			return usageError{fmt.Errorf("--%s %g: want %g to %g", limit.flag, limit.value, limit.least, limit.most)}
		}
	}
	if c.String("collection") != "" && len(c.StringSlice("query")) == 0 {
		return usageError{fmt.Errorf("--collection is for --query; without it bench writes into a collection of its own")}
	}
	return nil
}

// benchSchema is the schema of the collection that bench makes.
const benchSchema = `{"fields":{"text":{"type":"text"},"n":{"type":"long"}},"default_fields":["text"]}`

// create creates the collection, or finds the one that a measurement left that was killed. One of that name with another schema is somebody's, and is left
// alone: creating it again would add bench's fields to it.
func (b *benchmark) create() error {
	params := map[string]string{"collection": benchCollection}
	answer, err := ask(b.cli, b.link, remote.Call{Op: ops.CollectionsShow, Params: params})
	var e *wire.Error
	switch {
	case err == nil:
		if mine, err := isBenchSchema(answer); err != nil || !mine {
			return errors.Join(err, fault.New(fault.Exists, "there is a collection %s that bench did not make; drop it, or measure with --query", benchCollection))
		}
		return nil
	case !errors.As(err, &e) || e.Code != fault.NoCollection:
		return err
	}
	_, err = b.link.Do(b.cli.Context, remote.Call{Op: ops.CollectionsCreate, Params: params, Body: []byte(benchSchema)})
	return err
}

// isBenchSchema tells whether a collection that was shown has the schema of bench.
func isBenchSchema(answer remote.Answer) (bool, error) {
	shown, err := remote.Decode[wire.CollectionBody](answer)
	if err != nil {
		return false, err
	}
	theirs, err := schema.Parse(shown.Schema)
	if err != nil {
		return false, err
	}
	ours, err := schema.Parse([]byte(benchSchema))
	if err != nil {
		return false, err
	}
	a, err := theirs.MarshalJSON()
	if err != nil {
		return false, err
	}
	b, err := ours.MarshalJSON()
	return bytes.Equal(a, b), err
}

// fill writes the documents that are there before the first measurement.
func (b *benchmark) fill() error {
	total := b.cli.Int("documents")
	bar := newCounter(b.cli.App.ErrWriter, total)
	defer bar.end()
	for from := 0; from < total; from += 500 {
		var lines strings.Builder
		to := min(from+500, total)
		for n := from; n < to; n++ {
			lines.Write(benchDocument(int64(n)))
			lines.WriteByte('\n')
		}
		answer, err := b.link.Do(b.cli.Context, remote.Call{Op: ops.Bulk, Collection: benchCollection, Body: []byte(lines.String()),
			Params: map[string]string{"timeout_ms": fmt.Sprint(batchBudget.Milliseconds())}, Budget: batchBudget + time.Second})
		if err != nil {
			return err
		}
		if reply, err := remote.Decode[wire.BulkReply](answer); err != nil || reply.Failed > 0 {
			return errors.Join(err, fmt.Errorf("documents for the measurement were refused: %s", answer.Body))
		}
		bar.at(int64(to))
	}
	return nil
}

// measure does one kind of request for a while.
func (b *benchmark) measure(kind string, work func(context.Context, int64) error) {
	if b.cli.Context.Err() != nil {
		return
	}
	r := load.Run(b.cli.Context, load.Options{
		Clients: b.cli.Int("clients"), For: time.Duration(b.cli.Int("seconds")) * time.Second, Rate: b.cli.Float64("rate"),
		Work: func(ctx context.Context, n int64) string {
			err := work(ctx, n)
			var e *wire.Error
			switch {
			case err == nil || ctx.Err() != nil:
				return ""
			case errors.As(err, &e):
				return strings.TrimSpace(string(e.Code) + " " + e.Reason)
			}
			return err.Error()
		}})
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	b.rows = append(b.rows, benchRow{Kind: kind, Requests: r.Times.Count(), PerSecond: float64(r.Times.Count()) / r.Took.Seconds(),
		P50: ms(r.Times.Quantile(0.5)), P90: ms(r.Times.Quantile(0.9)), P99: ms(r.Times.Quantile(0.99)), Max: ms(r.Times.Max()), Faults: r.Faults})
}

func (b *benchmark) write(ctx context.Context, n int64) error {
	_, err := b.link.Do(ctx, remote.Call{Op: ops.Index, Collection: b.collection, Body: benchDocument(n + int64(b.cli.Int("documents")))})
	return err
}

// read asks one query; an answer that is not exact counts as a fault.
func (b *benchmark) read(ctx context.Context, n int64) error {
	s := wire.NewSearch(b.queries[n%int64(len(b.queries))])
	body, err := json.Marshal(s)
	if err != nil {
		return err
	}
	answer, err := b.link.Do(ctx, remote.Call{Op: ops.Search, Collection: b.collection, Body: body})
	if err != nil {
		return err
	}
	got, err := remote.Decode[wire.SearchResponse](answer)
	if err == nil && !got.Exact {
		err = errors.New("not exact")
	}
	return err
}

// print prints what was measured; faults make it fail.
func (b *benchmark) print() error {
	if b.cli.Bool("json") {
		if err := printValue(b.cli.App.Writer, b.rows); err != nil {
			return err
		}
	} else {
		t := layout.Table{Head: []string{"REQUEST", "COUNT", "PER SECOND", "P50 MS", "P90 MS", "P99 MS", "MAX MS", "FAULTS"}, Right: []bool{false, true, true, true, true, true, true}}
		for _, r := range b.rows {
			t.Add(r.Kind, fmt.Sprint(r.Requests), fmt.Sprintf("%.0f", r.PerSecond), fmt.Sprintf("%.2f", r.P50), fmt.Sprintf("%.2f", r.P90),
				fmt.Sprintf("%.2f", r.P99), fmt.Sprintf("%.2f", r.Max), faults(r.Faults))
		}
		if _, err := fmt.Fprint(b.cli.App.Writer, t.String()); err != nil {
			return err
		}
	}
	for _, r := range b.rows {
		if len(r.Faults) > 0 {
			return fmt.Errorf("some requests failed: see the faults; fewer --clients or a lower --rate may be what the cluster can take")
		}
	}
	return nil
}

// benchDocument is document n, which depends on nothing but n: 20 to 80 words, of which some are in most documents and most in few.
func benchDocument(n int64) []byte {
	r := rand.New(rand.NewPCG(uint64(n), 1))
	words := rand.NewZipf(r, 1.2, 4, 50_000)
	var text strings.Builder
	for range 20 + r.IntN(60) {
		fmt.Fprintf(&text, "w%d ", words.Uint64())
	}
	return fmt.Appendf(nil, `{"id":"b%d","n":%d,"text":%q}`, n, n, strings.TrimSpace(text.String()))
}

// benchQueries are of one to three words, frequent and rare.
func benchQueries() []string {
	r := rand.New(rand.NewPCG(7, 7))
	words := rand.NewZipf(r, 1.1, 8, 5_000)
	queries := make([]string, 200)
	for i := range queries {
		for range 1 + i%3 {
			queries[i] += fmt.Sprintf("w%d ", words.Uint64())
		}
	}
	return queries
}

// faults lists faults with their counts, by word.
func faults(all map[string]int64) string {
	if len(all) == 0 {
		return "none"
	}
	var words []string
	for _, word := range slices.Sorted(maps.Keys(all)) {
		words = append(words, fmt.Sprintf("%d %s", all[word], word))
	}
	return strings.Join(words, ", ")
}
