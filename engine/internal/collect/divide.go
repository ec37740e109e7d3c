package collect

import (
	"cmp"
	"slices"

	"github.com/jetseek/jetseek/engine/agg"
	"github.com/jetseek/jetseek/engine/internal/segment/docvalues"
)

const (
	bucketBytes = 64 // that a bucket takes beside what is below it
	fewDocs     = 16 // there are so few documents to an ordinal that counters for all of these do not pay
)

// group is the documents of one key.
type group struct {
	key  int64
	n    uint32
	docs []uint32
}

// keyed divides documents by the keys of their values: a document counts once a key.
func (c *collector) keyed(d *agg.Definition, ds docs, p *agg.Partial) error {
	col, f := c.column(d)
	if col == nil {
		return nil
	}
	var groups []group
	var err error
	if d.Kind == agg.Terms && d.IsText() && f.Exact.Len() <= fewDocs*(ds.n+1) {
		groups, err = c.byOrdinal(col, f.Exact.Len(), ds, len(d.Below) > 0)
	} else {
		groups, err = c.byKey(d, col, ds)
	}
	if err != nil {
		return err
	}
	if err := c.budget.Take(len(groups), bucketBytes); err != nil {
		return err
	}
	p.Buckets = make([]agg.Bucket, len(groups))
	var term []byte
	for i, g := range groups {
		b := &p.Buckets[i]
		b.Count = uint64(g.n)
		if d.IsText() {
			term = f.Exact.Term(term[:0], int(g.key))
			if err := c.budget.Take(1, len(term)); err != nil {
				return err
			}
			b.Text = string(term)
		} else {
			b.Key = g.key
		}
		if len(d.Below) == 0 {
			continue
		}
		if b.Below, err = c.all(d.Below, docs{list: g.docs, n: len(g.docs)}); err != nil {
			return err
		}
	}
	return nil
}

// byOrdinal divides by ordinals, with a counter for each.
func (c *collector) byOrdinal(col *docvalues.Column, ordinals int, ds docs, below bool) ([]group, error) {
	if err := c.budget.Take(ordinals, 4); err != nil {
		return nil, err
	}
	defer c.budget.Give(ordinals, 4)
	counts := make([]uint32, ordinals)
	if !ds.whole() || !col.Plain() || !countAll(counts, col) {
		if err := c.batches(col, ds, false, func(values []int64) {
			for _, ordinal := range values {
				counts[ordinal]++
			}
		}); err != nil {
			return nil, err
		}
	}
	used, pairs := 0, 0
	for _, n := range counts {
		used += int(min(n, 1))
		pairs += int(n)
	}
	if err := c.budget.Take(used, 40); err != nil {
		return nil, err
	}
	groups := make([]group, 0, used)
	for ord, n := range counts {
		if n > 0 {
			counts[ord] = uint32(len(groups))
			groups = append(groups, group{key: int64(ord), n: n})
		}
	}
	if !below {
		return groups, nil
	}
	if err := c.share(groups, pairs); err != nil {
		return nil, err
	}
	for i := range ds.n {
		doc := ds.at(i)
		from, to := col.Range(doc)
		for j := from; j < to; j++ {
			g := &groups[counts[col.Int(j)]]
			g.docs = append(g.docs, doc)
		}
	}
	return groups, nil
}

// countAll counts the ordinals of a plain column as they lie, in their order; false when their width is another.
func countAll(counts []uint32, col *docvalues.Column) bool {
	base, width, data := col.Lane()
	if base >= uint64(len(counts)) {
		return false
	}
	counts = counts[base:]
	switch width {
	case 1:
		return countBytes(counts, data)
	case 2:
		for ; len(data) >= 8; data = data[8:] {
			a, b, c, d := uint(data[0])|uint(data[1])<<8, uint(data[2])|uint(data[3])<<8, uint(data[4])|uint(data[5])<<8, uint(data[6])|uint(data[7])<<8
			counts[a]++
			counts[b]++
			counts[c]++
			counts[d]++
		}
		for ; len(data) >= 2; data = data[2:] {
			counts[uint(data[0])|uint(data[1])<<8]++
		}
		return true
	case 4:
		for ; len(data) >= 4; data = data[4:] {
			counts[uint(data[0])|uint(data[1])<<8|uint(data[2])<<16|uint(data[3])<<24]++
		}
		return true
	}
	return false
}

// countBytes counts with four counters each, since one that was just written is slow to read.
func countBytes(counts []uint32, data []byte) bool {
	var n [4][256]uint32
	for ; len(data) >= 4; data = data[4:] {
		n[0][data[0]]++
		n[1][data[1]]++
		n[2][data[2]]++
		n[3][data[3]]++
	}
	for _, b := range data {
		n[0][b]++
	}
	for i := range min(len(counts), 256) {
		counts[i] += n[0][i] + n[1][i] + n[2][i] + n[3][i]
	}
	return true
}

