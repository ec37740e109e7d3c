package witness

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/jetseek/jetseek/coordinator/client"
	"github.com/jetseek/jetseek/engine/schema"
	"github.com/jetseek/jetseek/subjects"
	"github.com/jetseek/jetseek/subjects/registry"
)

// collection is where all clients write.
const collection = "docs"

// lookAgain is the pause of those who wait for a state.
const lookAgain = 100 * time.Millisecond

// Options say what a witness looks at.
type Options struct {
	// Conn is the witness' own: nothing may befall it but the server's.
	Conn *nats.Conn
	// Names of the system; the zero value has the default prefix.
	Names subjects.Names
	// Groups of the system, and Members of them, as in g0/n1.
	Groups, Members []string
	// Clients that play, each on a connection of its own.
	Clients []*client.Client
	// Seed of what auditors choose.
	Seed uint64
	// AuditEvery is the pause of an auditor between two reads; 0: 150 ms.
	AuditEvery time.Duration
}

// Witness looks at one system, once.
type Witness struct {
	o           Options
	rec         *recorder
	incarnation schema.Incarnation
	owner       ownership
}

// New makes a witness; [Witness.Open] comes next.
func New(o Options) *Witness { return &Witness{o: o, rec: &recorder{start: time.Now()}} }

// Open creates the collection when every group can be had, and waits until every one of them answers. The history begins when it returns.
func (w *Witness) Open(ctx context.Context) error {
	if err := Retry(ctx, func() error {
		_, err := w.o.Clients[0].CreateCollection(ctx, collection, json.RawMessage(`{"fields":{"value":{"type":"long"}}}`))
		return err
	}); err != nil {
		return fmt.Errorf("create the collection: %w", err)
	}
	if err := Retry(ctx, func() error { return w.everyGroupAnswers(ctx) }); err != nil {
		return err
	}
	if err := Retry(ctx, func() error { return w.readRecords(ctx) }); err != nil { // a replica of the bucket may answer that has not got them yet
		return err
	}
	w.rec.start = time.Now()
	return nil
}

// Now is the time of the history.
func (w *Witness) Now() time.Duration { return w.rec.now() }

// everyGroupAnswers tells whether the map is there and a search is whole.
func (w *Witness) everyGroupAnswers(ctx context.Context) error {
	ready, err := w.o.Clients[0].Ready(ctx)
	if err != nil {
		return err
	}
	if len(ready.Groups) != len(w.o.Groups) || !ready.Ready {
		return fmt.Errorf("groups %v", ready.Groups)
	}
	return nil
}

// readRecords reads what does not change in a run: the collection's incarnation, and who owns what.
func (w *Witness) readRecords(ctx context.Context) error {
	js, err := jetstream.New(w.o.Conn)
	if err != nil {
		return err
	}
	store, err := registry.Open(ctx, js, w.o.Names, registry.Options{})
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

// Watch lets the clients play their programs, one each, and auditors read, until ctx ends; it returns when all have ended.
func (w *Witness) Watch(ctx context.Context, programs [][]Step) {
	var parts sync.WaitGroup
	for i, c := range w.o.Clients {
		parts.Go(func() { w.runProgram(ctx, i, c, programs[i]) })
	}
	for i, member := range w.o.Members {
		for n := range auditors {
			rng := rand.New(rand.NewPCG(w.o.Seed, uint64(auditors*i+n)))
			parts.Go(func() { w.audit(ctx, len(w.o.Clients)+i, member, rng) })
		}
	}
	parts.Wait()
}

// Settle waits until every member is said to serve, and those of a group are at the same content.
func (w *Witness) Settle(ctx context.Context) error {
	return Retry(ctx, func() error {
		states, err := w.memberStates(ctx)
		if err != nil {
			return err
		}
		content := make(map[string]uint64)
		for _, s := range states {
			if s.State != "serving" || s.ContentSeq == 0 { // 0: the coordinator has not heard it itself
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

// Retry tries until it works or ctx ends.
func Retry(ctx context.Context, try func() error) error {
	for {
		err := try()
		if err == nil {
			return nil
		}
		if !Pause(ctx, lookAgain) {
			return fmt.Errorf("%w: %w", ctx.Err(), err)
		}
	}
}

// Pause waits; false when ctx ends before.
func Pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
