package shard

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"

	"github.com/jetseek/jetseek/engine"
	"github.com/jetseek/jetseek/engine/vfs"
	"github.com/jetseek/jetseek/subjects/wire"
)

// replayFolder is where a replay keeps its index, in the member's folder.
const replayFolder = "replay"

// replay plays the log from its first message into an index of its own, in files, for only the slots that are in question: it is what decides what is right. It shares nothing
// with what the member has applied. It is used by one goroutine.
type replay struct {
	translator
	follower *follower
	index    *engine.Index
	only     engine.Selection
	dir      string
}

// openReplay begins a replay; only nil is all slots. The caller closes it.
func (m *Member) openReplay(only engine.Selection) (*replay, error) {
	dir := filepath.Join(m.opts.Dir, replayFolder)
	if err := os.RemoveAll(dir); err != nil {
		return nil, fmt.Errorf("begin a replay: %w", err)
	}
	folder, err := vfs.Disk(dir)
	if err != nil {
		return nil, fmt.Errorf("begin a replay: %w", err)
	}
	r := &replay{
		translator: translator{opts: m.opts, id: m.id, incarnation: m.incarnation, log: m.log, documents: m.documents, asides: m.asides}, dir: dir, only: only,
		follower: &follower{conn: m.opts.LogConn, stream: m.stream, name: m.opts.Names.Stream(m.opts.Group), all: m.opts.Names.Log(">"), next: 1, links: m.opts.LogConn.Stats().Reconnects},
	}
	r.opts.Log = slog.New(slog.DiscardHandler) // the member has said it all
	if r.index, err = engine.Open(engine.Options{Folder: folder, Resources: m.opts.Resources, Only: only, BeforeOp: poison()}); err != nil {
		return nil, fmt.Errorf("begin a replay: %w", err)
	}
	return r, nil
}

func (r *replay) close() error {
	r.follower.stopReading()
	r.index.Close()
	if err := os.RemoveAll(r.dir); err != nil {
		return fmt.Errorf("end a replay: %w", err)
	}
	return nil
}

// to plays the log up to a message and not further. A log that cannot be read in order is an error: then nothing is decided.
func (r *replay) to(ctx context.Context, seq uint64) error {
	r.follower.raiseHead(seq)
	for r.follower.next <= seq {
		batch, err := r.follower.batch(ctx)
		for len(batch) > 0 && err == nil {
			n := portion(batch)
			err = r.apply(ctx, batch[:n])
			batch = batch[n:]
		}
		if err != nil {
			return fmt.Errorf("replay the log to message %d: %w", seq, err)
		}
	}
	return nil
}

func (r *replay) apply(ctx context.Context, batch []message) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("apply messages %d to %d: panic: %v", batch[0].seq, batch[len(batch)-1].seq, p)
		}
	}()
	messages := make([]engine.Message, len(batch))
	for i := range batch {
		if err := r.loadSelected(ctx, batch[i]); err != nil {
			return err
		}
		var err error
		if messages[i], _, err = r.message(batch[i]); err != nil {
			return err
		}
	}
	r.told, r.pinned, r.missed = r.told[:0], r.pinned[:0], nil
	if err := r.index.AwaitRoom(ctx); err != nil {
		return err
	}
	if _, err := r.index.Apply(messages); err != nil {
		return err
	}
	select {
	case <-r.index.FlushDue():
		return r.index.Flush(ctx)
	default:
		return nil
	}
}

// loadSelected loads the bodies of a message that are in the object store, unless no document in question is among them.
func (r *replay) loadSelected(ctx context.Context, raw message) error {
	if !refersToObjects(raw) {
		return nil
	}
	if r.only == nil || slices.ContainsFunc(raw.record.Ops, func(op wire.Op) bool { return op.Object != "" && r.only.Has(op.Collection, op.Slot) }) {
		return r.loadObjects(ctx, raw)
	}
	return nil
}

func (r *replay) parts() *engine.Parts {
	snap := r.index.Snapshot()
	defer snap.Close()
	return snap.Parts()
}

// isOfTheLog tells whether an error says that the log itself cannot be read, so that no replay can decide.
func isOfTheLog(err error) bool {
	return errors.Is(err, errHole) || errors.Is(err, errRewritten) || errors.Is(err, errShorter) || errors.Is(err, wire.ErrNewerLog)
}
