package collect

import (
	"github.com/jetseek/jetseek/engine/agg"
	"github.com/jetseek/jetseek/engine/internal/segment/docvalues"
)

// mostCounters bounds the counters of values that lie close together.
const mostCounters = 1 << 20

// runs finds how often each value occurs: by a counter for each where they lie close together, else by sorting them.
func (c *collector) runs(d *agg.Definition, ds docs, p *agg.Partial) error {
	col, _ := c.column(d)
	if col == nil {
		return nil
	}
	if least, greatest, _ := col.Extent(); uint64(greatest)-uint64(least) < uint64(min(fewDocs*ds.n, mostCounters)) {
		return c.countedRuns(col, ds, least, int(greatest-least)+1, p)
	}
	return c.sortedRuns(col, ds, p)
}

func (c *collector) countedRuns(col *docvalues.Column, ds docs, least int64, values int, p *agg.Partial) error {
	if err := c.budget.Take(values, 8); err != nil {
		return err
	}
	defer c.budget.Give(values, 8)
	counts := make([]uint64, values)
	if err := c.batches(col, ds, false, func(values []int64) {
		for _, v := range values {
			counts[v-least]++
		}
	}); err != nil {
		return err
	}
	distinct := 0
	for _, n := range counts {
		distinct += int(min(n, 1))
	}
	if err := c.budget.Take(distinct, runBytes); err != nil {
		return err
	}
	p.Runs = make([]agg.Run, 0, distinct)
	for i, n := range counts {
		if n > 0 {
			p.Runs = append(p.Runs, agg.Run{Value: least + int64(i), Count: n})
		}
	}
	return nil
}

// runBytes is what a run takes in memory.
const runBytes = 24

func (c *collector) sortedRuns(col *docvalues.Column, ds docs, p *agg.Partial) error {
	n := 0
	if err := c.batches(col, ds, false, func(values []int64) { n += len(values) }); err != nil {
		return err
	}
	if err := c.budget.Take(2*n, 8); err != nil {
		return err
	}
	defer c.budget.Give(2*n, 8)
	values := make([]uint64, 0, n)
	if err := c.batches(col, ds, false, func(batch []int64) {
		for _, v := range batch {
			values = append(values, uint64(v)^signBit)
		}
	}); err != nil {
		return err
	}
	values = sortValues(values, make([]uint64, n))
	distinct := 0
	for i, v := range values {
		if i == 0 || v != values[i-1] {
			distinct++
		}
	}
	if err := c.budget.Take(distinct, runBytes); err != nil {
		return err
	}
	p.Runs = make([]agg.Run, 0, distinct)
	for i, v := range values {
		if i == 0 || v != values[i-1] {
			p.Runs = append(p.Runs, agg.Run{Value: int64(v ^ signBit)})
		}
		p.Runs[len(p.Runs)-1].Count++
	}
	return c.ctx.Err()
}

// signBit makes of the order of signed numbers that of unsigned ones.
const signBit = 1 << 63
