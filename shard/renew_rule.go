//go:build !broken_i

package shard

import "github.com/nats-io/nats.go/jetstream"

// leaseOptions are those of a lease's publish: it has no message id, so that a second try is another lease, whose acknowledgement is its own.
func (m *Member) leaseOptions() []jetstream.PublishOpt { return nil }

// regressed tells whether the log has given a record a place that had been applied before.
func regressed(seq, applied uint64) bool { return seq <= applied }
