package collect

import (
	"context"
	"math/bits"

	"github.com/jetseek/jetseek/engine/agg"
	"github.com/jetseek/jetseek/engine/internal/docset"
	"github.com/jetseek/jetseek/engine/internal/segment"
	"github.com/jetseek/jetseek/engine/internal/segment/docvalues"
	"github.com/jetseek/jetseek/engine/query"
)

// checkDocs is how many documents are looked at between two looks at the context: less than a millisecond's, at a hundred ns each.
const checkDocs = 1 << 13

// Source is one segment, and how it is searched.
type Source struct {
	Segment *segment.Segment
	// Matches finds the documents that match a filter.
	Matches func(ctx context.Context, filter query.Node) (docset.Set, error)
	// Top finds the first n documents of a set, in the order of keys.
	Top func(ctx context.Context, set docset.Set, docs int, keys []query.SortKey, n int) ([]query.Candidate, error)
}

// Collect computes the definitions over the documents of a set. Errors are ctx's, faults as package agg and the functions of the source give them, and limit_exceeded when the
// budget does not suffice.
func Collect(ctx context.Context, src Source, set docset.Set, defs []agg.Definition, budget *agg.Budget) ([]agg.Partial, error) {
	c := &collector{ctx: ctx, src: src, budget: budget, filters: map[query.Node]docset.Set{}}
	n := set.Count()
	ds := docs{n: n}
	if n < src.Segment.Docs() {
		if err := budget.Take(n, 4); err != nil {
			return nil, err
		}
		defer budget.Give(n, 4)
		ds.list = listed(set, n)
	}
	return c.all(defs, ds)
}

// docs are documents, ascending: of the list, or the first n of the segment when there is none.
type docs struct {
	list []uint32
	n    int
}

func (d *docs) whole() bool { return d.list == nil }

func (d *docs) at(i int) uint32 {
	if d.list == nil {
		return uint32(i)
	}
	return d.list[i]
}

func listed(set docset.Set, n int) []uint32 {
	list := make([]uint32, 0, n)
	for i, w := range set {
		for ; w != 0; w &= w - 1 {
			list = append(list, uint32(i<<6+bits.TrailingZeros64(w)))
		}
	}
	return list
}

type collector struct {
	ctx     context.Context
	src     Source
	budget  *agg.Budget
	summer  agg.Summer
	filters map[query.Node]docset.Set // found so far
	left    int                       // documents to the next look at the context
	batch   []int64                   // of values that are looked at together
}

// visit counts documents about to be looked at.
func (c *collector) visit(n int) error {
	if c.left -= n + 1; c.left < 0 {
		c.left = checkDocs
		return c.ctx.Err()
	}
	return nil
}

// partialBytes is about what a partial result takes beside its lists.
const partialBytes = 200

func (c *collector) all(defs []agg.Definition, ds docs) ([]agg.Partial, error) {
	if len(defs) == 0 {
		return nil, nil
	}
	if err := c.budget.Take(len(defs), partialBytes); err != nil {
		return nil, err
	}
	partials := make([]agg.Partial, len(defs))
	for i := range defs {
		if err := c.visit(ds.n); err != nil {
			return nil, err
		}
		if err := c.one(&defs[i], ds, &partials[i]); err != nil {
			return nil, err
		}
	}
	return partials, nil
}

func (c *collector) one(d *agg.Definition, ds docs, p *agg.Partial) error {
	switch d.Kind {
	case agg.Stats, agg.Min, agg.Max, agg.Sum, agg.Avg:
		return c.metric(d, ds, p)
	case agg.Percentiles:
		return c.runs(d, ds, p)
	case agg.Cardinality:
		return c.hashes(d, ds, p)
	case agg.Terms, agg.Histogram, agg.DateHistogram:
		return c.keyed(d, ds, p)
	case agg.Range:
		return c.ranges(d, ds, p)
	case agg.Filters:
		return c.filtered(d, ds, p)
	case agg.Missing:
		return c.missing(d, ds, p)
	}
	return c.top(d, ds, p)
}

// column gives the column of a definition's field, nil when no document of the segment has the field, and the field itself.
func (c *collector) column(d *agg.Definition) (*docvalues.Column, *segment.Field) {
	f := c.src.Segment.Field(d.Field)
	switch {
	case f == nil:
	case d.IsText():
		if f.HasExact {
			return &f.Ordinals, f
		}
	case d.IsFloat():
		if f.HasFloats {
			return &f.Floats, f
		}
	case f.HasInts:
		return &f.Ints, f
	}
	return nil, nil
}

func (c *collector) top(d *agg.Definition, ds docs, p *agg.Partial) (err error) {
	p.Count = uint64(ds.n)
	if ds.n == 0 || d.Size == 0 {
		return nil
	}
	if err := c.budget.Take(c.src.Segment.Docs()/64+1, 8); err != nil {
		return err
	}
	set := docset.New(c.src.Segment.Docs())
	for i := range ds.n {
		set.Add(ds.at(i))
	}
	p.Hits, err = c.src.Top(c.ctx, set, ds.n, d.Sort, d.Size)
	c.budget.Give(c.src.Segment.Docs()/64+1, 8)
	return err
}
