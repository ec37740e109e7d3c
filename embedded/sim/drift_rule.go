//go:build !broken_c

package sim

// mostRate is by how much a member's clocks may run fast or slow: what leases are made for.
const mostRate = 0.01
