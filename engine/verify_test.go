package engine_test

import (
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jetseek/jetseek/engine"
	"github.com/jetseek/jetseek/engine/vfs"
)

// verifiedFolder gives a folder with an index of several collections, segments and deletes, flushed and closed.
func verifiedFolder(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "index")
	folder, err := vfs.Disk(dir)
	if err != nil {
		t.Fatal(err)
	}
	x, err := engine.Open(engine.Options{Folder: folder, InlineMergeBytes: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	messages := generator{rand.New(rand.NewPCG(51, 51))}.history(400)
	for i := range messages {
		if _, err := x.Apply(messages[i : i+1]); err != nil {
			t.Fatal(err)
		}
		if i%150 == 149 || i == len(messages)-1 {
			if err := x.Flush(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

func findings(t *testing.T, path string) []string {
	t.Helper()
	var found []string
	if err := engine.Verify(context.Background(), path, func(f engine.Finding) {
		if f.Note {
			f.Text = "note: " + f.Text
		}
		found = append(found, f.Text)
	}); err != nil {
		t.Fatal(err)
	}
	return found
}

func segmentsOf(t *testing.T, dir string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.segment"))
	if err != nil || len(paths) < 2 {
		t.Fatalf("segments %v, %v", paths, err)
	}
	return paths
}

func TestVerifyFolder(t *testing.T) {
	dir := verifiedFolder(t)
	if found := findings(t, dir); len(found) > 0 {
		t.Fatalf("%d findings in a sound folder, first %s", len(found), found[0])
	}
	for _, path := range segmentsOf(t, dir) {
		if found := findings(t, path); len(found) > 0 {
			t.Fatalf("%d findings in a sound segment, first %s", len(found), found[0])
		}
	}
	if err := engine.Verify(context.Background(), filepath.Join(dir, "none"), nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a path of nothing: %v", err)
	}
}

// TestVerifyFindsDamageOfFolders damages a folder in one way at a time.
func TestVerifyFindsDamageOfFolders(t *testing.T) {
	sound := verifiedFolder(t)
	read := func(path string) []byte {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	write := func(path string, b []byte) {
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		damage func(dir string, segments []string)
		says   string
	}{
		"a byte of a segment": {func(_ string, s []string) {
			b := read(s[0])
			b[len(b)/2] ^= 1
			write(s[0], b)
		}, "checksum"},
		"a cut segment":    {func(_ string, s []string) { write(s[0], read(s[0])[:100]) }, "has 100 bytes, the manifest says"},
		"a lost segment":   {func(_ string, s []string) { _ = os.Remove(s[1]) }, "the manifest names it, it is not there"},
		"segments swapped": {func(_ string, s []string) { a, b := read(s[0]), read(s[1]); write(s[0], b); write(s[1], a) }, "the manifest says"},
		"a left-over": {func(dir string, s []string) {
			write(filepath.Join(dir, "00000000000000ff.segment"), read(s[0]))
		}, "note: 00000000000000ff.segment: left over by a crash"},
		"a left-over of a merge": {func(dir string, _ []string) {
			write(filepath.Join(dir, "00000000000000ff.segment.1.tmp"), nil)
		}, "note: 00000000000000ff.segment.1.tmp: left over by a crash"},
		"a byte of the manifest": {func(dir string, _ []string) {
			b := read(filepath.Join(dir, "manifest"))
			b[200] ^= 1
			write(filepath.Join(dir, "manifest"), b)
		}, "manifest: corrupt manifest: checksum"},
		"no manifest": {func(dir string, _ []string) { _ = os.Remove(filepath.Join(dir, "manifest")) }, "manifest: there is none, and"},
		"content ahead": {func(dir string, _ []string) {
			b := read(filepath.Join(dir, "manifest"))
			binary.LittleEndian.PutUint64(b[16:], 1<<40) // behind the header and the sequence
			end := len(b) - 4
			binary.LittleEndian.PutUint32(b[end:], crc32.Checksum(b[:end], crc32.MakeTable(crc32.Castagnoli)))
			write(filepath.Join(dir, "manifest"), b)
		}, "its content is of message"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "index")
			if err := os.CopyFS(dir, os.DirFS(sound)); err != nil {
				t.Fatal(err)
			}
			c.damage(dir, segmentsOf(t, dir))
			found := findings(t, dir)
			if !strings.Contains(strings.Join(found, "\n"), c.says) {
				t.Errorf("%d findings, none says %q: %v", len(found), c.says, found[:min(len(found), 3)])
			}
		})
	}
}
