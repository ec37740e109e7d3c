package vfs

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"sync"
)

// Memory is a folder in memory that knows what a crash would leave of it.
type Memory struct {
	// Fault, when it is set before the folder is used, is asked before each call but List: an error makes the call fail with it. A failed Write may have written a
	// half, and a failed Sync has lost what it should have kept.
	Fault func(call Call) error

	mu    sync.Mutex // guards what follows
	calls int
	now   map[string]*content
	kept  map[string]*content // the names that a crash leaves
}

// Call is one call to a folder or a file of it.
type Call struct {
	N    int    // counts the calls from 1
	Op   string // create, write, sync, close, open, read, map, rename, remove, syncfolder
	Name string
}

// content is a file: all of it, and what a crash leaves.
type content struct{ now, kept []byte }

// NewMemory makes an empty folder.
func NewMemory() *Memory {
	return &Memory{now: map[string]*content{}, kept: map[string]*content{}}
}

// call counts a call, and gives the fault that is due.
func (m *Memory) call(op, name string) error {
	m.mu.Lock()
	m.calls++
	c := Call{N: m.calls, Op: op, Name: name}
	fault := m.Fault
	m.mu.Unlock()
	if fault == nil {
		return nil
	}
	if err := fault(c); err != nil {
		return fmt.Errorf("%s %s: %w", op, name, err)
	}
	return nil
}

// Calls gives the number of calls so far.
func (m *Memory) Calls() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.calls
}

// Crash gives the folder that a crash at this moment leaves: without what was not synced. The folder itself stays as it is.
func (m *Memory) Crash() *Memory {
	return m.leave(func() map[string]*content { return m.kept }, func(c *content) []byte { return c.kept })
}

// Copy gives the folder as it is: what the end of a process leaves.
func (m *Memory) Copy() *Memory {
	return m.leave(func() map[string]*content { return m.now }, func(c *content) []byte { return c.now })
}

// leave gives a folder of some entries with some of their bytes, all of it synced.
func (m *Memory) leave(entries func() map[string]*content, of func(*content) []byte) *Memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	left := NewMemory()
	for name, c := range entries() {
		b := bytes.Clone(of(c))
		left.now[name] = &content{b, b}
	}
	left.kept = maps.Clone(left.now)
	return left
}

// Flip changes one byte of a file, for good.
func (m *Memory) Flip(name string, at int, by byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.now[name]
	c.now = bytes.Clone(c.now)
	c.now[at] ^= by
	c.kept = c.now
}

// Size gives the length of a file, 0 when there is none.
func (m *Memory) Size(name string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c := m.now[name]; c != nil {
		return len(c.now)
	}
	return 0
}

// List implements [Folder].
func (m *Memory) List() ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Sorted(maps.Keys(m.now)), nil
}

// Create implements [Folder].
func (m *Memory) Create(name string) (File, error) {
	if err := m.call("create", name); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	c := &content{}
	m.now[name] = c
	return &memoryFile{folder: m, name: name, content: c}, nil
}

// find gives a file.
func (m *Memory) find(name string) (*content, error) {
	c := m.now[name]
	if c == nil {
		return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	}
	return c, nil
}

// Read implements [Folder].
func (m *Memory) Read(name string, most int64) ([]byte, error) {
	if err := m.call("read", name); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	c, err := m.find(name)
	if err != nil {
		return nil, err
	}
	if int64(len(c.now)) > most {
		return nil, fmt.Errorf("%s has more than %d bytes", name, most)
	}
	return bytes.Clone(c.now), nil
}

// Open implements [Folder].
func (m *Memory) Open(name string) (io.ReadCloser, error) {
	if err := m.call("open", name); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	c, err := m.find(name)
	if err != nil {
		return nil, err
	}
	return &memoryReader{folder: m, name: name, left: c.now}, nil
}

// Map implements [Folder]. The bytes of a mapping that was closed are overwritten, so that who still reads them notices.
func (m *Memory) Map(name string, length int64) (Mapping, error) {
	if err := m.call("map", name); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	c, err := m.find(name)
	if err != nil {
		return nil, err
	}
	if int64(len(c.now)) != length {
		return nil, fmt.Errorf("%w: %s has %d bytes and should have %d", ErrLength, name, len(c.now), length)
	}
	return memoryMapping(bytes.Clone(c.now)), nil
}

// Rename implements [Folder].
func (m *Memory) Rename(from, to string) error {
	if err := m.call("rename", from); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	c, err := m.find(from)
	if err != nil {
		return err
	}
	delete(m.now, from)
	m.now[to] = c
	return nil
}

// Remove implements [Folder].
func (m *Memory) Remove(name string) error {
	if err := m.call("remove", name); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, err := m.find(name); err != nil {
		return err
	}
	delete(m.now, name)
	return nil
}

// Sync implements [Folder].
func (m *Memory) Sync() error {
	if err := m.call("syncfolder", "."); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.kept = maps.Clone(m.now)
	return nil
}

// memoryFile is a file under construction.
type memoryFile struct {
	folder  *Memory
	name    string
	content *content
}

func (f *memoryFile) Write(b []byte) (int, error) {
	err := f.folder.call("write", f.name)
	n := len(b)
	if err != nil {
		n /= 2
	}
	f.folder.mu.Lock()
	defer f.folder.mu.Unlock()
	f.content.now = append(f.content.now, b[:n]...)
	return n, err
}

func (f *memoryFile) Sync() error {
	if err := f.folder.call("sync", f.name); err != nil {
		return err
	}
	f.folder.mu.Lock()
	defer f.folder.mu.Unlock()
	f.content.kept = bytes.Clone(f.content.now)
	return nil
}

func (f *memoryFile) Close() error { return f.folder.call("close", f.name) }

// memoryReader reads a file.
type memoryReader struct {
	folder *Memory
	name   string
	left   []byte
}

func (r *memoryReader) Read(b []byte) (int, error) {
	if err := r.folder.call("read", r.name); err != nil {
		return 0, err
	}
	n := copy(b, r.left)
	if r.left = r.left[n:]; n == 0 && len(b) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

func (r *memoryReader) Close() error { return nil }

// memoryMapping is a copy of a file's content.
type memoryMapping []byte

func (m memoryMapping) Bytes() []byte { return m }

func (m memoryMapping) Close() error {
	for i := range m {
		m[i] = 0xdb
	}
	return nil
}
