package engine

import (
	"slices"

	"github.com/jetseek/jetseek/engine/internal/docset"
	"github.com/jetseek/jetseek/engine/internal/segment"
	"github.com/jetseek/jetseek/engine/schema"
)

// recent are the documents that came last to a collection: the builder that has them, and the segments cut from it. To merge these, a range of the builder is cut
// again, for half of what it takes to read segments and write another; when it has enough documents for that to be no gain any more, the segments are left to
// ordinary merges. Only Apply uses it.
type recent struct {
	collection schema.Incarnation
	builder    *segment.Builder
	ids        map[string]uint32 // of documents that are not in a segment yet, and were not removed: their numbers
	uncut      uint32            // the first of these
	cuts       []recentCut       // behind one another in the builder
}

// recentCut is a segment of the documents first..end-1 of a builder.
type recentCut struct {
	seg        *segment.Segment
	docs       []uint32 // those that it holds, in its order
	first, end uint32
	level      int // 0: as Apply made it; n: of recentFanout segments of level n-1
}

const (
	recentFanout = 8
	recentBytes  = 128 << 10 // of sources, from which on a builder is emptied
	recentDocs   = 1 << 12
)

// restingBuilders bounds the builders kept from one Apply to the next, builderBytes the memory of each.
const (
	restingBuilders = 4
	builderBytes    = 16 << 20
)

// takeRecent gives the recent documents of a collection to an Apply.
func (x *Index) takeRecent(c schema.Incarnation) *recent {
	if i := slices.IndexFunc(x.recent, func(r *recent) bool { return r.collection == c }); i >= 0 {
		r := x.recent[i]
		x.recent = slices.Delete(x.recent, i, i+1)
		return r
	}
	r := &recent{builder: &segment.Builder{}, ids: map[string]uint32{}}
	if len(x.recent) >= restingBuilders {
		r = x.recent[0] // unused for longest
		x.recent = slices.Delete(x.recent, 0, 1)
	}
	r.collection = c
	x.forget(r)
	return r
}

// restRecent takes them back.
func (x *Index) restRecent(r *recent) {
	if r.builder.Retained() > builderBytes {
		x.forget(r)
		return
	}
	x.recent = append(x.recent, r)
	if len(x.recent) > restingBuilders {
		x.forget(x.recent[0])
		x.recent = slices.Delete(x.recent, 0, 1)
	}
}

// forget empties the builder, and leaves its segments to ordinary merges.
func (x *Index) forget(r *recent) {
	for i := range r.cuts {
		delete(x.fresh, r.cuts[i].seg)
	}
	r.cuts, r.uncut = r.cuts[:0], 0
	clear(r.ids)
	r.builder.Reset(uint64(r.collection))
}

// flush makes the new documents of a collection a segment, and merges it with the recent ones before it.
func (a *applying) flush(c *collection, r *recent) error {
	x := a.index
	cut, err := r.cut(r.uncut, r.builder.Docs())
	if err != nil {
		return err
	}
	r.uncut = r.builder.Docs()
	clear(r.ids)
	if cut.seg != nil {
		c.parts = append(c.parts, newPart(a.round, cut.seg, nil, a.state.owned))
		r.cuts = append(r.cuts, cut)
		x.fresh[cut.seg] = true
	}
	if !x.holds(c, r) {
		x.forget(r)
		return nil
	}
	for from := r.due(); from >= 0; from = r.due() {
		if err := a.recut(c, r, from); err != nil {
			return err
		}
	}
	if r.builder.Bytes() < int(min(recentBytes, x.options.InlineMergeBytes)) && r.builder.Docs() < recentDocs {
		return nil
	}
	// The last time, unless the newest segment is most of it.
	if len(r.cuts) > 1 && r.cuts[len(r.cuts)-1].first > r.builder.Docs()/2 {
		if err := a.recut(c, r, 0); err != nil {
			return err
		}
	}
	x.forget(r)
	return nil
}

// cut makes a segment of a range of the builder's documents; none, when all were removed.
func (r *recent) cut(first, end uint32) (recentCut, error) {
	cut := recentCut{first: first, end: end}
	var err error
	cut.seg, cut.docs, err = r.builder.Cut(first, end)
	return cut, err
}

// due gives from where on the last cuts are to become one; -1: nowhere.
func (r *recent) due() int {
	from := len(r.cuts) - recentFanout
	if from < 0 || r.cuts[from].level != r.cuts[len(r.cuts)-1].level {
		return -1
	}
	return from
}

// holds tells whether all segments cut from a builder still are parts of the collection, and nobody else is merging one.
func (x *Index) holds(c *collection, r *recent) bool {
	for i := range r.cuts {
		if x.busy[r.cuts[i].seg] || r.part(c, i) == nil {
			return false
		}
	}
	return true
}

// forgetRecent gives the memory of all builders back.
func (x *Index) forgetRecent() {
	for _, r := range x.recent {
		x.forget(r)
	}
	x.recent = nil
}

func (r *recent) part(c *collection, cut int) *part {
	for i := len(c.parts) - 1; i >= 0; i-- {
		if c.parts[i].seg == r.cuts[cut].seg {
			return c.parts[i]
		}
	}
	return nil
}

// recut makes one segment of the documents that live in the cuts from one on.
func (a *applying) recut(c *collection, r *recent, from int) error {
	job := &mergeJob{collection: c.incarnation, owned: a.state.owned}
	for i := from; i < len(r.cuts); i++ {
		p := r.part(c, i)
		job.inputs = append(job.inputs, p)
		r.removeDead(&r.cuts[i], p.live)
		delete(a.index.fresh, p.seg)
	}
	last := &r.cuts[len(r.cuts)-1]
	cut, err := r.cut(r.cuts[from].first, last.end)
	if err != nil {
		return err
	}
	cut.level = last.level + 1
	r.cuts = r.cuts[:from]
	if cut.seg != nil {
		job.seg, job.part = cut.seg, newPart(a.round, cut.seg, nil, a.state.owned)
		r.cuts = append(r.cuts, cut)
		a.index.fresh[cut.seg] = true
	}
	c.replace(job, a.round)
	return nil
}

// removeDead takes the documents of a cut that are dead out of the builder.
func (r *recent) removeDead(cut *recentCut, live docset.Set) {
	for i, doc := range cut.docs {
		if !live.Has(uint32(i)) {
			r.builder.Remove(doc)
		}
	}
}
