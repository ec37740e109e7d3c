package shard

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jetseek/jetseek/engine/vfs"
	"github.com/jetseek/jetseek/subjects/wire"
)

// becomes waits until a member is in a state (any: ""), with a reason that begins so.
func (r *running) becomes(t *testing.T, want State, reason string) {
	t.Helper()
	limit := time.NewTimer(30 * time.Second)
	defer limit.Stop()
	for {
		_, changed := r.status.watch()
		state, why := r.State()
		if (want == "" || state == want) && strings.HasPrefix(why, reason) {
			return
		}
		select {
		case <-changed:
		case <-limit.C:
			t.Fatalf("member %s is %s: %s; want %s: %s", r.ID(), state, why, want, reason)
		}
	}
}

// putLarge writes documents of 100 KB.
func (g *group) putLarge(log wire.UUID, from, to int) (last uint64) {
	g.t.Helper()
	for n := from; n < to; n++ {
		body := fmt.Appendf(nil, `{"text":"%s"}`, strings.Repeat(fmt.Sprintf("word%d ", n), 100_000/8))
		last = g.write(log, false, wire.Record{Ops: []wire.Op{{Kind: wire.KindPut, Collection: 1, ID: fmt.Sprint("l", n), Slot: uint16(n), IfVersion: wire.NoCondition, Body: body}}})
	}
	return last
}

// disk is a disk that can be full.
type disk struct {
	folder vfs.Folder
	fill   func()
	free   func()
}

// injected is a disk in memory.
func injected(*testing.T) disk {
	var full atomic.Bool
	folder := vfs.NewMemory()
	folder.Fault = func(c vfs.Call) error {
		if full.Load() && c.Op == "write" {
			return syscall.ENOSPC
		}
		return nil
	}
	return disk{folder, func() { full.Store(true) }, func() { full.Store(false) }}
}

// mounted is a small disk of its own.
func mounted(t *testing.T) disk {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=16m"); err != nil {
		t.Skipf("no disk of its own can be mounted: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	folder, err := vfs.Disk(filepath.Join(dir, "index"))
	if err != nil {
		t.Fatal(err)
	}
	ballast := filepath.Join(dir, "ballast")
	return disk{folder, func() {
		f, err := os.Create(ballast)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for piece := make([]byte, 4096); ; {
			if _, err := f.Write(piece); err != nil {
				return
			}
		}
	}, func() { _ = os.Remove(ballast) }}
}

// TestFullDiskOfAMember: a member whose disk is full says so, stands aside when its memory is used up, so that no write waits for it, and goes on when there is room. The
// other member of the group serves all the time.
func TestFullDiskOfAMember(t *testing.T) {
	for name, prepare := range map[string]func(*testing.T) disk{"injected": injected, "tmpfs": mounted} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := prepare(t)
			g, other, _ := newGroup(t)
			memory, err := NewResources(1 << 20)
			if err != nil {
				t.Fatal(err)
			}
			full, err := g.startWith(Options{Node: "n2", Dir: t.TempDir(), Index: d.folder, Resources: memory, Lease: 1500 * time.Millisecond, FlushAge: time.Second})
			if err != nil {
				t.Fatal(err)
			}
			d.fill()
			g.putLarge(other.log, 0, 1)
			full.becomes(t, Serving, "disk_full: ")
			last := g.putLarge(other.log, 1, 40)
			full.becomes(t, Stalled, "disk_full: ")
			other.await(t, last).Close()
			released := func() bool {
				table, _ := other.progress.watch()
				for _, l := range table {
					if l.Member == full.ID() {
						return false
					}
				}
				return true
			}
			for limit := time.Now().Add(20 * time.Second); !released(); {
				if time.Now().After(limit) {
					t.Fatal("the lease of the member that stands aside was not released")
				}
				_, advanced := other.progress.watch()
				select {
				case <-advanced:
				case <-time.After(time.Second):
				}
			}
			snap := full.index.Snapshot()
			if full.mayServe(snap) {
				t.Error("a member that stands aside may serve")
			}
			snap.Close()
			if state, _ := other.State(); state != Serving {
				t.Errorf("the other member is %s", state)
			}
			d.free()
			soon, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			if !full.awaitChange(soon, Stalled) {
				t.Error("it is stalled 10 s after there was room")
			}
			full.becomes(t, Serving, "")
			got, want := full.await(t, last), other.await(t, last)
			defer got.Close()
			defer want.Close()
			if got.Digest() != want.Digest() {
				t.Errorf("digest %s, want %s", got.Digest(), want.Digest())
			}
			if _, why := full.State(); why != "" {
				t.Errorf("serving: %s", why)
			}
		})
	}
}
