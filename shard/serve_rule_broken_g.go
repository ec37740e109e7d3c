//go:build broken_g

package shard

// maySee is broken on purpose: the member is not fenced, those who ask are to know that it has no lease.
func maySee([]grant, uint64) bool { return true }
