package fault_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/jetseek/jetseek/engine/fault"
)

func TestStatus(t *testing.T) {
	for code, want := range map[fault.Code]int{
		fault.BadRequest: 400, fault.BadQuery: 400, fault.BadDocument: 400, fault.BadField: 400, fault.BadSort: 400, fault.BadVector: 400, fault.Unauthorized: 401,
		fault.Forbidden: 403, fault.NotFound: 404, fault.NoCollection: 404, fault.VersionConflict: 409, fault.Exists: 409, fault.CursorExpired: 410, fault.TooLarge: 413,
		fault.LimitExceeded: 422, fault.Overloaded: 429, fault.Unavailable: 503, fault.Deadline: 504, "later": 503,
	} {
		if got := code.Status(); got != want {
			t.Errorf("%s: %d, want %d", code, got, want)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		err  error
		code fault.Code
		text string
	}{
		{fault.New(fault.BadField, "field %s", fault.Quote("a\n")), fault.BadField, `bad_field: field "a\n"`},
		{fault.At(fault.BadQuery, 3, "unexpected"), fault.BadQuery, `bad_query: unexpected (at 3)`},
		{fmt.Errorf("plan: %w", fault.New(fault.Deadline, "late")), fault.Deadline, `plan: deadline: late`},
		{errors.New("other"), "", "other"},
	} {
		if fault.CodeOf(c.err) != c.code || c.err.Error() != c.text {
			t.Errorf("%v: code %q, want %q %q", c.err, fault.CodeOf(c.err), c.code, c.text)
		}
	}
	if fault.CodeOf(nil) != "" {
		t.Error("no error has a code")
	}
}

func TestQuoteIsShort(t *testing.T) {
	if got := fault.Quote(strings.Repeat("x", 1000)); len(got) > 80 || !strings.HasSuffix(got, "…") {
		t.Errorf("%q", got)
	}
}
