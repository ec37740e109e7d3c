package shard

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"github.com/jetseek/jetseek/subjects"
	"github.com/jetseek/jetseek/subjects/registry"
	"github.com/jetseek/jetseek/subjects/wire"
)

// Member is one process' copy of a group.
type Member struct {
	translator // of what is applied; its state is of the apply loop alone
	js         jetstream.JetStream

	folder    *folder
	before    []uint64 // incarnations to release
	stream    jetstream.Stream
	registry  *registry.Store
	index     index
	follower  *follower
	listening *nats.Subscription // of the member's own subject
	startHead uint64             // the log's last sequence at the start: what must be replayed before the first lease

	status   *status
	grants   *grants
	rest     *rest
	unleased unleased // of the lease loop alone
	progress *progress
	pins     pins // for the later trips of queries
	walks    pins // for the pages of walks
	requests chan request
	places   chan struct{}  // of requests that wait for the member to catch up
	parked   sync.WaitGroup // those requests
	stored   atomic.Uint64  // the highest sequence that the log has acknowledged to this member

	remembered place                 // as it was written down by the member's last life
	opened     place                 // where the index in files stood at the start
	reached    atomic.Pointer[place] // behind what is applied; stored by the apply loop alone

	// outlived counts answers to auditors with a document that had been deleted, since the start: it must stay 0.
	outlived   atomic.Uint64
	trial      trial                      // of the apply loop alone
	stuck      atomic.Pointer[wire.Place] // the operation that the member cannot apply, while that is to be decided
	pace       pace
	marks      marks
	doubts     chan doubt    // capacity doubtsKept
	unreadable chan struct{} // capacity 1: the index is to be made anew
	verdicts   verdicts
	jobs       chan job // capacity 0: for the apply loop
	replayed   uint64   // up to here this life applies for the second time, and has reported; of the apply loop alone
	meters     meters
	metrics    *metrics
}

// New makes a member and locks its folder; Run brings it to life. A folder in use is an error.
func New(o Options) (*Member, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	js, err := jetstream.New(o.LogConn)
	if err != nil {
		return nil, fmt.Errorf("member %s/%s: %w", o.Group, o.Node, err)
	}
	m := &Member{
		translator: translator{opts: o, id: subjects.MemberID(o.Group, o.Node), asides: newAsides()}, js: js,
		doubts: make(chan doubt, doubtsKept), jobs: make(chan job), unreadable: make(chan struct{}, 1), index: index{long: semaphore.NewWeighted(longUses)},
		verdicts: verdicts{orders: make(chan order, 1)},
		metrics:  newMetrics(), status: newStatus(), progress: newProgress(), requests: make(chan request, queuedRequests), places: make(chan struct{}, parkedRequests),
		grants: &grants{length: o.Lease, clock: o.Clock}, rest: newRest(o.IdleAfter),
		pins: pins{life: pinTime, most: pinnedSnapshots}, walks: pins{life: walkTime, most: pinnedSnapshots, room: walkMemory},
	}
	if m.folder, err = openFolder(o.Dir); err != nil {
		return nil, fmt.Errorf("member %s: %w", m.id, err)
	}
	if m.incarnation, m.before, err = m.folder.begin(); err != nil {
		return nil, errors.Join(fmt.Errorf("member %s: %w", m.id, err), m.folder.close())
	}
	left, err := m.folder.openApplying(o.Version)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("member %s: %w", m.id, err), m.folder.close())
	}
	m.trial.takeUp(left)
	if m.remembered, err = m.folder.readPlace(); err != nil {
		m.opts.Log.Warn("what the member wrote down of its log cannot be read: it joins as if it had never been a member", "member", m.id, "error", err)
	}
	return m, nil
}

// ID is "group/node".
func (m *Member) ID() string { return m.id }

// State tells what the member is doing, and the reason when it has failed.
func (m *Member) State() (State, string) { return m.status.get() }

// AwaitServing waits until the member serves. It fails with ctx, or with the member's reason.
func (m *Member) AwaitServing(ctx context.Context) error {
	for {
		state, changed := m.status.watch()
		switch state {
		case Serving:
			return nil
		case Failed:
			_, reason := m.status.get()
			return fmt.Errorf("member %s failed: %s", m.id, reason)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("member %s is %s: %w", m.id, state, ctx.Err())
		case <-changed:
		}
	}
}

// Run joins the group, serves until ctx ends, then drains: it stops serving, releases its leases through the log and returns when all that it started
// has ended. It waits for a NATS that is not there yet. An error is one of this process; what is wrong with the log makes the member Failed instead. [ErrEndless] is the only one
// behind which something still runs, and keeps the folder locked.
func (m *Member) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan error, 1) // has room for the only one
	go func() { ended <- m.run(ctx) }()
	err := m.watchApply(ctx, ended)
	if errors.Is(err, ErrEndless) {
		cancel() // before it fails: a member that is said to have failed counts as one that cannot apply what others cannot
		m.fail(err)
	}
	return err
}

