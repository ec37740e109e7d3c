package coordinator

import (
	"context"
	"fmt"
	"slices"

	"github.com/nats-io/nats.go"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects/placement"
	"github.com/jetseek/jetseek/subjects/wire"
)

// handlePlan tells what each rule would move to reach a number of groups, from the documents that there are.
func (c *Coordinator) handlePlan(ctx context.Context, _ string, msg *nats.Msg) (answerTo, error) {
	ctx, cancel, err := withBudget(ctx, msg)
	if err != nil {
		return answerTo{}, err
	}
	defer cancel()
	request, err := wire.DecodePlanRequest(msg.Data)
	if err != nil {
		return answerTo{}, err
	}
	if request.Shards < 1 || request.Shards > placement.MaxGroups {
		return answerTo{}, fault.New(fault.BadRequest, "shards %d: how many groups there shall be, 1 to %d", request.Shards, placement.MaxGroups)
	}
	m, err := c.mapForWrite()
	if err != nil {
		return answerTo{}, err
	}
	documents, err := c.documentsBySlot(ctx, m)
	if err != nil {
		return answerTo{}, err
	}
	body, err := planGrowth(m, request.Shards, documents)
	if err != nil {
		return answerTo{}, fmt.Errorf("plan %d groups: %w", request.Shards, err)
	}
	return answerTo{body, 200}, nil
}

// documentsBySlot asks every group; without one of them there is no plan.
func (c *Coordinator) documentsBySlot(ctx context.Context, m *placement.Map) (*[placement.Slots]uint64, error) {
	counts := new([placement.Slots]uint64)
	t := &trip{op: wire.OpSlots}
	for _, g := range m.Groups {
		if g.OwnEpoch == 0 {
			continue // it has never owned a slot
		}
		t.targets = append(t.targets, &target{
			group: g.Name, members: c.membersOf(g.Name, 0), head: wire.Head{Epoch: g.OwnEpoch},
			encode: func(h wire.Head) []byte { return wire.AppendSlotsRequest(nil, &wire.SlotsRequest{Head: h}) },
			accept: func(data []byte) *wire.Error {
				reply, err := decodeReply(data, wire.DecodeSlotsReply, func(r *wire.SlotsReply) *wire.Frame { return &r.Frame })
				if err != nil {
					return err
				}
				for _, s := range reply.Slots {
					counts[s.Slot] = s.Documents // one owner a slot: groups do not add up
				}
				return nil
			},
		})
	}
	c.scatter(ctx, t)
	for _, target := range t.targets {
		if target.err != nil {
			return nil, target.err
		}
	}
	return counts, nil
}

// planGrowth counts what each rule would move.
func planGrowth(m *placement.Map, shards int, documents *[placement.Slots]uint64) (*wire.PlanBody, error) {
	groups := groupsFor(m, shards)
	body := &wire.PlanBody{Shards: shards, Counts: countByGroup(m, documents)}
	for _, g := range groups {
		body.Groups = append(body.Groups, g.Name)
	}
	for _, n := range documents {
		body.Documents += n
	}
	for _, rule := range []placement.Rule{placement.Ring, placement.Modulo, placement.Balanced} {
		next, err := m.Propose(rule, groups)
		if err != nil {
			return nil, err
		}
		plan := wire.RulePlan{Rule: string(rule), Counts: countByGroup(next, documents)}
		for _, move := range placement.Moves(m, next) {
			for slot := int(move.Slots.From); slot <= int(move.Slots.To); slot++ {
				plan.MovedSlots++
				plan.Moved += documents[slot]
			}
		}
		body.Rules = append(body.Rules, plan)
	}
	return body, nil
}

// groupsFor gives so many groups, in order: the first of those that there are, and new ones with the first free names g0, g1, ….
func groupsFor(m *placement.Map, n int) []placement.Group {
	groups := slices.Clone(m.Groups[:min(n, len(m.Groups))])
	for i := 0; len(groups) < n; i++ {
		name := fmt.Sprintf("g%d", i)
		if _, taken := m.Group(name); !taken {
			groups = append(groups, placement.Group{Name: name, Generation: 1})
		}
	}
	slices.SortFunc(groups, func(a, b placement.Group) int { return placement.CompareGroups(a.Name, b.Name) })
	return groups
}

func countByGroup(m *placement.Map, documents *[placement.Slots]uint64) map[string]uint64 {
	counts := make(map[string]uint64, len(m.Groups))
	for _, g := range m.Groups {
		counts[g.Name] = 0
	}
	for slot, n := range documents {
		counts[m.Owner(uint16(slot)).Name] += n
	}
	return counts
}
