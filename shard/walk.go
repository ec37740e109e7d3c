package shard

import (
	"github.com/jetseek/jetseek/engine"
	"github.com/jetseek/jetseek/subjects/wire"
)

// takePins does what pins of the log ask for: that the member keeps its snapshot at their record's place, for the pages of walks, or keeps one for longer. The apply loop calls
// it behind the record, at seq, where the present snapshot is that of the record: every member of the group keeps the same. What a start applies again is not kept.
func (m *Member) takePins(seq uint64) {
	for _, p := range m.pinned {
		m.takePin(p, seq)
	}
	m.pinned = m.pinned[:0]
}

func (m *Member) takePin(p wire.Pin, seq uint64) {
	switch {
	case p.At != 0:
		m.walks.use(p.At)
	case seq > max(m.startHead, m.replayed):
		snap := m.index.Snapshot()
		defer snap.Close()
		if !m.walks.keepBeside(snap) {
			m.opts.Log.Warn("a walk cannot begin: the member keeps as many snapshots as it may", "member", m.id, "snapshots", pinnedSnapshots)
		}
	}
}

// atSeq gives a snapshot that is kept, which the caller must close, or nil.
func (m *Member) atSeq(seq uint64) *engine.Snapshot {
	if snap := m.pins.get(seq); snap != nil {
		return snap
	}
	return m.walks.get(seq)
}

// releasePins gives up all snapshots that are kept.
func (m *Member) releasePins() {
	m.pins.release()
	m.walks.release()
}
