package shard

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/jetseek/jetseek/subjects/registry"
	"github.com/jetseek/jetseek/subjects/wire"
)

const (
	// placeFile holds the last place that the member wrote down, in its folder: newer than what its index has in files, so that a log that has lost less than that is noticed.
	placeFile = "place"
	// placeEvery is how often the place is written down while the member advances.
	placeEvery = time.Second
	// comparedBeats is how many times after its start a member looks whether others have applied more than the log holds: their records are as old as a beat then.
	comparedBeats = 5
)

// readPlace gives the place that was written down last; the zero place when there is none. A file that is none is an error that wraps errNoPlace.
func (f *folder) readPlace() (place, error) {
	b, err := os.ReadFile(filepath.Join(f.dir, placeFile))
	if errors.Is(err, fs.ErrNotExist) {
		return place{}, nil
	}
	if err != nil {
		return place{}, fmt.Errorf("read the place in the log: %w", err)
	}
	return decodePlace(b)
}

// writePlace replaces the file; after a crash the old or the new one is there, whole.
func (f *folder) writePlace(p place) error {
	name := filepath.Join(f.dir, placeFile)
	err := writeSynced(name+".tmp", string(p.Append(nil)))
	if err == nil {
		err = os.Rename(name+".tmp", name)
	}
	if err != nil {
		return fmt.Errorf("write the place in the log: %w", err)
	}
	return nil
}

// keepPlace writes down where the member is, until ctx ends, and then once more.
func (m *Member) keepPlace(ctx context.Context) error {
	every := time.NewTicker(placeEvery)
	defer every.Stop()
	written := m.remembered
	write := func() {
		at := m.reached.Load()
		if state, _ := m.status.get(); state == Failed || at.seq <= written.seq {
			return // while it replays, what it knows of the log is ahead of it
		}
		if err := m.folder.writePlace(*at); err != nil {
			m.opts.Log.Warn("the place in the log was not written down: a loss of the log's end may not be noticed after a restart", "member", m.id, "error", err)
			return
		}
		written = *at
	}
	for {
		select {
		case <-ctx.Done():
			write()
			return nil
		case <-every.C:
			write()
		}
	}
}

// advanced gives the place behind a batch. It fails when the log differs from what was written down of it.
func (m *Member) advanced(batch []message) (place, error) {
	at := *m.reached.Load()
	for i := range batch {
		at = at.next(batch[i].hash)
		if at.seq == m.remembered.seq && at != m.remembered {
			return at, fmt.Errorf("%w: the messages up to %d are others than those that this member has applied before; %s", errRewritten, at.seq, keepAndRestore)
		}
	}
	return at, nil
}

// expectedLog gives the log that the group is known to have, from what the member has written down or from the map; zero: none yet.
func (m *Member) expectedLog(ctx context.Context) (wire.UUID, error) {
	for _, at := range []place{m.remembered, m.opened} {
		if at.seq > 0 {
			return at.log, nil
		}
	}
	now, _, err := m.registry.Map(ctx)
	if errors.Is(err, registry.ErrNotFound) {
		return wire.UUID{}, nil
	}
	if err != nil {
		return wire.UUID{}, err
	}
	g, _ := now.Group(m.opts.Group)
	return g.Log, nil
}

// isExpected fails when the stream's log is not the one that the group is known to have.
func (m *Member) isExpected(log, expected wire.UUID) error {
	if expected == (wire.UUID{}) || log == expected {
		return nil
	}
	return fmt.Errorf("%w: %s holds the log %s, and the group's is %s; %s", errRewritten, m.opts.Names.Stream(m.opts.Group), log, expected, keepAndRestore)
}

// isGone is the error for a stream without messages, or no stream, where the group is known to have a log.
func (m *Member) isGone(expected wire.UUID) error {
	return fmt.Errorf("%w: %s is gone or empty, and the group's log %s was in it; %s", errRewritten, m.opts.Names.Stream(m.opts.Group), expected, keepAndRestore)
}

// setBack is the error for a record that the log has stored where another was acknowledged before.
func setBack(seq, known uint64) error {
	return fmt.Errorf("%w: it stored a record as number %d after %d had been acknowledged; %s", errRewritten, seq, known, keepAndRestore)
}

// reaches fails when the log ends before what is known to have been in it; nothing is written to it then.
func (m *Member) reaches(ctx context.Context, known uint64) error {
	info, err := m.stream.Info(ctx)
	if err != nil {
		return fmt.Errorf("read the state of the log: %w", err)
	}
	if last := info.State.LastSeq; last < known {
		return fmt.Errorf("%w: it ends at %d, and message %d was applied; %s", errRewritten, last, known, keepAndRestore)
	}
	return nil
}

// known is the highest sequence that the log has certainly held.
func (m *Member) known() uint64 { return max(m.appliedSeq(), m.stored.Load(), m.remembered.seq) }

// others gives the records of the other members of the group.
func (m *Member) others(ctx context.Context) ([]*registry.Member, error) {
	ctx, cancel := context.WithTimeout(ctx, publishTimeout)
	defer cancel()
	all, err := m.registry.Members(ctx, m.opts.Group)
	return slices.DeleteFunc(all, func(o *registry.Member) bool { return o.Node == m.opts.Node }), err
}

// appliedBy gives the highest sequence that one of the members says it has applied of this log.
func (m *Member) appliedBy(others []*registry.Member) (highest uint64) {
	for _, o := range others {
		if o.Log == m.log {
			highest = max(highest, o.Applied)
		}
	}
	return highest
}

// compareOthers looks whether another member has applied what the log does not hold: then it was set back before this member came.
func (m *Member) compareOthers(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, livenessEvery)
	defer cancel()
	others, err := m.others(ctx)
	applied := m.appliedBy(others)
	if err != nil || applied <= m.known() {
		return err
	}
	seq, err := m.publishControl(ctx, m.log, wire.KindBarrier, nil)
	if err == nil && seq <= applied {
		m.fail(setBack(seq, applied))
	}
	return err
}

// prove finds out by a record, which gets its place in the log's order, whether the log was set back; no answer to a question proves that.
func (m *Member) prove(ctx context.Context) error {
	known := m.known()
	seq, err := m.publishControl(ctx, m.log, wire.KindBarrier, nil)
	switch {
	case errors.Is(err, jetstream.ErrNoStreamResponse):
		return nil // it is asked again
	case err != nil:
		m.opts.Log.Warn("the log seems to be shorter than it was, and takes no record that would prove it", "member", m.id, "error", err)
		return nil
	case seq <= known:
		return setBack(seq, known)
	}
	return nil
}
