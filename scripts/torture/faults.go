//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"syscall"

	"github.com/jetseek/jetseek/embedded/witness"
)

// runFaults lets every fault of the plan come and go; when it returns all processes run.
func (c *Cluster) runFaults(ctx context.Context) {
	var faults sync.WaitGroup
	for i, f := range c.plan.Faults {
		faults.Go(func() {
			if witness.Pause(ctx, f.At) {
				rng := rand.New(rand.NewPCG(c.plan.Seed, uint64(i)))
				if err := c.befall(ctx, f, rng); err != nil {
					c.note("%s: %v", f, err)
				}
			}
		})
	}
	faults.Wait()
}

// befall lets one fault come over all its targets together, waits for as long as it lasts or until ctx ends, and undoes it.
func (c *Cluster) befall(ctx context.Context, f Fault, rng *rand.Rand) error {
	var targets []*process
	for _, name := range f.Targets {
		if name == leader {
			if name = c.leader(ctx); name == "" {
				return errors.New("nobody leads now")
			}
		}
		p := c.find(name)
		p.turn <- struct{}{} // in the order of names: no two wait for each other
		defer func() { <-p.turn }()
		targets = append(targets, p)
	}
	c.note("%s %v begins", f.Kind, f.Targets)
	defer c.note("%s %v ends", f.Kind, f.Targets)
	begin, end := f.actions(rng)
	errs := []error{each(targets, begin)}
	witness.Pause(ctx, f.For)
	return errors.Join(append(errs, each(targets, end))...)
}

// each does one thing to all processes at once.
func each(targets []*process, do func(*process) error) error {
	errs := make([]error, len(targets))
	var all sync.WaitGroup
	for i, p := range targets {
		all.Go(func() { errs[i] = do(p) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// actions gives what makes a fault, and what undoes it.
func (f Fault) actions(rng *rand.Rand) (begin, end func(*process) error) {
	die := func(p *process) error { p.kill(); return nil }
	switch f.Kind {
	case End:
		return (*process).end, (*process).start
	case Stop:
		return func(p *process) error { return p.signal(syscall.SIGSTOP) }, func(p *process) error { return p.signal(syscall.SIGCONT) }
	case Fill:
		return func(p *process) error { return p.disk.fill() }, (*process).hasRoom
	case Power:
		return func(p *process) error {
			p.kill()
			return p.disk.forget(context.Background())
		}, (*process).start
	case Flip, Cutoff:
		return die, func(p *process) error { return errors.Join(p.disk.damage(f.Kind, rng), p.start()) }
	}
	return die, (*process).start
}

// hasRoom gives the room back, and starts a server again, which takes no writes before.
func (p *process) hasRoom() error {
	if err := p.disk.free(); err != nil || p.name[0] != 's' {
		return err
	}
	p.kill()
	return p.start()
}

// damage changes one file of the logs.
func (d *disk) damage(kind FaultKind, rng *rand.Rand) error {
	files, err := d.blocks()
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return errors.New("there is no file of logs to damage")
	}
	name := files[rng.IntN(len(files))]
	b, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if len(b) == 0 {
		return fmt.Errorf("%s is empty", name)
	}
	if kind == Flip {
		b[rng.IntN(len(b))] ^= 1 << rng.IntN(8)
	} else {
		b = b[:len(b)-1-rng.IntN(min(len(b), 4096))]
	}
	return os.WriteFile(name, b, 0o640)
}
