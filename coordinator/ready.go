package coordinator

import (
	"context"
	"slices"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects/placement"
	"github.com/jetseek/jetseek/subjects/wire"
)

// statusTimeout is how long a group may take to say that it serves.
const statusTimeout = time.Second

// handleStatus tells which groups answer. It asks them: what was heard last is seconds old when it matters.
func (c *Coordinator) handleStatus(ctx context.Context, _ string, msg *nats.Msg) (answerTo, error) {
	only, err := wire.DecodeStatusRequest(msg.Data)
	if err != nil {
		return answerTo{}, err
	}
	groups := c.groups()
	if only != "" {
		if !slices.Contains(groups, only) {
			return answerTo{}, fault.New(fault.NotFound, "there is no group %s", fault.Quote(only))
		}
		groups = []string{only}
	}
	ctx, cancel := context.WithTimeout(ctx, statusTimeout)
	defer cancel()
	body := wire.ReadyBody{Ready: c.conn.IsConnected() && (only != "" || len(groups) >= c.expect), Groups: c.whichServe(ctx, groups)}
	for _, serves := range body.Groups {
		body.Ready = body.Ready && serves
	}
	if !body.Ready {
		return answerTo{body, 503}, nil
	}
	return answerTo{body, 200}, nil
}

// whichServe asks a member of each group for the statistics of nothing, which only one that may serve gives. A member that knows a newer map serves too.
func (c *Coordinator) whichServe(ctx context.Context, groups []string) map[string]bool {
	m := c.view.View().Map
	t := &trip{op: wire.OpStats}
	for _, name := range groups {
		head := wire.Head{}
		if m != nil {
			if g, ok := m.Group(name); ok {
				head.Epoch = g.OwnEpoch
			}
		}
		t.targets = append(t.targets, &target{group: name, members: c.membersOf(name, 0), head: head,
			encode: func(h wire.Head) []byte { return wire.AppendStatsRequest(nil, &wire.StatsRequest{Head: h}) },
			accept: func(data []byte) *wire.Error {
				_, err := decodeReply(data, wire.DecodeStatsReply, func(r *wire.StatsReply) *wire.Frame { return &r.Frame })
				return err
			}})
	}
	c.scatter(ctx, t)
	serves := make(map[string]bool, len(groups))
	for _, target := range t.targets {
		serves[target.group] = target.done && (target.err == nil || target.err.Reason == wire.ReasonStaleMap)
	}
	return serves
}

// groups gives the names of all groups that the map or a member names, in order.
func (c *Coordinator) groups() []string {
	v := c.view.View()
	var names []string
	if v.Map != nil {
		for _, g := range v.Map.Groups {
			names = append(names, g.Name)
		}
	} else {
		for _, m := range v.Members {
			names = append(names, m.Group)
		}
	}
	slices.SortFunc(names, placement.CompareGroups)
	return slices.Compact(names)
}
