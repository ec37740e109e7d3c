package vfs

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// disk is a folder of the operating system.
type disk struct{ dir string }

// Disk opens a folder, which it makes if it is absent; its name is kept over a crash if those of the folders above it are.
func Disk(dir string) (Folder, error) {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return nil, fmt.Errorf("make folder: %w", err)
	}
	parent, err := os.Open(filepath.Dir(filepath.Clean(dir)))
	if err != nil {
		return nil, fmt.Errorf("make folder: %w", err)
	}
	defer parent.Close()
	if err := parent.Sync(); err != nil {
		return nil, fmt.Errorf("sync the folder of %s: %w", dir, err)
	}
	return &disk{dir: dir}, nil
}

func (d *disk) path(name string) string { return filepath.Join(d.dir, name) }

func (d *disk) List() ([]string, error) {
	entries, err := os.ReadDir(d.dir)
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		if e.Type().IsRegular() {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

func (d *disk) Create(name string) (File, error) {
	return os.OpenFile(d.path(name), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o640)
}

func (d *disk) Read(name string, most int64) ([]byte, error) {
	f, err := os.Open(d.path(name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(b)) > most {
		err = fmt.Errorf("%s has more than %d bytes", f.Name(), most)
	}
	return b, err
}

func (d *disk) Open(name string) (io.ReadCloser, error) { return os.Open(d.path(name)) }

func (d *disk) Map(name string, length int64) (Mapping, error) {
	f, err := os.Open(d.path(name))
	if err != nil {
		return nil, err
	}
	defer f.Close() // the mapping stays
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() != length {
		return nil, fmt.Errorf("%w: %s has %d bytes and should have %d", ErrLength, f.Name(), info.Size(), length)
	}
	return mapFile(f, length)
}

func (d *disk) Rename(from, to string) error { return os.Rename(d.path(from), d.path(to)) }

func (d *disk) Remove(name string) error { return os.Remove(d.path(name)) }

func (d *disk) Sync() error {
	f, err := os.Open(d.dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}
