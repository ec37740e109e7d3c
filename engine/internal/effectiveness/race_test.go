//go:build race

package effectiveness

const underRace = true
