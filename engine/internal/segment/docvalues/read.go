package docvalues

import "encoding/binary"

// Single tells whether no document has two values, so that value number i is that of document i where it has one.
func (c *Column) Single() bool { return c.starts == nil }

// Read fills dst with the values from number from on, as [Column.Int] gives them. All of them must exist.
func (c *Column) Read(dst []int64, from int) {
	data := c.data[from*c.lane:]
	switch c.lane {
	case 0:
		for i := range dst {
			dst[i] = int64(c.base)
		}
	case 1:
		data = data[:len(dst)]
		for i := range dst {
			dst[i] = int64(c.base + uint64(data[i]))
		}
	case 2:
		for i := range dst {
			dst[i] = int64(c.base + uint64(binary.LittleEndian.Uint16(data[2*i:])))
		}
	case 4:
		for i := range dst {
			dst[i] = int64(c.base + uint64(binary.LittleEndian.Uint32(data[4*i:])))
		}
	case 8:
		for i := range dst {
			dst[i] = int64(c.base + binary.LittleEndian.Uint64(data[8*i:]))
		}
	}
}

// Pick fills dst with values of the numbers given, of which it is as long.
func (c *Column) Pick(dst []int64, numbers []uint32) {
	dst = dst[:len(numbers)]
	switch c.lane {
	case 0:
		for i := range numbers {
			dst[i] = int64(c.base)
		}
	case 1:
		for i, n := range numbers {
			dst[i] = int64(c.base + uint64(c.data[n]))
		}
	case 2:
		for i, n := range numbers {
			dst[i] = int64(c.base + uint64(binary.LittleEndian.Uint16(c.data[2*int(n):])))
		}
	case 4:
		for i, n := range numbers {
			dst[i] = int64(c.base + uint64(binary.LittleEndian.Uint32(c.data[4*int(n):])))
		}
	case 8:
		for i, n := range numbers {
			dst[i] = int64(c.base + binary.LittleEndian.Uint64(c.data[8*int(n):]))
		}
	}
}

// Extent gives bounds of all values; false when there are none. Without bounds of blocks it may go round the ends of the numbers, greatest below least: distances from least tell then.
func (c *Column) Extent() (least, greatest int64, any bool) {
	for block := range c.Blocks() {
		l, g, has := c.Bounds(block)
		switch {
		case !has:
		case !any:
			least, greatest, any = l, g, true
		default:
			least, greatest = min(least, l), max(greatest, g)
		}
	}
	return least, greatest, any
}
