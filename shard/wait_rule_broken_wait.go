//go:build broken_wait

package shard

// waitsFor is broken on purpose: an operation is set aside unless another is known to have applied it.
const waitsFor = false
