//go:build !race

package engine

// RaceDetector tells whether tests run with it.
const RaceDetector = false
