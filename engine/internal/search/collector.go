package search

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strings"
	"unsafe"

	"github.com/jetseek/jetseek/engine/geo"
	"github.com/jetseek/jetseek/engine/internal/segment"
	"github.com/jetseek/jetseek/engine/internal/segment/docvalues"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/schema"
)

// collector keeps the first documents in the total order: a heap whose first is the worst of them. Documents stay references until the end.
type collector struct {
	sort    []query.SortKey
	scoring bool
	limit   int
	after   *query.Candidate // what does not come after it is left out; nil: nothing is

	seg     *segment.Segment
	sources []keySource // of seg, one a sort key
	heap    []entry
	keys    []query.Key // those of entry e from e.slot*len(sort) on
	strs    [][]byte    // what string keys there are views of
	next    []query.Key // of the document under comparison
	scratch [][]byte
	firsts  *firsts // of what is kept, by value; nil: nothing is collapsed
	bar     bar
	least   int64 // with which a document may enter a heap that is not full: minScore, or a guess
}

// entry is one document kept.
type entry struct {
	score int64
	seg   *segment.Segment
	doc   uint32
	slot  int32
	head  uint64 // of the id, once it was needed; 0: not known
}

// before orders entries that are alike but for their ids: negative when e comes first. Few ids are read, each in two places of the segment that nothing else touches: their first bytes stay at hand.
func (e *entry) before(o *entry) int {
	if head, other := e.idHead(), o.idHead(); head != other {
		return cmp.Compare(head, other)
	}
	return bytes.Compare(e.seg.ID(e.doc), o.seg.ID(o.doc))
}

func (e *entry) idHead() uint64 {
	if e.head == 0 {
		e.head = e.seg.IDHead(e.doc)
	}
	return e.head
}

// keySource is where a sort key's values are in the present segment.
type keySource struct {
	kind   query.KeyKind // KeyMissing: no document of the segment has the field
	values *docvalues.Column
	terms  *segment.Field // of strings
	places places         // of distances
}

// begin readies the collector for a request; it keeps its memory.
func (c *collector) begin(r *Request) {
	byScore := len(r.Sort) == 0 || slices.ContainsFunc(r.Sort, func(k query.SortKey) bool { return k.By == query.ByScore })
	c.sort, c.scoring, c.limit, c.after, c.seg = r.Sort, r.Score || byScore, r.Limit, r.After, nil
	c.heap, c.keys, c.bar, c.least = c.heap[:0], c.keys[:0], bar{}, minScore
	if c.firsts = nil; r.Collapse {
		c.firsts = &firsts{slots: map[string]int32{}}
	}
	c.sources = append(c.sources[:0], make([]keySource, len(r.Sort))...)
	c.next = append(c.next[:0], make([]query.Key, len(r.Sort))...)
	for len(c.scratch) < len(r.Sort) {
		c.scratch = append(c.scratch, nil)
	}
}

// enter begins a segment.
func (c *collector) enter(s *segment.Segment) {
	c.seg = s
	for i, k := range c.sort {
		c.sources[i] = keySource{}
		if k.By == query.ByDistance {
			if at, ok := placesOf(s, k.Field); ok {
				c.sources[i] = keySource{kind: query.KeyFloat, places: at}
			}
			continue
		}
		f := s.Field(k.Field)
		if k.By != query.ByField || f == nil {
			continue
		}
		switch {
		case (k.Type == schema.Keyword || k.Type == schema.Text) && f.HasExact:
			c.sources[i] = keySource{kind: query.KeyString, values: &f.Ordinals, terms: f}
		case (k.Type == schema.Long || k.Type == schema.Date || k.Type == schema.Bool) && f.HasInts:
			c.sources[i] = keySource{kind: query.KeyInt, values: &f.Ints}
		case k.Type == schema.Double && f.HasFloats:
			c.sources[i] = keySource{kind: query.KeyFloat, values: &f.Floats}
		}
	}
	c.raise()
}

// floor gives the least score with which a document may still enter: those below need not be offered. One that equals it may win by its id.
func (c *collector) floor() int64 {
	switch {
	case c.limit == 0:
		return math.MaxInt64
	case len(c.sort) > 0 || len(c.heap) < c.limit:
		return c.least
	}
	return c.heap[0].score
}

// mayGuess tells whether a floor of all matches can be one of those to keep, of which there is none yet.
func (c *collector) mayGuess() bool { return len(c.heap) == 0 && len(c.sort) == 0 && c.after == nil }

// guess takes a score for the floor that the documents wanted probably reach.
func (c *collector) guess(score int64) { c.least = score }

// short tells whether a guess was too high.
func (c *collector) short() bool { return c.least > minScore && len(c.heap) < c.limit }

// add offers a match.
func (c *collector) add(doc uint32, score int64) {
	if c.limit == 0 {
		return
	}
	full := len(c.heap) == c.limit
	if len(c.sort) == 0 && score < c.floor() || full && !c.passes(doc) {
		return
	}
	e := entry{score: score, seg: c.seg, doc: doc, slot: int32(len(c.heap))}
	for i := range c.sort {
		c.next[i] = c.key(i, e)
	}
	if c.after != nil && !c.comesAfter(&e) {
		return
	}
	var value string // that the document stands for, "" for itself alone
	if c.firsts != nil {
		value = c.firsts.valueOf(&c.next[len(c.next)-1])
		if slot, there := c.firsts.slots[value]; there && value != "" {
			c.improve(slot, e)
			return
		}
	}
	if !full {
		if c.firsts != nil {
			c.firsts.push(value)
		}
		for i := range c.next {
			if c.keys = append(c.keys, query.Key{}); len(c.strs) < len(c.keys) {
				c.strs = append(c.strs, nil)
			}
			c.store(len(c.keys)-1, c.next[i])
		}
		c.heap = append(c.heap, e)
		c.up(len(c.heap) - 1)
		c.raise()
		return
	}
	worst := &c.heap[0]
	if c.compare(c.next, &e, c.keysOf(worst), worst) >= 0 {
		return
	}
	if c.firsts != nil {
		c.firsts.replace(worst.slot, value)
	}
	e.slot = worst.slot
	c.put(0, e)
}

