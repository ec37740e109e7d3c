//go:build !(broken_b || broken_g)

package shard

// maySee tells whether leases that have not ended, by g ascending, allow a snapshot at seq to be served: one of them must stand in the log at or before it.
func maySee(held []grant, seq uint64) bool { return len(held) > 0 && held[0].g <= seq }
