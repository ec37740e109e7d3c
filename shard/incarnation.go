package shard

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gofrs/flock"
)

// incarnationFile holds, one a line in hex, every incarnation of this member whose leases may not have been released yet; the last
// one is that of the process which wrote it.
const incarnationFile = "incarnations"

// folder is a member's data folder, locked: a stopped process still holds the lock, so whoever reads the file under it knows that
// the incarnations in it serve nothing any more.
type folder struct {
	dir  string
	lock *flock.Flock

	version  string   // of the software
	applying *os.File // what is being applied
}

// LockFolder makes a data folder if it is absent and locks it until the lock is closed. A folder in use by a living process is an error that says so.
func LockFolder(dir string) (*flock.Flock, error) {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return nil, fmt.Errorf("make data folder: %w", err)
	}
	lock := flock.New(filepath.Join(dir, "LOCK"))
	ok, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock data folder %s: %w", dir, err)
	}
	if !ok {
		return nil, fmt.Errorf("data folder %s is in use by another process: stop it, or choose another folder", dir)
	}
	return lock, nil
}

func openFolder(dir string) (*folder, error) {
	lock, err := LockFolder(dir)
	return &folder{dir: dir, lock: lock}, err
}

func (f *folder) close() error { return errors.Join(f.closeApplying(), f.lock.Close()) }

// begin makes a new incarnation and gives those before it that were never released. The new one is on disk before this returns, so that
// its successor will know it.
func (f *folder) begin() (mine uint64, before []uint64, err error) {
	before, err = f.read()
	if err != nil {
		return 0, nil, err
	}
	var b [8]byte
	for mine == 0 {
		rand.Read(b[:])
		mine = binary.LittleEndian.Uint64(b[:])
	}
	return mine, before, f.write(append(before, mine))
}

// released forgets all incarnations but mine: the log holds their releases.
func (f *folder) released(mine uint64) error { return f.write([]uint64{mine}) }

func (f *folder) read() ([]uint64, error) {
	b, err := os.ReadFile(filepath.Join(f.dir, incarnationFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read incarnations: %w", err)
	}
	return parseIncarnations(b)
}

// parseIncarnations reads the file's lines.
func parseIncarnations(b []byte) ([]uint64, error) {
	var all []uint64
	lines := bufio.NewScanner(bytes.NewReader(b))
	for lines.Scan() {
		n, err := strconv.ParseUint(strings.TrimSpace(lines.Text()), 16, 64)
		if err != nil {
			return nil, fmt.Errorf("incarnations file: %w", err)
		}
		all = append(all, n)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("incarnations file: %w", err)
	}
	return all, nil
}

// write replaces the file so that after a crash either the old or the new one is there, whole.
func (f *folder) write(all []uint64) error {
	var b strings.Builder
	for _, n := range all {
		fmt.Fprintf(&b, "%016x\n", n)
	}
	name := filepath.Join(f.dir, incarnationFile)
	if err := writeSynced(name+".tmp", b.String()); err != nil {
		return fmt.Errorf("write incarnations: %w", err)
	}
	if err := os.Rename(name+".tmp", name); err != nil {
		return fmt.Errorf("write incarnations: %w", err)
	}
	d, err := os.Open(f.dir)
	if err != nil {
		return fmt.Errorf("sync data folder: %w", err)
	}
	defer d.Close()
	if err := d.Sync(); err != nil {
		return fmt.Errorf("sync data folder: %w", err)
	}
	return nil
}

func writeSynced(name, text string) error {
	file, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o640)
	if err != nil {
		return err
	}
	if _, err = file.WriteString(text); err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}
