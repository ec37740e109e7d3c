//go:build !race

package effectiveness

const underRace = false
