package sim

import (
	"fmt"
	"strings"

	"github.com/jetseek/jetseek/embedded/witness"
)

// mostShown bounds the violations that a report names.
const mostShown = 8

// Report tells what a run did wrong, and under which faults.
func Report(r *Run, found []witness.Violation) string {
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
