package registry

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/jetseek/jetseek/subjects/placement"
)

const (
	heartbeat    = time.Second      // two are missed before the consumer is made anew
	setupTimeout = 5 * time.Second  // of the requests that make a consumer
	idleConsumer = 30 * time.Second // after which the server removes a consumer that nobody pulls from
	minRetry     = 50 * time.Millisecond
	maxRetry     = time.Second
)

// Follower keeps a [View] of the bucket while [Follower.Run] runs. All methods may be called concurrently.
type Follower struct {
	store *Store
	hooks Hooks
	view  atomic.Pointer[View]

	mu      sync.Mutex // guards what follows, and the order of stores to view
	created time.Time  // of the bucket's stream
	entries map[string]entry
	changed chan struct{} // closed and replaced with every view
}

// Hooks are told what a follower meets. A nil one is not called. They must return soon, and call nothing of the follower.
type Hooks struct {
	Fault func(error) // a record that does not decode (the one before it stays), or a consumer that had to be made anew
}

// NewFollower makes a follower with an empty view.
func NewFollower(store *Store, hooks Hooks) *Follower {
	f := &Follower{store: store, hooks: hooks, entries: make(map[string]entry), changed: make(chan struct{})}
	f.view.Store(&View{})
	return f
}

// View gives the present view, never nil.
func (f *Follower) View() *View { return f.view.Load() }

// Changed gives a channel that is closed when there is a newer view than the one that [Follower.View] gives after this call.
func (f *Follower) Changed() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.changed
}

