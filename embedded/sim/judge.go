package sim

import (
	"fmt"
	"strings"
)

// registerLimit bounds the operations of one document that are searched for an order.
const registerLimit = 400

// Totals count what runs did.
type Totals struct {
	Seeds      int
	Operations int // of clients, without audits
	Acked      int // writes
	Deletes    int // verified
	Reads      int // documents looked at behind a verified delete of them
	Lost       int // acknowledged writes that are not in the log
	Served     int // deleted documents that were read
	Skipped    int // documents that were too much to judge as registers
}

// Add adds up.
func (t *Totals) Add(o Totals) {
	t.Seeds += o.Seeds
	t.Operations += o.Operations
	t.Acked += o.Acked
	t.Deletes += o.Deletes
	t.Reads += o.Reads
	t.Lost += o.Lost
	t.Served += o.Served
	t.Skipped += o.Skipped
}

// Judge gives a run to all checkers.
func Judge(r *Run) ([]Violation, Totals) {
	totals := Totals{Seeds: 1, Lost: Lost(r.History, r.Log)}
	for i := range r.History {
		e := &r.History[i]
		if e.Kind != Audit {
			totals.Operations++
		}
		if e.isWrite() && e.Result == OK {
			totals.Acked++
			if e.Kind == Delete && e.Visible {
				totals.Deletes++
			}
		}
	}
	found := CheckAcknowledged(r.History, r.Log, r.Final)
	served, reads := CheckDeletes(append(r.History[:len(r.History):len(r.History)], r.Final...), r.Log.Owner)
	totals.Reads, totals.Served = reads, len(served)
	registers, skipped := CheckRegisters(r.History, r.Log.Owner, registerLimit)
	totals.Skipped = skipped
	found = append(found, served...)
	found = append(found, registers...)
	found = append(found, CheckSessions(r.History)...)
	found = append(found, CheckCoverage(r.History, r.Log)...)
	return append(found, CheckDigests(r.Members, r.Log)...), totals
}

// mostShown bounds the violations that a report names.
const mostShown = 8

// Report tells what a run did wrong, and under which faults.
func Report(r *Run, found []Violation) string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d (%s, %d groups of %d): %d violations\n", r.Plan.Seed, r.Plan.Profile, r.Plan.Groups, r.Plan.Members, len(found))
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
