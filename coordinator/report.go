package coordinator

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/jetseek/jetseek/subjects/wire"
)

// reportOf tells what each incarnation that could have served without a message, and each declared member, had to do with it. Nothing while no member has told of it: who
// could have served is not known then. start is the moment from which the tracker counts.
func (t *tracker) reportOf(f *flight, declared []string, start time.Time) []wire.Acknowledged {
	t.mu.Lock()
	defer t.mu.Unlock()
	if f.outcomes == nil {
		return nil
	}
	now := t.now()
	at := func(d time.Duration) *time.Time {
		wall := start.Add(d).Round(0).UTC()
		return &wall
	}
	var all []wire.Acknowledged
	told := make(map[string]bool)
	add := func(who incarnation, fill func(a *wire.Acknowledged)) {
		a := wire.Acknowledged{Member: who.member, Incarnation: fmt.Sprintf("%016x", who.number)}
		fill(&a)
		all = append(all, a)
		told[who.member] = true
	}
	for who, acked := range f.acked {
		add(who, func(a *wire.Acknowledged) { a.AckedAt = at(acked) })
	}
	for _, h := range f.holders {
		if _, acked := f.acked[h.who]; acked {
			continue
		}
		add(h.who, func(a *wire.Acknowledged) {
			if now >= h.until {
				a.LeaseRanOut = at(h.until)
			} else {
				a.LeaseUntil = at(h.until)
			}
		})
	}
	for _, id := range declared {
		if !told[id] {
			all = append(all, wire.Acknowledged{Member: id})
		}
	}
	slices.SortFunc(all, func(a, b wire.Acknowledged) int {
		return cmp.Or(cmp.Compare(a.Member, b.Member), cmp.Compare(a.Incarnation, b.Incarnation))
	})
	return all
}
