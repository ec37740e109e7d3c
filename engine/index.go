package engine

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/jetseek/jetseek/engine/internal/search"
	"github.com/jetseek/jetseek/engine/internal/segment"
	"github.com/jetseek/jetseek/engine/outcome"
	"github.com/jetseek/jetseek/engine/schema"
)

// Index is all collections of one member. Apply must be called by one goroutine at a time, with ascending sequences; everything
// else may be called from any goroutine.
type Index struct {
	options Options
	current atomic.Pointer[Snapshot]
	open    atomic.Int64 // snapshots that somebody still holds
	scratch search.Scratch

	files    *files        // nil: everything is in memory
	due      chan struct{} // capacity 1: a flush is due
	activity activity

	merging sync.Mutex     // held by Merge from end to end; taken before mu
	merger  segment.Merger // of merges in memory

	mu       sync.Mutex                // guards what follows: Apply holds it whole, Merge at its beginning and end
	round    uint64                    // counts the publications; what bears its number may be changed in place
	busy     map[*segment.Segment]bool // in a merge or flush
	analyzer analyzer
	inline   segment.Merger
	recent   []*recent                 // at rest, the one unused for longest first
	fresh    map[*segment.Segment]bool // cut from a builder that can merge them
	keys     map[keyHash]uint64        // numbers of the entries in the window of the current state
}

// Open opens the index of the options' folder, as the last [Index.Flush] left it; without one, or when nothing was flushed yet, it is empty: nothing applied, nothing
// owned. All bytes are verified: an error is [ErrUnreadable] when the files are not what was written. The caller must Close the index.
func Open(options Options) (*Index, error) {
	options, err := options.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("open index: %w", err)
	}
	x := &Index{options: options, busy: map[*segment.Segment]bool{}, fresh: map[*segment.Segment]bool{}, analyzer: analyzer{chain: (*schema.Schema).IndexAnalyzer, workers: runtime.GOMAXPROCS(0)}, due: make(chan struct{}, 1)}
	s := state{owned: &SlotSet{}}
	if options.Folder != nil {
		if x.files, s, err = openFiles(&options); err != nil {
			return nil, fmt.Errorf("open index: %w", err)
		}
	}
	x.keys = s.window.numbers()
	x.publish(s)
	s.files.release()
	return x, nil
}

// Close gives up the index without writing anything: what was not flushed is not in the folder. Nothing may run any more but searches on snapshots, which keep what
// they need until they are closed.
func (x *Index) Close() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.files != nil {
		x.files.close()
		x.options.Resources.leave(x)
	}
	x.current.Load().Close()
}

// Apply applies messages in order and publishes one snapshot that holds all of them; it gives one outcome an operation. It reads nothing but its arguments and the index: no clock, no
// randomness, so that all members that apply the same log hold the same. The index keeps no reference to the messages.
//
// An operation that cannot be applied gets the outcome Rejected and changes nothing. The error is for faults of the index itself (sequences that do not ascend, a segment that
// does not read back), after which it must not be used.
func (x *Index) Apply(messages []Message) ([][]outcome.Outcome, error) {
	return x.apply(messages, nil)
}

// ApplySingly is [Index.Apply], slower, for messages of which one cannot be applied: it calls before with the place of each operation, which is whole before the next one begins, so that
// a panic, or the end of the process, befalls it at the operation that was named last. The state is the same.
func (x *Index) ApplySingly(messages []Message, before func(Place)) ([][]outcome.Outcome, error) {
	return x.apply(messages, before)
}

func (x *Index) apply(messages []Message, singly func(Place)) (_ [][]outcome.Outcome, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	defer x.files.catch(panicOnFault(), &err)
	a := x.begin(messages)
	a.singly = singly
	outcomes := make([][]outcome.Outcome, len(messages))
	for i := range messages {
		m := &messages[i]
		if m.Seq <= a.state.seq {
			return nil, fmt.Errorf("apply message %d: the index is at %d", m.Seq, a.state.seq)
		}
		out, err := a.message(m)
		if err != nil {
			return nil, fmt.Errorf("apply message %d: %w", m.Seq, err)
		}
		outcomes[i] = out
	}
	if err := a.finish(); err != nil {
		return nil, fmt.Errorf("apply up to message %d: %w", a.state.seq, err)
	}
	x.publish(a.state)
	return outcomes, nil
}

// Merge runs one due background merge, if there is one, and tells whether it did. It runs beside Apply, Flush and searches, and changes no answer; a second call
// waits for the first, and with a folder those of all indexes that share resources wait for each other. It ends early, with ctx's error and nothing changed, when ctx
// ends. What was merged in files is found by [Open] after the next Flush.
func (x *Index) Merge(ctx context.Context) (did bool, err error) {
	x.merging.Lock()
	defer x.merging.Unlock()
	if x.files != nil {
		giveBack, err := x.options.Resources.takeDisk(ctx)
		if err != nil {
			return false, fmt.Errorf("merge: %w", err)
		}
		defer giveBack()
		defer x.files.catch(panicOnFault(), &err)
	}
	snap, job := x.dueMerge()
	if job == nil {
		return false, nil
	}
	defer snap.Close()
	defer x.release(job)
	defer dropFiles([]*mergeJob{job})
	if x.files != nil {
		if err = job.runToFile(ctx, x.files, true, new(segment.Merger).MergeTo); err == nil {
			err = x.files.folder.Sync()
		}
	} else {
		err = job.run(ctx, &x.merger)
	}
	if err != nil {
		return false, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.install(job)
	x.activity.merged(job)
	return true, nil
}

// Snapshot gives the present view; the caller must Close it.
func (x *Index) Snapshot() *Snapshot {
	for {
		// The one that was current may have been closed by the next publication in between; then there is a newer one.
		if s := x.current.Load(); s.retain() {
			return s
		}
	}
}

// OpenSnapshots counts the snapshots that somebody holds besides the index itself.
func (x *Index) OpenSnapshots() int64 { return x.open.Load() - 1 }

// publish makes a state the current one.
func (x *Index) publish(s state) {
	s.files.retain()
	next := &Snapshot{state: s, index: x}
	next.holders.Store(1)
	x.open.Add(1)
	if old := x.current.Swap(next); old != nil {
		old.Close()
	}
	if x.files != nil {
		x.options.Resources.report(x, x.unflushed(&s))
	}
}
