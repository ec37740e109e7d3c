package shard

import (
	"context"
	"sync"
	"time"

	"github.com/jetseek/jetseek/subjects/wire"
)

// progress is what others see of how far a member has come.
type progress struct {
	mu      sync.Mutex // guards the fields below
	table   leaseTable
	changed chan struct{} // closed when the index has advanced
}

func newProgress() *progress { return &progress{changed: make(chan struct{})} }

// advance wakes those who wait for a newer snapshot.
func (p *progress) advance(table leaseTable) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.table = table
	close(p.changed)
	p.changed = make(chan struct{})
}

// watch gives the lease table and a channel that is closed at the next advance.
func (p *progress) watch() (leaseTable, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.table, p.changed
}

// reportAll reports outcomes to those who asked for them. Messages from before the start are not reported: a replay floods nobody. Only a coordinator's
// inbox is answered: no record can aim a member's publish elsewhere.
func (m *Member) reportAll(done []applied) {
	state, _ := m.status.get()
	var buf []byte
	for _, a := range done {
		if a.seq <= max(m.startHead, m.replayed) || !m.opts.Names.IsCoordinatorInbox(a.reply) {
			continue
		}
		buf = wire.AppendReport(buf[:0], &wire.Report{
			Group: m.opts.Group, Member: m.id, Incarnation: m.incarnation, Counter: a.counter, Seq: a.seq,
			Serving: state == Serving, Outcomes: a.outcomes, Leases: a.before,
		})
		if err := m.opts.Conn.Publish(a.reply, buf); err != nil {
			m.opts.Log.Warn("an outcome could not be reported; the watermark will tell that it was applied", "member", m.id, "seq", a.seq, "error", err)
		}
	}
}

// publishWatermarks tells how far the member is: whenever it has advanced, and regularly, which heals lost ones and is its heartbeat.
func (m *Member) publishWatermarks(ctx context.Context) error {
	beat := time.NewTicker(watermarkEvery)
	defer beat.Stop()
	subject := m.opts.Names.Applied(m.opts.Group)
	var buf []byte
	for counter := uint64(1); ; counter++ {
		table, advanced := m.progress.watch()
		state, changed := m.status.watch()
		buf = wire.AppendWatermark(buf[:0], m.watermark(counter, table, state))
		if err := m.opts.Conn.Publish(subject, buf); err != nil {
			m.opts.Log.Debug("a watermark could not be published", "member", m.id, "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-advanced:
		case <-changed:
		case <-beat.C:
			m.pins.tidy()
			m.walks.tidy()
		}
	}
}

func (m *Member) watermark(counter uint64, table leaseTable, state State) *wire.Watermark {
	snap := m.index.Snapshot()
	defer snap.Close()
	return &wire.Watermark{
		Group: m.opts.Group, Member: m.id, Incarnation: m.incarnation, Counter: counter,
		Applied: snap.Seq(), ContentSeq: snap.ContentSeq(), Head: max(m.head(), snap.Seq()), Epoch: snap.Epoch(),
		Documents: countDocuments(snap), Digest: wire.Digest(snap.Digest()), State: string(state), Leases: table,
	}
}
