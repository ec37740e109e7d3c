//go:build unix

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// endTimeout is how long a process may take to end when it is asked to; then it is killed, and the run notes it.
const endTimeout = 30 * time.Second

// process is one process of the cluster. It may be started again after its end.
type process struct {
	name string
	bin  string
	args []string
	log  string
	disk *disk         // nil: it keeps nothing
	turn chan struct{} // capacity 1: one fault at a time befalls it
	cmd  *exec.Cmd     // the turn's holder alone uses it
	done chan error    // capacity 1: how it ended
}

func newProcess(bin, dir, name string, d *disk, args ...string) *process {
	return &process{name: name, bin: bin, args: args, log: filepath.Join(dir, "log", name), disk: d, turn: make(chan struct{}, 1)}
}

func (p *process) start() error {
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o640)
	if err != nil {
		return err
	}
	defer log.Close() // the process has it too
	p.cmd = exec.Command(p.bin, p.args...)
	p.cmd.Stderr = log
	p.cmd.Env = append(os.Environ(), "NATS_URL=", "NATS_CONTEXT=", "NATS_CREDS=")
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C is for the run alone, which ends them
	if err := p.cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", p.name, err)
	}
	done := make(chan error, 1)
	go func(cmd *exec.Cmd) { done <- cmd.Wait() }(p.cmd) // ends with the process
	p.done = done
	return nil
}

func (p *process) signal(s syscall.Signal) error {
	if err := p.cmd.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("%s to %s: %w", s, p.name, err)
	}
	return nil
}

// kill ends the process as a crash does.
func (p *process) kill() {
	if p.cmd == nil {
		return
	}
	_ = p.cmd.Process.Kill() // it may have ended
	<-p.done
	p.cmd = nil
}

// end asks the process to end, and waits until it has.
func (p *process) end() error {
	if err := p.signal(syscall.SIGTERM); err != nil {
		return err
	}
	timer := time.NewTimer(endTimeout)
	defer timer.Stop()
	select {
	case err := <-p.done:
		p.cmd = nil
		if err != nil {
			return fmt.Errorf("%s ended on SIGTERM with %w", p.name, err)
		}
		return nil
	case <-timer.C:
		p.kill()
		return fmt.Errorf("%s did not end in %s after SIGTERM", p.name, endTimeout)
	}
}

// ended tells whether the process has ended by itself.
func (p *process) ended() (bool, error) {
	select {
	case err := <-p.done:
		p.done <- err
		return true, err
	default:
		return false, nil
	}
}
