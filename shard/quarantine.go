package shard

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/jetseek/jetseek/engine"
	"github.com/jetseek/jetseek/subjects/registry"
	"github.com/jetseek/jetseek/subjects/wire"
)

const (
	// asideLook is the pause between two looks for what others say of an operation that this member cannot apply.
	asideLook = 250 * time.Millisecond
	// asideReason bounds the reason in a record, in bytes.
	asideReason = 256
	// toldBytes bounds what a member tells of its quarantine, in bytes of ids and reasons; certainlyTold operations fit in any case.
	toldBytes     = 256 << 10
	certainlyTold = toldBytes / (wire.MaxIDBytes + asideReason)
)

// asides are the operations that records of the log set aside, with the reasons. A replay shares them with its member.
type asides struct {
	mu   sync.Mutex // guards the fields below
	ops  map[wire.Place]string
	next uint64 // records before this message were read
}

func newAsides() *asides { return &asides{ops: map[wire.Place]string{}, next: 1} }

func (a *asides) reason(at wire.Place) (reason string, aside bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	reason, aside = a.ops[at]
	return reason, aside
}

// add notes that an operation is set aside; the first record counts. It tells whether that was news.
func (a *asides) add(q wire.Quarantine) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, known := a.ops[q.Place]; known {
		return false
	}
	a.ops[q.Place] = q.Reason
	return true
}

// learnAsides reads the records of the log that set operations aside, wherever they stand: an operation must be known for one before the member comes to it.
func (m *Member) learnAsides(ctx context.Context) error {
	for {
		m.asides.mu.Lock()
		next := m.asides.next
		m.asides.mu.Unlock()
		raw, err := m.nextAside(ctx, next)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read what the log sets aside: %w", err)
		}
		if q, ok := m.asideOf(newMessage(raw.Sequence, raw.Subject, raw.Data)); ok {
			m.asides.add(q)
		}
		m.asides.mu.Lock()
		m.asides.next = raw.Sequence + 1
		m.asides.mu.Unlock()
	}
}

func (m *Member) nextAside(ctx context.Context, seq uint64) (*jetstream.RawStreamMsg, error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	return m.stream.GetMsg(ctx, seq, jetstream.WithGetMsgSubject(m.opts.Names.LogQuarantine(m.opts.Group)))
}

// asideOf gives what a genuine record on the subject of the quarantine sets aside.
func (m *translator) asideOf(raw message) (wire.Quarantine, bool) {
	if raw.err != nil || raw.record.Log != m.log || len(raw.record.Ops) != 1 || raw.record.Ops[0].Kind != wire.KindQuarantine {
		return wire.Quarantine{}, false
	}
	if m.opts.Keys != nil && m.opts.Keys.Verify(raw.data, raw.record) != nil {
		return wire.Quarantine{}, false
	}
	q, err := wire.DecodeQuarantine(raw.record.Ops[0].Body)
	return q, err == nil && q.Seq < raw.seq
}

// setsAside takes a record that sets an operation aside, at its place in the log. Whoever had not heard of it has applied the operation, and is wrong.
func (m *translator) setsAside(raw message) {
	if raw.subject != m.opts.Names.LogQuarantine(m.opts.Group) {
		m.opts.Log.Error("an operation is set aside on another subject: passed over", "member", m.id, "seq", raw.seq, "subject", raw.subject)
		return
	}
	if q, ok := m.asideOf(raw); ok && m.asides.add(q) {
		m.missed = &q.Place
	}
}

// awaitDecision waits until it is decided what becomes of an operation that this member cannot apply, out of rotation: others have applied it, and the fault is this member's; or none can, and a
// record of the log sets it aside. Meanwhile it does what the apply loop is called for. goOn is false when the index was replaced meanwhile.
func (m *Member) awaitDecision(ctx context.Context, s *suspect) (goOn bool, err error) {
	at := s.Place
	m.stuck.Store(&at)
	defer m.stuck.Store(nil)
	waits := ""
	for ctx.Err() == nil {
		if err := m.learnAsides(ctx); err == nil {
			if _, aside := m.asides.reason(at); aside {
				m.opts.Log.Warn("an operation is set aside", "member", m.id, "operation", at, "reason", s.reason)
				m.trial.suspect = nil
				break
			}
		}
		peers, err := m.peers(ctx)
		switch d, who := decide(at, peers); {
		case err != nil:
			waits = fmt.Sprintf("; the other members are not known: %v", err)
		case d == ownFault:
			return false, m.blameItself(ctx, s, who)
		case d == setAside:
			m.publishAside(ctx, s)
			continue
		default:
			waits = fmt.Sprintf("; whether %s can apply it is not known yet", who)
		}
		m.leave(ctx, stuck, fmt.Sprintf("poison: operation %s of the log cannot be applied: %s%s", at, s.reason, waits))
		select {
		case j := <-m.jobs:
			j.done <- j.do(ctx)
			if m.appliedSeq()+1 != at.Seq {
				return false, nil
			}
		case <-ctx.Done():
		case <-time.After(asideLook):
		}
	}
	m.status.lift(stuck)
	m.rest.need() // it may have slept when it left
	return ctx.Err() == nil, nil
}

// peer is what another member of the group says of itself.
type peer struct {
	id      string
	known   bool // it has a liveness record
	failed  bool // it applies nothing any more, until its next start
	applied uint64
	stuck   string // the operation that it cannot apply
}

// decision is what becomes of an operation that a member cannot apply.
type decision int

const (
	undecided decision = iota
	ownFault           // another has applied it
	setAside           // none can
)

