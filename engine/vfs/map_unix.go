//go:build linux || darwin

package vfs

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// mapped is a file in the address space.
type mapped []byte

func mapFile(f *os.File, length int64) (Mapping, error) {
	if length == 0 {
		return mapped(nil), nil
	}
	b, err := unix.Mmap(int(f.Fd()), 0, int(length), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("map %s: %w", f.Name(), err)
	}
	return mapped(b), nil
}

func (m mapped) Bytes() []byte { return m }

func (m mapped) Close() error {
	if len(m) == 0 {
		return nil
	}
	return unix.Munmap(m)
}
