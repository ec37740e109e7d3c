//go:build broken_evict

package coordinator

import (
	"time"

	"github.com/jetseek/jetseek/subjects/wire"
)

// hasRunOut is broken on purpose: a lease that was not renewed when that was due is taken for one that has run out.
func hasRunOut(_ wire.LeaseEntry, heard, now time.Duration) bool { return now >= heard+4*time.Second }
