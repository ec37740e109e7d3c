package shard

import (
	"context"
	"slices"
	"sync"

	"github.com/jetseek/jetseek/engine"
	"github.com/jetseek/jetseek/subjects/wire"
)

const (
	// marksKept is how many marks a member remembers the digest of: those of a lease that is applied late are still among them.
	marksKept = 1024
	// partsKept is how many of these it remembers in all parts.
	partsKept = 16
	// doubtsKept is how many findings wait for the verifier; one more is dropped, the next lease finds it again.
	doubtsKept = 16
)

// isMark tells whether members remember what they held behind a message, to compare it: records that change nothing. Leases are regular, as long as anybody serves.
func isMark(raw message) bool {
	return raw.record != nil && slices.ContainsFunc(raw.record.Ops, func(op wire.Op) bool {
		return op.Kind == wire.KindLease || op.Kind == wire.KindBarrier || op.Kind == wire.KindCheckpoint || op.Kind == wire.KindPin
	})
}

// marks are what a member held at the last marks.
type marks struct {
	mu   sync.Mutex // guards last
	last []mark     // ascending
}

type mark struct {
	seq   uint64
	root  wire.Digest
	parts *engine.Parts // nil: only the root is remembered
}

// mark remembers what the member holds at the mark that it has just applied.
func (m *Member) mark() {
	snap := m.index.Snapshot()
	defer snap.Close()
	m.marks.add(mark{snap.Seq(), wire.Digest(snap.Digest()), snap.Parts()})
}

func (s *marks) add(m mark) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.last) >= marksKept {
		s.last = slices.Delete(s.last, 0, 1)
	}
	s.last = append(s.last, m)
	if n := len(s.last) - 1 - partsKept; n >= 0 {
		s.last[n].parts = nil
	}
}

// at gives the mark of a sequence, if it is remembered.
func (s *marks) at(seq uint64) (mark, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, ok := slices.BinarySearchFunc(s.last, seq, func(m mark, want uint64) int { return int(int64(m.seq - want)) })
	if !ok {
		return mark{}, false
	}
	return s.last[i], true
}

// newest gives the last mark, 0 before the first.
func (s *marks) newest() (seq uint64, root wire.Digest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.last) == 0 {
		return 0, wire.Digest{}
	}
	m := s.last[len(s.last)-1]
	return m.seq, m.root
}

// forget forgets all marks: what the member held there was wrong.
func (s *marks) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = nil
}

// await waits until the member has passed a mark and gives it; false when it does not remember it, or when ctx ends.
func (m *Member) awaitMark(ctx context.Context, seq uint64) (mark, bool) {
	for {
		_, advanced := m.progress.watch()
		if found, ok := m.marks.at(seq); ok {
			return found, true
		}
		if newest, _ := m.marks.newest(); newest > seq {
			return mark{}, false
		}
		select {
		case <-ctx.Done():
			return mark{}, false
		case <-advanced:
		}
	}
}

// attestation is what a lease tells of its member, with the lease's own place.
type attestation struct {
	wire.Lease
	seq uint64
}

// doubt is that another member has held something else at a mark.
type doubt struct {
	at uint64
	by string // g0/n2
}

// compareTold compares what leases have told since the last batch. Whoever applies a lease has passed its mark, since its member had when it sent it.
func (m *Member) compareTold() {
	for _, a := range m.told {
		if a.seq <= max(m.startHead, m.replayed) || a.Member == m.id {
			continue
		}
		if mine, ok := m.marks.at(a.Mark); ok && mine.root != a.Digest {
			select {
			case m.doubts <- doubt{a.Mark, a.Member}:
			default:
			}
		}
	}
	m.told = m.told[:0]
}
