package shard

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/jetseek/jetseek/subjects"
	"github.com/jetseek/jetseek/subjects/registry"
	"github.com/jetseek/jetseek/subjects/wire"
)

const (
	// publishTimeout bounds one try to publish to the log.
	publishTimeout = 5 * time.Second
	// joinRetry is the pause between tries to join while NATS is not there.
	joinRetry = 250 * time.Millisecond
)

// join makes what the group needs and finds the member's place in the log. It tries again until it works: a NATS that is not there is waited for.
func (m *Member) join(ctx context.Context) error {
	for {
		err := m.tryJoin(ctx)
		if err == nil || ctx.Err() != nil || errors.Is(err, errForeignLog) || isOfTheLog(err) || isOfKeys(err) || errors.Is(err, subjects.ErrAsset) {
			return err
		}
		m.opts.Log.Info("waiting to join the group", "member", m.id, "error", err)
		if err := sleep(ctx, joinRetry); err != nil {
			return err
		}
	}
}

func (m *Member) tryJoin(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	var err error
	if m.registry, err = registry.Open(ctx, m.js, m.opts.Names, registry.Options{Replicas: m.opts.Replicas, Bind: m.opts.Bind}); err != nil {
		return err
	}
	if m.documents, err = registry.OpenDocuments(ctx, m.js, m.opts.Names, registry.Options{Replicas: m.opts.Replicas, Bind: m.opts.Bind}); err != nil {
		return err
	}
	others, err := m.others(ctx) // before anything is written: what they have applied by now lies before it
	if err != nil {
		return err
	}
	if err := m.sharesKeys(others); err != nil {
		return err
	}
	expected, err := m.expectedLog(ctx)
	if err != nil {
		return err
	}
	if m.stream, err = m.openStream(ctx, expected); err != nil {
		return err
	}
	if m.log, err = m.beginLog(ctx, expected); err != nil {
		return err
	}
	if err := m.isExpected(m.log, expected); err != nil {
		return err
	}
	at := m.opened
	at.log = m.log
	m.reached.Store(&at)
	known := max(m.remembered.seq, m.opened.seq, m.appliedBy(others))
	if err := m.reaches(ctx, known); err != nil {
		return err
	}
	if m.startHead, err = m.releasePredecessors(ctx); err != nil {
		return err
	}
	if m.startHead <= known {
		return setBack(m.startHead, known)
	}
	if err := m.learnAsides(ctx); err != nil {
		return err
	}
	if m.follower, err = follow(m.opts.Conn, m.opts.Names, m.opts.Group, m.stream, at.seq+1); err != nil {
		return err
	}
	m.follower.remember(at)
	m.noteStored(m.startHead)
	if m.listening, err = m.listen(); err != nil {
		m.follower.close()
		return err
	}
	return nil
}

// openStream finds the group's stream. Unless it is to be bound, or was there already, it is made if it is not there.
func (m *Member) openStream(ctx context.Context, expected wire.UUID) (jetstream.Stream, error) {
	name := m.opts.Names.Stream(m.opts.Group)
	s, err := m.js.Stream(ctx, name)
	if m.opts.Bind && err == nil {
		err = m.opts.Names.CheckStream(m.opts.Group, s.CachedInfo().Config)
	}
	if m.opts.Bind && errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil, fmt.Errorf("%w: there is no stream %s, and none is to be made", subjects.ErrAsset, name)
	}
	if errors.Is(err, jetstream.ErrStreamNotFound) && expected != (wire.UUID{}) {
		return nil, m.isGone(expected)
	}
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		s, err = m.js.CreateStream(ctx, m.opts.Names.StreamConfig(m.opts.Group, subjects.StreamLimits{Replicas: m.opts.Replicas}))
		if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
			s, err = m.js.Stream(ctx, name)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("open stream %s: %w", name, err)
	}
	return s, nil
}

// errForeignLog says that the stream was not begun by jetseek, or for another group.
var errForeignLog = errors.New("the stream's first message is no genesis of this group")

// beginLog gives the log's uuid. A log that has not begun gets one, unless the group is known to have had one: then the stream has lost it.
func (m *Member) beginLog(ctx context.Context, expected wire.UUID) (wire.UUID, error) {
	if expected == (wire.UUID{}) {
		mine, err := m.offerGenesis(ctx)
		if err == nil || !isWrongLastSequence(err) {
			return mine, err
		}
	}
	first, err := m.readFirst(ctx)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return expected, m.coversPurge(ctx, expected)
	}
	if err != nil {
		return wire.UUID{}, fmt.Errorf("read genesis: %w", err)
	}
	log, err := m.readGenesis(first.Data)
	if err != nil && expected != (wire.UUID{}) && !isOfKeys(err) {
		err = fmt.Errorf("%w: %w; %s", errRewritten, err, keepAndRestore)
	}
	return log, err
}

// readFirst reads the log's first message; one that is not there is looked for again, since another replica may have it.
func (m *Member) readFirst(ctx context.Context) (*jetstream.RawStreamMsg, error) {
	for looked := 1; ; looked++ {
		first, err := m.stream.GetMsg(ctx, 1)
		if !errors.Is(err, jetstream.ErrMsgNotFound) || looked == holeLooks {
			return first, err
		}
		if err := sleep(ctx, retryAfter); err != nil {
			return nil, err
		}
	}
}

