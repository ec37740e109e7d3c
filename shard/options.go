package shard

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/jetseek/jetseek/engine"
	"github.com/jetseek/jetseek/engine/vfs"
	"github.com/jetseek/jetseek/subjects"
	"github.com/jetseek/jetseek/subjects/wire"
)

// Limits of one member. What does not fit is answered "overloaded" at once, never queued without bound.
const (
	// queuedRequests is how many requests wait for a worker.
	queuedRequests = 1024
	// tailMessages and tailBytes bound the republished messages that wait to be applied; what does not fit is read from the stream again.
	tailMessages = 4096
	tailBytes    = 16 << 20
	// batchMessages and batchBytes bound what is applied as one batch.
	batchMessages = 64
	batchBytes    = 4 << 20
	// pinnedSnapshots and pinTime bound the snapshots kept for the second trip of a query. A pin whose time is over, or the oldest beyond the
	// number, is dropped: its query starts again.
	pinnedSnapshots = 256
	pinTime         = 5 * time.Second
	// pinnedNames, walkTime and walkMemory bound the snapshots that are kept for walks beside pinnedSnapshots of different content: walkMemory what they keep of segments in memory, though these are
	// in files meanwhile. A walk that begins when there is no room fails.
	pinnedNames = 4096
	walkMemory  = 512 << 20
	walkTime    = time.Minute
	// watermarkEvery is how often an idle member repeats its watermark; it heals lost ones and is its heartbeat.
	watermarkEvery = 250 * time.Millisecond
	// livenessEvery is how often the liveness record is renewed.
	livenessEvery = 3 * time.Second
	// parkedRequests is how many requests wait for the member to reach what they name.
	parkedRequests = 1024
)

// Options say which member to be and what to use.
type Options struct {
	// Conn carries requests, replies, the tail and reports. LogConn carries JetStream calls, so that a large read of the log stands
	// in no query's way; nil: Conn.
	Conn, LogConn *nats.Conn
	// Names makes the subjects; the zero value has the prefix "jetseek".
	Names subjects.Names
	// Group and Node name the member Group/Node.
	Group, Node string
	// Dir is the member's own folder. It is made if absent, and locked while the member runs.
	Dir string
	// Index is where the member keeps its index, for it alone; nil: the folder index of Dir. When it is damaged it is emptied, where that of Dir is set aside.
	Index vfs.Folder
	// FlushAge is how long what was written may stay in memory only, before it is written to files; 0: 30 s.
	FlushAge time.Duration
	// Replicas of a stream and bucket that this member has to make; 0: 1.
	Replicas int
	// Bind uses a stream and bucket that others have made, as they are, and makes none.
	Bind bool
	// Lease is L, from 250 ms to 45 s; 0: DefaultLease.
	Lease time.Duration
	// IdleAfter is how long nobody must have asked or written for the member to give its leases back, until somebody does; 0: a minute.
	IdleAfter time.Duration
	// MaxLag is how long a message that the log holds may wait to be applied before the member leaves rotation until it keeps pace; 0: 5 s.
	MaxLag time.Duration
	// ApplyLimit is how long the engine may take for each MiB, begun, of what it applies at once, an operation being 1 KiB at least, before the member ends with [ErrEndless]; 0: 10 s.
	ApplyLimit time.Duration
	// Clock measures leases; nil: SystemClock.
	Clock Clock
	// Resources are shared by all members of the process ([NewResources]); nil: the member's own.
	Resources *engine.Resources
	// Keys are the cluster's keys: records that they do not verify are passed over. Nil: records are not signed.
	Keys *wire.Keys
	// Workers is how many requests are worked on at a time; 0: 4.
	Workers int
	// Version of the software, for the liveness record.
	Version string
	// Log takes what an operator should know; nil: nothing is said.
	Log *slog.Logger
	// Metrics is where the member's metrics stand while it runs, with its group and node; nil: nowhere.
	Metrics prometheus.Registerer
	// Hooks are for tests that hold a member at a known point; nil funcs do nothing.
	Hooks Hooks
}

// Hooks let a test stop a member's loops where it wants to.
type Hooks struct {
	// BeforeApply is called before a batch that ends at seq is applied.
	BeforeApply func(seq uint64)
	// Alter may change what is applied before it is, so that the member goes astray; replays of the log are not changed.
	Alter func(messages []engine.Message)
	// BeforeOp is called before a put or delete is applied to the member's index, which may make it panic; replays do not call it.
	BeforeOp func(op *engine.Op)
	// AfterSnapshot is called when a request has taken its snapshot, at seq, before it is admitted.
	AfterSnapshot func(seq uint64)
}

func (o Options) withDefaults() (Options, error) {
	switch {
	case o.Conn == nil:
		return o, errors.New("shard: no NATS connection")
	case o.Dir == "":
		return o, errors.New("shard: no data folder")
	}
	if err := subjects.ValidGroup(o.Group); err != nil {
		return o, err
	}
	if err := subjects.ValidNode(o.Node); err != nil {
		return o, err
	}
	if o.LogConn == nil {
		o.LogConn = o.Conn
	}
	if o.Replicas == 0 {
		o.Replicas = 1
	}
	if o.Lease == 0 {
		o.Lease = DefaultLease
	}
	if o.Lease < shortestLease || o.Lease > longestLease {
		return o, fmt.Errorf("shard: a lease of %s: it is between %s and %s", o.Lease, shortestLease, longestLease)
	}
	if o.FlushAge == 0 {
		o.FlushAge = flushAge
	}
	if o.IdleAfter == 0 {
		o.IdleAfter = idleAfter
	}
	if o.MaxLag <= 0 {
		o.MaxLag = maxLag
	}
	if o.ApplyLimit <= 0 {
		o.ApplyLimit = applyLimit
	}
	if o.Clock == nil {
		o.Clock = SystemClock()
	}
	if o.Resources == nil {
		var err error
		if o.Resources, err = NewResources(0); err != nil {
			return o, err
		}
	}
	if o.Workers == 0 {
		o.Workers = 4
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o, nil
}
