package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/pprof"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/jetseek/jetseek/coordinator/client"
	"github.com/jetseek/jetseek/embedded"
	"github.com/jetseek/jetseek/subjects/wire"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "clusterbench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	folder := flag.String("corpus", "", "`FOLDER` with corpus.jsonl.gz and queries.tsv.gz; without it documents are made")
	docs := flag.Int("docs", 1_000_000, "documents at most")
	queries := flag.Int("queries", 300, "queries at most")
	rounds := flag.Int("rounds", 5, "how often each query is asked each way")
	rate := flag.Int("rate", 200, "writes a second in the last part")
	length := flag.Duration("length", 15*time.Second, "of the last part")
	profile := flag.String("cpuprofile", "", "write a profile of the processor while queries are timed to `FILE`")
	flag.Parse()
	c, err := packages(*folder, *docs, *queries)
	if *folder == "" {
		c, err = made(min(*docs, 60_000), *queries), nil
	}
	if err != nil {
		return fmt.Errorf("read the corpus: %w", err)
	}
	data, err := os.MkdirTemp("", "clusterbench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(data)
	var all [2]*system
	for i, groups := range []int{1, 3} {
		if all[i], err = start(ctx, filepath.Join(data, fmt.Sprint(groups)), groups, c); err != nil {
			return err
		}
		defer all[i].db.Close()
	}
	one, three := all[0], all[1]
	for _, s := range all {
		if err := s.settle(ctx); err != nil {
			return err
		}
	}
	fmt.Printf("%s: %d documents in %d and %d segments, %d queries\n\n", c.name, len(c.docs), one.segments, three.segments, len(c.queries))
	same, err := compare(ctx, one, three, c)
	if err != nil {
		return err
	}
	fmt.Printf("same        %d of %d answers to queries, in other orders, with aggregations; difference 0\n", same, same)
	if *profile != "" {
		f, err := os.Create(*profile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
	}
	err = time3(ctx, one, three, c, *rounds)
	pprof.StopCPUProfile()
	if err != nil {
		return err
	}
	return writing(ctx, three, c, *rate, *length)
}

// system is one of the two.
type system struct {
	db      *embedded.DB
	client  *client.Client
	metrics *prometheus.Registry

	segments int // in all groups
}

// settle waits until what was written is in files and the merges that were due have run: until the number of segments has stayed the same for settled.
func (s *system) settle(ctx context.Context) error {
	const settled, look = 40 * time.Second, time.Second
	since := time.Now()
	for time.Since(since) < settled {
		body := wire.NewSearch("*")
		body.Profile, body.TimeoutMs = true, 60_000
		found, err := s.client.Search(ctx, collection, body)
		if err != nil {
			return err
		}
		n := 0
		for _, g := range found.Profile.Groups {
			n += g.Segments
		}
		if n != s.segments {
			s.segments, since = n, time.Now()
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(look):
		}
	}
	return nil
}

const collection = "c"

// start opens a system and fills it.
func start(ctx context.Context, folder string, groups int, c *corpus) (*system, error) {
	s := &system{metrics: prometheus.NewRegistry()}
	var err error
	if s.db, err = embedded.Open(folder, embedded.Options{Groups: groups, Metrics: s.metrics}); err != nil {
		return nil, err
	}
	s.client = s.db.Client()
	if _, err := s.client.CreateCollection(ctx, collection, json.RawMessage(schemaOf)); err != nil {
		return nil, err
	}
	const batch = 2000
	for from := 0; from < len(c.docs); from += batch {
		lines := bytes.Join(c.docs[from:min(from+batch, len(c.docs))], []byte{'\n'})
		reply, err := s.client.Bulk(ctx, collection, lines, client.WriteOptions{Timeout: time.Minute})
		if err != nil {
			return nil, err
		}
		if !reply.OK {
			return nil, fmt.Errorf("index: %+v", reply.Errors)
		}
	}
	return s, nil
}
