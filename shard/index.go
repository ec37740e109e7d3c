package shard

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/jetseek/jetseek/engine"
)

const (
	// longUses is how many flushes, merges and scrubs may run on an index at a time: more than there are of them.
	longUses = 8
	// unusedLook is how often a replaced index is looked at until nobody holds a snapshot of it.
	unusedLook = 10 * time.Millisecond
)

// index is the member's present index, which may be replaced by another while the rest of the member goes on. Only the apply loop applies to it and replaces it.
type index struct {
	long *semaphore.Weighted // of longUses: held by what runs long, and whole by what wants to be alone with the index

	mu  sync.RWMutex // guards now
	now *engine.Index
}

func (x *index) get() *engine.Index {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.now
}

// Snapshot gives the present view; the caller must close it.
func (x *index) Snapshot() *engine.Snapshot {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.now.Snapshot()
}

// use runs what takes long, beside others of its kind.
func (x *index) use(ctx context.Context, do func(*engine.Index) error) error {
	if err := x.long.Acquire(ctx, 1); err != nil {
		return fmt.Errorf("wait for the index: %w", err)
	}
	defer x.long.Release(1)
	return do(x.get())
}

// alone runs what no flush, merge or scrub may run beside.
func (x *index) alone(ctx context.Context, do func(*engine.Index) error) error {
	if err := x.long.Acquire(ctx, longUses); err != nil {
		return fmt.Errorf("wait for the index: %w", err)
	}
	defer x.long.Release(longUses)
	return do(x.get())
}

// replace closes the index when nobody holds a snapshot of it any more, and puts the one in its place that open gives then. Meanwhile the member has an empty one. drop gives up what
// the member itself may hold. When open fails the empty one stays.
func (x *index) replace(ctx context.Context, drop func(), open func() (*engine.Index, error)) error {
	return x.alone(ctx, func(old *engine.Index) error {
		empty, err := engine.Open(engine.Options{})
		if err != nil {
			return err
		}
		x.set(empty)
		for drop(); old.OpenSnapshots() > 0; drop() {
			if err := sleep(ctx, unusedLook); err != nil {
				return err
			}
		}
		old.Close()
		next, err := open()
		if err != nil {
			return err
		}
		x.set(next)
		return nil
	})
}

func (x *index) set(now *engine.Index) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.now = now
}

// Flush writes to files what is in memory only.
func (x *index) Flush(ctx context.Context) error {
	return x.use(ctx, func(now *engine.Index) error { return now.Flush(ctx) })
}

// Merge runs one due merge, and tells whether there was one.
func (x *index) Merge(ctx context.Context) (merged bool, err error) {
	err = x.use(ctx, func(now *engine.Index) error {
		merged, err = now.Merge(ctx)
		return err
	})
	return merged, err
}

// Scrub verifies the checksums of all segments, at a pace.
func (x *index) Scrub(ctx context.Context, wait func(ctx context.Context, bytes int) error) error {
	return x.use(ctx, func(now *engine.Index) error { return now.Scrub(ctx, wait) })
}
