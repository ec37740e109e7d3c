//go:build broken_ack

package coordinator

import (
	"github.com/jetseek/jetseek/engine/outcome"
	"github.com/jetseek/jetseek/subjects/wire"
)

// tried is broken on purpose: what was sent is taken for stored and visible.
func (p *packer) tried(f *flight, writes int) {
	outcomes := make([]outcome.Outcome, writes)
	for i := range outcomes {
		outcomes[i] = outcome.Outcome{Code: outcome.Updated, Version: 1}
	}
	p.c.tracker.report(&wire.Report{Group: p.group, Counter: f.counter, Outcomes: outcomes})
}
