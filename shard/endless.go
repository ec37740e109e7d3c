package shard

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/jetseek/jetseek/engine"
)

const (
	// applyLimit is how long the engine may take for each MiB, begun, of what it applies at once, or for one operation on trial, unless the options say otherwise: about a thousand times of what it takes.
	applyLimit = 10 * time.Second
	// applyLooks is how often a member looks in that time whether the engine is still at the same.
	applyLooks = 10
	// applyUnit is what the limit is for, in bytes.
	applyUnit = 1 << 20
	// applyLeast is as how many bytes an operation counts at least: even one without a body may have to look for its id on a slow disk.
	applyLeast = 1 << 10
)

// ErrEndless is why [Member.Run] ends when an operation of the log does not come to an end: nothing stops the engine at it, so that the process has to end, with what Run leaves behind. The next one tries
// the operation alone, and the one after that leaves it to the group what becomes of it.
var ErrEndless = errors.New("applying the log does not come to an end")

// pace is what the apply loop is at, for those who watch over it.
type pace struct {
	turn  atomic.Uint64 // odd while the engine applies; another number for each batch, and for each operation on trial
	units atomic.Int64  // of what it applies
}

func (p *pace) begin(messages []engine.Message) {
	bytes := 0
	for i := range messages {
		for j := range messages[i].Ops {
			bytes += max(len(messages[i].Ops[j].Body), applyLeast)
		}
	}
	p.units.Store(int64(1 + bytes/applyUnit))
	p.turn.Add(1)
}

// next says that another operation on trial begins.
func (p *pace) next() { p.turn.Add(2) }

func (p *pace) end() { p.turn.Add(1) }

// overdue counts the looks at which the engine was found at the same. It is no clock that decides: a process or machine that was stopped meanwhile has not looked.
type overdue struct {
	turn  uint64
	looks int64
}

// look tells whether the engine has been at one turn for more looks than it may take.
func (o *overdue) look(turn uint64, units int64) bool {
	if turn != o.turn || turn%2 == 0 {
		*o = overdue{turn: turn}
		return false
	}
	o.looks++
	return o.looks > applyLooks*units
}

// watchApply waits until the member has ended, and gives what that gave; or until what the engine applies does not come to an end, which was written down before.
func (m *Member) watchApply(ctx context.Context, ended <-chan error) error {
	tick := time.NewTicker(m.opts.ApplyLimit / applyLooks)
	defer tick.Stop()
	for o := (overdue{}); ; {
		select {
		case err := <-ended:
			return err
		case <-tick.C:
		}
		if o.look(m.pace.turn.Load(), m.pace.units.Load()) {
			err := fmt.Errorf("poison: member %s: %w: the engine has been at what follows message %d for %s; this process ends, and the next one tries it again, one operation at a time", m.id, ErrEndless, m.appliedSeq(),
				time.Duration(o.looks)*m.opts.ApplyLimit/applyLooks)
			m.leave(ctx, stuck, err.Error())
			return err
		}
	}
}
