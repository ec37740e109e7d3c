//go:build broken_i

package shard

import (
	"fmt"

	"github.com/nats-io/nats.go/jetstream"
)

// leaseOptions are broken on purpose: a lease is tried again under the same message id, and then acknowledged as the lease of the first try.
func (m *Member) leaseOptions() []jetstream.PublishOpt {
	m.grants.mu.Lock()
	defer m.grants.mu.Unlock()
	var newest uint64
	if n := len(m.grants.held); n > 0 {
		newest = m.grants.held[n-1].g
	}
	return []jetstream.PublishOpt{jetstream.WithMsgID(fmt.Sprintf("%016x-after-%d", m.incarnation, newest))}
}

// regressed would find the second acknowledgement.
func regressed(_, _ uint64) bool { return false }
