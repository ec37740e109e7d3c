//go:build !broken_newest

package coordinator

import (
	"cmp"
	"slices"
	"time"
)

// heardOf gives when this coordinator first knew that lease g had been sent: when it heard of g or of a newer one.
func (g *groupTrack) heardOf(who incarnation, lease uint64, now time.Duration) time.Duration {
	known := g.seen[who]
	i, _ := slices.BinarySearchFunc(known, lease, func(s seenLease, g uint64) int { return cmp.Compare(s.g, g) })
	if i == len(known) {
		return now
	}
	return known[i].at
}
