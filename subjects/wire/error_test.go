package wire_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects/wire"
)

func TestErrorsComeBackAsTheyWere(t *testing.T) {
	for name, err := range map[string]error{
		"with a position": fault.At(fault.BadQuery, 14, "unbalanced ( at 14"),
		"at the start":    fault.At(fault.BadQuery, 0, "x"),
		"without":         fault.New(fault.NotFound, "no document \"a\""),
		"wrapped":         fmt.Errorf("search g0: %w", fault.New(fault.LimitExceeded, "1,024 clauses")),
		"with a reason":   wire.NewError(fault.Unavailable, wire.ReasonStaleMap, "newer epoch"),
		"durable":         &wire.Error{Code: fault.Deadline, Position: -1, Durable: wire.DurableUnknown},
	} {
		sent := wire.FromError(err)
		var want *fault.Error
		if !errors.As(err, &want) {
			t.Fatalf("%s: no fault", name)
		}
		inJSON, jerr := json.Marshal(sent)
		if jerr != nil {
			t.Fatal(jerr)
		}
		for _, b := range [][]byte{wire.AppendError(nil, sent), inJSON} {
			back, derr := wire.DecodeError(b)
			if derr != nil {
				t.Fatalf("%s: %v", name, derr)
			}
			var got *fault.Error
			if !errors.As(error(back), &got) || *got != *want || !reflect.DeepEqual(back, sent) {
				t.Errorf("%s: %+v came back as %+v", name, sent, back)
			}
			if back.Status() != want.Code.Status() {
				t.Errorf("%s: status %d", name, back.Status())
			}
		}
	}
}

func TestErrorsWithoutACode(t *testing.T) {
	for _, c := range []struct {
		err    error
		code   fault.Code
		reason string
	}{
		{context.DeadlineExceeded, fault.Deadline, ""},
		{fmt.Errorf("wait: %w", context.DeadlineExceeded), fault.Deadline, ""},
		{context.Canceled, fault.Unavailable, wire.ReasonCanceled},
		{errors.New("disk on fire"), fault.Unavailable, wire.ReasonInternal},
	} {
		if got := wire.FromError(c.err); got.Code != c.code || got.Reason != c.reason || got.Position >= 0 {
			t.Errorf("%v: %+v", c.err, got)
		}
	}
	if wire.FromError(nil) != nil {
		t.Error("no error is an error")
	}
	if long := wire.FromError(errors.New(strings.Repeat("é", 5000))); len(long.Message) > 512 || !strings.HasSuffix(long.Message, "é") {
		t.Errorf("a message of %d bytes", len(long.Message))
	}
}

func TestErrorBodies(t *testing.T) {
	e := &wire.Error{Code: fault.Unavailable, Message: "no answer", Position: -1, Reason: "no_map", Durable: wire.DurableUnknown}
	got, err := json.Marshal(e)
	want := `{"error":{"code":"unavailable","message":"no answer","reason":"no_map","durable":"unknown"}}`
	if err != nil || string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for _, broken := range []string{"", "{", "{}", `{"error":{}}`, `{"error":7}`} {
		if e, err := wire.DecodeError([]byte(broken)); !errors.Is(err, wire.ErrMalformed) {
			t.Errorf("%q: %+v, %v", broken, e, err)
		}
	}
}