// coversPurge tells whether the member can go on with a log that has lost its first message: it has applied all that is not there. What is left of the log is compared with that before it
// is followed.
func (m *Member) coversPurge(ctx context.Context, expected wire.UUID) error {
	info, err := m.stream.Info(ctx)
	if err != nil {
		return fmt.Errorf("read the state of the log: %w", err)
	}
	switch begins := max(info.State.FirstSeq, 2); {
	case info.State.LastSeq == 0 && expected == (wire.UUID{}):
		return errors.New("another member's genesis is on its way")
	case info.State.LastSeq == 0:
		return m.isGone(expected)
	case begins > m.opened.seq+1:
		return purged(m.opts.Names.Stream(m.opts.Group), m.opened.seq+1, begins)
	}
	return nil
}

// offerGenesis begins the log with a uuid of its own, unless it has begun: the first message decides for all.
func (m *Member) offerGenesis(ctx context.Context) (wire.UUID, error) {
	var mine wire.UUID
	rand.Read(mine[:])
	body := wire.AppendGenesis(nil, &wire.Genesis{Log: mine, Group: m.opts.Group, Generation: 1, FirstSeq: 1, By: m.id})
	if _, err := m.publishControl(ctx, mine, wire.KindGenesis, body, jetstream.WithExpectLastSequence(0)); err != nil {
		return wire.UUID{}, fmt.Errorf("offer genesis: %w", err)
	}
	return mine, nil
}

// readGenesis gives the uuid of the log that begins with a message.
func (m *Member) readGenesis(first []byte) (wire.UUID, error) {
	rec, err := wire.DecodeRecord(first)
	if err != nil {
		return wire.UUID{}, fmt.Errorf("%w: %w", errForeignLog, err)
	}
	if rec.KeyID != 0 && m.opts.Keys != nil {
		if err := m.opts.Keys.Verify(first, rec); err != nil {
			return wire.UUID{}, fmt.Errorf("%w: the log's first message: %w; start this member with the others' --cluster-key, it keeps its data", errOtherKeys, err)
		}
	}
	if len(rec.Ops) != 1 || rec.Ops[0].Kind != wire.KindGenesis {
		return wire.UUID{}, errForeignLog
	}
	g, err := wire.DecodeGenesis(rec.Ops[0].Body)
	if err != nil || g.Group != m.opts.Group {
		return wire.UUID{}, errForeignLog
	}
	return g.Log, nil
}

// releasePredecessors ends the leases of the incarnations before this one. The folder's lock says that they serve nothing any more. The
// last acknowledgement is the log's head: all that was stored before the start is at or before it.
func (m *Member) releasePredecessors(ctx context.Context) (head uint64, err error) {
	// A first start has no predecessor, and needs the head as well: it releases itself, who holds nothing.
	for _, who := range append([]uint64{m.incarnation}, m.before...) {
		if head, err = m.release(ctx, who); err != nil {
			return 0, err
		}
	}
	return head, m.folder.released(m.incarnation)
}

func (m *Member) release(ctx context.Context, incarnation uint64) (uint64, error) {
	body := wire.AppendRelease(nil, &wire.Release{Member: m.id, Incarnation: incarnation})
	seq, err := m.publishControl(ctx, m.log, wire.KindRelease, body)
	if err != nil {
		return 0, fmt.Errorf("release leases: %w", err)
	}
	return seq, nil
}

// publishControl appends a control record to the log and gives its sequence. It has no message id: a repeat is another record.
func (m *Member) publishControl(ctx context.Context, log wire.UUID, kind wire.Kind, body []byte, opts ...jetstream.PublishOpt) (uint64, error) {
	return m.publishControlOn(ctx, m.opts.Names.Log(m.opts.Group), log, kind, body, opts...)
}

// publishControlOn appends a control record to the log on one of its subjects.
func (m *Member) publishControlOn(ctx context.Context, subject string, log wire.UUID, kind wire.Kind, body []byte, opts ...jetstream.PublishOpt) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, publishTimeout)
	defer cancel()
	rec := wire.Record{
		Header: wire.Header{Log: log, Sender: m.incarnation, TimeMs: time.Now().UnixMilli()},
		Ops:    []wire.Op{{Kind: kind, IfVersion: wire.NoCondition, Body: body}},
	}
	msg := &nats.Msg{Subject: subject, Data: m.opts.Keys.Sign(wire.AppendRecord(nil, &rec))}
	ack, err := m.js.PublishMsg(ctx, msg, append(opts, jetstream.WithExpectStream(m.opts.Names.Stream(m.opts.Group)), jetstream.WithRetryAttempts(0))...)
	if err != nil {
		return 0, err
	}
	m.noteStored(ack.Sequence)
	return ack.Sequence, nil
}

// noteStored tells the follower what the log holds, so that a lost tail message is noticed.
func (m *Member) noteStored(seq uint64) {
	for known := m.stored.Load(); seq > known; known = m.stored.Load() {
		if m.stored.CompareAndSwap(known, seq) {
			break
		}
	}
	if m.follower != nil {
		m.follower.hint(seq)
	}
}

// isWrongLastSequence tells whether a publish lost a race for a place in the log (10071), or must find out (10164).
func isWrongLastSequence(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && (api.ErrorCode == 10071 || api.ErrorCode == 10164)
}
