package coordinator

import (
	"strings"
	"testing"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects/wire"
)

// A page that cannot be given says what can be done: a snapshot that is certainly gone is not waited for, one that an absent member may keep is, and the request's own faults stay what they are.
func TestPagesThatCannotBeGiven(t *testing.T) {
	lost := wire.NewError(fault.Unavailable, wire.ReasonPinLost, "gone")
	for _, c := range []struct {
		name   string
		failed *wire.Error
		first  bool
		code   fault.Code
		says   string
	}{
		{"too many walks", lost, true, fault.Overloaded, "try again in a while"},
		{"the snapshot is gone", lost, false, fault.CursorExpired, "Begin again"},
		{"its member is away", unavailable(reasonNoMember, "member g0/n1 is not there"), false, fault.Unavailable, "member g0/n1 is not there. The walk goes on when a member that keeps its snapshot is back within a minute; else begin again"},
		{"no member before a walk", unavailable(reasonNoMember, "member g0/n1 is not there"), true, fault.Unavailable, "member g0/n1 is not there"},
		{"no time", wire.FromError(fault.New(fault.Deadline, "too late")), false, fault.Deadline, "too late"},
		{"a fault of the request", wire.FromError(fault.New(fault.BadQuery, "no score")), false, fault.BadQuery, "no score"},
	} {
		a := &answered{plan: &plan{walk: &walk{first: c.first}}}
		if err := a.walkError(c.failed); fault.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %s: …%s", c.name, err, c.code, c.says)
		}
	}
}
