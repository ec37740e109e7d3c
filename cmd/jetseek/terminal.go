package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects/wire"
)

// terminalWidth is the width of a terminal in characters, or one that reads well where there is none.
func terminalWidth(w io.Writer) int {
	const otherwise = 120
	if f, ok := w.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return width
		}
	}
	return otherwise
}

// isTerminal tells whether what is written goes to a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// progress shows how far long work has come: a bar on a terminal, else a line for each tenth.
type progress struct {
	w     io.Writer
	bar   *progressbar.ProgressBar // nil without a terminal
	total int64
	unit  string // "documents"; "" for bytes
	tenth int64
}

// newProgress shows progress in bytes of a total; 0: it is not known.
func newProgress(w io.Writer, total int64) *progress {
	p := &progress{w: w, total: total}
	if isTerminal(w) {
		p.bar = progressbar.NewOptions64(cmp.Or(total, -1), progressbar.OptionSetWriter(w), progressbar.OptionSetDescription("indexing"), progressbar.OptionShowBytes(true),
			progressbar.OptionThrottle(50*time.Millisecond), progressbar.OptionClearOnFinish())
	}
	return p
}

// newCounter shows progress in documents of a total.
func newCounter(w io.Writer, total int) *progress {
	p := &progress{w: w, total: int64(total), unit: "documents"}
	if isTerminal(w) {
		p.bar = progressbar.NewOptions(total, progressbar.OptionSetWriter(w), progressbar.OptionSetDescription("indexing"), progressbar.OptionShowCount(),
			progressbar.OptionThrottle(50*time.Millisecond), progressbar.OptionClearOnFinish())
	}
	return p
}

// at says that done of the total are done.
func (p *progress) at(done int64) {
	if p.bar != nil {
		_ = p.bar.Set64(done) // a terminal that is gone needs no bar
		return
	}
	if p.total == 0 {
		return
	}
	if tenth := done * 10 / p.total; tenth > p.tenth {
		p.tenth = tenth
		if p.unit == "" {
			fmt.Fprintf(p.w, "indexing: %d%%\n", min(tenth*10, 100))
		} else {
			fmt.Fprintf(p.w, "indexing: %d of %d %s\n", done, p.total, p.unit)
		}
	}
}

// clear makes room for a line; the bar comes again with the next step.
func (p *progress) clear() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}

// end leaves the line of the bar.
func (p *progress) end() { p.clear() }

// isInterruption tells whether an error is just that the work was told to end.
func isInterruption(err error) bool {
	var e *wire.Error
	return err == nil || errors.Is(err, context.Canceled) || errors.As(err, &e) && e.Code == fault.Unavailable && e.Reason == wire.ReasonCanceled
}
