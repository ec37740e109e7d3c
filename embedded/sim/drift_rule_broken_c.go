//go:build broken_c

package sim

// mostRate is more than leases are made for: coordinators are broken too, and wait as if clocks did not differ.
const mostRate = 0.05
