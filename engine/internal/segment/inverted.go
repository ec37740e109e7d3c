package segment

import (
	"slices"
	"sort"

	"github.com/jetseek/jetseek/engine/internal/segment/postings"
	"github.com/jetseek/jetseek/engine/internal/segment/termdict"
)

// inverted is terms with their occurrences, as documents bring them.
type inverted struct {
	terms terms
	runs  []run // of each document that has the field, in order
	occ   []occurrence

	next   []uint32 // of each, by term number: how many, then where the next one goes
	ranks  []ranked
	spare  []ranked
	placed []place
	list   postings.List
}

// run tells where the occurrences of a document end in occ; they start where those of the run before end.
type run struct{ doc, end uint32 }

type occurrence struct{ term, pos uint32 }

type place struct{ doc, pos uint32 }

func (v *inverted) reset() {
	v.terms.reset()
	v.runs, v.occ = v.runs[:0], v.occ[:0]
}

func (v *inverted) retained() int {
	return v.terms.retained() + 8*(cap(v.runs)+cap(v.occ)+cap(v.placed)) + 16*(cap(v.ranks)+cap(v.spare)) + 4*cap(v.next)
}

// end ends the occurrences of a document.
func (v *inverted) end(doc uint32) { v.runs = append(v.runs, run{doc, uint32(len(v.occ))}) }

// runsOf gives the runs from..to-1 of the documents of a cut.
func (v *inverted) runsOf(c *cut) (from, to int) {
	first := func(doc uint32) int {
		return sort.Search(len(v.runs), func(i int) bool { return v.runs[i].doc >= doc })
	}
	return first(c.from), first(c.to)
}

// of gives the occurrences of a run.
func (v *inverted) of(i int) []occurrence {
	start := uint32(0)
	if i > 0 {
		start = v.runs[i-1].end
	}
	return v.occ[start:v.runs[i].end]
}

// lengths sets the number of occurrences of each document of a cut.
func (v *inverted) lengths(c *cut, lengths []int64) {
	for i, to := v.runsOf(c); i < to; i++ {
		if d := c.number(v.runs[i].doc); d != Gone {
			lengths[d] = int64(len(v.of(i)))
		}
	}
}

// each visits the terms that the documents of a cut have, in order, each with its list. Occurrences are in order of documents and positions already: a
// counting sort by term keeps that.
func (v *inverted) each(c *cut, text bool, visit func(term []byte, list *postings.List)) {
	v.rank(c)
	v.place(c)
	from := uint32(0)
	for _, r := range v.ranks {
		end := v.next[r.number]
		v.next[r.number] = 0
		if v.fill(v.placed[from:end], text); len(v.list.Docs) > 0 {
			visit(v.terms.term(r.number), &v.list)
		}
		from = end
	}
}

// rank sorts the terms of a cut, and sets next to where each one's occurrences go.
func (v *inverted) rank(c *cut) {
	v.next = append(v.next, make([]uint32, len(v.terms.ends)-min(len(v.terms.ends), len(v.next)))...)
	v.ranks = v.ranks[:0]
	for i, to := v.runsOf(c); i < to; i++ {
		if c.number(v.runs[i].doc) == Gone {
			continue
		}
		for _, o := range v.of(i) {
			if v.next[o.term] == 0 {
				v.ranks = append(v.ranks, ranked{termdict.Head(v.terms.term(o.term)), o.term})
			}
			v.next[o.term]++
		}
	}
	v.spare = slices.Grow(v.spare[:0], len(v.ranks))
	v.terms.sort(v.ranks, v.spare[:len(v.ranks)])
	sum := uint32(0)
	for _, r := range v.ranks {
		v.next[r.number], sum = sum, sum+v.next[r.number]
	}
	v.placed = slices.Grow(v.placed[:0], int(sum))[:sum]
}

// place brings the occurrences together by term; next then tells where each term's end.
func (v *inverted) place(c *cut) {
	for i, to := v.runsOf(c); i < to; i++ {
		d := c.number(v.runs[i].doc)
		if d == Gone {
			continue
		}
		for _, o := range v.of(i) {
			v.placed[v.next[o.term]] = place{d, o.pos}
			v.next[o.term]++
		}
	}
}

// fill makes one term's list.
func (v *inverted) fill(places []place, text bool) {
	l := &v.list
	l.Reset()
	last := Gone
	for _, p := range places {
		if p.doc != last {
			last = p.doc
			l.Docs = append(l.Docs, p.doc)
			if text {
				l.Freqs = append(l.Freqs, 0)
			}
		}
		if text {
			l.Freqs[len(l.Freqs)-1]++
			l.Positions = append(l.Positions, p.pos)
		}
	}
}
