package shard

import (
	"slices"
	"sync"
	"time"

	"github.com/jetseek/jetseek/engine"
)

// pins keep snapshots, named by their sequence: for the later trips of a query, or for the pages of walks. All that name a sequence share one pin.
type pins struct {
	life time.Duration // of a pin, from its last use
	most int           // different contents that are kept
	room int64         // for segments in memory that are kept; 0: not bounded

	mu   sync.Mutex // guards held
	held []pin      // by last use, the oldest first
}

type pin struct {
	snap *engine.Snapshot
	last time.Time
}

// keep pins a snapshot in place of the one unused for longest if there is no room; the caller keeps its own reference.
func (p *pins) keep(snap *engine.Snapshot) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.renew(snap.Seq()) {
		return
	}
	if len(p.held) >= p.most {
		p.held[0].snap.Close()
		p.held = slices.Delete(p.held, 0, 1)
	}
	p.held = append(p.held, pin{snap.Retain(), time.Now()})
}

// keepBeside pins a snapshot if there is room beside those that are kept. One of the same content as another takes none: their number is bounded by pinnedNames.
func (p *pins) keepBeside(snap *engine.Snapshot) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.renew(snap.Seq()) {
		return true
	}
	if len(p.held) >= pinnedNames {
		return false
	}
	contents, segments := map[uint64]bool{snap.ContentSeq(): true}, map[any]int64{}
	snap.InMemory(segments)
	for _, h := range p.held {
		if !contents[h.snap.ContentSeq()] {
			contents[h.snap.ContentSeq()] = true
			h.snap.InMemory(segments)
		}
	}
	bytes := int64(0)
	for _, n := range segments {
		bytes += n
	}
	if len(contents) > p.most || p.room > 0 && bytes > p.room {
		return false
	}
	p.held = append(p.held, pin{snap.Retain(), time.Now()})
	return true
}

// get gives the pinned snapshot, which the caller must close, or nil.
func (p *pins) get(seq uint64) *engine.Snapshot {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.renew(seq) {
		return nil
	}
	return p.held[len(p.held)-1].snap.Retain()
}

// use keeps a pin for longer, if it is there.
func (p *pins) use(seq uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.renew(seq)
}

// renew makes a pin the one used last; false if it is not there. Those whose time is over are not.
func (p *pins) renew(seq uint64) bool {
	now := time.Now()
	p.expire(now)
	i := slices.IndexFunc(p.held, func(h pin) bool { return h.snap.Seq() == seq })
	if i < 0 {
		return false
	}
	h := p.held[i]
	h.last = now
	p.held = append(slices.Delete(p.held, i, i+1), h)
	return true
}

func (p *pins) expire(now time.Time) {
	n := 0
	for n < len(p.held) && now.Sub(p.held[n].last) > p.life {
		p.held[n].snap.Close()
		n++
	}
	p.held = slices.Delete(p.held, 0, n)
}

// tidy drops the pins whose time is over.
func (p *pins) tidy() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.expire(time.Now())
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
