package shard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/time/rate"

	"github.com/jetseek/jetseek/engine"
	"github.com/jetseek/jetseek/engine/vfs"
	"github.com/jetseek/jetseek/subjects/wire"
)

const (
	// indexFolder is where the index keeps its files, in the member's folder.
	indexFolder = "index"
	// damagedSuffix is what is added to it when it is damaged; the last damaged one is kept, for those who want to know what happened.
	damagedSuffix = ".damaged"
	// flushAge is how long what was written may stay in memory only unless options say otherwise; a restart replays it from the log. Leases alone, of which the log has several a minute, wait for
	// idleFlushAge.
	flushAge     = 30 * time.Second
	idleFlushAge = 5 * time.Minute
	// flushLook is how often a member looks for what has become so old.
	flushLook = time.Second
	// flushRetry is the pause after a flush or a merge that failed.
	flushRetry = time.Second
	// lastFlush bounds the flush at an orderly end.
	lastFlush = 15 * time.Second
	// mergeRate is how many bytes a second merges of a process write, so that searches and logs have the disk too.
	mergeRate = 128 << 20
)

// NewResources makes what all members of a process share: memory, in bytes, for documents that are not in files yet (0: 256 MiB), and one disk, on which one merge runs
// at a time, at up to 128 MiB/s.
func NewResources(memory int64) (*engine.Resources, error) {
	return engine.NewResources(memory, rate.NewLimiter(mergeRate, engine.MaxPaced).WaitN)
}

// kept is what a member keeps with its index beside documents: JSON, attached to every batch.
type kept struct {
	Place  []byte            `json:"place"`  // in the log, as [place.Append] has it
	Leases []wire.LeaseEntry `json:"leases"` // the lease table
	Signed bool              `json:"signed"` // a record of the log has verified
}

// openIndex opens what the member knew at its last flush.
func (m *Member) openIndex() error {
	began := time.Now()
	dir := m.indexDir()
	proved, err := m.folder.isProvedWrong()
	if err != nil {
		return err
	}
	var opened *engine.Index
	if !proved {
		opened, err = m.openFiles()
	}
	if proved || errors.Is(err, engine.ErrUnreadable) {
		m.opts.Log.Error("the index is damaged: the member makes it anew from the log", "member", m.id, "error", err)
		opened, err = m.openAnew()
	}
	if err != nil {
		return fmt.Errorf("open the index in %s: %w", dir, err)
	}
	m.index.set(opened)
	if err := m.readKept(); err != nil {
		opened.Close()
		if errors.Is(err, errNoKey) {
			return err
		}
		return fmt.Errorf("%w; remove the folder %s to let the member make its index anew from the log", err, dir)
	}
	m.opts.Log.Info("opened the index", "member", m.id, "seq", m.appliedSeq(), "took", time.Since(began))
	return nil
}

func (m *Member) indexDir() string { return filepath.Join(m.opts.Dir, indexFolder) }

// openFiles opens the index in the member's folder.
func (m *Member) openFiles() (*engine.Index, error) {
	folder := m.opts.Index
	if folder == nil {
		var err error
		if folder, err = vfs.Disk(m.indexDir()); err != nil {
			return nil, err
		}
	}
	before := m.opts.Hooks.BeforeOp
	if before == nil {
		before = poison()
	}
	return engine.Open(engine.Options{Folder: folder, Resources: m.opts.Resources, BeforeOp: before})
}

// openAnew sets the index in the member's folder aside and opens an empty one.
func (m *Member) openAnew() (*engine.Index, error) {
	if err := m.setAside(); err != nil {
		return nil, err
	}
	opened, err := m.openFiles()
	if err == nil {
		err = m.folder.isRight()
	}
	return opened, err
}

// readKept reads what the member keeps with its index.
func (m *Member) readKept() error {
	snap := m.index.Snapshot()
	defer snap.Close()
	if snap.Seq() == 0 {
		return nil
	}
	var k kept
	if err := json.Unmarshal(snap.Attachment(), &k); err != nil {
		return fmt.Errorf("what the member keeps with its index: %w", err)
	}
	at, err := decodePlace(k.Place)
	if err == nil && at.seq != snap.Seq() {
		err = fmt.Errorf("%w: it is of message %d", errNoPlace, at.seq)
	}
	if err != nil {
		return fmt.Errorf("what the member keeps with its index at %d: %w", snap.Seq(), err)
	}
	m.opened = at
	if k.Signed && m.opts.Keys == nil {
		return errNoKey
	}
	m.table, m.signed = k.Leases, k.Signed
	m.progress.advance(m.table)
	return nil
}

