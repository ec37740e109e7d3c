package engine

import (
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/jetseek/jetseek/engine/fault"
)

// ErrUnreadable says that a file of the index is absent, damaged, or cannot be read: what it held must be taken from elsewhere.
var ErrUnreadable = errors.New("a file of the index cannot be read")

// unreadable is a fault while a mapped segment was read. It is [ErrUnreadable], and a user's error of the code unavailable.
type unreadable struct{ coded *fault.Error }

func (u *unreadable) Error() string   { return u.coded.Message }
func (u *unreadable) Unwrap() []error { return []error{ErrUnreadable, u.coded} }

// panicOnFault makes a fault of this goroutine a panic instead of the end of the process, and gives what was set before.
func panicOnFault() bool { return debug.SetPanicOnFault(true) }

// catch makes a fault in a mapped file an error that names it. It is deferred, with what [panicOnFault] gave.
func (f *files) catch(before bool, err *error) {
	debug.SetPanicOnFault(before)
	r := recover()
	if r == nil {
		return
	}
	if u := f.fault(r); u != nil {
		*err = u
		return
	}
	panic(r)
}

// name makes a fault in a mapped file a panic with an error that names it.
func (f *files) name(before bool) {
	debug.SetPanicOnFault(before)
	r := recover()
	if r == nil {
		return
	}
	if u := f.fault(r); u != nil {
		panic(u)
	}
	panic(r)
}

// fault gives the error of a panic that is a fault in a mapped file, else nil.
func (f *files) fault(r any) error {
	at, ok := r.(interface{ Addr() uintptr })
	if f == nil || !ok {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for file := range f.open {
		if contains(file.mapping.Bytes(), at.Addr()) {
			name := segmentName(file.number)
			return &unreadable{fault.New(fault.Unavailable, "segment %s cannot be read: its disk fails, or the file was cut (%v)", name, fmt.Sprint(r))}
		}
	}
	return nil
}
