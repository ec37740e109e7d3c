//go:build !broken_evict

package coordinator

import (
	"time"

	"github.com/jetseek/jetseek/subjects/wire"
)

// hasRunOut tells whether a lease that was heard of at a moment, and not renewed, has certainly run out.
func hasRunOut(e wire.LeaseEntry, heard, now time.Duration) bool { return now >= endOf(e, heard) }
