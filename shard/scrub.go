package shard

import (
	"context"
	"errors"
	"time"

	"golang.org/x/time/rate"

	"github.com/jetseek/jetseek/engine"
)

const (
	// scrubEvery is the pause between two looks at all that the member holds.
	scrubEvery = 5 * time.Second
	// scrubRate is how many bytes a second are looked at, in pieces of at most scrubPiece: an index of 160 MB in five seconds, one of 10 GB in five minutes.
	scrubRate  = 32 << 20
	scrubPiece = 1 << 20
)

// scrub reads over and over what the member holds, in files and in memory, and compares it with its checksums, until ctx ends. What was changed by a disk or by memory is found
// before it is long served.
func (m *Member) scrub(ctx context.Context) error {
	pace := rate.NewLimiter(scrubRate, scrubPiece)
	for sleep(ctx, scrubEvery) == nil {
		err := m.index.Scrub(ctx, pace.WaitN)
		if errors.Is(err, engine.ErrUnreadable) {
			m.damaged(err)
		} else if err != nil && ctx.Err() == nil {
			m.opts.Log.Warn("the index could not be looked over", "member", m.id, "error", err)
		}
	}
	return nil
}
