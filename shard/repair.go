package shard

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/jetseek/jetseek/engine"
	"github.com/jetseek/jetseek/subjects/wire"
)

// wrongFile stands in the member's folder from when its index was proved wrong until it is right again: a start in between makes the index anew.
const wrongFile = "wrong"

func (f *folder) isProvedWrong() (bool, error) {
	_, err := os.Stat(filepath.Join(f.dir, wrongFile))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look whether the index was proved wrong: %w", err)
	}
	return true, nil
}

func (f *folder) provedWrong(reason string) error {
	return writeSynced(filepath.Join(f.dir, wrongFile), reason)
}

func (f *folder) isRight() error {
	err := os.Remove(filepath.Join(f.dir, wrongFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// jobWait is how long the apply loop waits for whoever called it.
const jobWait = time.Second

// judge proves by a replay of the log what the member held at a mark, and mends it when that was wrong.
func (m *Member) judge(ctx context.Context, o order) verdict {
	v := verdict{order: o, phase: wire.RepairFailed}
	held, ok := m.awaitMark(ctx, o.at)
	if !ok || held.parts == nil {
		v.reason = fmt.Sprintf("member %s does not remember what it held at %d", m.id, o.at)
		return v
	}
	if o.only.Slots() > mendedSlots {
		o.only = nil
	}
	r, err := m.openReplay(o.only)
	if err != nil {
		v.reason = err.Error()
		return v
	}
	defer func() {
		if err := r.close(); err != nil {
			m.opts.Log.Warn("the files of a replay were left over: the next one removes them", "member", m.id, "error", err)
		}
	}()
	if err := r.to(ctx, o.at); err != nil {
		v.reason = err.Error()
		return v
	}
	if right := r.parts(); o.only == nil && right.Root() == held.parts.Root() || o.only != nil && right.Agree(held.parts, o.only) {
		v.phase = wire.RepairRight
		return v
	}
	m.leaveAsWrong(ctx, fmt.Sprintf("diverged: at message %d it held something else than the log says; it mends itself by a replay", o.at))
	for ctx.Err() == nil {
		if v.documents, err = m.mend(ctx, r); err == nil {
			m.comeBack(v.documents)
			v.phase = wire.RepairRepaired
			return v
		}
		m.opts.Log.Error("the member was not mended yet", "member", m.id, "error", err)
		if isOfTheLog(err) || sleep(ctx, repairRetry) != nil {
			break
		}
	}
	v.reason = fmt.Sprint(err)
	return v
}

// leaveAsWrong takes a member out of rotation whose index is proved wrong.
func (m *Member) leaveAsWrong(ctx context.Context, reason string) {
	m.leave(ctx, wrong, reason)
	if err := m.folder.provedWrong(reason); err != nil {
		m.opts.Log.Warn("it was not written down that the index is wrong: after a restart that has to be found again", "member", m.id, "error", err)
	}
}

// leave takes the member out of rotation for a while. It gives up its leases in the log, so that no write waits for it.
func (m *Member) leave(ctx context.Context, c cause, reason string) {
	if !m.status.fence(c, reason) {
		return
	}
	m.grants.clear()
	m.opts.Log.Error("a member leaves rotation for a while", "member", m.id, "reason", reason)
	m.giveUp(ctx)
}

// giveUp releases the member's leases in the log; it serves by none of them any more.
func (m *Member) giveUp(ctx context.Context) {
	m.grants.clear()
	ctx, cancel := context.WithTimeout(ctx, publishTimeout)
	defer cancel()
	if _, err := m.release(ctx, m.incarnation); err != nil && ctx.Err() == nil {
		m.opts.Log.Warn("leases were not released: writes wait for them to run out", "member", m.id, "error", err)
	}
}

// comeBack lets a member join again that holds what the log says.
func (m *Member) comeBack(documents uint64) {
	if err := m.folder.isRight(); err != nil {
		m.opts.Log.Warn("the note that the index is wrong was not removed: a restart makes it anew", "member", m.id, "error", err)
	}
	m.metrics.repairs.Inc()
	m.metrics.mended.Add(float64(documents))
	m.opts.Log.Info("the member holds what the log says, and joins again", "member", m.id, "documents", documents)
	m.status.lift(wrong)
	m.rest.need() // it may have slept when it left
}

// mend makes the index right: by the replay where documents of its slots are wrong, else anew. The replay is brought to where the member is first; the rest of it while the
// member waits.
func (m *Member) mend(ctx context.Context, r *replay) (documents uint64, err error) {
	if r.only == nil {
		return m.beginAnew(ctx)
	}
	if err := r.to(ctx, m.appliedSeq()); err != nil {
		return 0, err
	}
	err = m.inApplyLoop(ctx, func(ctx context.Context) error {
		if err := r.to(ctx, m.appliedSeq()); err != nil {
			return err
		}
		return m.index.alone(ctx, func(x *engine.Index) error {
			n, err := x.Mend(ctx, r.index)
			documents = uint64(n)
			m.releasePins() // they hold what was wrong
			m.marks.forget()
			return err
		})
	})
	if errors.Is(err, engine.ErrBeyond) || errors.Is(err, engine.ErrUnreadable) {
		return m.beginAnew(ctx)
	}
	if err == nil {
		err = m.index.Flush(ctx)
	}
	return documents, err
}

// beginAnew makes the index anew from the log, and waits until it is where it was. It gives the number of its documents then.
func (m *Member) beginAnew(ctx context.Context) (documents uint64, err error) {
	until := m.appliedSeq()
	err = m.inApplyLoop(ctx, func(ctx context.Context) error { return m.reopen(ctx, m.openAnew) })
	if err != nil {
		return 0, err
	}
	if !m.awaitApplied(ctx, max(until, m.head())) {
		return 0, ctx.Err()
	}
	snap := m.index.Snapshot()
	defer snap.Close()
	return countDocuments(snap), nil
}

// damaged takes the member out of rotation since its files are not what was written, and lets the verifier make its index anew.
func (m *Member) damaged(err error) {
	if !m.status.fence(wrong, "damaged: "+err.Error()+"; the member makes its index anew from the log") {
		return
	}
	m.grants.clear()
	select {
	case m.unreadable <- struct{}{}:
	default:
	}
}

// rebuild makes an index anew that cannot be read any more.
func (m *Member) rebuild(ctx context.Context) {
	_, reason := m.status.get()
	m.opts.Log.Error("a member leaves rotation for a while", "member", m.id, "reason", reason)
	m.giveUp(ctx)
	if err := m.folder.provedWrong(reason); err != nil {
		m.opts.Log.Warn("it was not written down that the index is damaged", "member", m.id, "error", err)
	}
	for ctx.Err() == nil {
		documents, err := m.beginAnew(ctx)
		if err == nil {
			m.comeBack(documents)
			return
		}
		m.opts.Log.Error("the index was not made anew yet", "member", m.id, "error", err)
		_ = sleep(ctx, repairRetry) // ended: the loop ends
	}
}

// job is work for the apply loop, between two batches.
type job struct {
	do   func(ctx context.Context) error
	done chan error // capacity 1
}

// inApplyLoop has the apply loop do something between two batches, and waits for it.
func (m *Member) inApplyLoop(ctx context.Context, do func(ctx context.Context) error) error {
	j := job{do, make(chan error, 1)}
	m.follower.call()
	select {
	case m.jobs <- j:
	case <-ctx.Done():
		return fmt.Errorf("wait for the apply loop: %w", ctx.Err())
	}
	select {
	case err := <-j.done:
		return err
	case <-ctx.Done():
		return fmt.Errorf("wait for the apply loop: %w", ctx.Err())
	}
}

// runJob does what the apply loop was called for.
func (m *Member) runJob(ctx context.Context) {
	select {
	case j := <-m.jobs:
		j.done <- j.do(ctx)
	case <-ctx.Done():
	case <-time.After(jobWait): // whoever called has given up
	}
}
