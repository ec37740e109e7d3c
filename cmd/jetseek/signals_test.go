package main

import (
	"syscall"
	"testing"
	"time"
)

// A signal that comes several times at once, as from timeout(1), ends a process as one does: with everything closed and exit code 0.
func TestSignalsAtOnceCountAsOne(t *testing.T) {
	p := startProcess(t, buildBinary(t), "serve", "--groups", "1", "--members", "1", "--http", "127.0.0.1:0", "--data", t.TempDir())
	p.err.await(minute(t), t, "jetseek ready http=")
	sent := 0
	for begin := time.Now(); time.Since(begin) < sameSignal/2; {
		if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			break // it has ended
		}
		sent++
		select {
		case <-p.done:
		case <-time.After(2 * time.Millisecond):
		}
	}
	if sent < 2 {
		t.Fatalf("it ended before a second signal: %d sent", sent)
	}
	p.ended(t)
}
