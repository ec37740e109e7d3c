//go:build unix

package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/jetseek/jetseek/embedded/witness"
)

// Run is what came of a plan.
type Run struct {
	*witness.Evidence
	Plan  *Plan
	Notes []string
	Heal  time.Duration // from the end of the last fault until all was well
}

// Play runs a plan with processes of bin, in dir, which stays.
func Play(ctx context.Context, plan *Plan, bin, dir string) (run *Run, err error) {
	c, err := openCluster(ctx, plan, bin, dir)
	defer func() {
		if e := c.close(); err == nil {
			err = e
		}
	}()
	if err != nil {
		return nil, fmt.Errorf("the cluster does not start: %w", err)
	}
	c.play(ctx)
	began := time.Now()
	if err := c.settle(ctx); err != nil {
		c.note("%v", err)
	}
	run = &Run{Plan: plan, Heal: time.Since(began)}
	witness.Pause(ctx, lateWrites-run.Heal)
	gather, cancel := context.WithTimeout(ctx, gatherTimeout)
	defer cancel()
	run.Evidence, err = c.witness.Gather(gather)
	for _, p := range c.processes {
		if ended, err := p.ended(); ended {
			c.note("%s has ended by itself: %v", p.name, err)
		}
	}
	run.Notes = c.notes
	return run, err
}

// play runs clients, auditors and faults until the plan's length.
func (c *Cluster) play(ctx context.Context) {
	until, cancel := context.WithTimeout(ctx, c.plan.Length)
	defer cancel()
	var parts sync.WaitGroup
	parts.Go(func() { c.witness.Watch(until, c.plan.Clients) })
	c.runFaults(until)
	parts.Wait()
}

// mostShown bounds the violations that a report names.
const mostShown = 8

// Report tells what a run did wrong, and under which faults.
func Report(r *Run, found []witness.Violation) string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d (%s, %d servers, %d groups): %d violations\n", r.Plan.Seed, r.Plan.Profile, r.Plan.Servers, r.Plan.Groups, len(found))
	for _, v := range found[:min(len(found), mostShown)] {
		fmt.Fprintf(&b, "  %s\n", v)
	}
	b.WriteString("faults:\n")
	for _, f := range r.Plan.Faults {
		fmt.Fprintf(&b, "  %s\n", f)
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "note: %s\n", n)
	}
	return b.String()
}

// playSeed plays one plan in a folder of its own, which goes unless something is wrong, and tells what came of it.
func playSeed(ctx context.Context, plan *Plan, bin, under string) (witness.Totals, Figures, error) {
	dir, err := os.MkdirTemp(under, fmt.Sprintf("torture-%d-", plan.Seed))
	if err != nil {
		return witness.Totals{}, Figures{}, err
	}
	run, err := Play(ctx, plan, bin, dir)
	if err != nil {
		report := ""
		if run != nil && run.Evidence != nil {
			report = Report(run, nil)
		}
		return witness.Totals{}, Figures{}, fmt.Errorf("seed %d, %s: %w; logs are in %s\n%s", plan.Seed, plan.Profile, err, dir, report)
	}
	found, totals := witness.Judge(run.Evidence, nil)
	if len(found) > 0 {
		return totals, figures(run), fmt.Errorf("%slogs are in %s", Report(run, found), dir)
	}
	return totals, figures(run), os.RemoveAll(dir)
}
