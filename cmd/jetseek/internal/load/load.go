// Package load puts work on a system for a while and measures how long each piece took. It may import nothing of the project.
//
// Closed, each client asks again when it has its answer. Open, work comes at a rate whatever the answers do, and the time of each piece counts from when it
// was due, not from when a client was free for it: a system that stalls cannot hide the work that it kept waiting.
package load

import (
	"context"
	"sync"
	"time"
)

// Options say how much work there is.
type Options struct {
	Clients int           // how many pieces are worked on at a time, at least 1
	For     time.Duration // how long new work comes
	Rate    float64       // open: pieces a second; 0: closed
	// Work does piece n, from 0; it is called by many goroutines at once. The word of an answer that is not as it should be is counted; "": all is well.
	Work func(ctx context.Context, n int64) (fault string)
}

// Result is what was measured.
type Result struct {
	Times  Times
	Took   time.Duration    // from the first piece to the last answer
	Faults map[string]int64 // by word
}

// Run works until the time is over or ctx ends, and returns when every piece that was begun has ended.
func Run(ctx context.Context, o Options) *Result {
	began := time.Now()
	end := began.Add(o.For)
	pieces := make(chan piece) // no room: a piece that waits is due, and its time runs
	results := make([]Result, o.Clients)
	var clients sync.WaitGroup
	for i := range results {
		clients.Go(func() { // ends with pieces
			results[i].Faults = map[string]int64{}
			for p := range pieces {
				if o.Rate == 0 {
					p.due = time.Now()
				}
				fault := o.Work(ctx, p.n)
				results[i].Times.Add(time.Since(p.due))
				if fault != "" {
					results[i].Faults[fault]++
				}
			}
		})
	}
	send(ctx, o, began, end, pieces)
	close(pieces)
	clients.Wait()
	all := &Result{Took: time.Since(began), Faults: map[string]int64{}}
	for i := range results {
		all.Times.Merge(&results[i].Times)
		for word, n := range results[i].Faults {
			all.Faults[word] += n
		}
	}
	return all
}

// piece is one piece of work.
type piece struct {
	n   int64
	due time.Time
}

// send gives out pieces until the end.
func send(ctx context.Context, o Options, began, end time.Time, pieces chan<- piece) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for n := int64(0); ; n++ {
		due := began
		if o.Rate > 0 {
			due = began.Add(time.Duration(float64(n) / o.Rate * float64(time.Second)))
			if due.After(end) {
				return
			}
			timer.Reset(time.Until(due))
			select {
			case <-timer.C:
			case <-ctx.Done():
				return
			}
		} else if !time.Now().Before(end) {
			return
		}
		select {
		case pieces <- piece{n, due}:
		case <-ctx.Done():
			return
		}
	}
}
