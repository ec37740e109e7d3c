//go:build !broken_h

package shard

import "github.com/jetseek/jetseek/engine"

// permissionOf gives the sequence whose permission is looked at when a snapshot is to be served: its own.
func (m *Member) permissionOf(snap *engine.Snapshot) uint64 { return snap.Seq() }
