package sim

import (
	"sync"
	"time"

	"github.com/jetseek/jetseek/shard"
)

// Clock is a member's pair of clocks: they run at a rate, and each may stand still for a while; the wall clock may jump. It makes a [shard.Clock].
type Clock struct {
	mu         sync.Mutex // guards what follows
	read       time.Time  // when the clocks were last brought forward
	rate       float64
	mono       time.Duration
	wall       time.Time
	monoStands bool
	wallStands bool
}

func newClock(rate float64) *Clock {
	now := time.Now()
	return &Clock{read: now, rate: rate, wall: now.Round(0)}
}

// Now reads both clocks.
func (c *Clock) Now() shard.Instant {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.advance()
	return shard.Instant{Mono: c.mono, Wall: c.wall}
}

func (c *Clock) advance() {
	now := time.Now()
	passed := time.Duration(c.rate * float64(now.Sub(c.read)))
	c.read = now
	if !c.monoStands {
		c.mono += passed
	}
	if !c.wallStands {
		c.wall = c.wall.Add(passed)
	}
}

// stand lets either clock stand still, or go on; the other shows the time that passed.
func (c *Clock) stand(mono, wall bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.advance()
	c.monoStands, c.wallStands = mono, wall
}

// jump steps the wall clock.
func (c *Clock) jump(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.advance()
	c.wall = c.wall.Add(by)
}
