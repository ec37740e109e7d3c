//go:build !broken_wait

package shard

// waitsFor tells whether another member is waited for before an operation is set aside that it may yet apply, or may have applied: always.
const waitsFor = true
