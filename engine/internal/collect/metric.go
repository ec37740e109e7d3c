package collect

import "github.com/jetseek/jetseek/engine/agg"

func (c *collector) metric(d *agg.Definition, ds docs, p *agg.Partial) error {
	col, _ := c.column(d)
	if col == nil {
		return nil
	}
	c.summer.Reset()
	summed := d.Kind != agg.Min && d.Kind != agg.Max
	err := c.batches(col, ds, false, func(values []int64) {
		least, greatest := extentOf(values)
		if p.Count == 0 {
			p.Least, p.Greatest = least, greatest
		}
		p.Count += uint64(len(values))
		p.Least, p.Greatest = min(p.Least, least), max(p.Greatest, greatest)
		switch {
		case !summed:
		case d.IsFloat():
			c.summer.AddOrdered(values)
		default:
			c.summer.AddInts(values)
		}
	})
	if p.Count > 0 && summed {
		p.Sum = c.summer.Total()
	}
	return err
}
