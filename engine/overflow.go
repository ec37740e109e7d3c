package engine

import (
	"context"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/jetseek/jetseek/engine/internal/segment"
	"github.com/jetseek/jetseek/engine/vfs"
)

const (
	// overflowBytes is how much of each of the dictionary, postings and positions of a field a merge keeps in memory; the rest waits in temporary files.
	overflowBytes = 1 << 20
	// replayBytes is how much of a temporary file is read at once.
	replayBytes = 32 << 10
)

// overflow gives a merge that makes a segment file its temporary files. They are never synced: what a crash leaves of them is removed at the next start.
func (f *files) overflow(ctx context.Context, spare bool, number uint64) segment.Overflow {
	made := 0
	create := func() (segment.Scratch, error) {
		made++
		name := fmt.Sprintf("%s.%d%s", segmentName(number), made, tempSuffix)
		file, err := f.folder.Create(name)
		if err != nil {
			return nil, err
		}
		return &scratch{folder: f.folder, name: name, file: file, paced: pacedWriter{ctx: ctx, spare: spare, file: file, resources: f.resources}}, nil
	}
	return segment.Overflow{Create: create, Bytes: f.overflowBytes}
}

// scratch is a temporary file of a merge.
type scratch struct {
	folder vfs.Folder
	name   string
	file   vfs.File // nil: no longer written
	paced  pacedWriter
	crc    uint32 // of what was written: the segment's own checksums are made of what is read again
}

// Write implements [segment.Scratch].
func (s *scratch) Write(b []byte) (int, error) {
	n, err := s.paced.Write(b)
	s.crc = crc32.Update(s.crc, crc32.MakeTable(crc32.Castagnoli), b[:n])
	return n, err
}

// Replay implements [segment.Scratch].
func (s *scratch) Replay(take func([]byte)) error {
	if err := s.end(); err != nil {
		return err
	}
	r, err := s.folder.Open(s.name)
	if err != nil {
		return err
	}
	defer r.Close()
	given, crc, buffer := int64(0), uint32(0), make([]byte, replayBytes)
	for err == nil {
		var n int
		n, err = r.Read(buffer)
		take(buffer[:n])
		given, crc = given+int64(n), crc32.Update(crc, crc32.MakeTable(crc32.Castagnoli), buffer[:n])
	}
	if err != io.EOF {
		return fmt.Errorf("read %s at %d of %d bytes: %w", s.name, given, s.paced.length, err)
	}
	if given != s.paced.length || crc != s.crc {
		return fmt.Errorf("read %s: %d bytes, other ones than the %d that were written: the disk fails", s.name, given, s.paced.length)
	}
	return nil
}

// Close implements [segment.Scratch].
func (s *scratch) Close() {
	_ = s.end()                 // it is given up
	_ = s.folder.Remove(s.name) // else when the index is opened
}

// end ends the writing.
func (s *scratch) end() error {
	if s.file == nil {
		return nil
	}
	file := s.file
	s.file = nil
	return file.Close()
}
