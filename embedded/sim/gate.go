package sim

import (
	"encoding/json"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/jetseek/jetseek/engine"
)

// gate stands in a member's loops, at the hooks of package shard: it holds its apply loop, or slows it down, and lets answers wait. It ends with the process: then nobody waits
// in it.
type gate struct {
	dead   chan struct{}
	rng    *lockedRand
	poison func(value uint64) bool // nil: of none

	mu     sync.Mutex    // guards what follows
	apply  chan struct{} // closed while the loop may go on
	all    chan struct{} // closed while answers may go on
	drag   time.Duration // most that a batch waits
	ponder time.Duration // most that an answer waits
	falter bool          // operations panic by chance
}

func newGate(seed uint64, poison func(value uint64) bool) *gate {
	open := make(chan struct{})
	close(open)
	return &gate{dead: make(chan struct{}), rng: newLockedRand(seed), poison: poison, apply: open, all: open}
}

func (g *gate) set(change func(g *gate)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	change(g)
}

func hold(c *chan struct{}) {
	if isOpen(*c) {
		*c = make(chan struct{})
	}
}

func release(c *chan struct{}) {
	if !isOpen(*c) {
		close(*c)
	}
}

// beforeApply waits until the loop may go on.
func (g *gate) beforeApply(uint64) {
	g.mu.Lock()
	drag := g.drag
	g.mu.Unlock()
	g.sleep(g.rng.upTo(drag))
	g.mu.Lock()
	may := g.apply
	g.mu.Unlock()
	g.wait(may)
}

// beforeOp panics at poison, and by chance where the member falters.
func (g *gate) beforeOp(op *engine.Op) {
	g.mu.Lock()
	falters := g.falter
	g.mu.Unlock()
	if falters && g.rng.below(falterIn) == 0 {
		panic("the member falters")
	}
	if g.poison == nil || op.Kind != engine.OpPut {
		return
	}
	var written struct{ Value uint64 }
	if err := json.Unmarshal(op.Body, &written); err == nil && g.poison(written.Value) {
		panic("poison")
	}
}

// afterSnapshot lets every other answer wait.
func (g *gate) afterSnapshot(uint64) {
	g.mu.Lock()
	ponder, may := g.ponder, g.all
	g.mu.Unlock()
	if ponder > 0 && g.rng.upTo(2) == 0 {
		g.sleep(g.rng.upTo(ponder))
	}
	g.wait(may)
}

func (g *gate) wait(may chan struct{}) {
	select {
	case <-may:
	case <-g.dead:
	}
}

func (g *gate) sleep(d time.Duration) {
	if d == 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-g.dead:
	}
}

// lockedRand is a source that several goroutines use.
type lockedRand struct {
	mu  sync.Mutex // guards rng
	rng *rand.Rand
}

func newLockedRand(seed uint64) *lockedRand {
	return &lockedRand{rng: rand.New(rand.NewPCG(seed, 7))}
}

// upTo gives a duration below d; 0 for 0.
func (r *lockedRand) upTo(d time.Duration) time.Duration {
	if d <= 0 {
		return 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return time.Duration(r.rng.Int64N(int64(d)))
}

// below gives a number from 0 to below n.
func (r *lockedRand) below(n int) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.rng.IntN(n)
}
