package coordinator

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/jetseek/jetseek/subjects"
	"github.com/jetseek/jetseek/subjects/placement"
	"github.com/jetseek/jetseek/subjects/registry"
	"github.com/jetseek/jetseek/subjects/wire"
)

// mapForWrite gives the map, or says why there is none.
func (c *Coordinator) mapForWrite() (*placement.Map, error) {
	m := c.view.View().Map
	if m == nil {
		return nil, unavailable(reasonNoMap, "no collection was created yet: create one, or write to the collection default")
	}
	return m, nil
}

// birth makes the map if there is none: epoch 1, over the groups that have a serving member, with every member that has declared itself. Of
// several coordinators one wins, and all go on with its map.
func (c *Coordinator) birth(ctx context.Context) error {
	if c.view.View().Map != nil {
		return nil
	}
	if err := c.refreshMap(ctx); err != nil {
		return err
	}
	v := c.view.View()
	if v.Map != nil {
		return nil
	}
	groups := bornGroups(v.Members)
	if len(groups) == 0 {
		return unavailable(reasonNoMember, "no member serves: start shards, or wait until they have joined")
	}
	if len(groups) < c.expect {
		return unavailable(reasonTooFewGroups, "%d groups serve and %d are expected: start the others, or expect fewer", len(groups), c.expect)
	}
	m, err := placement.NewMap(placement.Ring, placement.DefaultVnodes, groups)
	if err != nil {
		return unavailable("internal", "the map cannot be made: %v", err)
	}
	if _, err := c.registry.CreateMap(ctx, m); err != nil && !errors.Is(err, registry.ErrConflict) {
		return unavailable(reasonNoNATS, "the map could not be written: %v", err)
	}
	if err := c.refreshMap(ctx); err != nil {
		return err
	}
	born := c.view.View().Map
	if born == nil {
		return unavailable(reasonNoMap, "the map was written and cannot be read yet: try again")
	}
	for _, g := range born.Groups {
		if err := c.ensureOwn(ctx, g.Name); err != nil {
			return err
		}
	}
	return nil
}

func (c *Coordinator) refreshMap(ctx context.Context) error { return c.refresh(ctx, "") }

// bornGroups gives the groups that have a serving member, with all their declared members.
func bornGroups(members []*registry.Member) []placement.Group {
	byName := make(map[string]*placement.Group)
	serving := make(map[string]bool)
	for _, r := range members {
		g := byName[r.Group]
		if g == nil {
			g = &placement.Group{Name: r.Group, Generation: 1}
			byName[r.Group] = g
		}
		g.Members = append(g.Members, subjects.MemberID(r.Group, r.Node))
		if r.State == "serving" {
			serving[r.Group] = true
			g.Log = r.Log
		}
	}
	var groups []placement.Group
	for name, g := range byName {
		if serving[name] {
			slices.Sort(g.Members)
			groups = append(groups, *g)
		}
	}
	slices.SortFunc(groups, func(a, b placement.Group) int { return placement.CompareGroups(a.Name, b.Name) })
	return groups
}

// busyRetry is the pause before a guarded publish is tried again that met another in flight.
const busyRetry = 10 * time.Millisecond

// ensureOwn puts a group's first ownership entry into its log, guarded so that it stands there once: whoever loses finds that it is done.
func (c *Coordinator) ensureOwn(ctx context.Context, group string) *wire.Error {
	m := c.view.View().Map
	g, ok := m.Group(group)
	if !ok || g.OwnEpoch != 1 {
		return nil // a group that came later gets its first entry from a move
	}
	if other := c.otherKeys(group); other != nil {
		return other
	}
	rec := wire.Record{
		Header: c.recordHeader(group, c.counter.Add(1)),
		Ops: []wire.Op{{Kind: wire.KindOwn, IfVersion: wire.NoCondition,
			Body: wire.AppendOwn(nil, &wire.Own{Epoch: g.OwnEpoch, Ranges: m.Ranges(group)})}},
	}
	rec.Reply = ""
	for {
		try, cancel := context.WithTimeout(ctx, publishTry)
		_, err := c.js.PublishMsg(try, &nats.Msg{Subject: c.names.LogOwn(group), Data: c.keys.Sign(wire.AppendRecord(nil, &rec))},
			jetstream.WithExpectLastSequencePerSubject(0), jetstream.WithExpectStream(c.names.Stream(group)), jetstream.WithRetryAttempts(0))
		cancel()
		var api *jetstream.APIError
		switch {
		case err == nil:
			return nil
		case errors.As(err, &api) && api.ErrorCode == 10071: // wrong last sequence: it stands there
			return nil
		case errors.As(err, &api) && api.ErrorCode == 10164 && ctx.Err() == nil: // busy: another such publish is in flight
			select {
			case <-ctx.Done():
			case <-time.After(busyRetry):
			}
		default:
			return unavailable(reasonLogRefused, "the ownership of group %s could not be written to its log: %v", group, err)
		}
	}
}

// ownFirst finishes a birth that another coordinator may have left half done: whoever meets epoch 1 writes the ownership of every group.
func (c *Coordinator) ownFirst(ctx context.Context) error {
	v, err := c.view.Wait(ctx, func(v *registry.View) bool { return v.Map != nil })
	if err != nil {
		return nil // the coordinator ends
	}
	for _, g := range v.Map.Groups {
		for c.ensureOwn(ctx, g.Name) != nil {
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(connectRetry):
			}
		}
	}
	return nil
}
