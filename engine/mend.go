package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/jetseek/jetseek/engine/internal/docset"
	"github.com/jetseek/jetseek/engine/internal/segment"
)

// ErrBeyond says that two indexes differ in more than documents: then only an index made anew from the log is right for certain.
var ErrBeyond = errors.New("more than documents differs")

// Mend makes the index hold, of the slots that the other was opened for ([Options.Only]), exactly what the other holds, at the same sequence: what is right stays as it is, the rest is replaced,
// and so are the slots' digests. It gives how many documents were written, replaced or taken away. It runs beside searches, and beside nothing that writes. Nothing changes with an
// error: [ErrBeyond], ctx's, or that files cannot be read.
func (x *Index) Mend(ctx context.Context, from *Index) (mended int, err error) {
	x.merging.Lock()
	defer x.merging.Unlock()
	if f := x.files; f != nil {
		f.flushing.Lock()
		defer f.flushing.Unlock()
		defer f.seq.Store(0) // the sequence stays, the content does not: the next Flush writes a manifest
	}
	right := from.Snapshot()
	defer right.Close()
	x.mu.Lock()
	defer x.mu.Unlock()
	defer x.files.catch(panicOnFault(), &err)
	x.forgetRecent()
	a := x.begin(nil)
	if right.state.seq != a.state.seq {
		return 0, fmt.Errorf("mend the index at %d from one at %d", a.state.seq, right.state.seq)
	}
	for id, slots := range from.options.Only {
		want, c := right.state.find(id), a.collection(id)
		if (want == nil) != (c == nil) {
			return 0, fmt.Errorf("%w: one lacks collection %x", ErrBeyond, uint64(id))
		}
		if c == nil {
			continue
		}
		n, err := a.mend(ctx, c, want, slots)
		if err != nil {
			return 0, fmt.Errorf("mend collection %s: %w", c.name, err)
		}
		mended += n
	}
	if err := a.finish(); err != nil {
		return 0, fmt.Errorf("mend: %w", err)
	}
	x.publish(a.state)
	return mended, nil
}

// mend makes a collection hold what another holds of some slots.
func (a *applying) mend(ctx context.Context, c, want *collection, slots *SlotSet) (mended int, err error) {
	missing := make([]docset.Set, len(want.parts))
	for i, p := range want.parts {
		missing[i] = p.live.Clone()
	}
	replaced := 0
	for i := range c.parts {
		p := c.parts[i]
		for d := p.live.Next(0); d != segment.Gone; d = p.live.Next(d + 1) {
			if !slots.Has(p.seg.Slot(d)) {
				continue
			}
			at, doc, ok := want.find(p.seg.ID(d))
			if ok && missing[at].Has(doc) && sameDocument(p.seg, d, want.parts[at].seg, doc) {
				missing[at].Remove(doc)
				continue
			}
			if ok {
				replaced++
			}
			c.parts[i] = c.parts[i].mutable(a.round)
			c.parts[i].kill(d)
			mended++
		}
	}
	job := &mergeJob{collection: c.incarnation, owned: a.state.owned}
	for i, p := range want.parts {
		if n := missing[i].Count(); n > 0 {
			job.inputs = append(job.inputs, &part{seg: p.seg, live: missing[i], alive: n})
			mended += n
		}
	}
	if err := job.run(ctx, &a.index.merger); err != nil {
		return 0, err
	}
	if job.part != nil {
		job.part.round = a.round
		c.parts = append(c.parts, job.part)
	}
	c.setSlots(want, slots, a.round)
	return mended - replaced, nil
}

// find gives the part and the number of a live document, owned or not.
func (c *collection) find(id []byte) (at int, doc uint32, ok bool) {
	hash := segment.HashID(string(id))
	for i, p := range c.parts {
		if doc, ok := p.seg.Find(string(id), hash); ok && p.live.Has(doc) {
			return i, doc, true
		}
	}
	return 0, 0, false
}

// sameDocument tells whether two documents of one id have the same state and source. A source that cannot be read is none.
func sameDocument(a *segment.Segment, i uint32, b *segment.Segment, j uint32) bool {
	if a.State(i) != b.State(j) {
		return false
	}
	mine, err := a.Source(i)
	if err != nil {
		return false
	}
	mine = bytes.Clone(mine)
	theirs, err := b.Source(j)
	return err == nil && bytes.Equal(mine, theirs)
}

// setSlots takes the digests and counts of some slots from another collection.
func (c *collection) setSlots(from *collection, slots *SlotSet, round uint64) {
	slots.Ranges(func(first, last uint16) {
		for slot := int(first); slot <= int(last); slot++ {
			digest, docs := c.slots.at(uint16(slot), round)
			c.documents.sub(*digest)
			*digest, *docs = from.slots.get(uint16(slot))
			c.documents.add(*digest)
		}
	})
}

// Scrub verifies the checksums of all that the present snapshot holds, in files and in memory, at a pace: it calls wait before it reads so many bytes; nil: at once. The error
// is ctx's, wait's, or [ErrUnreadable]. It runs beside everything.
func (x *Index) Scrub(ctx context.Context, wait func(ctx context.Context, bytes int) error) (err error) {
	snap := x.Snapshot()
	defer snap.Close()
	defer x.files.catch(panicOnFault(), &err)
	for _, c := range snap.state.collections {
		for _, p := range c.parts {
			if err := p.scrub(ctx, wait); err != nil {
				return fmt.Errorf("scrub collection %s: %w", c.name, err)
			}
		}
	}
	return nil
}

// scrub verifies the checksums of a segment, as [Index.Scrub] does.
func (p *part) scrub(ctx context.Context, wait func(ctx context.Context, bytes int) error) error {
	return damage(p.seg.Check(func(bytes int) error {
		if err := ctx.Err(); err != nil || wait == nil {
			return err
		}
		return wait(ctx, bytes)
	}))
}

// damage makes of a corrupt segment what it is for the index: [ErrUnreadable].
func damage(err error) error {
	if errors.Is(err, segment.ErrCorrupt) {
		return fmt.Errorf("%w: a segment is not what was written: %w", ErrUnreadable, err)
	}
	return err
}
