//go:build broken_h

package shard

import "github.com/jetseek/jetseek/engine"

// permissionOf is broken on purpose: what the member has applied by now is looked at, not the snapshot.
func (m *Member) permissionOf(*engine.Snapshot) uint64 { return m.appliedSeq() }
