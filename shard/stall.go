package shard

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"github.com/jetseek/jetseek/engine"
)

// stallsPerLease: a member that can apply nothing for a lease's length divided by it stands aside.
const stallsPerLease = 3

// diskNote is the reason that programs see while the disk takes no files; "" when the disk is not to blame.
func diskNote(err error) string {
	switch {
	case errors.Is(err, engine.ErrUnreadable):
		return ""
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Sprintf("disk_full: the index cannot be written to files, make room: %v", err)
	}
	return fmt.Sprintf("disk_failed: the index cannot be written to files: %v", err)
}

// awaitRoom waits, before messages are applied, until there is memory for them. When that takes long the member stands aside: while it holds a lease, every write to its
// group waits for it. Meanwhile it does what the apply loop is called for, which may make the index anew.
func (m *Member) awaitRoom(ctx context.Context) error {
	for {
		wait, cancel := context.WithTimeout(ctx, m.opts.Lease/stallsPerLease)
		err := m.index.get().AwaitRoom(wait)
		cancel()
		if ctx.Err() != nil {
			return err
		}
		if err == nil {
			break
		}
		if !m.status.outFor(stalled) {
			m.leave(ctx, stalled, m.whyNoRoom())
		}
		select {
		case j := <-m.jobs:
			j.done <- j.do(ctx)
		default:
		}
	}
	if m.status.outFor(stalled) {
		m.opts.Log.Info("there is room again: the member applies what it has missed", "member", m.id)
		m.status.lift(stalled)
		m.rest.need() // it may have slept when it left
	}
	return nil
}

func (m *Member) whyNoRoom() string {
	if note := m.status.remarked(); note != "" {
		return note
	}
	return "memory_full: the memory for what is not in files yet is used up, by this member or another of the process"
}

// returnToRotation waits while a member is in a state that keeps it out of rotation. One that had stalled then applies all that the log holds before it may take a lease, for which
// writes would wait.
func (m *Member) returnToRotation(ctx context.Context, from State) {
	if !m.awaitChange(ctx, from) || from != Stalled {
		return
	}
	for ctx.Err() == nil {
		head, err := m.release(ctx, m.incarnation) // it holds none: what counts is the place in the log
		if err == nil {
			m.awaitApplied(ctx, head)
			return
		}
		_ = sleep(ctx, renewRetry) // ended: the loop ends
	}
}

// awaitChange waits while the member is in a state; false when ctx ends before.
func (m *Member) awaitChange(ctx context.Context, from State) bool {
	for {
		state, changed := m.status.watch()
		if state != from {
			return true
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
}
