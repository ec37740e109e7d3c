package vfs

import (
	"fmt"
	"os"
)

// MapFile gives the content of one file of the operating system for reading in place, of whatever length it has. A folder, a pipe or a device has none.
func MapFile(path string) (Mapping, error) {
	info, err := os.Stat(path) // before it is opened, which of a pipe would wait for a writer
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is a folder or a device: a file is wanted", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // the mapping stays
	if info, err = f.Stat(); err != nil {
		return nil, err
	}
	return mapFile(f, info.Size())
}
