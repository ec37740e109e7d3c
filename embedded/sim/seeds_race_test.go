//go:build race

package sim

// defaultSeeds is how many schedules a test plays: the race detector makes each several times as long.
const defaultSeeds = 16
