// Package rank makes one page out of the groups' answers: the total order, the merge, the total's relation. It is pure; it may import the engine's
// vocabulary and package wire.
package rank

import (
	"fmt"

	"github.com/jetseek/jetseek/engine/query"
)

// Page is a page of the merged order.
type Page struct {
	Page       []query.Candidate // at most limit, from the place from on
	Lists      []int             // of each candidate, the list that it came from
	Duplicates int               // candidates that were dropped because their id had come before; groups share no document, so any is a fault
}

// Check tells whether a list is one that [Merge] takes: a key for each of keys, and in the total order without
// repeats. It is for lists from other processes.
func Check(keys []query.SortKey, list []query.Candidate) error {
	for i := range list {
		if len(list[i].Keys) != len(keys) {
			return fmt.Errorf("candidate %d has %d keys of %d", i, len(list[i].Keys), len(keys))
		}
		if i > 0 && query.CompareKeys(keys, &list[i-1], &list[i]) >= 0 {
			return fmt.Errorf("candidates %d and %d are not in order", i-1, i)
		}
	}
	return nil
}

// Merge merges lists, each in the total order of keys, and gives limit candidates from the place from on. It looks at no more of them than
// from + limit and the duplicates on the way. The candidates' keys are shared with the lists.
func Merge(keys []query.SortKey, lists [][]query.Candidate, from, limit int) Page {
	return merge(keys, lists, from, limit, func(*query.Candidate) bool { return true })
}

// Collapse is [Merge] with the first candidate of each value of the last key alone; those without a value all stand. Lists that have been collapsed themselves, each as long as from + limit or
// whole, give what all candidates would.
func Collapse(keys []query.SortKey, lists [][]query.Candidate, from, limit int) Page {
	shown := map[query.Key]bool{}
	return merge(keys, lists, from, limit, func(c *query.Candidate) bool {
		value := c.Keys[len(c.Keys)-1]
		if value.Kind == query.KeyMissing {
			return true
		}
		first := !shown[value]
		shown[value] = true
		return first
	})
}

func merge(keys []query.SortKey, lists [][]query.Candidate, from, limit int, stands func(*query.Candidate) bool) Page {
	h := &heads{keys: keys}
	for i, list := range lists {
		if len(list) > 0 {
			h.list = append(h.list, head{list, i})
		}
	}
	for i := len(h.list)/2 - 1; i >= 0; i-- {
		h.sift(i)
	}
	var page Page
	seen := make(map[string]struct{}, from+limit)
	for place := 0; place < from+limit && len(h.list) > 0; {
		next, list := &h.list[0].rest[0], h.list[0].list
		if _, ok := seen[next.ID]; ok {
			page.Duplicates++
		} else {
			seen[next.ID] = struct{}{}
			if !stands(next) {
				h.advance()
				continue
			}
			if place >= from {
				page.Page = append(page.Page, *next)
				page.Lists = append(page.Lists, list)
			}
			place++
		}
		h.advance()
	}
	return page
}

// head is what is left of a list; never empty.
type head struct {
	rest []query.Candidate
	list int
}

// heads is a binary heap of lists by their first candidates. The same place in two lists comes from the first list first.
type heads struct {
	keys []query.SortKey
	list []head
}

// advance takes the first candidate of the first list away.
func (h *heads) advance() {
	if h.list[0].rest = h.list[0].rest[1:]; len(h.list[0].rest) == 0 {
		last := len(h.list) - 1
		h.list[0] = h.list[last]
		h.list = h.list[:last]
	}
	h.sift(0)
}

// sift moves the list at i down to where it belongs.
func (h *heads) sift(i int) {
	for {
		first := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(h.list); child++ {
			if h.less(child, first) {
				first = child
			}
		}
		if first == i {
			return
		}
		h.list[i], h.list[first] = h.list[first], h.list[i]
		i = first
	}
}

func (h *heads) less(i, j int) bool {
	c := query.CompareKeys(h.keys, &h.list[i].rest[0], &h.list[j].rest[0])
	return c < 0 || c == 0 && h.list[i].list < h.list[j].list
}
