package collect

import "slices"

const (
	digitBits = 11
	fewToSort = 1 << 10 // so few values are sorted sooner by comparing
)

// sortValues sorts numbers of values less the least of them, by their digits from the lowest up: each pass costs the same for any values, and those passes are left out in
// which all numbers have the same digit. room is as long as values, and is overwritten; the result is one of the two.
func sortValues(values, room []uint64) []uint64 {
	if len(values) < fewToSort {
		slices.Sort(values)
		return values
	}
	var all, none uint64 = 0, ^uint64(0) // bits that some, and that all numbers have
	for _, v := range values {
		all, none = all|v, none&v
	}
	for shift := 0; shift < 64 && (all^none)>>shift != 0; shift += digitBits {
		if (all^none)>>shift&(1<<digitBits-1) == 0 {
			continue
		}
		var starts [1 << digitBits]uint32
		for _, v := range values {
			starts[v>>shift&(1<<digitBits-1)]++
		}
		at := uint32(0)
		for i, n := range starts {
			starts[i] = at
			at += n
		}
		room = room[:len(values)]
		for _, v := range values {
			d := v >> shift & (1<<digitBits - 1)
			room[starts[d]] = v
			starts[d]++
		}
		values, room = room, values
	}
	return values
}
