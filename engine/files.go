package engine

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/jetseek/jetseek/engine/internal/segment"
	"github.com/jetseek/jetseek/engine/vfs"
)

const (
	segmentSuffix = ".segment"
	tempSuffix    = ".tmp"
	manifestName  = "manifest"
	// writeBytes is how much of a file is written at once, at most; small pieces are collected up to bufferBytes.
	writeBytes  = 1 << 20
	bufferBytes = 32 << 10
)

// files are the files of a durable index.
type files struct {
	folder    vfs.Folder
	resources *Resources
	next      atomic.Uint64 // number of the next file

	overflowBytes int // of merges that stay in memory

	flushing sync.Mutex    // held by Flush from end to end; taken before the index's mu; guards what follows
	durable  *fileSet      // what the manifest may name, the one that a crash leaves
	seq      atomic.Uint64 // of the manifest; written under flushing

	mu   sync.Mutex // guards open
	open map[*segmentFile]bool
}

// segmentFile is a segment in a file, mapped.
type segmentFile struct {
	files    *files
	number   uint64
	length   int64
	identity uint32 // of the segment
	mapping  vfs.Mapping
	holders  atomic.Int64
	keep     atomic.Bool // the manifest names it and the index is closed: it stays in the folder
}

func segmentName(number uint64) string { return fmt.Sprintf("%016x%s", number, segmentSuffix) }

// numberOf reads the name of a segment file.
func numberOf(name string) (uint64, bool) {
	digits, ok := strings.CutSuffix(name, segmentSuffix)
	n, err := strconv.ParseUint(digits, 16, 64)
	return n, ok && err == nil && len(digits) == 16
}

// write makes a segment file by what fill writes, and opens it; a merge spares the disk. Nothing is left of it after an error. Its name outlives a crash only when the
// caller has synced the folder.
func (f *files) write(ctx context.Context, spare bool, fill func(io.Writer, segment.Overflow) error) (*segmentFile, *segment.Segment, error) {
	number := f.next.Add(1) - 1
	name := segmentName(number)
	length, err := f.writeSynced(ctx, spare, name, func(w io.Writer) error { return fill(w, f.overflow(ctx, spare, number)) })
	var file *segmentFile
	var seg *segment.Segment
	if err == nil {
		// Its checksums were computed as the bytes left memory. To read them back would prove what the page cache holds; the disk's are verified when they are merged, scrubbed, or opened again.
		file, seg, err = f.openSegment(number, length, segment.OpenWritten)
	}
	if err != nil {
		// What cannot be removed now is when the index is opened.
		_, _ = f.folder.Remove(name+tempSuffix), f.folder.Remove(name)
		return nil, nil, fmt.Errorf("write segment %s: %w", name, err)
	}
	return file, seg, nil
}

// writeSynced writes a file under another name, syncs it, and gives it its name.
func (f *files) writeSynced(ctx context.Context, spare bool, name string, fill func(io.Writer) error) (int64, error) {
	file, err := f.folder.Create(name + tempSuffix)
	if err != nil {
		return 0, err
	}
	paced := &pacedWriter{ctx: ctx, spare: spare, file: file, resources: f.resources}
	buffer := bufio.NewWriterSize(paced, bufferBytes)
	if err = fill(buffer); err == nil {
		err = buffer.Flush()
	}
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return 0, err
	}
	return paced.length, f.folder.Rename(name+tempSuffix, name)
}

// pacedWriter counts what is written, ends with its context, and waits as the resources want.
type pacedWriter struct {
	ctx       context.Context
	spare     bool
	file      io.Writer
	resources *Resources
	length    int64
}

func (w *pacedWriter) Write(b []byte) (int, error) {
	written := 0
	for written < len(b) {
		piece := b[written:min(len(b), written+writeBytes)]
		err := w.ctx.Err()
		if w.spare && err == nil {
			err = w.resources.wait(w.ctx, len(piece))
		}
		if err != nil {
			return written, err
		}
		n, err := w.file.Write(piece)
		written += n
		w.length += int64(n)
		if err != nil {
			return written, err
		}
	}
	return written, nil
}