// setAside moves a damaged index away, in the place of an earlier one. A folder that the options have given is emptied.
func (m *Member) setAside() error {
	if m.opts.Index != nil {
		return empty(m.opts.Index)
	}
	dir := m.indexDir()
	err := os.RemoveAll(dir + damagedSuffix)
	if err == nil {
		err = os.Rename(dir, dir+damagedSuffix)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("set the damaged index aside: %w", err)
	}
	m.opts.Log.Info("the damaged index was set aside", "member", m.id, "folder", dir+damagedSuffix)
	return nil
}

// empty takes all files out of a folder.
func empty(folder vfs.Folder) error {
	names, err := folder.List()
	if err != nil {
		return fmt.Errorf("empty the damaged index: %w", err)
	}
	for _, name := range names {
		if err := folder.Remove(name); err != nil {
			return fmt.Errorf("empty the damaged index: %w", err)
		}
	}
	return folder.Sync()
}

// attach gives a batch what the member keeps behind it.
func (m *Member) attach(batch []engine.Message, at place) error {
	b, err := json.Marshal(kept{Place: at.Append(nil), Leases: m.table, Signed: m.signed})
	if err != nil {
		return fmt.Errorf("keep the lease table: %w", err)
	}
	batch[len(batch)-1].Attachment = b
	return nil
}

// flush writes to files what has become old, or takes the memory that others need.
func (m *Member) flush(ctx context.Context) error {
	look := time.NewTicker(flushLook)
	defer look.Stop()
	aged := aging{after: m.opts.FlushAge}
	for {
		due := true
		select {
		case <-ctx.Done():
			return nil
		case <-m.index.get().FlushDue():
		case now := <-look.C:
			due = aged.due(now, m.unflushed())
		}
		for due && ctx.Err() == nil {
			err := m.index.Flush(ctx)
			if err == nil {
				m.status.remark("")
				break
			}
			if ctx.Err() == nil {
				m.status.remark(diskNote(err))
			}
			if !m.endures(ctx, "flush", err) {
				break
			}
		}
	}
}

// endures tells whether work on files that failed is to be tried again, after a pause: not when what it reads is damaged, which makes it begin anew.
func (m *Member) endures(ctx context.Context, work string, err error) bool {
	if ctx.Err() != nil {
		return false
	}
	if errors.Is(err, engine.ErrUnreadable) {
		m.damaged(fmt.Errorf("%s: %w", work, err))
		return false
	}
	m.opts.Log.Error("the disk took no files; the member goes on from memory and tries again", "member", m.id, "work", work, "error", err)
	return sleep(ctx, flushRetry) == nil
}

// staleness says what of an index is in memory only.
type staleness int

const (
	nothingNew staleness = iota
	leasesNew            // sequence and leases
	contentNew           // documents, schemas, ownership, or merged files
)

func (m *Member) unflushed() staleness {
	snap := m.index.Snapshot()
	defer snap.Close()
	done := m.index.get().Activity()
	switch {
	case snap.ContentSeq() > done.FlushedSeq || done.FilesChanged:
		return contentNew
	case snap.Seq() > done.FlushedSeq:
		return leasesNew
	}
	return nothingNew
}

// aging knows since when there is something to flush.
type aging struct {
	after        time.Duration // content is flushed
	content, any time.Time
}

// due tells whether what is not flushed has become old.
func (a *aging) due(now time.Time, s staleness) bool {
	if s < contentNew {
		a.content = time.Time{}
	} else if a.content.IsZero() {
		a.content = now
	}
	if s == nothingNew {
		a.any = time.Time{}
	} else if a.any.IsZero() {
		a.any = now
	}
	if !a.content.IsZero() && now.Sub(a.content) >= a.after || !a.any.IsZero() && now.Sub(a.any) >= idleFlushAge {
		*a = aging{after: a.after}
		return true
	}
	return false
}

// closeIndex ends an index in order: what it holds is flushed, so that the next start replays little.
func (m *Member) closeIndex() {
	defer func() { m.index.get().Close() }()
	if state, _ := m.status.get(); state == Failed {
		return // what is in memory may be wrong
	}
	ctx, cancel := context.WithTimeout(context.Background(), lastFlush)
	defer cancel()
	if err := m.index.Flush(ctx); err != nil {
		m.opts.Log.Warn("the index was not flushed: the next start replays more", "member", m.id, "error", err)
	}
}
