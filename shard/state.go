package shard

import (
	"sync"
)

// State is what a member is doing.
type State string

// The states of a member.
const (
	Joining  State = "joining"  // replays the log, or gets no lease from it; serves nothing
	Serving  State = "serving"  // caught up; serves while it holds a lease
	Fenced   State = "fenced"   // out of rotation for a reason that passes: it mends itself, and returns
	Stalled  State = "stalled"  // out of rotation since it can apply nothing more: the disk takes no files and memory is used up, or an operation cannot be applied
	Draining State = "draining" // stops: finishes what it accepted, takes no lease
	Failed   State = "failed"   // cannot go on, with a reason; serves nothing
)

// isAside tells whether a member is out of rotation for a while.
func (s State) isAside() bool { return s == Fenced || s == Stalled }

// status is a member's state with the reason for it.
type status struct {
	mu      sync.Mutex // guards the fields below
	state   State
	reason  string
	note    string         // what is wrong with the disk, told behind the reason of the state; "": nothing
	fences  [causes]string // why it is out of rotation, by cause; "": it is not for that
	changed chan struct{}  // closed at the next change
}

func newStatus() *status { return &status{state: Joining, changed: make(chan struct{})} }

func (s *status) get() (State, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.reason == "":
		return s.state, s.note
	case s.note == "" || s.reason == s.note:
		return s.state, s.reason
	}
	return s.state, s.reason + "; " + s.note
}

// remarked is what is wrong with the disk.
func (s *status) remarked() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.note
}

// remark says what is wrong with the disk, "" when nothing is any more.
func (s *status) remark(note string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.note != note {
		s.note = note
		s.wake()
	}
}

// wake tells those who watch. The caller holds mu.
func (s *status) wake() {
	close(s.changed)
	s.changed = make(chan struct{})
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
	s.wake()
	return true
}

// cause is why a member is out of rotation for a while.
type cause int

// The causes, the gravest first.
const (
	wrong   cause = iota // it does not hold what the log says
	stuck                // it cannot apply an operation
	stalled              // it can apply nothing
	late                 // it applies too slowly
	causes
)

// state is what a member is in that is out of rotation for the cause.
func (c cause) state() State {
	if c == stalled || c == stuck {
		return Stalled
	}
	return Fenced
}

// fence takes a member that serves, or is on its way to, out of rotation; it tells whether it was not out for that already. The gravest reason shows.
func (s *status) fence(c cause, reason string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != Serving && s.state != Joining && !s.state.isAside() {
		return false
	}
	fresh := s.fences[c] == ""
	s.fences[c] = reason
	s.show()
	return fresh
}

// lift takes a cause away; without any other the member may join again.
func (s *status) lift(c cause) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fences[c] = ""
	if s.state.isAside() {
		s.show()
	}
}

// outFor tells whether a cause stands.
func (s *status) outFor(c cause) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fences[c] != ""
}

// show moves to the state that the fences say. The caller holds mu.
func (s *status) show() {
	s.state, s.reason = Joining, ""
	for c, reason := range s.fences {
		if reason != "" {
			s.state, s.reason = cause(c).state(), reason
			break
		}
	}
	s.wake()
}

func mayMove(from, to State) bool {
	switch from {
	case Failed:
		return false
	case Draining:
		return to == Failed
	case Fenced, Stalled:
		return to == Draining || to == Failed // back by lift
	}
	return from != to
}
