package shard

import (
	"sync"
)

// State is what a member is doing.
type State string

// The states of a member.
const (
	Joining  State = "joining"  // replays the log; serves nothing
	Serving  State = "serving"  // caught up; serves while it holds a lease
	Draining State = "draining" // stops: finishes what it accepted, takes no lease
	Failed   State = "failed"   // cannot go on, with a reason; serves nothing
)

// status is a member's state with the reason of a failure.
type status struct {
	mu      sync.Mutex // guards the fields below
	state   State
	reason  string
	changed chan struct{} // closed at the next change
}

func newStatus() *status { return &status{state: Joining, changed: make(chan struct{})} }

func (s *status) get() (State, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state, s.reason
}

// watch gives the state and a channel that is closed when it changes.
func (s *status) watch() (State, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state, s.changed
}

// set moves to a state. Failed is final, and draining is left only for it; it tells whether the move was made.
func (s *status) set(next State, reason string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !mayMove(s.state, next) {
		return false
	}
	s.state, s.reason = next, reason
	close(s.changed)
	s.changed = make(chan struct{})
	return true
}

func mayMove(from, to State) bool {
	switch from {
	case Failed:
		return false
	case Draining:
		return to == Failed
	}
	return from != to
}
