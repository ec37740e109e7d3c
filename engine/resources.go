package engine

import (
	"context"
	"fmt"
	"sync"
)

// DefaultMemory is how many bytes of documents that are not in files the indexes of a process keep, unless something else is said.
const DefaultMemory = 256 << 20

// smallestMemory is the least that makes sense: segments of a few messages.
const smallestMemory = 1 << 20

// Resources are what the durable indexes of one process share: memory for what is not in files yet, and the disk, which one merge uses at a time. They
// serve any number of goroutines.
type Resources struct {
	memory int64
	pace   func(ctx context.Context, bytes int) error
	disk   chan struct{} // holds the merge that runs

	mu    sync.Mutex // guards what follows
	used  map[*Index]int64
	total int64
	less  chan struct{} // closed when total has fallen
}

// NewResources makes the resources of a process: memory in bytes (0: [DefaultMemory], at least 1 MiB) is how much may wait to be written. Pace is called before a
// merge writes at most [MaxPaced] bytes, and waits as long as the disk is to be spared, or until ctx ends; nil: not at all.
func NewResources(memory int64, pace func(ctx context.Context, bytes int) error) (*Resources, error) {
	if memory == 0 {
		memory = DefaultMemory
	}
	if memory < smallestMemory {
		return nil, fmt.Errorf("%d bytes of memory for what is not in files yet: at least %d", memory, smallestMemory)
	}
	return &Resources{memory: memory, pace: pace, disk: make(chan struct{}, 1), used: map[*Index]int64{}, less: make(chan struct{})}, nil
}

// MaxPaced is the most that pace is asked for at a time, in bytes.
const MaxPaced = writeBytes

func (r *Resources) wait(ctx context.Context, bytes int) error {
	if r.pace == nil {
		return nil
	}
	return r.pace(ctx, bytes)
}

// takeDisk waits for the disk; the caller gives it back.
func (r *Resources) takeDisk(ctx context.Context) (giveBack func(), err error) {
	select {
	case r.disk <- struct{}{}:
		return func() { <-r.disk }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// report tells how much of an index is in memory only, and tells the index to flush that has more than half of its share, or the most when little is left.
func (r *Resources) report(x *Index, bytes int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	before := r.used[x]
	r.used[x] = bytes
	r.total += bytes - before
	if bytes < before {
		r.fallen()
	}
	if bytes >= r.memory/int64(2*len(r.used)) {
		x.wantFlush()
	}
	if r.total < r.memory*3/4 {
		return
	}
	most := x
	for other, n := range r.used {
		if n > r.used[most] {
			most = other
		}
	}
	most.wantFlush()
}

// leave forgets an index.
func (r *Resources) leave(x *Index) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.total -= r.used[x]
	delete(r.used, x)
	r.fallen()
}

// fallen wakes those who wait for memory. The caller holds mu.
func (r *Resources) fallen() {
	close(r.less)
	r.less = make(chan struct{})
}

// room waits until there is memory.
func (r *Resources) room(ctx context.Context) error {
	for {
		r.mu.Lock()
		full, less := r.total > r.memory, r.less
		r.mu.Unlock()
		if !full {
			return nil
		}
		select {
		case <-less:
		case <-ctx.Done():
			return fmt.Errorf("wait for memory: %w", ctx.Err())
		}
	}
}
