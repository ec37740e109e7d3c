package main

import (
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

// progress shows how far long work has come: a bar on a terminal, else a line for each tenth.
type progress struct {
	w     io.Writer
	bar   *progressbar.ProgressBar // nil without a terminal
	total int
	tenth int
}

func newProgress(w io.Writer, total int) *progress {
	p := &progress{w: w, total: total}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.bar = progressbar.NewOptions(total, progressbar.OptionSetWriter(w), progressbar.OptionSetDescription("indexing"), progressbar.OptionShowCount(),
			progressbar.OptionThrottle(50*time.Millisecond), progressbar.OptionClearOnFinish())
	}
	return p
}

// at says that done of the total are done.
func (p *progress) at(done int) {
	if p.bar != nil {
		_ = p.bar.Set(done) // a terminal that is gone needs no bar
		return
	}
	if tenth := done * 10 / max(p.total, 1); tenth > p.tenth {
		p.tenth = tenth
		fmt.Fprintf(p.w, "indexing: %d of %d documents\n", done, p.total)
	}
}

// end leaves the line of the bar.
func (p *progress) end() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}

// isInterruption tells whether an error is just that the work was told to end.
func isInterruption(err error) bool {
	var e *wire.Error
	return err == nil || errors.Is(err, context.Canceled) || errors.As(err, &e) && e.Code == fault.Unavailable && e.Reason == wire.ReasonCanceled
}
