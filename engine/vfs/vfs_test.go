package vfs

import (
	"errors"
	"io/fs"
	"slices"
	"testing"
)

// write makes a file of some bytes.
func write(t *testing.T, f Folder, name, text string, sync bool) {
	t.Helper()
	file, err := f.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if sync {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestFolders: both folders do the same.
func TestFolders(t *testing.T) {
	disk, err := Disk(t.TempDir() + "/new")
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]Folder{"disk": disk, "memory": NewMemory()} {
		t.Run(name, func(t *testing.T) {
			write(t, f, "b", "second", true)
			write(t, f, "a.tmp", "first", true)
			if err := errors.Join(f.Rename("a.tmp", "a"), f.Sync()); err != nil {
				t.Fatal(err)
			}
			if names, err := f.List(); err != nil || !slices.Equal(names, []string{"a", "b"}) {
				t.Errorf("list %v, %v", names, err)
			}
			if b, err := f.Read("a", 5); err != nil || string(b) != "first" {
				t.Errorf("read %q, %v", b, err)
			}
			if _, err := f.Read("a", 4); err == nil {
				t.Error("more was read than is allowed")
			}
			if _, err := f.Read("c", 4); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("read an absent file: %v", err)
			}
			if _, err := f.Map("b", 5); !errors.Is(err, ErrLength) {
				t.Errorf("map another length: %v", err)
			}
			if _, err := f.Map("c", 5); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("map an absent file: %v", err)
			}
			m, err := f.Map("b", 6)
			if err != nil {
				t.Fatal(err)
			}
			write(t, f, "b.tmp", "third", true)
			if err := errors.Join(f.Rename("b.tmp", "b"), f.Remove("a")); err != nil {
				t.Fatal(err)
			}
			if string(m.Bytes()) != "second" {
				t.Errorf("a mapping became %q", m.Bytes())
			}
			if err := m.Close(); err != nil {
				t.Error(err)
			}
			if err := f.Remove("a"); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("remove an absent file: %v", err)
			}
			write(t, f, "empty", "", true)
			if m, err := f.Map("empty", 0); err != nil || len(m.Bytes()) != 0 || m.Close() != nil {
				t.Errorf("map an empty file: %v", err)
			}
		})
	}
}

// TestCrashLosesWhatWasNotSynced: names without a sync of the folder, bytes without a sync of the file.
func TestCrashLosesWhatWasNotSynced(t *testing.T) {
	f := NewMemory()
	write(t, f, "kept", "all", true)
	write(t, f, "hollow", "bytes", false)
	if err := f.Sync(); err != nil {
		t.Fatal(err)
	}
	write(t, f, "nameless", "bytes", true)
	if err := f.Remove("kept"); err != nil {
		t.Fatal(err)
	}
	left := f.Crash()
	if names, _ := left.List(); !slices.Equal(names, []string{"hollow", "kept"}) || left.Size("kept") != 3 || left.Size("hollow") != 0 {
		t.Errorf("left %v, %d bytes kept, %d hollow", names, left.Size("kept"), left.Size("hollow"))
	}
	if names, _ := f.Copy().List(); !slices.Equal(names, []string{"hollow", "nameless"}) {
		t.Errorf("copy %v", names)
	}
}
