package shard

import (
	"fmt"
	"time"

	"github.com/jetseek/jetseek/subjects"
	"github.com/jetseek/jetseek/subjects/service"
	"github.com/jetseek/jetseek/subjects/wire"
)

// meters count what a member has answered, by operation; any counts what came to it as any member of its group.
type meters struct{ ping, stats, search, docs, get, slots, explain, has, digest, repair, quarantine, complete, any service.Meter }

// of gives the meter of an operation; of none: nil.
func (m *meters) of(op string) *service.Meter {
	switch op {
	case wire.OpPing:
		return &m.ping
	case wire.OpStats:
		return &m.stats
	case wire.OpSearch:
		return &m.search
	case wire.OpDocs:
		return &m.docs
	case wire.OpGet:
		return &m.get
	case wire.OpSlots:
		return &m.slots
	case wire.OpExplain:
		return &m.explain
	case wire.OpHas:
		return &m.has
	case wire.OpDigest:
		return &m.digest
	case wire.OpRepair:
		return &m.repair
	case wire.OpQuarantine:
		return &m.quarantine
	case wire.OpComplete:
		return &m.complete
	}
	return nil
}

// nameOf gives an operation's name for metrics, in which nothing stands that others have written.
func (m *meters) nameOf(op string) string {
	if m.of(op) == nil {
		return "unknown"
	}
	return op
}

// observe counts a request that was answered, with err or without.
func (m *Member) observe(r request, err error) {
	took := time.Since(r.arrived)
	m.meters.of(r.op).Observe(took, err)
	m.metrics.request(m.meters.nameOf(r.op), took, err)
	if r.msg.Sub != nil && r.msg.Sub.Queue != "" {
		m.meters.any.Observe(took, err)
	}
}

// announce makes the member known to the NATS services framework.
func (m *Member) announce() (*service.Service, error) {
	names, group, node := m.opts.Names, m.opts.Group, m.opts.Node
	config := service.Config{
		Name: subjects.ShardService, ID: fmt.Sprintf("%016x", m.incarnation), Description: "jetseek member: holds and searches the documents of its group",
		Metadata: map[string]string{"group": group, "node": node, "member": m.id},
	}
	for _, op := range []string{wire.OpPing, wire.OpStats, wire.OpSearch, wire.OpDocs, wire.OpGet, wire.OpSlots, wire.OpExplain, wire.OpHas, wire.OpDigest, wire.OpRepair, wire.OpQuarantine, wire.OpComplete} {
		config.Endpoints = append(config.Endpoints, service.Endpoint{Name: op, Subject: names.Member(group, node, op), Meter: m.meters.of(op)})
	}
	config.Endpoints = append(config.Endpoints, service.Endpoint{Name: "any", Subject: names.Any(group, "*"), QueueGroup: subjects.ShardService, Meter: &m.meters.any})
	return service.Announce(m.opts.Conn, config, func() any { return m.standing() })
}

// standing is what the statistics of discovery say of a member.
type standing struct {
	Group     string `json:"group"`
	Member    string `json:"member"`
	State     State  `json:"state"`
	Reason    string `json:"reason,omitempty"`
	Applied   uint64 `json:"applied"`
	Lag       uint64 `json:"lag"` // messages that the log is known to hold and that are not applied
	Documents uint64 `json:"documents"`
}

func (m *Member) standing() standing {
	state, reason := m.status.get()
	snap := m.index.Snapshot()
	defer snap.Close()
	return standing{
		Group: m.opts.Group, Member: m.id, State: state, Reason: reason,
		Applied: snap.Seq(), Lag: max(m.head(), snap.Seq()) - snap.Seq(), Documents: countDocuments(snap),
	}
}
