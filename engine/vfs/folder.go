// Package vfs is the folder in which an index keeps its files: on disk, or in memory with crashes and faults for tests. It imports nothing of the project.
//
// A file is written once, synced, and renamed to the name under which it is read; it is never changed in place. What is written is kept over a crash once
// [File.Sync] has returned, a name once [Folder.Sync] has. A failed sync is final: what was written before it may be lost though a later sync succeeds,
// so that the file must be given up.
package vfs

import (
	"errors"
	"io"
)

// ErrLength says that a file has not the length that it should have.
var ErrLength = errors.New("wrong length")

// Folder is one flat folder. Names have no separators. Its methods may be called from any goroutine.
type Folder interface {
	// List gives the names of all files, ascending.
	List() ([]string, error)
	// Create makes an empty file, in the place of one that has the name.
	Create(name string) (File, error)
	// Read gives the content of a file of at most most bytes; a longer or absent one ([io/fs.ErrNotExist]) is an error.
	Read(name string, most int64) ([]byte, error)
	// Open reads a file from its beginning, also one that was not synced.
	Open(name string) (io.ReadCloser, error)
	// Map gives the content of a file for reading in place; a file that has not exactly length bytes is [ErrLength].
	Map(name string, length int64) (Mapping, error)
	// Rename moves a file, in the place of one that has the name.
	Rename(from, to string) error
	// Remove takes a file away. Those who have mapped it keep it.
	Remove(name string) error
	// Sync keeps what happened to names over a crash.
	Sync() error
}

// File is a file under construction. It serves one goroutine.
type File interface {
	io.Writer
	// Sync keeps what was written over a crash.
	Sync() error
	// Close ends the writing; without Sync it keeps nothing.
	Close() error
}

// Mapping is a file's content. Reading it may fault, when the disk fails or somebody truncates the file: whoever reads sets debug.SetPanicOnFault.
type Mapping interface {
	// Bytes gives the content until Close. Do not change it.
	Bytes() []byte
	// Close gives the memory back; nobody may read the bytes any more.
	Close() error
}
