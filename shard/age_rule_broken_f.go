//go:build broken_f

package shard

// countsFrom is broken on purpose: a lease's time begins when it is acknowledged.
func countsFrom(_ Instant, c Clock) Instant { return c.Now() }
