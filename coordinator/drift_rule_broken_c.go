//go:build broken_c

package coordinator

// leaseDrift is broken on purpose: clocks are taken to run alike.
const leaseDrift = 0