// share cuts lists for the documents of groups from one piece of memory.
func (c *collector) share(groups []group, pairs int) error {
	if err := c.budget.Take(pairs, 4); err != nil {
		return err
	}
	room := make([]uint32, pairs)
	for i := range groups {
		n := groups[i].n
		groups[i].docs, room = room[:0:n], room[n:]
	}
	return nil
}

// byKey divides by keys of which nobody knows how many there are.
func (c *collector) byKey(d *agg.Definition, col *docvalues.Column, ds docs) ([]group, error) {
	n, err := c.numberer(d, col, ds)
	if err != nil {
		return nil, err
	}
	defer n.end()
	if col.Single() && len(d.Below) == 0 {
		var failed error
		err = c.batches(col, ds, false, func(values []int64) {
			if failed == nil {
				failed = n.count(values)
			}
		})
		err = cmp.Or(failed, err)
	} else {
		err = c.divide(n, col, ds, len(d.Below) > 0)
	}
	slices.SortFunc(n.groups, func(a, b group) int { return cmp.Compare(a.key, b.key) })
	return n.groups, err
}

// divide counts documents whose values may share a key, and lists them for what is below.
func (c *collector) divide(n *numberer, col *docvalues.Column, ds docs, below bool) error {
	var pairs []uint32 // number of a group, and document
	for i := range ds.n {
		if i%batchValues == 0 {
			if err := c.visit(batchValues); err != nil {
				return err
			}
		}
		doc := ds.at(i)
		from, to := col.Range(doc)
		before := uint32(0)
		for j := from; j < to; j++ {
			number, err := n.number(col.Int(j))
			if err != nil {
				return err
			}
			if j > from && number == before {
				continue
			}
			before = number
			n.groups[number].n++
			if !below {
				continue
			}
			if len(pairs) == cap(pairs) {
				if err := c.budget.Take(max(len(pairs), 64), 8); err != nil { // what append takes, at most twice as much, while it copies
					return err
				}
			}
			pairs = append(pairs, number, doc)
		}
	}
	if !below {
		return nil
	}
	if err := c.share(n.groups, len(pairs)/2); err != nil {
		return err
	}
	for i := 0; i < len(pairs); i += 2 {
		g := &n.groups[pairs[i]]
		g.docs = append(g.docs, pairs[i+1])
	}
	return nil
}

// part computes what is below a bucket of the request.
func (c *collector) part(d *agg.Definition, list []uint32, key int) (agg.Bucket, error) {
	below, err := c.all(d.Below, docs{list: list, n: len(list)})
	return agg.Bucket{Key: int64(key), Count: uint64(len(list)), Below: below}, err
}

// pick gives the documents that pass.
func (c *collector) pick(ds docs, passes func(doc uint32) bool) ([]uint32, error) {
	if err := c.visit(ds.n); err != nil {
		return nil, err
	}
	if err := c.budget.Take(ds.n, 4); err != nil {
		return nil, err
	}
	list := make([]uint32, 0, ds.n)
	for i := range ds.n {
		if doc := ds.at(i); passes(doc) {
			list = append(list, doc)
		}
	}
	return list, nil
}

func (c *collector) ranges(d *agg.Definition, ds docs, p *agg.Partial) error {
	col, _ := c.column(d)
	for i, s := range d.Ranges {
		list := []uint32{}
		var err error
		if col != nil {
			span := col.Span(s.Lo, s.Hi)
			if list, err = c.pick(ds, span.Has); err != nil {
				return err
			}
		}
		if err := c.addPart(d, list, i, p); err != nil {
			return err
		}
	}
	return nil
}

// addPart adds the bucket of a list of documents, and gives the list's memory back.
func (c *collector) addPart(d *agg.Definition, list []uint32, i int, p *agg.Partial) error {
	b, err := c.part(d, list, i)
	if err != nil {
		return err
	}
	c.budget.Give(cap(list), 4)
	p.Buckets = append(p.Buckets, b)
	return nil
}

func (c *collector) filtered(d *agg.Definition, ds docs, p *agg.Partial) error {
	for i, f := range d.Filters {
		set, known := c.filters[f.Node]
		if !known {
			if err := c.budget.Take(c.src.Segment.Docs()/64+1, 8); err != nil {
				return err
			}
			var err error
			if set, err = c.src.Matches(c.ctx, f.Node); err != nil {
				return err
			}
			c.filters[f.Node] = set
		}
		list, err := c.pick(ds, set.Has)
		if err != nil {
			return err
		}
		if err := c.addPart(d, list, i, p); err != nil {
			return err
		}
	}
	return nil
}

func (c *collector) missing(d *agg.Definition, ds docs, p *agg.Partial) error {
	col, _ := c.column(d)
	list, err := c.pick(ds, func(doc uint32) bool { return col == nil || !col.Has(doc) })
	if err != nil {
		return err
	}
	p.Count = uint64(len(list))
	p.Below, err = c.all(d.Below, docs{list: list, n: len(list)})
	c.budget.Give(cap(list), 4)
	return err
}
