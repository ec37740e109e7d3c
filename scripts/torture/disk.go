//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// diskKind is what lies under the data folders of processes.
type diskKind string

// The kinds of disks.
const (
	plain   diskKind = ""        // whatever lies under the folder of the run
	small   diskKind = "small"   // a file system in memory of smallBytes, for each process
	forgets diskKind = "forgets" // an ext4 of its own for each process, which can lose what was not synced
)

const (
	smallBytes   = 24 << 20
	forgetsBytes = 192 << 20
	mountTimeout = 30 * time.Second
	// journalSeconds is how long the file system may keep names to itself when nobody syncs: as long as a run.
	journalSeconds = 300
)

// disk is the data folder of one process.
type disk struct {
	kind    diskKind
	dir     string // where the process has its data
	image   string // forgets: the file under the file system
	ballast string // small: what fills it
}

// newDisk makes a data folder below dir.
func newDisk(ctx context.Context, kind diskKind, dir, name string) (*disk, error) {
	d := &disk{kind: kind, dir: filepath.Join(dir, "data", name), image: filepath.Join(dir, "images", name)}
	d.ballast = filepath.Join(d.dir, "ballast")
	if err := errors.Join(os.MkdirAll(d.dir, 0o750), os.MkdirAll(filepath.Dir(d.image), 0o750)); err != nil {
		return nil, err
	}
	switch kind {
	case small:
		return d, run(ctx, "mount", "-t", "tmpfs", "-o", fmt.Sprintf("size=%d", smallBytes), "tmpfs", d.dir)
	case forgets:
		if err := os.WriteFile(d.image, nil, 0o640); err != nil {
			return nil, err
		}
		if err := os.Truncate(d.image, forgetsBytes); err != nil {
			return nil, err
		}
		if err := run(ctx, "mkfs.ext4", "-q", "-F", d.image); err != nil {
			return nil, err
		}
		return d, d.mount(ctx)
	}
	return d, nil
}

func (d *disk) mount(ctx context.Context) error {
	return run(ctx, "mount", "-o", fmt.Sprintf("loop,commit=%d", journalSeconds), d.image, d.dir)
}

// forget takes away what was not synced, as a loss of power does: what the file system has written to its device by now is copied, and stands there afterwards. Nobody
// may use the folder.
func (d *disk) forget(ctx context.Context) error {
	left := d.image + ".left"
	if err := run(ctx, "cp", "--sparse=always", d.image, left); err != nil {
		return err
	}
	if err := run(ctx, "umount", d.dir); err != nil {
		return err
	}
	if err := os.Rename(left, d.image); err != nil {
		return err
	}
	return d.mount(ctx)
}

// fill takes all room.
func (d *disk) fill() error {
	f, err := os.Create(d.ballast)
	if err != nil {
		return err
	}
	defer f.Close()
	block := make([]byte, 64<<10)
	for size := len(block); size > 0; {
		if _, err = f.Write(block[:size]); err != nil {
			size /= 2
		}
	}
	if !errors.Is(err, syscall.ENOSPC) {
		return fmt.Errorf("fill the disk: %w", err)
	}
	return nil
}

// free gives the room back.
func (d *disk) free() error { return os.Remove(d.ballast) }

// close takes the file system away; the folder of the run goes as a whole.
func (d *disk) close(ctx context.Context) error {
	if d.kind == plain {
		return nil
	}
	return run(ctx, "umount", d.dir)
}

// blocks gives the files in which a server keeps the messages of logs.
func (d *disk) blocks() ([]string, error) {
	var found []string
	err := filepath.WalkDir(d.dir, func(path string, entry os.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".blk") && strings.Contains(path, "/streams/JETSEEK_") {
			found = append(found, path)
		}
		return err
	})
	return found, err
}

// run runs a command of the operating system.
func run(ctx context.Context, name string, args ...string) error {
	ctx, cancel := context.WithTimeout(ctx, mountTimeout)
	defer cancel()
	if out, err := exec.CommandContext(ctx, name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, strings.TrimSpace(string(out)))
	}
	return nil
}
