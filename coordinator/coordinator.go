package coordinator

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"

	"github.com/jetseek/jetseek/engine/schema"
	"github.com/jetseek/jetseek/subjects"
	"github.com/jetseek/jetseek/subjects/ops"
	"github.com/jetseek/jetseek/subjects/registry"
	"github.com/jetseek/jetseek/subjects/wire"
)

// Options say what a coordinator uses.
type Options struct {
	// Conn carries requests and replies. LogConn carries JetStream calls, so that a large publish stands in no query's way; nil: Conn.
	Conn, LogConn *nats.Conn
	// Names makes the subjects; the zero value has the prefix "jetseek".
	Names subjects.Names
	// ExpectGroups is how many groups must serve before the map may be born; 0: 1.
	ExpectGroups int
	// Replicas of a bucket that this coordinator has to make; 0: 1.
	Replicas int
	// Bind uses a bucket that others have made, as it is, and makes none.
	Bind bool
	// Monitor is the monitoring of the NATS server, http://host:8222: whether it syncs every message is read there. "": that is not known.
	Monitor string
	// Synced says that the NATS server is known to sync every message, as the one of package embedded does.
	Synced bool
	// StoreFailed tells why NATS stores nothing at present, as the one of package embedded knows, "" when it does; nil: not known. Writes are refused meanwhile.
	StoreFailed func() string
	// Log takes what an operator should know; nil: nothing is said.
	Log *slog.Logger
	// Keys are the cluster's keys, with the first of which records are signed; nil: they are not.
	Keys *wire.Keys
	// Slow is how long a search may take before it is logged, with its query and timings; 0: none is.
	Slow time.Duration
	// AggregateParts is about how many runs of percentiles and buckets of terms a group sends at first; what else an answer depends on is asked for. 0: 4,096.
	AggregateParts int
	// Metrics is where the coordinator's metrics stand while it runs; nil: nowhere.
	Metrics prometheus.Registerer
}

// Coordinator asks and merges, and owns no document. All that it knows it learns again from the cluster: any number may run.
type Coordinator struct {
	conn           *nats.Conn
	js             jetstream.JetStream
	names          subjects.Names
	log            *slog.Logger
	expect         int
	replicas       int
	bind           bool
	keys           *wire.Keys
	incarnation    uint64
	start          time.Time
	registerer     prometheus.Registerer
	slow           time.Duration // searches that take longer are logged; 0: none
	metrics        *metrics
	aggregateParts int

	mux         *mux
	tracker     *tracker
	registry    *registry.Store
	uploads     *registry.Uploads
	documents   *registry.Documents
	view        *registry.Follower
	schemas     schemaCache
	suspects    suspects
	auditor     auditor
	checks      logChecks
	walks       walks
	beliefs     beliefs
	monitor     string        // of the NATS server; "": not known
	synced      bool          // the server is known to sync every message
	storeFailed func() string // nil: not known
	turn        atomic.Uint64 // members of a group are asked in turn
	counter     atomic.Uint64 // of messages to the logs

	operations map[ops.ID]*operation // never changed
	decoders   sync.Pool             // of *schema.Decoder, for the documents of writes

	door      door
	repairing chan struct{} // capacity 1: a repair runs

	mu      sync.Mutex // guards packers
	packers map[string]*packer
	spawn   func(func() error) // runs a goroutine that Run owns
	ended   context.Context    // done when Run ends
	leaving context.Context    // done when Run is asked to end: what takes long is cut short
}

