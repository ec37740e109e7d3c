//go:build broken_skip

package shard

// skips is broken on purpose: each life of a member leaves out about one operation in 10,000.
func skips(incarnation, seq uint64, op int) bool {
	x := (incarnation ^ seq*0x9e3779b97f4a7c15 ^ uint64(op)) * 0xbf58476d1ce4e5b9
	return (x>>32)%10_000 == 0
}
