//go:build race

package engine

// RaceDetector tells whether tests run with it, ten times as slowly: they sample then (see [Sample]), and ./scripts/check plays all without it.
const RaceDetector = true
