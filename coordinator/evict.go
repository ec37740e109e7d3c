package coordinator

import (
	"context"
	"time"

	"github.com/jetseek/jetseek/subjects/wire"
)

const (
	// evictLook is how often leases are looked at that may have run out, and evictAgain how long the log has to show that one is out of the table before it is said again.
	evictLook  = time.Second
	evictAgain = 10 * time.Second
	// evictAtOnce bounds the evictions of one record; the rest follow.
	evictAtOnce = 64
)

// evictRunOut takes incarnations whose lease has certainly run out, and was not renewed, out of the lease tables, through the logs: from then on no write waits for them, also
// none of a coordinator that has started since and has not seen the lease end. An eviction names the lease, so that one of an old view does nothing; that several coordinators
// say the same does nothing either. It runs until ctx ends.
func (c *Coordinator) evictRunOut(ctx context.Context) error {
	said := make(map[string]time.Time) // group -> when it was last said; groups are those of the map
	look := time.NewTicker(evictLook)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-look.C:
		}
		for _, group := range c.groups() {
			gone := c.tracker.runOut(group)
			if len(gone) == 0 || time.Since(said[group]) < evictAgain {
				continue
			}
			said[group] = time.Now()
			if err := c.evict(ctx, group, gone[:min(len(gone), evictAtOnce)]); err != nil && ctx.Err() == nil {
				c.log.Debug("leases that ran out were not taken out of the table", "group", group, "error", err)
			}
		}
	}
}

// evict writes evictions into a group's log.
func (c *Coordinator) evict(ctx context.Context, group string, gone []wire.Evict) error {
	ctx, cancel := context.WithTimeout(ctx, publishTry)
	defer cancel()
	evictions := make([]wire.Op, len(gone))
	for i := range gone {
		evictions[i] = wire.Op{Kind: wire.KindEvict, IfVersion: wire.NoCondition, Body: wire.AppendEvict(nil, &gone[i])}
	}
	if _, err := c.tell(ctx, group, evictions...); err != nil {
		return err
	}
	c.metrics.evictions.Add(float64(len(gone)))
	for _, e := range gone {
		c.log.Info("a member's lease has run out and was not renewed: no write waits for it any more", "member", e.Member)
	}
	return nil
}

// runOut gives the leases of a group's table, as the member that is furthest has it, that have certainly run out.
func (t *tracker) runOut(group string) []wire.Evict {
	t.mu.Lock()
	defer t.mu.Unlock()
	g, now := t.group(group), t.now()
	var furthest memberTrack
	for _, m := range g.members {
		if now-m.heard < silentAfter && m.mark.Applied > furthest.mark.Applied {
			furthest = m
		}
	}
	var gone []wire.Evict
	for _, e := range furthest.mark.Leases {
		if hasRunOut(e, g.heardOf(incarnation{e.Member, e.Incarnation}, e.G, now), now) {
			gone = append(gone, wire.Evict{Member: e.Member, Incarnation: e.Incarnation, G: e.G})
		}
	}
	return gone
}
