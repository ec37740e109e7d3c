package collect

import (
	"math"
	"math/bits"

	"github.com/jetseek/jetseek/engine/agg"
	"github.com/jetseek/jetseek/engine/internal/segment/docvalues"
)

const (
	fewToNumber = 1 << 10 // values; a table for fewer does not pay
	mostCells   = 1 << 17
)

// numberer numbers the keys of values in the order in which they come. It keeps a table of equal pieces of what lies between the least and the greatest value: the number of the
// key of all values of a piece, once it is known that they have the same.
type numberer struct {
	c       *collector
	keyer   *agg.Keyer
	groups  []group
	numbers map[int64]uint32

	least int64
	shift uint     // a piece is 2^shift values
	cells []uint32 // number + 1; 0: not known, or several
}

func (c *collector) numberer(d *agg.Definition, col *docvalues.Column, ds docs) (*numberer, error) {
	k, err := agg.NewKeyer(d)
	if err != nil {
		return nil, err
	}
	n := &numberer{c: c, keyer: k, numbers: map[int64]uint32{}}
	least, greatest, any := col.Extent()
	if !any || ds.n < fewToNumber {
		return n, nil
	}
	cells := min(mostCells, 1<<bits.Len(uint(ds.n/8)))
	if err := c.budget.Take(cells, 4); err != nil {
		return nil, err
	}
	n.least, n.cells = least, make([]uint32, cells)
	for (uint64(greatest)-uint64(least))>>n.shift >= uint64(cells) {
		n.shift++
	}
	return n, nil
}

// end gives the memory of the table back.
func (n *numberer) end() { n.c.budget.Give(len(n.cells), 4) }

// number gives the number of a value's key.
func (n *numberer) number(v int64) (uint32, error) {
	cell := (uint64(v) - uint64(n.least)) >> n.shift
	if cell < uint64(len(n.cells)) && n.cells[cell] != 0 {
		return n.cells[cell] - 1, nil
	}
	return n.find(v, cell)
}

// find numbers the key of a value whose piece of the table does not tell.
func (n *numberer) find(v int64, cell uint64) (uint32, error) {
	key, err := n.keyer.Key(v)
	if err != nil {
		return 0, err
	}
	number, known := n.numbers[key]
	if !known {
		if err := n.c.budget.Take(1, 80); err != nil {
			return 0, err
		}
		number = uint32(len(n.groups))
		n.numbers[key], n.groups = number, append(n.groups, group{key: key})
	}
	if cell < uint64(len(n.cells)) {
		n.fill(v, number)
	}
	return number, nil
}

// fill tells the table of all pieces that lie within the values that have the key of v as well.
func (n *numberer) fill(v int64, number uint32) {
	lo, hi := n.keyer.Span()
	at := uint64(v) - uint64(n.least) // places of values, from the least on
	from, to := uint64(0), uint64(len(n.cells))
	if below := uint64(v) - uint64(lo); below < at {
		from = (at - below) >> n.shift
		if from<<n.shift < at-below {
			from++
		}
	}
	if above := uint64(hi) - uint64(v); above < math.MaxUint64-at {
		to = min(to, (at+above+1)>>n.shift)
	}
	for i := from; i < to; i++ {
		n.cells[i] = number + 1
	}
}

// count counts values that belong to one document each.
func (n *numberer) count(values []int64) error {
	cells, least, shift := n.cells, uint64(n.least), n.shift
	for _, v := range values {
		cell := (uint64(v) - least) >> (shift & 63)
		if cell < uint64(len(cells)) && cells[cell] != 0 {
			n.groups[cells[cell]-1].n++
			continue
		}
		number, err := n.find(v, cell)
		if err != nil {
			return err
		}
		n.groups[number].n++
	}
	return nil
}
