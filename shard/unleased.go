package shard

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// unleased is since when the log has taken no lease, the zero time while it takes them. It is of the lease loop alone.
type unleased struct{ since time.Time }

// noteRefusal takes a lease that the log did not take. When that has gone on for as long as a lease lasts the member says that it serves nothing, and why. It goes on to try: a server that is just opening its
// store may know a stream later, and what comes in the place of one that is gone is compared with what was applied.
func (m *Member) noteRefusal(ctx context.Context, why error) {
	if m.unleased.since.IsZero() {
		m.unleased.since = time.Now()
	}
	if state, _ := m.status.get(); state != Serving || time.Since(m.unleased.since) < m.opts.Lease {
		return
	}
	reason := fmt.Sprintf("no_lease: the log has taken none for %s, so that the member may not serve; it returns when the log takes one: %v", m.opts.Lease, why)
	if m.isWithoutStream(ctx, why) {
		reason = m.isGone(m.log).Error()
	}
	m.status.set(Joining, reason)
	m.opts.Log.Error("a member may not serve any more", "member", m.id, "reason", reason)
}

// isWithoutStream tells whether nobody took a record because its stream is not there, as the server says.
func (m *Member) isWithoutStream(ctx context.Context, why error) bool {
	if !errors.Is(why, jetstream.ErrNoStreamResponse) {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	_, err := m.js.Stream(ctx, m.opts.Names.Stream(m.opts.Group))
	return errors.Is(err, jetstream.ErrStreamNotFound)
}
