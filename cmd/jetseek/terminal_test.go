package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects/wire"
)

func TestProgressWithoutATerminalIsALineATenth(t *testing.T) {
	var b strings.Builder
	p := newCounter(&b, 25)
	for done := int64(5); done <= 25; done += 5 {
		p.at(done)
	}
	p.at(25)
	p.end()
	want := "indexing: 5 of 25 documents\nindexing: 10 of 25 documents\nindexing: 15 of 25 documents\nindexing: 20 of 25 documents\nindexing: 25 of 25 documents\n"
	if b.String() != want {
		t.Errorf("got\n%s", b.String())
	}
}

func TestInterruptions(t *testing.T) {
	for want, errs := range map[bool][]error{
		true:  {nil, context.Canceled, fmt.Errorf("read: %w", context.Canceled), fmt.Errorf("search: %w", wire.NewError(fault.Unavailable, wire.ReasonCanceled, "x"))},
		false: {errors.New("disk full"), fault.New(fault.BadQuery, "x"), context.DeadlineExceeded},
	} {
		for _, err := range errs {
			if isInterruption(err) != want {
				t.Errorf("%v: %v", err, !want)
			}
		}
	}
}
