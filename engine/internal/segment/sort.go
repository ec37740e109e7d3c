package segment

import (
	"bytes"
	"cmp"
	"slices"
)

// ranked is a term with its first bytes, by which most comparisons are decided.
type ranked struct {
	head   uint64
	number uint32
}

// fewRanked is up to how many terms are sorted by comparing.
const fewRanked = 32

// sort orders ranked terms by their bytes: by one byte of the heads after the other, and by comparing where few are left or the heads say no more. scratch
// is as long as a.
func (t *terms) sort(a, scratch []ranked) { t.sortFrom(a, scratch, 56) }

// sortFrom sorts terms whose heads are equal above the byte that starts at bit shift.
func (t *terms) sortFrom(a, scratch []ranked, shift int) {
	if len(a) <= fewRanked || shift < 0 {
		t.sortFew(a)
		return
	}
	var ends [256]int
	for i := range a {
		ends[byte(a[i].head>>shift)]++
	}
	sum := 0
	for i, n := range ends {
		ends[i], sum = sum, sum+n
	}
	for i := range a {
		to := &ends[byte(a[i].head>>shift)]
		scratch[*to] = a[i]
		*to++
	}
	copy(a, scratch)
	from := 0
	for _, end := range ends {
		if end-from > 1 {
			t.sortFrom(a[from:end], scratch[from:end], shift-8)
		}
		from = end
	}
}

func (t *terms) sortFew(a []ranked) {
	slices.SortFunc(a, func(x, y ranked) int {
		if x.head != y.head {
			return cmp.Compare(x.head, y.head)
		}
		return bytes.Compare(t.term(x.number), t.term(y.number))
	})
}