func (m *Member) run(ctx context.Context) (err error) {
	defer func() { err = errors.Join(err, m.folder.close()) }()
	if err := m.openIndex(); err != nil {
		m.fail(err)
		return fmt.Errorf("member %s: %w", m.id, err)
	}
	defer m.closeIndex()
	if err := m.join(ctx); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		m.fail(err)
		if isOfTheLog(err) || isOfKeys(err) {
			return m.keepAlive(ctx) // for status: the other members of this process, and the data, are not to suffer
		}
		return fmt.Errorf("member %s: %w", m.id, err)
	}
	defer m.follower.close()
	unregister, err := m.register(m.opts.Metrics)
	if err != nil {
		return fmt.Errorf("member %s: %w", m.id, err)
	}
	defer unregister()
	defer m.releasePins()
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return m.applyLog(ctx) })
	g.Go(func() error { return m.renewLeases(ctx) })
	g.Go(func() error { return m.publishWatermarks(ctx) })
	g.Go(func() error { return m.keepAlive(ctx) })
	g.Go(func() error { return m.merge(ctx) })
	g.Go(func() error { return m.flush(ctx) })
	g.Go(func() error { return m.keepPlace(ctx) })
	g.Go(func() error { return m.verify(ctx) })
	g.Go(func() error { return m.scrub(ctx) })
	g.Go(func() error { return m.watchLag(ctx) })
	g.Go(func() error { return m.serve(ctx) })
	if err := g.Wait(); err != nil {
		return fmt.Errorf("member %s: %w", m.id, err)
	}
	return nil
}

// fail takes the member out of rotation for good, with a reason that status shows.
func (m *Member) fail(err error) {
	m.grants.clear()
	m.status.set(Failed, err.Error())
	m.opts.Log.Error("a member leaves rotation", "member", m.id, "error", err)
}

// appliedSeq is the sequence of the last message that was applied.
func (m *Member) appliedSeq() uint64 {
	snap := m.index.Snapshot()
	defer snap.Close()
	return snap.Seq()
}

// head is the highest sequence that the log is known to hold.
func (m *Member) head() uint64 { return max(m.stored.Load(), m.startHead) }

// merge runs background merges as they fall due.
func (m *Member) merge(ctx context.Context) error {
	for {
		_, advanced := m.progress.watch()
		for {
			merged, err := m.index.Merge(ctx)
			if ctx.Err() != nil {
				return nil
			}
			if err != nil && m.endures(ctx, "merge", err) {
				continue
			}
			if !merged {
				break
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-advanced:
		}
	}
}

// keepAlive renews the liveness record, which is this member's declaration until the map is born, and declares it in the map after that.
func (m *Member) keepAlive(ctx context.Context) error {
	beat := time.NewTicker(livenessEvery)
	defer beat.Stop()
	for beats := 0; ; beats++ {
		state, changed := m.status.watch()
		if state == Serving && beats < comparedBeats {
			if err := m.compareOthers(ctx); err != nil && ctx.Err() == nil {
				m.opts.Log.Warn("the log was not compared with what other members have applied", "member", m.id, "error", err)
			}
		}
		if err := m.declare(ctx); err != nil && ctx.Err() == nil {
			m.opts.Log.Warn("the liveness record could not be renewed", "member", m.id, "state", state, "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-changed:
		case <-beat.C:
		}
	}
}

func (m *Member) declare(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, livenessEvery)
	defer cancel()
	state, reason := m.status.get()
	applied := m.appliedSeq()
	record := &registry.Member{
		Group: m.opts.Group, Node: m.opts.Node, Incarnation: m.incarnation, Log: m.log, Generation: 1,
		State: string(state), Reason: reason, Applied: applied, Software: m.opts.Version,
		Key: m.opts.Keys.ID(), Refused: m.refused.Load(), Outlived: m.outlived.Load(), Quarantined: m.countQuarantined(),
	}
	if at := m.stuck.Load(); at != nil {
		record.Stuck = at.String()
	}
	err := m.registry.PutMember(ctx, record)
	if err != nil {
		return err
	}
	return m.declareInMap(ctx)
}

func (m *Member) countQuarantined() int {
	snap := m.index.Snapshot()
	defer snap.Close()
	return len(snap.Quarantine())
}

// declareInMap adds the member to its group in the map, once there is a map that has the group. A lost race is run again at the next beat.
func (m *Member) declareInMap(ctx context.Context) error {
	now, revision, err := m.registry.Map(ctx)
	if errors.Is(err, registry.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	next, changed := now.WithMember(m.id)
	if !changed {
		return nil
	}
	if _, err := m.registry.UpdateMap(ctx, next, revision); err != nil && !errors.Is(err, registry.ErrConflict) {
		return err
	}
	return nil
}
