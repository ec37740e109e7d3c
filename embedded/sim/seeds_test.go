//go:build !race

package sim

// defaultSeeds is how many schedules a test plays.
const defaultSeeds = 100
