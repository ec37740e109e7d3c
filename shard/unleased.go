package shard

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// goneLooks is how often, one after the other, the server must say that the log's stream is not there: one that has just begun to lead may not know it yet.
const goneLooks = 8

// unleased is for how long the log has taken no lease. It is of the lease loop alone.
type unleased struct {
	since time.Time // the zero time: it took the last
	gone  int       // so often in a row there was no stream
}

// noteRefusal takes a lease that the log did not take. When that has gone on for as long as a lease lasts the member says that it serves nothing; when there is no stream any
// more, it has failed.
func (m *Member) noteRefusal(ctx context.Context, why error) {
	if m.unleased.since.IsZero() {
		m.unleased.since = time.Now()
	}
	if !m.isWithoutStream(ctx, why) {
		m.unleased.gone = 0
	} else if m.unleased.gone++; m.unleased.gone >= goneLooks {
		m.fail(m.isGone(m.log))
		return
	}
	if state, _ := m.status.get(); state == Serving && time.Since(m.unleased.since) >= m.opts.Lease {
		m.status.set(Joining, fmt.Sprintf("no_lease: the log has taken none for %s, so that the member may not serve; it returns when the log takes one: %v", m.opts.Lease, why))
	}
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
