package engine

// sampled is how many cases of a kind lie between two that are played under the race detector. It is odd, so that what alternates is played both ways.
const sampled = 7

// Sample chooses cases to play: all, and under the race detector the first of each kind and every seventh after it. It is exported for tests outside of the package.
type Sample map[string]int

// Takes tells whether the next case of a kind is to be played.
func (s Sample) Takes(kind string) bool {
	n := s[kind]
	s[kind]++
	return !RaceDetector || n%sampled == 0
}
