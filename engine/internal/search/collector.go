package search

import (
	"slices"
	"strings"
	"unsafe"

	"github.com/jetseek/jetseek/engine/internal/segment"
	"github.com/jetseek/jetseek/engine/internal/segment/docvalues"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/schema"
)

// collector keeps the first candidates in the total order: a heap whose first is the worst of them.
type collector struct {
	sort    []query.SortKey
	scoring bool
	limit   int

	seg     *segment.Segment
	sources []keySource // of seg, one a sort key
	heap    []query.Candidate
	next    query.Candidate // the one under comparison: its strings are views of the segment or of scratch
	scratch []byte
}

// keySource is where a sort key's values are in the present segment.
type keySource struct {
	kind   query.KeyKind // KeyMissing: no document of the segment has the field
	values *docvalues.Column
	terms  *segment.Field // of strings
}

func newCollector(r *Request) *collector {
	byScore := len(r.Sort) == 0 || slices.ContainsFunc(r.Sort, func(k query.SortKey) bool { return k.By == query.ByScore })
	c := &collector{sort: r.Sort, scoring: r.Score || byScore, limit: r.Limit}
	if len(r.Sort) > 0 {
		c.next.Keys = make([]query.Key, len(r.Sort))
		c.sources = make([]keySource, len(r.Sort))
	}
	return c
}

// enter begins a segment.
func (c *collector) enter(s *segment.Segment) {
	c.seg = s
	for i, k := range c.sort {
		c.sources[i] = keySource{}
		f := s.Field(k.Field)
		if k.By != query.ByField || f == nil {
			continue
		}
		switch {
		case (k.Type == schema.Keyword || k.Type == schema.Text) && f.HasExact:
			c.sources[i] = keySource{query.KeyString, &f.Ordinals, f}
		case (k.Type == schema.Long || k.Type == schema.Date || k.Type == schema.Bool) && f.HasInts:
			c.sources[i] = keySource{query.KeyInt, &f.Ints, nil}
		case k.Type == schema.Double && f.HasFloats:
			c.sources[i] = keySource{query.KeyFloat, &f.Floats, nil}
		}
	}
}

// add offers a match. It allocates only for those that enter the heap.
func (c *collector) add(doc uint32, score int64) {
	full := len(c.heap) == c.limit
	if full && len(c.sort) == 0 && score < c.heap[0].Score {
		return
	}
	c.look(doc, score)
	switch {
	case !full:
		c.heap = append(c.heap, c.keep())
		c.up(len(c.heap) - 1)
	case query.CompareKeys(c.sort, &c.next, &c.heap[0]) < 0:
		c.heap[0] = c.keep()
		c.down(0)
	}
}

// look sets next to a document.
func (c *collector) look(doc uint32, score int64) {
	c.next.ID, c.next.Score = view(c.seg.ID(doc)), score
	c.scratch = c.scratch[:0]
	for i := range c.sort {
		c.next.Keys[i] = c.key(&c.sort[i], &c.sources[i], doc)
	}
}

// key gives a document's value under a sort key: of several values the least when ascending, the greatest when descending.
func (c *collector) key(k *query.SortKey, src *keySource, doc uint32) query.Key {
	switch k.By {
	case query.ByScore:
		return query.Key{Kind: query.KeyInt, Int: c.next.Score}
	case query.ByID:
		return query.Key{Kind: query.KeyString, Str: c.next.ID}
	}
	if src.kind == query.KeyMissing {
		return query.Key{}
	}
	from, to := src.values.Range(doc)
	if from == to {
		return query.Key{}
	}
	at := from
	if k.Desc {
		at = to - 1
	}
	switch src.kind {
	case query.KeyInt:
		return query.Key{Kind: query.KeyInt, Int: src.values.Int(at)}
	case query.KeyFloat:
		return query.Key{Kind: query.KeyFloat, Float: src.values.Float(at)}
	}
	// Each string of the document gets its own piece of scratch; when scratch grows, earlier pieces keep their old memory.
	start := len(c.scratch)
	c.scratch = src.terms.Exact.Term(c.scratch, int(src.values.Int(at)))
	return query.Key{Kind: query.KeyString, Str: view(c.scratch[start:])}
}

// keep gives a copy of next that owns its strings.
func (c *collector) keep() query.Candidate {
	kept := query.Candidate{ID: strings.Clone(c.next.ID), Score: c.next.Score, Keys: slices.Clone(c.next.Keys)}
	for i := range kept.Keys {
		kept.Keys[i].Str = strings.Clone(kept.Keys[i].Str)
	}
	if !c.scoring {
		kept.Score = 0
	}
	return kept
}

// sorted gives the candidates in the total order, best first.
func (c *collector) sorted() []query.Candidate {
	slices.SortFunc(c.heap, func(a, b query.Candidate) int { return query.CompareKeys(c.sort, &a, &b) })
	return c.heap
}

func (c *collector) worse(i, j int) bool {
	return query.CompareKeys(c.sort, &c.heap[i], &c.heap[j]) > 0
}

func (c *collector) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !c.worse(i, parent) {
			return
		}
		c.heap[i], c.heap[parent] = c.heap[parent], c.heap[i]
		i = parent
	}
}

func (c *collector) down(i int) {
	for {
		worst := 2*i + 1
		if worst >= len(c.heap) {
			return
		}
		if worst+1 < len(c.heap) && c.worse(worst+1, worst) {
			worst++
		}
		if !c.worse(worst, i) {
			return
		}
		c.heap[i], c.heap[worst] = c.heap[worst], c.heap[i]
		i = worst
	}
}

// view gives bytes as a string without a copy, for a comparison: the bytes must not change while it is used.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
