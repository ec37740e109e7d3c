package sim

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/jetseek/jetseek/coordinator/client"
	"github.com/jetseek/jetseek/engine/schema"
	"github.com/jetseek/jetseek/shard"
	"github.com/jetseek/jetseek/subjects"
	"github.com/jetseek/jetseek/subjects/registry"
)

// collection is where all clients write.
const collection = "docs"

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
	names  subjects.Names
	rec    *recorder

	members      []*process
	coordinators []*process
	conn         *nats.Conn   // of the simulator itself: nothing befalls it
	conns        []*nats.Conn // of the clients
	clients      []*client.Client
	incarnation  schema.Incarnation
	owner        ownership

	mu    sync.Mutex // guards notes
	notes []string
}

// Run is what came of a plan.
type Run struct {
	Plan    *Plan
	History History
	Final   History
	Log     *Log
	Members []MemberState
	Notes   []string // what is no fault of the system
}

// Play runs a plan. It must be called in a bubble; t fails when the system does not come to life.
func Play(t testing.TB, plan *Plan) (*Run, error) {
	w := &World{plan: plan, dir: t.TempDir(), server: &natsServer{dir: t.TempDir()}, rec: &recorder{start: time.Now()}}
	defer w.close()
	if err := w.open(t.Context()); err != nil {
		return nil, fmt.Errorf("the system does not start: %w", err)
	}
	w.rec.start = time.Now()
	w.play(t.Context())
	if err := w.settle(t.Context()); err != nil {
		w.note("%v", err)
	}
	run := &Run{Plan: plan, History: w.rec.history(), Notes: w.notes}
	var err error
	if run.Log, err = w.readLog(t.Context()); err != nil {
		return run, err
	}
	run.Log.Owner = w.owner.all()
	run.Final = w.readAll(t.Context(), run.Log)
	run.Members, err = w.memberStates(t.Context())
	return run, err
}

func (w *World) note(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.notes = append(w.notes, fmt.Sprintf("%.3f s: ", w.rec.now().Seconds())+fmt.Sprintf(format, args...))
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
	for range w.plan.Clients {
		conn, err := w.connect("client", newLink())
		if err != nil {
			return err
		}
		c, err := client.New(conn, client.Options{})
		if err != nil {
			return err
		}
		w.conns, w.clients = append(w.conns, conn), append(w.clients, c)
	}
	for _, m := range w.members {
		if err := m.running().member.AwaitServing(ctx); err != nil {
			return err
		}
	}
	if err := retry(ctx, func() error {
		_, err := w.clients[0].CreateCollection(ctx, collection, json.RawMessage(`{"fields":{"value":{"type":"long"}}}`))
		return err
	}); err != nil {
		return err
	}
	if err := retry(ctx, func() error { return w.everyGroupAnswers(ctx) }); err != nil {
		return err
	}
	return w.readRecords(ctx)
}

// everyGroupAnswers tells whether the map is there and a search is whole.
func (w *World) everyGroupAnswers(ctx context.Context) error {
	ready, err := w.clients[0].Ready(ctx)
	if err != nil {
		return err
	}
	if len(ready.Groups) != w.plan.Groups || !ready.Ready {
		return fmt.Errorf("groups %v", ready.Groups)
	}
	return nil
}

// readRecords reads what does not change in a run: the collection's incarnation, and who owns what.
func (w *World) readRecords(ctx context.Context) error {
	js, err := jetstream.New(w.conn)
	if err != nil {
		return err
	}
	store, err := registry.Open(ctx, js, w.names, registry.Options{})
	if err != nil {
		return err
	}
	c, err := store.Collection(ctx, collection)
	if err != nil {
		return err
	}
	w.incarnation = schema.Incarnation(c.Incarnation)
	w.owner.m, _, err = store.Map(ctx)
	return err
}

// play runs clients, auditors and faults until the plan's length, then mends everything.
func (w *World) play(ctx context.Context) {
	until, cancel := context.WithTimeout(ctx, planLength)
	defer cancel()
	var parts sync.WaitGroup
	for i, c := range w.clients {
		parts.Go(func() { w.runProgram(until, i, c) })
	}
	for i, m := range w.members {
		for n := range auditors {
			parts.Go(func() { w.audit(until, clients+i, m.id, rand.New(rand.NewPCG(w.plan.Seed, uint64(auditors*i+n)))) })
		}
	}
	w.runFaults(until)
	parts.Wait()
	pause(ctx, lateWrites)
}

// settle waits until every member serves and those of a group are at the same content.
func (w *World) settle(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, settleTimeout)
	defer cancel()
	return retry(ctx, func() error {
		for _, m := range w.members {
			if state, reason := m.state(); state != shard.Serving {
				return fmt.Errorf("%s is %s: %s", m.id, state, reason)
			}
		}
		states, err := w.memberStates(ctx)
		if err != nil {
			return err
		}
		content := make(map[string]uint64)
		for _, s := range states {
			if s.State != string(shard.Serving) || s.ContentSeq == 0 { // 0: the coordinator has not heard it itself
				return fmt.Errorf("%s is said to be %s at %d: %s", s.Member, s.State, s.ContentSeq, s.Reason)
			}
			if seq, ok := content[s.Group]; ok && seq != s.ContentSeq {
				return fmt.Errorf("%s is at %d, another member at %d", s.Member, s.ContentSeq, seq)
			}
			content[s.Group] = s.ContentSeq
		}
		return nil
	})
}

// retry tries until it works or ctx ends.
func retry(ctx context.Context, try func() error) error {
	for {
		err := try()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", ctx.Err(), err)
		case <-time.After(100 * time.Millisecond):
		}
	}
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
