package engine

import (
	"context"
	"sync/atomic"
)

// activity counts what the index did with its files.
type activity struct {
	flushes, flushedBytes, merges, mergedBytes atomic.Int64
	inMemory                                   atomic.Int64
	settled                                    atomic.Int64 // of merges, those whose results the manifest names
}

func (a *activity) flushed(bytes int64) {
	a.flushes.Add(1)
	a.flushedBytes.Add(bytes)
}

func (a *activity) merged(job *mergeJob) {
	a.merges.Add(1)
	if job.seg != nil {
		a.mergedBytes.Add(job.seg.Size())
	}
}

// Activity says what an index has written since it was opened, and what it has still to write.
type Activity struct {
	Flushes, FlushedBytes int64  // manifests, and bytes of segments that went from memory to files
	Merges, MergedBytes   int64  // background merges, and bytes of their results
	UnflushedBytes        int64  // of segments in memory, and of what is kept to make more
	FlushedSeq            uint64 // sequence of the last message that the manifest covers
	FilesChanged          bool   // other files are in use than those that the manifest names
}

// Activity tells what the index has done. It may be called from any goroutine; without a folder all but merges is zero.
func (x *Index) Activity() Activity {
	a := &x.activity
	seen := Activity{Flushes: a.flushes.Load(), FlushedBytes: a.flushedBytes.Load(), Merges: a.merges.Load(), MergedBytes: a.mergedBytes.Load(), UnflushedBytes: a.inMemory.Load()}
	if x.files != nil {
		seen.FlushedSeq = x.files.seq.Load()
		seen.FilesChanged = a.merges.Load() > a.settled.Load()
	}
	return seen
}

// unflushed counts the bytes of a state that are in memory only. The caller holds mu.
func (x *Index) unflushed(s *state) int64 {
	n := int64(0)
	for _, c := range s.collections {
		for _, p := range c.parts {
			if p.file == nil {
				n += p.seg.Size()
			}
		}
	}
	for _, r := range x.recent {
		n += int64(r.builder.Retained())
	}
	x.activity.inMemory.Store(n)
	return n
}

// FlushDue gives a channel on which a value arrives when the memory that indexes share asks for a Flush of this one.
func (x *Index) FlushDue() <-chan struct{} { return x.due }

func (x *Index) wantFlush() {
	select {
	case x.due <- struct{}{}:
	default:
	}
}

// AwaitRoom waits, before an Apply, until the indexes that share memory have flushed so much that there is room. Whoever applies without it may use more memory than was
// given. It fails when ctx ends.
func (x *Index) AwaitRoom(ctx context.Context) error {
	if x.files == nil {
		return ctx.Err()
	}
	return x.options.Resources.room(ctx)
}
