package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/jetseek/jetseek/engine/internal/segment"
	"github.com/jetseek/jetseek/engine/schema"
)

// mergeJob is a merge beside Apply: its inputs as they were at its beginning, and its result.
type mergeJob struct {
	collection schema.Incarnation
	inputs     []*part
	owned      *SlotSet

	file *segmentFile     // nil: the result is in memory
	seg  *segment.Segment // nil: no document of the inputs was alive
	maps [][]uint32
	part *part
}

// weigh gives what the plan must know: of a segment in memory the bytes that a merge writes, which takes most sources over as they are. Segments in files and those in memory
// are never merged with each other; inFiles says which are meant: the others are busy. An index without a folder has all in memory.
func (x *Index) weigh(parts []*part, inFiles bool) []weight {
	weights := make([]weight, len(parts))
	for i, p := range parts {
		weights[i] = weight{bytes: int64(len(p.seg.Bytes())), docs: p.seg.Docs(), alive: p.alive, busy: x.busy[p.seg] || x.fresh[p.seg] || inFiles != (p.file != nil)}
	}
	return weights
}

// mergeInline merges small segments of a collection of the present round until none are due. The caller holds mu.
func (x *Index) mergeInline(c *collection, owned *SlotSet) error {
	for {
		weights := x.weigh(c.parts, false)
		picked := planMerge(weights, x.options.InlineMergeBytes)
		if picked == nil {
			picked = planBackstop(weights, x.options.MaxSegmentBytes)
		}
		if picked == nil {
			return nil
		}
		job := &mergeJob{collection: c.incarnation, owned: owned}
		for _, i := range picked {
			job.inputs = append(job.inputs, c.parts[i])
		}
		if err := job.run(context.Background(), &x.inline); err != nil {
			return err
		}
		c.replace(job, x.round)
	}
}

// dueMerge picks a background merge and marks its inputs as busy, with the snapshot that keeps them; nil when none is due.
func (x *Index) dueMerge() (*Snapshot, *mergeJob) {
	x.mu.Lock()
	defer x.mu.Unlock()
	s := &x.current.Load().state
	for _, c := range s.collections {
		picked := planMerge(x.weigh(c.parts, x.files != nil), x.options.MaxSegmentBytes)
		if picked == nil {
			continue
		}
		job := &mergeJob{collection: c.incarnation, owned: s.owned}
		for _, i := range picked {
			job.inputs = append(job.inputs, c.parts[i])
			x.busy[c.parts[i].seg] = true
		}
		return x.Snapshot(), job
	}
	return nil, nil
}

func (x *Index) release(jobs ...*mergeJob) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, job := range jobs {
		for _, p := range job.inputs {
			delete(x.busy, p.seg)
		}
	}
}

// living gives the inputs to merge, and how many of their documents live.
func (j *mergeJob) living() (inputs []segment.Input, alive int) {
	inputs = make([]segment.Input, len(j.inputs))
	for i, p := range j.inputs {
		inputs[i] = segment.Input{Segment: p.seg, Live: p.live}
		alive += p.alive
	}
	return inputs, alive
}

// run makes the merged segment, in memory. Its inputs are verified first, as [mergeJob.runToFile] does.
func (j *mergeJob) run(ctx context.Context, m *segment.Merger) error {
	inputs, alive := j.living()
	if alive == 0 {
		return nil
	}
	if err := j.scrub(ctx); err != nil {
		return err
	}
	var err error
	if j.seg, j.maps, err = m.Merge(ctx, inputs); err != nil {
		return fmt.Errorf("merge segments of collection %x: %w", uint64(j.collection), damage(err))
	}
	j.part = newPart(0, j.seg, nil, j.owned)
	return nil
}

// scrub verifies the inputs, but for sources in memory, which the merge itself does: else it would give damage a new checksum.
func (j *mergeJob) scrub(ctx context.Context) error {
	for _, p := range j.inputs {
		if err := p.seg.CheckSections(func(int) error { return ctx.Err() }); err != nil {
			return fmt.Errorf("merge segments of collection %x: %w", uint64(j.collection), damage(err))
		}
	}
	return nil
}

// install publishes merges that ran beside Apply: the state of now, with the merged segments in the place of the inputs. The caller holds mu.
func (x *Index) install(jobs ...*mergeJob) {
	x.round++
	s := x.current.Load().state
	s.collections = slices.Clone(s.collections)
	for _, job := range jobs {
		i, ok := s.place(job.collection)
		if !ok {
			continue // dropped meanwhile
		}
		c := *s.collections[i]
		c.round, c.parts = x.round, slices.Clone(c.parts)
		if job.part != nil {
			job.part.round = x.round
			if !job.owned.Equal(s.owned) {
				job.part.see(s.owned)
			}
		}
		c.replace(job, x.round)
		s.collections[i] = &c
	}
	s.files = newFileSet(s.filesOf())
	x.publish(s)
	s.files.release()
}

// replace puts the merged segment in the place of the first input, after killing in it what died in the inputs meanwhile.
func (c *collection) replace(j *mergeJob, round uint64) {
	first := len(c.parts)
	for i, in := range j.inputs {
		at := slices.IndexFunc(c.parts, func(p *part) bool { return p.seg == in.seg })
		first = min(first, at)
		now := c.parts[at]
		if j.part != nil && now != in {
			j.part.killMissing(in, now, j.maps[i])
		}
		c.parts = slices.Delete(c.parts, at, at+1)
	}
	if j.part != nil && j.part.alive > 0 {
		j.part.round = round
		c.parts = slices.Insert(c.parts, first, j.part)
	}
}

// killMissing kills what was alive in an input then and is not now.
func (p *part) killMissing(then, now *part, numbers []uint32) {
	for d := then.live.Next(0); d != segment.Gone; d = then.live.Next(d + 1) {
		if !now.live.Has(d) {
			p.kill(numbers[d])
		}
	}
}
