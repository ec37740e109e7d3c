package shard

import (
	"slices"
	"sync"
	"time"

	"github.com/jetseek/jetseek/engine"
)

// pins keep snapshots for the later trips of a query, named by their sequence. All queries at one sequence share one pin.
type pins struct {
	mu   sync.Mutex // guards held
	held []pin      // by last use, the oldest first
}

type pin struct {
	snap *engine.Snapshot
	last time.Time
}

// keep pins a snapshot; the caller keeps its own reference.
func (p *pins) keep(snap *engine.Snapshot) {
	now := time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.expire(now)
	if i := p.find(snap.Seq()); i >= 0 {
		p.touch(i, now)
		return
	}
	if len(p.held) == pinnedSnapshots {
		p.held[0].snap.Close()
		p.held = slices.Delete(p.held, 0, 1)
	}
	p.held = append(p.held, pin{snap: snap.Retain(), last: now})
}

// get gives the pinned snapshot, which the caller must close, or nil.
func (p *pins) get(seq uint64) *engine.Snapshot {
	now := time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.expire(now)
	i := p.find(seq)
	if i < 0 {
		return nil
	}
	snap := p.held[i].snap.Retain()
	p.touch(i, now)
	return snap
}

func (p *pins) find(seq uint64) int {
	return slices.IndexFunc(p.held, func(h pin) bool { return h.snap.Seq() == seq })
}

func (p *pins) touch(i int, now time.Time) {
	h := p.held[i]
	h.last = now
	p.held = append(slices.Delete(p.held, i, i+1), h)
}

func (p *pins) expire(now time.Time) {
	n := 0
	for n < len(p.held) && now.Sub(p.held[n].last) > pinTime {
		p.held[n].snap.Close()
		n++
	}
	p.held = slices.Delete(p.held, 0, n)
}

// release drops all pins.
func (p *pins) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, h := range p.held {
		h.snap.Close()
	}
	p.held = nil
}
