package engine

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/jetseek/jetseek/engine/internal/segment"
)

// Flush writes all that is in memory only to files, and a manifest with which [Open] finds the index as it is now. It runs beside Apply, Merge and searches, and
// changes no answer; a second call waits for the first. An index without a folder has nothing to flush. After an error, ctx's or the disk's, the index
// goes on as before and what is in the folder still opens; a later call begins anew, with new files.
func (x *Index) Flush(ctx context.Context) (err error) {
	f := x.files
	if f == nil {
		return nil
	}
	f.flushing.Lock()
	defer f.flushing.Unlock()
	defer f.catch(panicOnFault(), &err)
	merges := x.activity.merges.Load()
	snap, jobs := x.beginFlush()
	defer snap.Close()
	defer x.release(jobs...)
	defer dropFiles(jobs)
	if len(jobs) == 0 && f.seq.Load() == snap.state.seq && slices.Equal(f.durable.list(), snap.state.files.list()) {
		return nil
	}
	written := int64(0)
	var m segment.Merger
	for _, job := range jobs {
		if err := job.runToFile(ctx, f, false, m.FlushTo); err != nil {
			return fmt.Errorf("flush up to message %d: %w", snap.state.seq, err)
		}
		if job.file != nil {
			written += job.file.length
		}
	}
	// Once for all of them: there may be thousands of collections.
	if err := f.folder.Sync(); err != nil {
		return fmt.Errorf("flush up to message %d: %w", snap.state.seq, err)
	}
	flushed := snap.state.with(jobs)
	if err := f.writeManifest(ctx, &flushed); err != nil {
		return fmt.Errorf("flush up to message %d: %w", snap.state.seq, err)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.forgetRecent()
	x.install(jobs...)
	x.activity.flushed(written)
	x.activity.settled.Store(merges)
	return nil
}

// beginFlush takes the present snapshot, and makes a job of each collection that has segments in memory.
func (x *Index) beginFlush() (*Snapshot, []*mergeJob) {
	x.mu.Lock()
	defer x.mu.Unlock()
	snap := x.Snapshot()
	var jobs []*mergeJob
	for _, c := range snap.state.collections {
		job := &mergeJob{collection: c.incarnation, owned: snap.state.owned}
		for _, p := range c.parts {
			if p.file == nil {
				job.inputs = append(job.inputs, p)
				x.busy[p.seg] = true
			}
		}
		if len(job.inputs) > 0 {
			jobs = append(jobs, job)
		}
	}
	return snap, jobs
}

// dropFiles gives up the jobs' own hold on their files: what was installed, or stands in a manifest, is held by others.
func dropFiles(jobs []*mergeJob) {
	for _, job := range jobs {
		if job.file != nil {
			job.file.release()
		}
	}
}

// with gives the state with the jobs' results in the place of their inputs, for the manifest. The inputs are as the state has them.
func (s *state) with(jobs []*mergeJob) state {
	flushed := *s
	flushed.collections = slices.Clone(s.collections)
	for _, job := range jobs {
		i, _ := s.place(job.collection)
		c := *s.collections[i]
		c.parts = slices.DeleteFunc(slices.Clone(c.parts), func(p *part) bool { return p.file == nil })
		if job.part != nil {
			c.parts = append(c.parts, job.part)
		}
		flushed.collections[i] = &c
	}
	return flushed
}

// fileMerge is [segment.Merger.MergeTo] or FlushTo.
type fileMerge func(context.Context, io.Writer, segment.Overflow, []segment.Input) ([][]uint32, error)

// runToFile makes the merged segment, in a file; spare says that the disk is to be spared.
func (j *mergeJob) runToFile(ctx context.Context, f *files, spare bool, merge fileMerge) (err error) {
	inputs, alive := j.living()
	if alive == 0 {
		return nil
	}
	if err := j.scrub(ctx); err != nil {
		return err
	}
	j.file, j.seg, err = f.write(ctx, spare, func(sink io.Writer, overflow segment.Overflow) error {
		j.maps, err = merge(ctx, sink, overflow, inputs)
		return err
	})
	if err != nil {
		return fmt.Errorf("merge segments of collection %x: %w", uint64(j.collection), damage(err))
	}
	j.part = newPart(0, j.seg, nil, j.owned)
	j.part.file = j.file
	return nil
}
