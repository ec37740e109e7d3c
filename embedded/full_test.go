//go:build linux

package embedded_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jetseek/jetseek/coordinator/client"
	"github.com/jetseek/jetseek/embedded"
)

// TestFullDiskUnderNATS: while the disk is full writes are refused with log_full and reads go on; with room writes go on by themselves, and nothing acknowledged is lost.
func TestFullDiskUnderNATS(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=24m"); err != nil {
		t.Skipf("no disk of its own can be mounted: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	db, err := embedded.Open(dir, embedded.Options{Groups: 1, Members: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var stored []string
	text := strings.Repeat("x", 2000)
	limit := time.Now().Add(60 * time.Second)
	writeUntil := func(what string, end func(error) bool) {
		t.Helper()
		for n := 0; ; n++ {
			id := fmt.Sprintf("%s%d", what, n)
			_, err := db.Client().Index(t.Context(), "default", fmt.Appendf(nil, `{"id":%q,"t":%q}`, id, text), client.WriteOptions{Timeout: time.Second})
			if err == nil {
				stored = append(stored, id)
			}
			if end(err) {
				return
			}
			if time.Now().After(limit) {
				t.Fatalf("%s: still %v", what, err)
			}
		}
	}
	writeUntil("before", func(err error) bool { return err == nil })
	ballast := filepath.Join(dir, "ballast")
	f, err := os.Create(ballast)
	if err != nil {
		t.Fatal(err)
	}
	for piece := make([]byte, 4096); err == nil; {
		_, err = f.Write(piece)
	}
	_ = f.Close() // it is as long as there was room
	writeUntil("full", func(err error) bool { return err != nil && strings.Contains(err.Error(), "log_full") })
	if _, err := db.Client().Get(t.Context(), "default", stored[0]); err != nil {
		t.Errorf("read while the disk is full: %v", err)
	}
	if m, err := db.Client().Cluster(t.Context()); err != nil || !strings.Contains(strings.Join(m.Alarms, "\n"), "NATS stores nothing") {
		t.Errorf("alarms while the disk is full: %+v, %v", m, err)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	writeUntil("after", func(err error) bool { return err == nil })
	for _, id := range stored {
		if _, err := db.Client().Get(t.Context(), "default", id); err != nil {
			t.Errorf("%s was acknowledged: %v", id, err)
		}
	}
}
