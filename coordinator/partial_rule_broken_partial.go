//go:build broken_partial

package coordinator

// labelsPartial is broken on purpose: an answer that lacks a group does not say so.
const labelsPartial = false