// openSegment maps a segment file and opens it by [segment.Open] or OpenWritten. The caller holds it.
func (f *files) openSegment(number uint64, length int64, open func([]byte) (*segment.Segment, error)) (_ *segmentFile, _ *segment.Segment, err error) {
	mapping, err := f.folder.Map(segmentName(number), length)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, vfs.ErrLength) {
		err = fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("open segment %s: %w", segmentName(number), err)
	}
	file := &segmentFile{files: f, number: number, length: length, mapping: mapping}
	file.holders.Store(1)
	f.mu.Lock()
	f.open[file] = true
	f.mu.Unlock()
	seg, err := f.read(file, open)
	if err != nil {
		file.keep.Store(true) // for those who want to know what is wrong with it
		file.release()
		return nil, nil, err
	}
	file.identity = seg.Identity()
	return file, seg, nil
}

// read opens the segment in a file.
func (f *files) read(file *segmentFile, open func([]byte) (*segment.Segment, error)) (seg *segment.Segment, err error) {
	defer f.catch(panicOnFault(), &err)
	seg, err = open(file.mapping.Bytes())
	switch name := segmentName(file.number); {
	case errors.Is(err, segment.ErrNewer):
		err = fmt.Errorf("segment %s: %w: run the version that wrote it", name, err)
	case err != nil:
		err = fmt.Errorf("%w: segment %s: %w", ErrUnreadable, name, err)
	}
	return seg, err
}

// release gives up a hold. The last one unmaps the file, and removes it unless the manifest of a closed index names it.
func (s *segmentFile) release() {
	if s.holders.Add(-1) > 0 {
		return
	}
	s.files.mu.Lock()
	delete(s.files.open, s)
	s.files.mu.Unlock()
	_ = s.mapping.Close() // nobody reads it any more
	if !s.keep.Load() {
		_ = s.files.folder.Remove(segmentName(s.number)) // else when the index is opened
	}
}

// close lets the files that the manifest names stay in the folder when nobody reads them any more.
func (f *files) close() {
	f.flushing.Lock()
	defer f.flushing.Unlock()
	for _, file := range f.durable.list() {
		file.keep.Store(true)
	}
	f.durable.release()
	f.durable = nil
}

// fileSet is the segment files that a state, or the manifest, needs. All states between two changes of the files share one. The nil set is empty.
type fileSet struct {
	files   []*segmentFile
	holders atomic.Int64
}

// newFileSet holds files; the caller holds the set.
func newFileSet(held []*segmentFile) *fileSet {
	s := &fileSet{files: held}
	s.holders.Store(1)
	for _, f := range held {
		f.holders.Add(1)
	}
	return s
}

func (s *fileSet) retain() {
	if s != nil {
		s.holders.Add(1)
	}
}

func (s *fileSet) release() {
	if s == nil || s.holders.Add(-1) > 0 {
		return
	}
	for _, f := range s.files {
		f.release()
	}
}

func (s *fileSet) list() []*segmentFile {
	if s == nil {
		return nil
	}
	return s.files
}

// filesOf gives the files of a state's parts.
func (s *state) filesOf() []*segmentFile {
	var all []*segmentFile
	for _, c := range s.collections {
		for _, p := range c.parts {
			if p.file != nil {
				all = append(all, p.file)
			}
		}
	}
	return all
}

// clean removes what no manifest names, as crashes leave it.
func (f *files) clean(names []string, named []uint64) error {
	for _, name := range names {
		number, isSegment := numberOf(name)
		if isSegment && slices.Contains(named, number) || !isSegment && !strings.HasSuffix(name, tempSuffix) {
			continue
		}
		if err := f.folder.Remove(name); err != nil {
			return fmt.Errorf("remove the left-over %s: %w", name, err)
		}
	}
	return nil
}
