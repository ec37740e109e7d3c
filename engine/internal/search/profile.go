package search

import (
	"maps"
	"slices"

	"github.com/jetseek/jetseek/engine/internal/segment/postings"
	"github.com/jetseek/jetseek/engine/query"
)

// Profile is what a search did. Clauses are those that are read from lists of postings, by label.
type Profile struct {
	Segments int
	Clauses  []ClauseProfile
}

// ClauseProfile is what a clause, or the terms of one, took in all segments.
type ClauseProfile struct {
	Label    string // as [query.Label] gives it; clauses with the same label are added up
	Lists    int    // of postings, one a term and segment
	Postings uint64 // in the lists
	Visited  uint64 // of these, in blocks that were decoded; again for each time
}

// profiler counts for a [Profile]. A search that nobody asks to profile has none.
type profiler struct {
	segments int
	clauses  map[string]*ClauseProfile
	open     []openList // of the present segment
}

type openList struct {
	clause *ClauseProfile
	list   interface{ Visited() uint64 }
}

// list takes a list of a clause into account, which counts until the segment's end.
func (p *profiler) list(n query.Node, ref postings.Ref, list interface{ Visited() uint64 }) {
	label := query.Label(n)
	c := p.clauses[label]
	if c == nil {
		if p.clauses == nil {
			p.clauses = map[string]*ClauseProfile{}
		}
		c = &ClauseProfile{Label: label}
		p.clauses[label] = c
	}
	c.Lists++
	c.Postings += uint64(ref.DF)
	p.open = append(p.open, openList{c, list})
}

// done counts the list taken last, whose memory is used again.
func (p *profiler) done() {
	last := len(p.open) - 1
	p.open[last].clause.Visited += p.open[last].list.Visited()
	p.open = p.open[:last]
}

// leave ends a segment.
func (p *profiler) leave() {
	for p.segments++; len(p.open) > 0; {
		p.done()
	}
}

func (p *profiler) profile() *Profile {
	done := &Profile{Segments: p.segments}
	for _, label := range slices.Sorted(maps.Keys(p.clauses)) {
		done.Clauses = append(done.Clauses, *p.clauses[label])
	}
	return done
}
