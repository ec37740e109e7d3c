package engine

import (
	"slices"
	"sync"

	"github.com/jetseek/jetseek/engine/internal/docset"
	"github.com/jetseek/jetseek/engine/internal/segment"
	"github.com/jetseek/jetseek/engine/internal/segment/postings"
)

// frequencies remembers the document frequencies of a part's terms, and the order in which its documents ceased to be visible, so that a term that was counted
// once is counted on instead of anew after a delete. All copies of a part that differ by deletes only share it: each knows how many documents it has lost
// ([part.lost]). A change of ownership and a merge begin with a new one.
//
// It takes 4 bytes for each document lost, of which a merge leaves no more than a third of the part's documents, and less than 256 KiB for the terms.
type frequencies struct {
	mu         sync.Mutex // guards what follows
	lost       []uint32   // in the order of their loss; only appended to
	young, old map[uint64]frequency
}

// frequency is the number of documents that hold a term, without the first documents that were lost, so many of them.
type frequency struct {
	docs uint64
	lost int
}

// frequencyTerms bounds each of the two generations of remembered terms: when the young one is full it becomes the old one, whose terms are forgotten unless they
// are asked for again.
const frequencyTerms = 2048

// seekCost is what it takes to look one document up in a list, in documents of the list walked over: 15 ns to 1 ns.
const seekCost = 16

// lose notes that a document is not visible any more. Only the writer calls it, on the newest copy of the part.
func (c *frequencies) lose(doc uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lost = append(c.lost, doc)
}

// count gives the frequency of a term in a part; key stands for the term.
func (c *frequencies) count(p *part, key uint64, src postings.Source, ref postings.Ref) uint64 {
	known, ok, lost := c.known(key)
	if !ok {
		docs := countVisible(src, ref, p)
		c.keep(key, frequency{docs, p.lost})
		return docs
	}
	from, to := min(known.lost, p.lost), max(known.lost, p.lost)
	if from == to {
		return known.docs
	}
	if (to-from)*seekCost > int(ref.DF) {
		known.docs = countVisible(src, ref, p)
	} else if n := countAmong(src, ref, lost[from:to]); known.lost < p.lost {
		known.docs -= n
	} else {
		known.docs += n // an older copy, which has them still
	}
	if known.lost < p.lost {
		c.keep(key, frequency{known.docs, p.lost})
	}
	return known.docs
}

// known gives what is remembered of a term, and the documents lost so far.
func (c *frequencies) known(key uint64) (frequency, bool, []uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f, ok := c.young[key]; ok {
		return f, true, c.lost
	}
	f, ok := c.old[key]
	if ok {
		c.put(key, f)
	}
	return f, ok, c.lost
}

// keep remembers a frequency, unless a newer one is there.
func (c *frequencies) keep(key uint64, f frequency) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.young[key].lost <= f.lost {
		c.put(key, f)
	}
}

func (c *frequencies) put(key uint64, f frequency) {
	if c.young == nil || len(c.young) >= frequencyTerms {
		c.old, c.young = c.young, map[uint64]frequency{}
	}
	c.young[key] = f
}

// countVisible counts the documents of a list that are visible in a part: by a walk over the list, or by looking up those that are not visible where they are few.
func countVisible(src postings.Source, ref postings.Ref, p *part) uint64 {
	if hidden := p.seg.Docs() - p.docs; hidden*seekCost < int(ref.DF) {
		return uint64(ref.DF) - countAmong(src, ref, absent(p.visible, p.seg.Docs()))
	}
	return countByWalk(src, ref, p)
}

// countByWalk is countVisible by a walk over the list.
func countByWalk(src postings.Source, ref postings.Ref, p *part) uint64 {
	var it postings.Iterator
	n := uint64(0)
	for it.Init(src, ref); it.Doc() != segment.Gone; it.Next() {
		if p.visible.Has(it.Doc()) {
			n++
		}
	}
	return n
}

// absent gives the documents below docs that are not in a set, ascending.
func absent(set docset.Set, docs int) []uint32 {
	var rest []uint32
	for next, d := uint32(0), uint32(0); int(next) < docs; next = d + 1 {
		d = min(set.Next(next), uint32(docs))
		for ; next < d; next++ {
			rest = append(rest, next)
		}
	}
	return rest
}

// countAmong counts the documents of a list that are among the given ones, which are distinct.
func countAmong(src postings.Source, ref postings.Ref, docs []uint32) uint64 {
	if !slices.IsSorted(docs) {
		docs = slices.Sorted(slices.Values(docs))
	}
	var it postings.Iterator
	it.Init(src, ref)
	n := uint64(0)
	for _, d := range docs {
		if it.Doc() == segment.Gone {
			break
		}
		if it.Advance(d) == d {
			n++
		}
	}
	return n
}