// put puts a document, whose keys are in next, in the place of another that it comes before.
func (c *collector) put(at int, e entry) {
	for i, k := range c.next {
		c.store(int(e.slot)*len(c.sort)+i, k)
	}
	c.heap[at] = e
	c.down(at)
	c.raise()
}

// comesAfter tells whether a document, whose keys are in next, comes after the one that the request names.
func (c *collector) comesAfter(e *entry) bool {
	if len(c.sort) == 0 && e.score != c.after.Score {
		return e.score < c.after.Score
	}
	if order := query.CompareKeyLists(c.sort, c.next, c.after.Keys); order != 0 {
		return order > 0
	}
	return string(e.seg.ID(e.doc)) > c.after.ID
}

func (c *collector) keysOf(e *entry) []query.Key {
	n := len(c.sort)
	return c.keys[int(e.slot)*n : (int(e.slot)+1)*n]
}

// store keeps a key, and the bytes of its string.
func (c *collector) store(at int, k query.Key) {
	if k.Kind == query.KeyString {
		c.strs[at] = append(c.strs[at][:0], k.Str...)
		k.Str = view(c.strs[at])
	}
	c.keys[at] = k
}

// compare orders two entries: negative when the first comes before the other.
func (c *collector) compare(aKeys []query.Key, a *entry, bKeys []query.Key, b *entry) int {
	if len(c.sort) == 0 {
		if a.score != b.score {
			return cmp.Compare(b.score, a.score)
		}
	} else if order := query.CompareKeyLists(c.sort, aKeys, bKeys); order != 0 {
		return order
	}
	return a.before(b)
}

// key gives a document's value under a sort key: of several values the least when ascending, the greatest when descending. A string is a view of
// scratch.
func (c *collector) key(n int, e entry) query.Key {
	k, src := &c.sort[n], &c.sources[n]
	switch k.By {
	case query.ByScore:
		return query.Key{Kind: query.KeyInt, Int: e.score}
	case query.ByID:
		return query.Key{Kind: query.KeyString, Str: view(e.seg.ID(e.doc))}
	}
	if src.kind == query.KeyMissing {
		return query.Key{}
	}
	if k.By == query.ByDistance {
		p, ok := src.places.of(e.doc)
		if !ok {
			return query.Key{}
		}
		return query.Key{Kind: query.KeyFloat, Float: geo.Distance(k.From, p)}
	}
	at := c.valueAt(n, e)
	if at < 0 {
		return query.Key{}
	}
	switch src.kind {
	case query.KeyInt:
		return query.Key{Kind: query.KeyInt, Int: src.values.Int(at)}
	case query.KeyFloat:
		return query.Key{Kind: query.KeyFloat, Float: src.values.Float(at)}
	}
	c.scratch[n] = src.terms.Exact.Term(c.scratch[n][:0], int(src.values.Int(at)))
	return query.Key{Kind: query.KeyString, Str: view(c.scratch[n])}
}

// valueAt gives which value of the present segment stands for a document under a sort key, -1 when it has none.
func (c *collector) valueAt(n int, e entry) int {
	from, to := c.sources[n].values.Range(e.doc)
	switch {
	case from == to:
		return -1
	case c.sort[n].Desc:
		return to - 1
	}
	return from
}

// sorted gives the candidates in the total order, best first. They own their strings.
func (c *collector) sorted() []query.Candidate {
	slices.SortFunc(c.heap, func(a, b entry) int { return c.compare(c.keysOf(&a), &a, c.keysOf(&b), &b) })
	size := 0
	for i := range c.heap {
		size += len(c.heap[i].seg.ID(c.heap[i].doc))
	}
	var ids strings.Builder
	ids.Grow(size)
	found := make([]query.Candidate, len(c.heap))
	keys := make([]query.Key, 0, len(c.keys))
	for i := range c.heap {
		e, at := &c.heap[i], ids.Len()
		ids.Write(e.seg.ID(e.doc))
		found[i].ID = ids.String()[at:]
		if c.scoring {
			found[i].Score = e.score
		}
		if len(c.sort) == 0 {
			continue
		}
		from := len(keys)
		for _, k := range c.keysOf(e) {
			k.Str = strings.Clone(k.Str)
			keys = append(keys, k)
		}
		found[i].Keys = keys[from:len(keys):len(keys)]
	}
	for i := range c.heap {
		c.heap[i].seg = nil // what is pooled must not hold segments
	}
	return found
}

func (c *collector) worse(i, j int) bool {
	a, b := &c.heap[i], &c.heap[j]
	if len(c.sort) == 0 {
		return a.score < b.score || a.score == b.score && b.before(a) < 0
	}
	return c.compare(c.keysOf(a), a, c.keysOf(b), b) > 0
}

func (c *collector) swap(i, j int) {
	c.heap[i], c.heap[j] = c.heap[j], c.heap[i]
	if c.firsts != nil {
		c.firsts.places[c.heap[i].slot], c.firsts.places[c.heap[j].slot] = int32(i), int32(j)
	}
}

func (c *collector) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !c.worse(i, parent) {
			return
		}
		c.swap(i, parent)
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
		c.swap(i, worst)
		i = worst
	}
}

// view gives bytes as a string without a copy, for a comparison: the bytes must not change while it is used.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
