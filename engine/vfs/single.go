package vfs

import "os"

// MapFile gives the content of one file of the operating system for reading in place, of whatever length it has.
func MapFile(path string) (Mapping, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // the mapping stays
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return mapFile(f, info.Size())
}
