package shard

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/jetseek/jetseek/engine"
	"github.com/jetseek/jetseek/engine/outcome"
	"github.com/jetseek/jetseek/subjects/wire"
)

// applyingFile says, in the member's folder, what is being applied: a process that dies of it leaves it to the next one.
const applyingFile = "applying"

// attempt is what is being applied.
type attempt struct {
	from, to uint64 // messages; 0: nothing
	singly   bool   // one operation alone, of message from
	op       uint32
	anew     bool // the index was made anew for it before
}

// The form of an attempt on disk: from u64, to u64, operation u32, flags u32 (1 singly, 2 anew), CRC32C of the software's version u32, CRC32C of all that u32.
const (
	attemptBytes = 32
	flagSingly   = 1
	flagAnew     = 2
)

func checksum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

func (a attempt) append(dst []byte, version string) []byte {
	start := len(dst)
	dst = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(dst, a.from), a.to)
	flags := uint32(0)
	if a.singly {
		flags |= flagSingly
	}
	if a.anew {
		flags |= flagAnew
	}
	for _, n := range []uint32{a.op, flags, checksum([]byte(version))} {
		dst = binary.LittleEndian.AppendUint32(dst, n)
	}
	return binary.LittleEndian.AppendUint32(dst, checksum(dst[start:]))
}

// decodeAttempt reads what append made; anything else is no attempt. Of other software only the messages count: it may be able to apply them.
func decodeAttempt(b []byte, version string) attempt {
	if len(b) != attemptBytes || checksum(b[:attemptBytes-4]) != binary.LittleEndian.Uint32(b[attemptBytes-4:]) {
		return attempt{}
	}
	a := attempt{from: binary.LittleEndian.Uint64(b), to: binary.LittleEndian.Uint64(b[8:])}
	if binary.LittleEndian.Uint32(b[24:]) == checksum([]byte(version)) {
		flags := binary.LittleEndian.Uint32(b[20:])
		a.op, a.singly, a.anew = binary.LittleEndian.Uint32(b[16:]), flags&flagSingly != 0, flags&flagAnew != 0
	}
	return a
}

// openApplying opens the file of attempts and gives the one that an earlier process left.
func (f *folder) openApplying(version string) (left attempt, err error) {
	f.version = version
	f.applying, err = os.OpenFile(filepath.Join(f.dir, applyingFile), os.O_CREATE|os.O_RDWR, 0o640)
	if err != nil {
		return left, fmt.Errorf("open the note of what is applied: %w", err)
	}
	b := make([]byte, attemptBytes)
	if _, err := f.applying.ReadAt(b, 0); err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return left, fmt.Errorf("read the note of what is applied: %w", err)
	}
	return decodeAttempt(b, version), nil
}

// note writes down what is being applied, the zero attempt when nothing is. The file's page outlives the process, which is all that is asked of it: it is not synced. A disk that does not take
// it lets a process that dies be blamed for nothing, no more.
func (f *folder) note(a attempt) {
	var space [attemptBytes]byte
	_, _ = f.applying.WriteAt(a.append(space[:0], f.version), 0)
}

func (f *folder) closeApplying() error {
	if f.applying == nil {
		return nil
	}
	if err := f.applying.Close(); err != nil && !errors.Is(err, fs.ErrClosed) {
		return err
	}
	return nil
}

// trial is what the apply loop knows of messages that were not applied at the first try. It is used by the apply loop alone.
type trial struct {
	from, to uint64      // are applied one operation at a time
	suspect  *suspect    // is not tried again before it is decided what becomes of it
	anew     *wire.Place // the index was made anew for this one
}

// suspect is an operation that this member cannot apply.
type suspect struct {
	wire.Place
	reason string
}

func (t *trial) has(seq uint64) bool { return t.from <= seq && seq <= t.to }

// takeUp goes on with what an earlier process left: it died of it, or was killed by others.
func (t *trial) takeUp(left attempt) {
	t.from, t.to = left.from, left.to
	if !left.singly {
		return
	}
	at := wire.Place{Seq: left.from, Op: left.op}
	t.suspect = &suspect{at, "the process ended while it was applied, twice"}
	if left.anew {
		t.anew = &at
	}
}

// brokenOff is the error for messages that were not applied since the engine panicked or failed. The index must not be used any more.
type brokenOff struct {
	from, to uint64
	at       *wire.Place // the operation, where they were applied one at a time
	reason   string
}

func newBrokenOff(from, to uint64, at *wire.Place, reason string) *brokenOff {
	if at != nil && at.Seq != from {
		at = nil // it was at none
	}
	return &brokenOff{from, to, at, reason}
}

func (b *brokenOff) Error() string {
	return fmt.Sprintf("messages %d to %d were not applied: %s", b.from, b.to, b.reason)
}

// applySingly applies one message, one operation after the other, each written down before.
func (m *Member) applySingly(message engine.Message, at *wire.Place) ([][]outcome.Outcome, error) {
	return m.index.get().ApplySingly([]engine.Message{message}, func(p engine.Place) {
		*at = wire.Place(p)
		m.pace.next()
		m.folder.note(attempt{from: p.Seq, to: m.trial.to, singly: true, op: p.Op, anew: m.trial.isAnew(*at)})
	})
}

func (t *trial) isAnew(at wire.Place) bool { return t.anew != nil && *t.anew == at }

// takeBack opens the index as its files have it, after messages broke off, so that they are applied one operation at a time; an operation at which that broke off is a suspect. When it is none of the operations at
// which one message breaks off, the member is at its end.
func (m *Member) takeBack(ctx context.Context, b *brokenOff) error {
	if b.at == nil && m.trial.has(b.from) {
		return b // it is no operation's fault
	}
	m.metrics.brokenOff.Inc()
	m.opts.Log.Error("messages could not be applied: the member goes back to its files and tries them one operation at a time", "member", m.id, "from", b.from, "to", b.to, "reason", b.reason)
	if b.at != nil {
		m.trial.suspect = &suspect{*b.at, b.reason}
	} else {
		m.trial.from, m.trial.to = b.from, b.to
	}
	m.folder.note(attempt{})
	return m.reopen(ctx, func() (*engine.Index, error) {
		opened, err := m.openFiles()
		if errors.Is(err, engine.ErrUnreadable) {
			return m.openAnew()
		}
		return opened, err
	})
}

// reopen puts another index in the place of the present one, and has the log followed from where that is. It is called by the apply loop.
func (m *Member) reopen(ctx context.Context, open func() (*engine.Index, error)) error {
	m.replayed = max(m.replayed, m.appliedSeq())
	m.grants.goBack(m.replayed)
	m.marks.forget()
	if err := m.index.replace(ctx, m.releasePins, open); err != nil {
		return err
	}
	m.table, m.signed, m.told, m.pinned, m.opened = nil, false, nil, nil, place{}
	if err := m.readKept(); err != nil {
		return err
	}
	at := m.opened
	at.log = m.log
	m.reached.Store(&at)
	m.follower.rewind(at)
	m.progress.advance(m.table)
	return nil
}
