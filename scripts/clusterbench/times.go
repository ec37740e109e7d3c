package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/jetseek/jetseek/coordinator/client"
	"github.com/jetseek/jetseek/subjects/wire"
)

// way is one of the ways in which a query is asked.
type way struct {
	name  string
	sys   *system
	stats string
	times []time.Duration
}

// ask asks and gives the time that it took. It asks for no profile, which takes time.
func (w *way) ask(ctx context.Context, query string) (time.Duration, error) {
	body := wire.NewSearch(query)
	body.Stats, body.TimeoutMs = w.stats, 60_000
	began := time.Now()
	_, err := w.sys.client.Search(ctx, collection, body)
	took := time.Since(began)
	if err != nil {
		return 0, fmt.Errorf("%s, %s: %w", w.name, query, err)
	}
	return took, nil
}

// time3 asks all queries in three ways by turns. In the first round, which stands apart, statistics are not remembered yet.
func time3(ctx context.Context, one, three *system, c *corpus, rounds int) error {
	exact, local, single := &way{name: "exact", sys: three, stats: "global"}, &way{name: "local", sys: three, stats: "local"}, &way{name: "one group", sys: one, stats: "global"}
	ways := []*way{exact, local, single}
	for range rounds {
		for i, query := range c.queries {
			for turn := range ways {
				w := ways[(i+turn)%len(ways)]
				took, err := w.ask(ctx, query)
				if err != nil {
					return err
				}
				w.times = append(w.times, took)
			}
		}
	}
	n := len(c.queries)
	fmt.Printf("\nmedians, ms              %-10s %-10s %-10s exact/local  exact/one group (medians of pairs)\n", exact.name, local.name, single.name)
	for _, part := range []struct {
		name     string
		from, to int
	}{{"asked the first time", 0, n}, {"asked again", n, len(exact.times)}} {
		if part.from == part.to {
			continue
		}
		a, b, s := exact.times[part.from:part.to], local.times[part.from:part.to], single.times[part.from:part.to]
		fmt.Printf("%-24s %-10.3f %-10.3f %-10.3f %-12.2f %.2f\n", part.name, ms(median(a)), ms(median(b)), ms(median(s)), ratio(a, b), ratio(a, s))
	}
	before := three.paths()
	for _, query := range c.queries {
		if _, err := exact.ask(ctx, query); err != nil {
			return err
		}
	}
	fmt.Printf("paths of exact, again    %v\n", since(before, three.paths()))
	return costs(ctx, ways, c)
}

// costs tells what a query of each way takes of the processor, of all parts of the system, and of the wire between coordinator and members.
func costs(ctx context.Context, ways []*way, c *corpus) error {
	for _, w := range ways {
		before, bytes := processor(), w.sys.count("jetseek_scatter_bytes_total")
		for _, query := range c.queries {
			if _, err := w.ask(ctx, query); err != nil {
				return err
			}
		}
		n := float64(len(c.queries))
		fmt.Printf("a query, %-15s %.3f ms of processor in all parts, %.0f bytes to and from members\n", w.name, ms(processor()-before)/n, (w.sys.count("jetseek_scatter_bytes_total")-bytes)/n)
	}
	return nil
}

// writing asks exactly while documents are written again, at a rate.
func writing(ctx context.Context, s *system, c *corpus, rate int, length time.Duration) error {
	ctx, stop := context.WithTimeout(ctx, length)
	defer stop()
	var writers sync.WaitGroup
	written := make(chan struct{}, 1<<20)
	writers.Go(func() {
		tick := time.NewTicker(time.Second / time.Duration(rate))
		defer tick.Stop()
		for n := 0; ; n++ {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			doc := withIDOf(c.docs[n*7919%len(c.docs)], c.docs[n*104729%len(c.docs)])
			writers.Go(func() { // ends with ctx
				if _, err := s.client.Index(ctx, collection, doc, client.WriteOptions{}); err == nil {
					written <- struct{}{}
				}
			})
		}
	})
	w := &way{name: "writes", sys: s, stats: "global"}
	before := s.paths()
	var err error
	began := time.Now()
	for n := 0; err == nil; n++ {
		var took time.Duration
		if took, err = w.ask(ctx, c.queries[n%len(c.queries)]); err == nil {
			w.times = append(w.times, took)
		}
	}
	passed := time.Since(began)
	stop()
	writers.Wait()
	if !errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return err
	}
	if len(w.times) == 0 {
		return err
	}
	paths := since(before, s.paths())
	fmt.Printf("\nwrites      %.0f a second meanwhile: exact %.3f ms, one trip %.1f %% of %d: %v\n", float64(len(written))/passed.Seconds(), ms(median(w.times)),
		100*paths["believed"]/float64(len(w.times)), len(w.times), paths)
	return nil
}

// withIDOf gives a document under the id of another: that one then has other words, and the statistics change.
func withIDOf(doc, other []byte) []byte {
	var a, b map[string]any
	if json.Unmarshal(doc, &a) != nil || json.Unmarshal(other, &b) != nil {
		return doc
	}
	a["id"] = b["id"]
	changed, err := json.Marshal(a)
	if err != nil {
		return doc
	}
	return changed
}

// paths counts the searches by the trips that they took.
func (s *system) paths() map[string]float64 {
	paths := map[string]float64{}
	families, err := s.metrics.Gather()
	if err != nil {
		return paths
	}
	for _, f := range families {
		if f.GetName() == "jetseek_search_paths_total" {
			for _, m := range f.GetMetric() {
				paths[m.GetLabel()[0].GetValue()] = m.GetCounter().GetValue()
			}
		}
	}
	return paths
}

// since gives what has been added to counts.
func since(before, now map[string]float64) map[string]float64 {
	added := map[string]float64{}
	for name, n := range now {
		if n > before[name] {
			added[name] = n - before[name]
		}
	}
	return added
}

// count sums a counter over its labels.
func (s *system) count(name string) (sum float64) {
	families, err := s.metrics.Gather()
	if err != nil {
		return 0
	}
	for _, f := range families {
		if f.GetName() == name {
			for _, m := range f.GetMetric() {
				sum += m.GetCounter().GetValue()
			}
		}
	}
	return sum
}

func processor() time.Duration {
	var used syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &used) != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func median(times []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(times))
	return sorted[len(sorted)/2]
}

// ratio is the median of the ratios within pairs.
func ratio(a, b []time.Duration) float64 {
	ratios := make([]float64, len(a))
	for i := range a {
		ratios[i] = float64(a[i]) / float64(b[i])
	}
	slices.Sort(ratios)
	return ratios[len(ratios)/2]
}
