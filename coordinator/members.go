package coordinator

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/jetseek/jetseek/subjects"
	"github.com/jetseek/jetseek/subjects/registry"
)

const (
	// silentAfter is how long a member may be silent before others are asked first; watermarks come every 250 ms.
	silentAfter = 3 * time.Second
	// suspectFor is how long a member that did not answer is asked last.
	suspectFor = 2 * time.Second
)

// standing is what the choice of a member looks at.
type standing struct {
	id        string
	serving   bool
	applied   uint64
	heard     bool // within silentAfter
	suspected bool
}

// order puts a group's members into the order in which they are asked: those known to serve and to be at a sequence, in turn, then those known to
// serve, in turn, then those of whom nothing is known, the suspected and the silent. None is left out: what a coordinator knows may be old, and a member refuses by itself.
func order(members []standing, minSeq, turn uint64) []string {
	slices.SortFunc(members, func(a, b standing) int { return cmp.Compare(a.id, b.id) })
	var there, serving, rest []string
	for _, m := range members {
		switch {
		case !m.serving || !m.heard || m.suspected:
			rest = append(rest, m.id)
		case m.applied < minSeq:
			serving = append(serving, m.id)
		default:
			there = append(there, m.id)
		}
	}
	return slices.Concat(inTurn(there, turn), inTurn(serving, turn), rest)
}

// inTurn begins a list at another place each turn.
func inTurn(ids []string, turn uint64) []string {
	if len(ids) < 2 {
		return ids
	}
	first := int(turn % uint64(len(ids)))
	return slices.Concat(ids[first:], ids[:first])
}

// suspects remembers members that did not answer.
type suspects struct {
	mu    sync.Mutex // guards since
	since map[string]time.Time
}

func (s *suspects) add(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.since == nil {
		s.since = make(map[string]time.Time)
	}
	s.since[id] = time.Now()
}

func (s *suspects) clear(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.since, id)
}

func (s *suspects) has(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, ok := s.since[id]
	return ok && time.Since(at) < suspectFor
}

// membersOf gives the nodes of a group in the order in which they are asked for a snapshot at or past minSeq.
func (c *Coordinator) membersOf(group string, minSeq uint64) []string {
	marks := c.tracker.marks(group)
	var all []standing
	for _, id := range c.declared(group) {
		all = append(all, c.standing(id, marks))
		delete(marks, id)
	}
	for id := range marks { // serving, and not in the map yet
		all = append(all, c.standing(id, marks))
	}
	ids := order(all, minSeq, c.turn.Add(1))
	nodes := make([]string, 0, len(ids))
	for _, id := range ids {
		if _, node, ok := subjects.SplitMember(id); ok {
			nodes = append(nodes, node)
		}
	}
	return nodes
}

func (c *Coordinator) standing(id string, marks map[string]heard) standing {
	h, known := marks[id]
	return standing{id: id, serving: h.mark.State == "serving", applied: h.mark.Applied, heard: known && h.ago < silentAfter, suspected: c.suspects.has(id)}
}

// AwaitMembers waits until this coordinator knows that all these members serve, so that it can ask them and make a map of them, and has heard from each.
func (c *Coordinator) AwaitMembers(ctx context.Context, ids []string) error {
	_, err := c.view.Wait(ctx, func(v *registry.View) bool {
		for _, id := range ids {
			if m, ok := v.Member(id); !ok || m.State != "serving" {
				return false
			}
		}
		return true
	})
	for _, id := range ids {
		if err == nil {
			err = c.tracker.awaitServing(ctx, id)
		}
	}
	if err != nil {
		return fmt.Errorf("wait for members %v to serve: %w", ids, err)
	}
	return nil
}

// awaitServing waits until a watermark says that a member serves.
func (t *tracker) awaitServing(ctx context.Context, id string) error {
	group, _, _ := subjects.SplitMember(id)
	for {
		t.mu.Lock()
		g := t.group(group)
		serves, changed := g.members[id].mark.State == "serving", g.changed
		t.mu.Unlock()
		if serves {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// declared gives the members that the map declares for a group.
func (c *Coordinator) declared(group string) []string {
	v := c.view.View()
	if v.Map == nil {
		return nil
	}
	g, ok := v.Map.Group(group)
	if !ok {
		return nil
	}
	return g.Members
}