// New makes a coordinator; Run brings it to life.
func New(o Options) (*Coordinator, error) {
	if o.Conn == nil {
		return nil, errors.New("coordinator: no NATS connection")
	}
	if o.LogConn == nil {
		o.LogConn = o.Conn
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	js, err := jetstream.New(o.LogConn)
	if err != nil {
		return nil, fmt.Errorf("coordinator: %w", err)
	}
	var b [8]byte
	rand.Read(b[:])
	c := &Coordinator{
		conn: o.Conn, js: js, names: o.Names, log: o.Log, expect: max(o.ExpectGroups, 1), replicas: max(o.Replicas, 1), bind: o.Bind, keys: o.Keys,
		incarnation: binary.LittleEndian.Uint64(b[:]), start: time.Now(), registerer: o.Metrics, slow: o.Slow, monitor: o.Monitor, synced: o.Synced, storeFailed: o.StoreFailed,
		aggregateParts: cmp.Or(max(o.AggregateParts, 0), aggregateParts),
		door:           door{running: make(chan struct{}, requestsAtATime)}, repairing: make(chan struct{}, 1), packers: make(map[string]*packer),
		decoders: sync.Pool{New: func() any { return new(schema.Decoder) }},
	}
	if c.operations, err = join(ops.Table(), c.handlers()); err != nil {
		return nil, fmt.Errorf("coordinator: %w", err)
	}
	c.tracker = newTracker(func() time.Duration { return time.Since(c.start) })
	c.metrics = c.tracker.metrics
	c.watchState()
	return c, nil
}

// Run serves until ctx ends, then finishes the requests that it accepted and returns when all that it started has ended. ready is called once,
// when requests are taken. It waits for a NATS that is not there yet.
func (c *Coordinator) Run(ctx context.Context, ready func()) error {
	if err := c.connect(ctx); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return fmt.Errorf("coordinator: %w", err)
	}
	defer c.mux.close()
	unregister, err := c.register(c.registerer)
	if err != nil {
		return fmt.Errorf("coordinator: %w", err)
	}
	defer unregister()
	// Packers and the view outlive the requests that wait for them: they end when the requests have.
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	g, background := errgroup.WithContext(background)
	c.ended, c.leaving = background, ctx
	c.spawn = func(f func() error) { g.Go(f) }
	g.Go(func() error { return c.view.Run(background) })
	g.Go(func() error { return c.ownFirst(background) })
	g.Go(func() error { return c.evictRunOut(background) })
	g.Go(func() error { return c.audit(background) })
	g.Go(func() error { return c.checkLogs(background) })
	g.Go(func() error {
		defer stop()
		return c.serve(ctx, ready)
	})
	if err := g.Wait(); err != nil && background.Err() == nil {
		return fmt.Errorf("coordinator: %w", err)
	}
	return nil
}

// connectRetry is the pause between tries while NATS is not there.
const connectRetry = 250 * time.Millisecond

// connect opens what must be there before a request can be answered.
func (c *Coordinator) connect(ctx context.Context) error {
	for {
		err := c.tryConnect(ctx)
		if err == nil || ctx.Err() != nil || errors.Is(err, subjects.ErrAsset) {
			return err
		}
		c.log.Info("waiting for NATS", "error", err)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(connectRetry):
		}
	}
}

func (c *Coordinator) tryConnect(ctx context.Context) (err error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if c.registry, err = registry.Open(ctx, c.js, c.names, registry.Options{Replicas: c.replicas, Bind: c.bind}); err != nil {
		return err
	}
	if c.uploads, err = registry.OpenUploads(ctx, c.js, c.names, registry.Options{Replicas: c.replicas, Bind: c.bind}); err != nil {
		return err
	}
	if c.documents, err = registry.OpenDocuments(ctx, c.js, c.names, registry.Options{Replicas: c.replicas, Bind: c.bind}); err != nil {
		return err
	}
	c.view = registry.NewFollower(c.registry, registry.Hooks{})
	c.mux, err = newMux(c.conn, c.names.Inbox(c.incarnation), c.metrics.lateReplies, c.takeReport)
	return err
}

func (c *Coordinator) takeReport(data []byte) {
	r, err := wire.DecodeReport(data)
	if err != nil || !c.knows(r.Member, r.Group) {
		c.log.Debug("a report does not decode, or is of a member that nobody declared yet", "error", err)
		return
	}
	c.tracker.report(r)
}

func (c *Coordinator) takeWatermark(msg *nats.Msg) {
	w, err := wire.DecodeWatermark(msg.Data)
	if err != nil || msg.Subject != c.names.Applied(w.Group) || !c.knows(w.Member, w.Group) {
		c.log.Debug("a watermark does not decode, or is of a member that nobody declared yet", "subject", msg.Subject, "error", err)
		return
	}
	c.tracker.watermark(w)
}

// knows tells whether a member of the group is declared, in the map or by its liveness record. What is remembered of members is bounded by that.
func (c *Coordinator) knows(member, group string) bool {
	if of, _, ok := subjects.SplitMember(member); !ok || of != group {
		return false
	}
	_, alive := c.view.View().Member(member)
	return alive || slices.Contains(c.declared(group), member)
}

// packer gives the packer of a group, which runs until the coordinator ends.
func (c *Coordinator) packer(group string) *packer {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.packers[group]
	if p == nil {
		p = newPacker(c, group)
		c.packers[group] = p
		c.spawn(func() error { return p.run(c.ended) })
		c.spawn(func() error { return p.commits.run(c.ended) })
	}
	return p
}

// recordHeader is the header of the next message to a group's log.
func (c *Coordinator) recordHeader(group string, counter uint64) wire.Header {
	h := wire.Header{Sender: c.incarnation, Counter: counter, TimeMs: time.Now().UnixMilli(), Reply: subjects.ReportSubject(c.mux.inbox)}
	if m := c.view.View().Map; m != nil {
		h.Epoch = m.Epoch
		if g, ok := m.Group(group); ok {
			h.Log = g.Log
		}
	}
	return h
}