// Wait waits for a view that the condition holds for, and gives it; or gives the context's error.
func (f *Follower) Wait(ctx context.Context, holds func(*View) bool) (*View, error) {
	for {
		changed := f.Changed()
		if v := f.View(); holds(v) {
			return v, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// RefreshMap reads the map from the bucket and takes it into the view if it is newer.
func (f *Follower) RefreshMap(ctx context.Context) (*View, error) {
	m, revision, err := f.store.Map(ctx)
	if errors.Is(err, ErrNotFound) {
		return f.View(), nil
	}
	if err != nil {
		return nil, err
	}
	return f.refresh(mapKey, entry{revision, m}), nil
}

// RefreshCollection reads a collection's record from the bucket and takes it into the view if it is newer. That there is none is no error, and takes
// nothing out of the view: the read may be older than the view.
func (f *Follower) RefreshCollection(ctx context.Context, name string) (*View, error) {
	c, err := f.store.Collection(ctx, name)
	if errors.Is(err, ErrNotFound) {
		return f.View(), nil
	}
	if err != nil {
		return nil, err
	}
	return f.refresh(collectionKey(name), entry{c.Revision, c}), nil
}

func (f *Follower) refresh(key string, e entry) *View {
	f.mu.Lock()
	defer f.mu.Unlock()
	if e.revision > f.entries[key].revision {
		f.entries[key] = e
		f.publish(f.View().Synced)
	}
	return f.View()
}

// Run follows the bucket until the context ends, whatever becomes of the server meanwhile; it gives nil then.
func (f *Follower) Run(ctx context.Context) error {
	conn := f.store.js.Conn()
	connected := conn.StatusChanged(nats.CONNECTED)
	defer conn.RemoveStatusListener(connected)
	retry := minRetry
	for ctx.Err() == nil {
		started, err := f.follow(ctx, connected)
		if ctx.Err() != nil {
			break
		}
		f.fault(fmt.Errorf("follow bucket %s: %w", f.store.bucket, err))
		if started {
			retry = minRetry
		}
		pause(ctx, retry)
		retry = min(2*retry, maxRetry)
	}
	return nil
}

// follow makes a consumer and reads from it until it fails, or the connection has been away; started tells whether it got that far.
func (f *Follower) follow(parent context.Context, connected <-chan nats.Status) (started bool, err error) {
	ctx, cancel := context.WithCancelCause(parent)
	var watch sync.WaitGroup
	defer watch.Wait()
	defer cancel(nil) // first, so that there is something to wait for
	for len(connected) > 0 {
		<-connected // what is to come back after this consumer was made
	}
	watch.Go(func() { // one goroutine; ends with the context; wakes the read below when the connection has come back
		select {
		case <-connected:
			cancel(errors.New("the connection was lost"))
		case <-ctx.Done():
		}
	})
	messages, created, pending, err := f.consume(ctx)
	if err != nil {
		return false, errors.Join(context.Cause(ctx), err)
	}
	defer messages.Stop()
	return true, f.read(ctx, messages, created, pending)
}

func (f *Follower) consume(ctx context.Context) (m jetstream.MessagesContext, created time.Time, pending uint64, err error) {
	ctx, cancel := context.WithTimeout(ctx, setupTimeout)
	defer cancel()
	stream, err := f.store.js.Stream(ctx, streamOf(f.store.bucket))
	if err != nil {
		return nil, time.Time{}, 0, err
	}
	consumer, err := stream.CreateConsumer(ctx, jetstream.ConsumerConfig{
		Description:       "follows the registry",
		DeliverPolicy:     jetstream.DeliverLastPerSubjectPolicy,
		AckPolicy:         jetstream.AckNonePolicy,
		FilterSubject:     subjectPrefix(f.store.bucket) + ">",
		MemoryStorage:     true,
		Replicas:          1,
		InactiveThreshold: idleConsumer,
	})
	if err != nil {
		return nil, time.Time{}, 0, err
	}
	messages, err := consumer.Messages(jetstream.PullHeartbeat(heartbeat), jetstream.WithMessagesErrOnMissingHeartbeat(true))
	if err != nil {
		return nil, time.Time{}, 0, err
	}
	return messages, stream.CachedInfo().Created, consumer.CachedInfo().NumPending, nil
}

// read collects what is there, makes it the view, and then follows message by message.
func (f *Follower) read(ctx context.Context, messages jetstream.MessagesContext, created time.Time, pending uint64) error {
	t := &tail{messages: messages}
	var snapshot []*update
	for pending > 0 {
		u, err := t.next(ctx)
		if err != nil {
			return err
		}
		snapshot, pending = append(snapshot, u), u.pending
	}
	f.replace(snapshot, created)
	for {
		u, err := t.next(ctx)
		if err != nil {
			return err
		}
		f.apply(u)
	}
}

// replace makes the view of what a new consumer found. What came in by a refresh meanwhile and is newer stays, unless the bucket was made anew.
func (f *Follower) replace(snapshot []*update, created time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	entries, last := make(map[string]entry, len(snapshot)), uint64(0)
	for _, u := range snapshot {
		entries[u.key] = f.parse(u)
		last = u.revision
	}
	if f.created.Equal(created) {
		for key, e := range f.entries {
			if e.revision > last {
				entries[key] = e
			}
		}
	}
	f.created, f.entries = created, entries
	f.publish(true)
}

func (f *Follower) apply(u *update) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if u.revision > f.entries[u.key].revision {
		f.entries[u.key] = f.parse(u)
		f.publish(true)
	}
}

// parse makes the entry of an update; of one that does not decode it keeps the record before. Called with mu held.
func (f *Follower) parse(u *update) entry {
	e := entry{revision: u.revision}
	if u.gone {
		return e
	}
	var err error
	switch {
	case u.key == mapKey:
		e.record, err = placement.Parse(u.value)
	case strings.HasPrefix(u.key, collectionsPrefix):
		e.record, err = parseCollection(u.key, u.value, u.revision)
	case strings.HasPrefix(u.key, membersPrefix):
		e.record, err = parseMember(u.key, u.value, u.revision)
	}
	if err != nil {
		e.record = f.entries[u.key].record
		f.fault(err)
	}
	return e
}

// publish makes the view of the entries. Called with mu held.
func (f *Follower) publish(synced bool) {
	f.view.Store(makeView(f.entries, synced))
	close(f.changed)
	f.changed = make(chan struct{})
}

func (f *Follower) fault(err error) {
	if f.hooks.Fault != nil {
		f.hooks.Fault(err)
	}
}

// update is one message of the bucket's stream.
type update struct {
	key      string
	revision uint64
	gone     bool // deleted or expired
	value    []byte
	pending  uint64 // messages behind it
}

// tail reads a consumer's messages and sees that none is missing.
type tail struct {
	messages  jetstream.MessagesContext
	delivered uint64
}

func (t *tail) next(ctx context.Context) (*update, error) {
	msg, err := t.messages.Next(jetstream.NextContext(ctx))
	if err != nil {
		return nil, errors.Join(context.Cause(ctx), err)
	}
	meta, err := msg.Metadata()
	if err != nil {
		return nil, err
	}
	if t.delivered++; meta.Sequence.Consumer != t.delivered {
		return nil, fmt.Errorf("message %d of the consumer came as number %d", meta.Sequence.Consumer, t.delivered)
	}
	key := msg.Subject()
	for range 2 { // $KV.{bucket}.
		_, key, _ = strings.Cut(key, ".")
	}
	operation, marker := msg.Headers().Get("KV-Operation"), msg.Headers().Get(jetstream.MarkerReasonHeader)
	return &update{key, meta.Sequence.Stream, operation != "" || marker != "", msg.Data(), meta.NumPending}, nil
}

// pause waits, or until the context ends.
func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
