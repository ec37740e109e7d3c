package embedded

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/jetseek/jetseek/shard"
	"github.com/jetseek/jetseek/subjects"
	"github.com/jetseek/jetseek/subjects/wire"
)

// Limits of one process.
const (
	mostGroups  = 64
	mostMembers = 8
	// startTimeout is how long Open waits until every member serves, unless the options say otherwise.
	startTimeout = 2 * time.Minute
)

// Options say how large the system is and what it is open to.
type Options struct {
	// Groups is the number of groups, g0 and up; 0: 1. Fewer than the data folder holds is refused.
	Groups int
	// Members is the number of members of each group, on nodes n1 and up; 0: 1.
	Members int
	// NATSURL uses a NATS that runs already instead of an embedded server.
	NATSURL string
	// NATSOptions say how to connect to NATSURL: who we are, TLS, the prefix of inboxes.
	NATSOptions []nats.Option
	// Keys are the cluster's keys (wire.ParseKeys), which sign and verify the records of logs; nil: they are not signed.
	Keys *wire.Keys
	// Listen lets the embedded server listen for other NATS clients on the loopback address, at NATSPort (0: any free port).
	Listen   bool
	NATSPort int
	// Prefix is the first token of all subjects; "": jetseek.
	Prefix string
	// Lease is how long a member may serve without word from its log; 0: 15 s.
	Lease time.Duration
	// IndexMemory is how many bytes of documents may wait in memory to be written to files, in all members together, before writers wait; 0: 256 MiB.
	IndexMemory int64
	// StartTimeout bounds the wait in Open until every member serves; 0: 2 minutes.
	StartTimeout time.Duration
	// Log takes what an operator should know; nil: nothing is said.
	Log *slog.Logger
	// Slow is how long a search may take before it is logged; 0: none is.
	Slow time.Duration
	// Metrics is where the metrics of all parts stand while the system is open; nil: nowhere.
	Metrics prometheus.Registerer

	// clock gives a member its clocks, hooks its hooks, and through stands in its connections, and in the coordinator's to the logs, named coordinator/log;
	// nil: as they are. Tests set them.
	clock   func(member string) shard.Clock
	hooks   func(member string) shard.Hooks
	through func(name string) wrapper
	// aggregateParts is the coordinator's; 0: as it has it. Tests set it.
	aggregateParts int
}

func (o Options) withDefaults() (Options, subjects.Names, error) {
	if o.Groups == 0 {
		o.Groups = 1
	}
	if o.Members == 0 {
		o.Members = 1
	}
	if o.Groups < 1 || o.Groups > mostGroups || o.Members < 1 || o.Members > mostMembers {
		return o, subjects.Names{}, fmt.Errorf("%d groups of %d members: at most %d and %d in one process", o.Groups, o.Members, mostGroups, mostMembers)
	}
	if o.StartTimeout == 0 {
		o.StartTimeout = startTimeout
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Prefix == "" {
		return o, subjects.Names{}, nil
	}
	names, err := subjects.New(o.Prefix)
	return o, names, err
}