// decide decides, from what the others say, what becomes of an operation that this member cannot apply; who is the one that has applied it, or the one that is waited for. It is set aside only when every other
// says that it cannot apply it either: what one of them has applied, it may have acknowledged.
func decide(at wire.Place, others []peer) (d decision, who string) {
	d = setAside
	for _, p := range others {
		switch {
		case p.known && p.applied >= at.Seq:
			return ownFault, p.id
		case p.known && (p.failed || p.stuck == at.String()):
		case d == setAside && waitsFor:
			d, who = undecided, p.id
		}
	}
	return d, who
}

// peers gives the other members of the group: those that the map declares, and those that have a liveness record.
func (m *Member) peers(ctx context.Context) ([]peer, error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	records, err := m.registry.Members(ctx, m.opts.Group)
	if err != nil {
		return nil, err
	}
	var all []peer
	for _, r := range records {
		all = append(all, peer{id: r.ID(), known: r.Log == m.log, failed: r.State == string(Failed), applied: r.Applied, stuck: r.Stuck})
	}
	now, _, err := m.registry.Map(ctx)
	if err != nil && !errors.Is(err, registry.ErrNotFound) {
		return nil, err
	}
	if err == nil {
		g, _ := now.Group(m.opts.Group)
		for _, id := range g.Members {
			if !slices.ContainsFunc(all, func(p peer) bool { return p.id == id }) {
				all = append(all, peer{id: id})
			}
		}
	}
	return slices.DeleteFunc(all, func(p peer) bool { return p.id == m.id }), nil
}

// publishAside writes the record that sets an operation aside. What others write at the same time says the same.
func (m *Member) publishAside(ctx context.Context, s *suspect) {
	body := wire.AppendQuarantine(nil, &wire.Quarantine{Place: s.Place, Member: m.id, Reason: strings.ToValidUTF8(s.reason[:min(len(s.reason), asideReason)], "")})
	if _, err := m.publishControlOn(ctx, m.opts.Names.LogQuarantine(m.opts.Group), m.log, wire.KindQuarantine, body); err != nil && ctx.Err() == nil {
		m.opts.Log.Warn("an operation that no member can apply was not set aside yet", "member", m.id, "operation", s.Place, "error", err)
		_ = sleep(ctx, asideLook) // ended: the loop ends
	}
}

// blameItself is for a member that cannot apply what another has: it makes its index anew once; when that does not help it is at its end.
func (m *Member) blameItself(ctx context.Context, s *suspect, other string) error {
	if m.trial.isAnew(s.Place) {
		m.folder.note(attempt{})
		return fmt.Errorf("own_fault: this member cannot apply operation %s, which %s has applied, not even to an index made anew: its memory, disk or software is at fault. "+
			"Compare versions and test the machine, then start it again; it was: %s", s.Place, other, s.reason)
	}
	at := s.Place
	m.trial.suspect, m.trial.anew = nil, &at
	reason := fmt.Sprintf("own_fault: this member cannot apply operation %s, which %s has applied: it makes its index anew", at, other)
	m.leave(ctx, stuck, reason)
	if err := m.reopen(ctx, m.openAnew); err != nil {
		return err
	}
	m.status.lift(stuck)
	m.rest.need()
	return nil
}

// quarantined tells which operations the member has set aside, as many as fit.
func (m *Member) quarantined(r request) ([]byte, error) {
	q, err := wire.DecodeQuarantineRequest(r.msg.Data)
	if err != nil {
		return nil, malformed(err)
	}
	snap := m.index.Snapshot()
	defer snap.Close()
	reply := wire.QuarantineReply{Frame: m.frame(&q.Head, snap)}
	bytes := 0
	for _, e := range snap.Quarantine() {
		if bytes += len(e.ID) + len(e.Reason); bytes > toldBytes {
			break
		}
		kind := wire.KindPut
		if e.Kind == engine.OpDelete {
			kind = wire.KindDelete
		}
		reply.Ops = append(reply.Ops, wire.Quarantined{Place: wire.Place(e.Place), Kind: kind, Superseded: e.Superseded, Collection: e.Collection, Slot: e.Slot, ID: e.ID, Reason: e.Reason})
	}
	return wire.AppendQuarantineReply(nil, &reply), nil
}

// alone tells, of a member that the log proves right, whether it has set aside in place what another member could apply: then the fault is this one's, and its own replay cannot show it.
func (m *Member) alone(ctx context.Context, other string) (at wire.Place, alone bool) {
	theirs, err := m.askQuarantine(ctx, other)
	if err != nil {
		return at, false // the next lease asks again
	}
	snap := m.index.Snapshot()
	defer snap.Close()
	if snap.Seq() < theirs.Seq || len(snap.Quarantine()) > certainlyTold || len(theirs.Ops) > certainlyTold {
		return at, false // they may have tried again what is still set aside here
	}
	for _, e := range snap.Quarantine() {
		at = wire.Place(e.Place)
		_, byLog := m.asides.reason(at)
		if !byLog && e.Seq <= theirs.Seq && !slices.ContainsFunc(theirs.Ops, func(o wire.Quarantined) bool { return o.Place == at }) {
			return at, true
		}
	}
	return at, false
}

func (m *Member) askQuarantine(ctx context.Context, other string) (*wire.QuarantineReply, error) {
	q := wire.QuarantineRequest{Head: wire.Head{BudgetMs: uint32(askTimeout.Milliseconds())}}
	data, err := m.askMember(ctx, other, wire.OpQuarantine, wire.AppendQuarantineRequest(nil, &q))
	if err != nil {
		return nil, err
	}
	reply, err := wire.DecodeQuarantineReply(data)
	if err == nil && reply.Err != nil {
		return nil, reply.Err
	}
	return reply, err
}
