//go:build !broken_c

package coordinator

// leaseDrift is by how many per cent clocks may differ in rate, doubled and rounded up: mu.
const leaseDrift = 3
