package engine

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/jetseek/jetseek/engine/analysis"
	"github.com/jetseek/jetseek/engine/internal/search"
	"github.com/jetseek/jetseek/engine/internal/segment"
	"github.com/jetseek/jetseek/engine/outcome"
)

// Index is all collections of one member. Apply must be called by one goroutine at a time, with ascending sequences; everything
// else may be called from any goroutine.
type Index struct {
	options Options
	current atomic.Pointer[Snapshot]
	open    atomic.Int64 // snapshots that somebody still holds
	scratch search.Scratch

	merging sync.Mutex // held by Merge from end to end; taken before mu
	merger  segment.Merger

	mu       sync.Mutex // guards what follows: Apply holds it whole, Merge at its beginning and end
	round    uint64     // counts the publications; what bears its number may be changed in place
	busy     map[*segment.Segment]bool
	analyzer analyzer
	inline   segment.Merger
	recent   []*recent                 // at rest, the one unused for longest first
	fresh    map[*segment.Segment]bool // cut from a builder that can merge them
}

// Open makes an empty index: nothing applied, nothing owned.
func Open(options Options) (*Index, error) {
	options, err := options.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("open index: %w", err)
	}
	x := &Index{options: options, busy: map[*segment.Segment]bool{}, fresh: map[*segment.Segment]bool{}, analyzer: analyzer{chain: analysis.ByName}}
	x.publish(state{owned: &SlotSet{}})
	return x, nil
}

// Apply applies messages in order and publishes one snapshot that holds all of them; it gives one outcome an operation. It reads nothing but its arguments and the index: no clock, no
// randomness, so that all members that apply the same log hold the same. The index keeps no reference to the messages.
//
// An operation that cannot be applied gets the outcome Rejected and changes nothing. The error is for faults of the index itself (sequences that do not ascend, a segment that
// does not read back), after which it must not be used.
func (x *Index) Apply(messages []Message) ([][]outcome.Outcome, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	a := x.begin()
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

// Merge runs one due background merge, if there is one, and tells whether it did. It runs beside Apply and searches, and changes no answer; a second call
// waits for the first. It ends early, with ctx's error and nothing changed, when ctx ends.
func (x *Index) Merge(ctx context.Context) (bool, error) {
	x.merging.Lock()
	defer x.merging.Unlock()
	job := x.dueMerge()
	if job == nil {
		return false, nil
	}
	defer x.release(job)
	if err := job.run(ctx, &x.merger); err != nil {
		return false, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.install(job)
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
	next := &Snapshot{state: s, index: x}
	next.holders.Store(1)
	x.open.Add(1)
	if old := x.current.Swap(next); old != nil {
		old.Close()
	}
}
