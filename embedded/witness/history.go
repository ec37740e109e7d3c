package witness

import (
	"fmt"
	"sync"
	"time"
)

// Kind is what a client did.
type Kind uint8

// The kinds of operations.
const (
	Put Kind = iota + 1
	Delete
	Get    // one document, through a coordinator
	Search // all documents, through a coordinator
	Audit  // one document, from one member, past every coordinator
)

func (k Kind) String() string {
	return [...]string{"?", "put", "delete", "get", "search", "audit"}[k]
}

// Result is what a client knows of its operation.
type Result uint8

// The results of operations.
const (
	OK      Result = iota + 1
	Failed         // a write: certainly not stored; a read: no answer
	Unknown        // a write that may have been stored or may yet be
)

func (r Result) String() string { return [...]string{"?", "ok", "fail", "unknown"}[r] }

// NoCondition is the IfVersion of a write without one.
const NoCondition = -1

// Event is one operation of a client. Times count from the start of the history; the end of an unknown one is when its client gave up, not when it took effect.
type Event struct {
	Client int
	Kind   Kind
	ID     string // search: ""
	Start  time.Duration
	End    time.Duration
	Result Result
	Error  string

	// Of a write. Value is unique in the history; 0 for deletes.
	Value     uint64
	IfVersion int64
	Group     string
	Seq       uint64 // of its message; a line of a bulk: the last one of its group
	Outcome   string // created, updated, deleted, not_found, version_conflict; "" where the reply does not say it
	Visible   bool   // visible to every search that begins later; a delete: verified

	// Of a read. Version and Value are 0 when nothing was found. MinSeq is what was asked for.
	Version uint64
	Member  string // audit: who answered
	MinSeq  map[string]uint64
	Answer  *Answer
}

func (e *Event) String() string {
	s := fmt.Sprintf("client %d %s %s value %d if %d [%.3f s, %.3f s] %s", e.Client, e.Kind, e.ID, e.Value, e.IfVersion, e.Start.Seconds(), e.End.Seconds(), e.Result)
	if e.Seq != 0 {
		s += fmt.Sprintf(" at %s:%d", e.Group, e.Seq)
	}
	if e.Outcome != "" {
		s += fmt.Sprintf(" %s version %d visible %t", e.Outcome, e.Version, e.Visible)
	}
	if e.Member != "" {
		s += " from " + e.Member
	}
	if e.Error != "" {
		s += " (" + e.Error + ")"
	}
	return s
}

// isWrite tells whether the operation changes documents.
func (e *Event) isWrite() bool { return e.Kind == Put || e.Kind == Delete }

// Answer is what a search gave: all documents of the collection.
type Answer struct {
	Total     uint64
	Exact     bool
	Partial   bool
	Relation  string
	Seq       map[string]uint64 // of each group that answered
	Missing   []string          // groups that did not
	Documents []Document
	Left      bool // the answer says that documents deleted meanwhile are left out
}

// Document is one document of an answer.
type Document struct {
	ID    string
	Value uint64
}

// History is all that clients did, in the order in which it ended.
type History []Event

// recorder collects a history.
type recorder struct {
	start time.Time

	mu     sync.Mutex // guards events and gone
	events History
	gone   []Event // verified deletes, for the auditors
}

func (r *recorder) now() time.Duration { return time.Since(r.start) }

func (r *recorder) add(events ...Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, events...)
	for _, e := range events {
		if e.Kind == Delete && e.Result == OK && e.Visible {
			r.gone = append(r.gone, e)
		}
	}
}

// history gives what was recorded so far.
func (r *recorder) history() History {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.events[:len(r.events):len(r.events)]
}

// deleted gives the n-th newest verified delete in a group, false when there are not so many.
func (r *recorder) deleted(group string, n int) (Event, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := len(r.gone) - 1; i >= 0; i-- {
		if r.gone[i].Group != group {
			continue
		}
		if n--; n < 0 {
			return r.gone[i], true
		}
	}
	return Event{}, false
}

// Violation is one thing that must not be.
type Violation struct {
	Checker string
	Text    string
}

func (v Violation) String() string { return v.Checker + ": " + v.Text }

// violations collects what one checker finds.
type violations struct {
	checker string
	found   []Violation
}

func (v *violations) add(format string, args ...any) {
	v.found = append(v.found, Violation{v.checker, fmt.Sprintf(format, args...)})
}
