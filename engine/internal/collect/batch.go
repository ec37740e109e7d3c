package collect

import "github.com/jetseek/jetseek/engine/internal/segment/docvalues"

// batchValues is how many values are looked at together, by loops over slices alone.
const batchValues = 1024

// batches gives visit the values of documents in pieces of at most [batchValues], which are its until it returns. With least, of each document the least value alone.
func (c *collector) batches(col *docvalues.Column, ds docs, least bool, visit func(values []int64)) error {
	c.batch = append(c.batch[:0], make([]int64, batchValues)...)
	for from := 0; from < ds.n; from += batchValues {
		to := min(from+batchValues, ds.n)
		if err := c.visit(to - from); err != nil {
			return err
		}
		if col.Plain() && col.Docs() == c.src.Segment.Docs() {
			batch := c.batch[:to-from]
			if ds.whole() {
				col.Read(batch, from)
			} else {
				col.Pick(batch, ds.list[from:to])
			}
			visit(batch)
			continue
		}
		c.gather(col, ds, from, to, least, visit)
	}
	return nil
}

// gather gives visit the values of documents number from to to-1.
func (c *collector) gather(col *docvalues.Column, ds docs, from, to int, least bool, visit func(values []int64)) {
	n := 0
	for i := from; i < to; i++ {
		first, end := col.Range(ds.at(i))
		if least {
			end = min(end, first+1)
		}
		for ; first < end; first++ {
			if n == len(c.batch) {
				visit(c.batch)
				n = 0
			}
			c.batch[n] = col.Int(first)
			n++
		}
	}
	if n > 0 {
		visit(c.batch[:n])
	}
}

// extentOf gives bounds of values; greatest < least of none.
func extentOf(values []int64) (least, greatest int64) {
	if len(values) == 0 {
		return 0, -1
	}
	least, greatest = values[0], values[0]
	for _, v := range values {
		least, greatest = min(least, v), max(greatest, v)
	}
	return least, greatest
}
