package sim

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/jetseek/jetseek/coordinator/client"
	"github.com/jetseek/jetseek/embedded/witness"
	"github.com/jetseek/jetseek/shard"
)

// Times of a run beside the plan's.
const (
	startTimeout  = time.Minute
	lateWrites    = 10 * time.Second // after the last client: what coordinators still offer to the log
	settleTimeout = 90 * time.Second // after all was mended
)

// World is a system in a bubble, with a hand on everything around its processes. It is used once.
type World struct {
	plan   *Plan
	dir    string
	server *natsServer

	members      []*process
	coordinators []*process
	conn         *nats.Conn   // of the simulator itself: nothing befalls it
	conns        []*nats.Conn // of the clients
	witness      *witness.Witness
	poison       func(value uint64) bool // what the software of members cannot apply; nil: it can apply all. Changed while no member runs or starts.

	served atomic.Uint64 // deleted documents that the auditors of coordinators found, in lives that have ended

	mu    sync.Mutex // guards notes
	notes []string
}

// Run is what came of a plan.
type Run struct {
	*witness.Evidence
	Plan  *Plan
	Notes []string // what is no fault of the system
	// Served is how often the system's own auditors found a deleted document at a member.
	Served uint64
}

// CheckAuditors finds what the auditors of the coordinators found: it must be nothing.
func CheckAuditors(r *Run) []witness.Violation {
	if r.Served == 0 {
		return nil
	}
	return []witness.Violation{{Checker: "auditors", Text: fmt.Sprintf("coordinators found %d times that a member would serve a document whose delete was verified", r.Served)}}
}

// Play runs a plan. It must be called in a bubble; t fails when the system does not come to life.
func Play(t testing.TB, plan *Plan) (*Run, error) {
	w := &World{plan: plan, poison: plan.poison(), dir: t.TempDir(), server: &natsServer{dir: t.TempDir()}}
	defer w.close()
	if err := w.open(t.Context()); err != nil {
		return nil, fmt.Errorf("the system does not start: %w", err)
	}
	w.play(t.Context())
	if err := w.settle(t.Context()); err != nil {
		w.note("%v", err)
	}
	evidence, err := w.witness.Gather(t.Context())
	for _, c := range w.coordinators {
		c.end()
	}
	return &Run{Evidence: evidence, Plan: plan, Notes: w.notes, Served: w.served.Load()}, err
}

func (w *World) note(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.notes = append(w.notes, fmt.Sprintf("%.3f s: ", w.witness.Now().Seconds())+fmt.Sprintf(format, args...))
}

// open starts everything and creates the collection.
func (w *World) open(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	if err := w.server.start(); err != nil {
		return err
	}
	var err error
	if w.conn, err = w.connect("simulator", newLink()); err != nil {
		return err
	}
	for _, id := range w.plan.memberIDs() {
		w.members = append(w.members, w.newProcess(id, w.plan.Rates[id]))
	}
	for _, id := range w.plan.coordinatorIDs() {
		w.coordinators = append(w.coordinators, w.newProcess(id, 1))
	}
	for _, p := range append(w.members, w.coordinators...) {
		if err := p.start(); err != nil {
			return err
		}
	}
	var clients []*client.Client
	for range w.plan.Clients {
		conn, err := w.connect("client", newLink())
		if err != nil {
			return err
		}
		c, err := client.New(conn, client.Options{})
		if err != nil {
			return err
		}
		w.conns, clients = append(w.conns, conn), append(clients, c)
	}
	for _, m := range w.members {
		if err := m.running().member.AwaitServing(ctx); err != nil {
			return err
		}
	}
	w.witness = witness.New(witness.Options{Conn: w.conn, Groups: w.plan.groups(), Members: w.plan.memberIDs(), Clients: clients, Seed: w.plan.Seed, AuditEvery: w.plan.AuditEvery})
	return w.witness.Open(ctx)
}

// play runs clients, auditors and faults until the plan's length, then mends everything.
func (w *World) play(ctx context.Context) {
	until, cancel := context.WithTimeout(ctx, planLength)
	defer cancel()
	var parts sync.WaitGroup
	parts.Go(func() { w.witness.Watch(until, w.plan.Clients) })
	w.runFaults(until)
	parts.Wait()
	witness.Pause(ctx, lateWrites)
}

// settle waits until every member serves and those of a group are at the same content.
func (w *World) settle(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, settleTimeout)
	defer cancel()
	if err := witness.Retry(ctx, func() error {
		for _, m := range w.members {
			if state, reason := m.state(); state != shard.Serving {
				return fmt.Errorf("%s is %s: %s", m.id, state, reason)
			}
		}
		return nil
	}); err != nil {
		return err
	}
	return w.witness.Settle(ctx)
}

// software is the version that members run.
func (w *World) software() string {
	if w.poison != nil {
		return "poisoned"
	}
	return "right"
}

func (w *World) close() {
	var ended sync.WaitGroup
	for _, p := range append(w.coordinators, w.members...) {
		ended.Go(p.end)
	}
	ended.Wait()
	for _, c := range w.conns {
		c.Close()
	}
	if w.conn != nil {
		w.conn.Close()
	}
	w.server.stop()
}
