package load

import (
	"math/bits"
	"time"
)

const (
	// fine is how many counters a doubling of time has: a quantile is at most 1/fine too high.
	fineBits = 6
	fine     = 1 << fineBits
	counters = (64 - fineBits) * fine
)

// Times counts durations in a room that does not grow. The zero value is ready.
type Times struct {
	counts [counters]int64
	total  int64
	max    time.Duration
}

// Add counts a duration.
func (t *Times) Add(d time.Duration) {
	t.counts[counterOf(uint64(max(d, 0)))]++
	t.total++
	t.max = max(t.max, d)
}

// Merge adds what another has counted.
func (t *Times) Merge(other *Times) {
	for i, n := range other.counts {
		t.counts[i] += n
	}
	t.total += other.total
	t.max = max(t.max, other.max)
}

// Count is how many durations were counted.
func (t *Times) Count() int64 { return t.total }

// Max is the longest.
func (t *Times) Max() time.Duration { return t.max }

// Quantile gives the duration that the given share, in 0 to 1, does not exceed; at most 1.6 per cent too long. Of nothing it is 0.
func (t *Times) Quantile(share float64) time.Duration {
	rank := int64(share*float64(t.total) + 0.5)
	seen := int64(0)
	for i, n := range t.counts {
		if seen += n; n > 0 && seen >= rank {
			return min(time.Duration(upper(i)), t.max)
		}
	}
	return t.max
}

// counterOf gives the counter of a duration: below fine its own, above by its leading bits.
func counterOf(ns uint64) int {
	if ns < fine {
		return int(ns)
	}
	shift := bits.Len64(ns) - fineBits - 1
	return min((shift+1)<<fineBits+int(ns>>shift)-fine, counters-1)
}

// upper gives the longest duration of a counter.
func upper(i int) uint64 {
	if i < fine {
		return uint64(i)
	}
	shift := i>>fineBits - 1
	return (uint64(i&(fine-1)|fine)+1)<<shift - 1
}
