package collect

import (
	"math/bits"
	"slices"

	"github.com/jetseek/jetseek/engine/agg"
	"github.com/jetseek/jetseek/engine/internal/docset"
	"github.com/jetseek/jetseek/engine/internal/segment/docvalues"
)

// hashes finds the least hashes of the distinct values: of those that a bit each marks where they lie close together.
func (c *collector) hashes(d *agg.Definition, ds docs, p *agg.Partial) error {
	col, f := c.column(d)
	if col == nil {
		return nil
	}
	hash := agg.HashInt
	if d.IsText() {
		var term []byte
		hash = func(ordinal int64) uint64 {
			term = f.Exact.Term(term[:0], int(ordinal))
			return agg.HashText(term)
		}
	}
	h := hasher{c: c, hash: hash, most: ^uint64(0)}
	if err := c.budget.Take(2*hashesKept, 8); err != nil {
		return err
	}
	defer c.budget.Give(2*hashesKept, 8)
	least, greatest, _ := col.Extent()
	var err error
	if uint64(greatest)-uint64(least) < uint64(fewDocs*(ds.n+1)) {
		err = h.marked(col, ds, d.Size == 1, least, int(greatest-least)+1)
	} else {
		err = c.batches(col, ds, d.Size == 1, h.add)
	}
	if err != nil {
		return err
	}
	h.settle()
	if err := c.budget.Take(len(h.kept), 8); err != nil {
		return err
	}
	p.Hashes = slices.Clone(h.kept)
	return nil
}

// hashesKept is how many hashes are kept before those that cannot matter are dropped.
const hashesKept = 2 * (agg.MaxDistinct + 1)

// hasher keeps the least hashes of what it is given.
type hasher struct {
	c    *collector
	hash func(v int64) uint64
	kept []uint64
	room []uint64
	most uint64 // hashes above it are of no use
}

func (h *hasher) add(values []int64) {
	for i, v := range values {
		if i > 0 && v == values[i-1] {
			continue
		}
		if x := h.hash(v); x <= h.most {
			h.kept = append(h.kept, x)
		}
	}
	if len(h.kept) > hashesKept-batchValues {
		h.settle()
	}
}

// settle leaves the least hashes, ascending.
func (h *hasher) settle() {
	if len(h.room) < len(h.kept) {
		h.room = make([]uint64, cap(h.kept))
	}
	sorted := sortValues(h.kept, h.room)
	if len(sorted) > 0 && &sorted[0] != &h.kept[0] {
		h.kept, h.room = sorted, h.kept[:cap(h.kept)]
	}
	h.kept = agg.Fewest(slices.Compact(sorted))
	if len(h.kept) > agg.MaxDistinct {
		h.most = h.kept[len(h.kept)-1]
	}
}

// marked adds each distinct value once.
func (h *hasher) marked(col *docvalues.Column, ds docs, leastOnly bool, least int64, values int) error {
	if err := h.c.budget.Take(values/64+1, 8); err != nil {
		return err
	}
	defer h.c.budget.Give(values/64+1, 8)
	seen := docset.New(values)
	if err := h.c.batches(col, ds, leastOnly, func(values []int64) {
		for _, v := range values {
			seen.Add(uint32(v - least))
		}
	}); err != nil {
		return err
	}
	var found [64]int64
	for i, w := range seen {
		n := 0
		for ; w != 0; w &= w - 1 {
			found[n] = least + int64(i<<6+bits.TrailingZeros64(w))
			n++
		}
		h.add(found[:n])
		if err := h.c.visit(n); err != nil {
			return err
		}
	}
	return nil
}
