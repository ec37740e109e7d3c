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
	Fenced   State = "fenced"   // out of rotation for a reason that passes: it mends itself, and returns
	Draining State = "draining" // stops: finishes what it accepted, takes no lease
	Failed   State = "failed"   // cannot go on, with a reason; serves nothing
)

// status is a member's state with the reason of a failure.
type status struct {
	mu      sync.Mutex // guards the fields below
	state   State
	reason  string
	fences  [causes]string // why it is out of rotation, by cause; "": it is not for that
	changed chan struct{}  // closed at the next change
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

// cause is why a member is out of rotation for a while.
type cause int

// The causes, the gravest first.
const (
	wrong cause = iota // it does not hold what the log says
	causes
)

// fence takes a member that serves, or is on its way to, out of rotation; it tells whether it was in. The gravest reason shows.
func (s *status) fence(c cause, reason string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != Serving && s.state != Joining && s.state != Fenced {
		return false
	}
	was := s.state
	s.fences[c] = reason
	s.show()
	return was != Fenced
}

// lift takes a cause away; without any other the member may join again.
func (s *status) lift(c cause) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fences[c] = ""
	if s.state == Fenced {
		s.show()
	}
}

// show moves to the state that the fences say. The caller holds mu.
func (s *status) show() {
	s.state, s.reason = Joining, ""
	for _, reason := range s.fences {
		if reason != "" {
			s.state, s.reason = Fenced, reason
			break
		}
	}
	close(s.changed)
	s.changed = make(chan struct{})
}

func mayMove(from, to State) bool {
	switch from {
	case Failed:
		return false
	case Draining:
		return to == Failed
	case Fenced:
		return to == Draining || to == Failed // back by lift
	}
	return from != to
}
