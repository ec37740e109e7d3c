package shard

import (
	"context"
	"fmt"
	"time"
)

const (
	// maxLag is how long a message that the log holds may wait to be applied, unless the options say otherwise, before the member leaves rotation.
	maxLag = 5 * time.Second
	// lagLooks is how often a member looks in that time how far it is.
	lagLooks = 10
	// lagReturns: a member returns when it applies what the log holds within that time divided by it.
	lagReturns = 2
)

// lag measures how long a member takes to reach what the log was known to hold.
type lag struct {
	most   time.Duration
	target uint64    // the log's head at since; 0: none yet
	since  time.Time // when it was known
	behind bool
}

// look tells whether the member is behind: a place of the log that was known for longer than most is not reached. It is that no more when a later place was reached in half the time.
func (l *lag) look(now time.Time, applied, head uint64) bool {
	took := now.Sub(l.since)
	switch {
	case l.target == 0:
	case applied < l.target:
		l.behind = l.behind || took > l.most
		return l.behind
	case took <= l.most/lagReturns:
		l.behind = false
	}
	l.target, l.since = head, now
	return l.behind
}

// watchLag takes a member out of rotation that applies too slowly, so that no write and no search waits for it, and back when it keeps pace. What the log holds is known from
// the acknowledgements of leases; while it is out it takes none, and asks the log. It runs until ctx ends.
func (m *Member) watchLag(ctx context.Context) error {
	l := lag{most: m.opts.MaxLag}
	tick := time.NewTicker(m.opts.MaxLag / lagLooks)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		state, _ := m.status.get()
		if state != Serving && !m.status.outFor(late) {
			l = lag{most: m.opts.MaxLag} // it replays, or is out for another cause
			continue
		}
		head := m.head()
		if l.behind {
			var err error
			if head, err = m.askHead(ctx); err != nil {
				continue // nothing is known: it stays out
			}
		}
		applied := m.appliedSeq()
		switch behind := l.look(time.Now(), applied, head); {
		case behind && !m.status.outFor(late):
			m.leave(ctx, late, fmt.Sprintf("behind: message %d of the log was stored more than %s ago, and the member is at %d; it returns when it keeps pace", l.target, m.opts.MaxLag, applied))
		case !behind && m.status.outFor(late):
			m.opts.Log.Info("the member keeps pace with its log, and joins again", "member", m.id, "applied", applied)
			m.status.lift(late)
			m.rest.need() // it may have slept when it left
		}
	}
}

// askHead asks how far the log goes.
func (m *Member) askHead(ctx context.Context) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	s, err := m.js.Stream(ctx, m.opts.Names.Stream(m.opts.Group)) // a handle of its own: the follower's is of the apply loop
	if err != nil {
		return 0, fmt.Errorf("ask how far the log goes: %w", err)
	}
	return s.CachedInfo().State.LastSeq, nil
}
