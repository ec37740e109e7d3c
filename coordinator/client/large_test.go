package client

import (
	"testing"

	"github.com/jetseek/jetseek/subjects/wire"
)

// The flags of the pieces of a bulk speak of the lines that stand; a piece of which none stands says nothing.
func TestFlagsOfPieces(t *testing.T) {
	all := func() *wire.BulkReply { return &wire.BulkReply{OK: true, Durable: true, Visible: true, Indexed: 1} }
	some := func() *wire.BulkReply { return &wire.BulkReply{Durable: true, Indexed: 1, Undecided: 1} }
	none := func() *wire.BulkReply { return &wire.BulkReply{Failed: 1} }
	for name, c := range map[string]struct {
		a, b             *wire.BulkReply
		durable, visible bool
	}{
		"both stand":           {all(), all(), true, true},
		"the second waits":     {all(), some(), true, false},
		"the first waits":      {some(), all(), true, false},
		"the first fails":      {none(), all(), true, true},
		"the second fails":     {all(), none(), true, true},
		"both fail":            {none(), none(), false, false},
		"one waits, one fails": {some(), none(), true, false},
	} {
		if sum := joinBulk(c.a, c.b); sum.Durable != c.durable || sum.Visible != c.visible {
			t.Errorf("%s: durable %t, visible %t", name, sum.Durable, sum.Visible)
		}
	}
}
