//go:build broken_d

package shard

import "time"

// inForce is broken on purpose: only the monotonic clock is looked at, which may have stood still.
func inForce(mono, _, length time.Duration) bool { return mono < length }
