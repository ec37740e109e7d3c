package labels

import (
	"errors"
	"strings"
	"testing"

	"github.com/jetseek/jetseek/engine/internal/segment/cursor"
)

func TestLines(t *testing.T) {
	for _, c := range []struct {
		full bool
		want string
	}{
		{false, "" +
			"       100        1  07                        count 7\n" +
			"       101        2  ac02                        number 300\n" +
			"       103       14  000102030405060708090a0b… rest of 14\n" +
			"       117        1  ff                        CORRUPT: bytes without a meaning\n"},
		{true, "" +
			"       100        1  07                        count 7\n" +
			"       101        2  ac02                        number 300\n" +
			"       103       14  000102030405060708090a0b  rest of 14\n" +
			"       115           0c0d\n" +
			"       117        1  ff                        CORRUPT: bytes without a meaning\n"},
	} {
		var out strings.Builder
		p := New(&out, c.full)
		r := p.Read([]byte{7, 0xac, 2, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 0xff}, 100)
		if r.Byte("count") != 7 {
			t.Error("count is not 7")
		}
		p.In()
		if r.Uvarint("number") != 300 {
			t.Error("number is not 300")
		}
		p.Out()
		r.Bytes(14, "rest of %d", 14)
		if r.End() {
			t.Error("a byte is left")
		}
		if err := p.Flush(); err != nil || out.String() != c.want {
			t.Errorf("full %v, %v:\n%s\nwant\n%s", c.full, err, out.String(), c.want)
		}
	}
}

func TestWhatIsNotWholeIsCorrupt(t *testing.T) {
	var out strings.Builder
	p := New(&out, false)
	r := p.Read([]byte{1, 2}, 0)
	r.Group(func(c *cursor.Cursor) string { c.Fixed32(); return "four bytes" })
	if r.Fixed32("four more"); r.OK() || r.End() {
		t.Error("two bytes are four")
	}
	want := "         0        2  0102                      CORRUPT: what should be here does not end within these bytes\n"
	if err := p.Flush(); err != nil || out.String() != want {
		t.Errorf("%v: %s", err, out.String())
	}
}

func TestFew(t *testing.T) {
	values := []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	if got := Few(New(nil, false), values); got != "1 2 3 4 5 6 7 8 and 2 more" {
		t.Error(got)
	}
	if got := Few(New(nil, true), values); got != "1 2 3 4 5 6 7 8 9 10" {
		t.Error(got)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("full") }

func TestTheWritersErrorEndsIt(t *testing.T) {
	p := New(failing{}, false)
	for range 1000 {
		p.Line(0, []byte{1}, "one")
	}
	if err := p.Flush(); err == nil || !p.Failed() {
		t.Error("the writer failed, and nobody says so")
	}
}
