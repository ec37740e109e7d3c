package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jetseek/jetseek/cmd/jetseek/internal/layout"
	"github.com/jetseek/jetseek/subjects/wire"
)

// renderProfile lays out where the time of a search went, clauses below those they are of:
//
//	time in ms: statistics 0.400, search 2.100, documents 0.610; by stats+search, in 1 round
//
//	g0 at n1: 1.834 in 4 segments, of which collecting 0.120, sorting 0.011
//	      ms   own ms    postings     visited  clause
//	   1.703    0.402                          query  clauses: 0 must, 2 should …
//	   0.701    0.701        1000         300    should  body:go
func renderProfile(p *wire.SearchProfile, width int) string {
	var b strings.Builder
	rounds := "round"
	if p.Rounds != 1 {
		rounds = "rounds"
	}
	fmt.Fprintf(&b, "\ntime in ms: statistics %.3f, search %.3f, documents %.3f; by %s, in %d %s\n", p.StatsMs, p.SearchMs, p.DocsMs, layout.Plain(p.Path), p.Rounds, rounds)
	for _, name := range slices.Sorted(maps.Keys(p.Groups)) {
		g := p.Groups[name]
		segments := "segments"
		if g.Segments == 1 {
			segments = "segment"
		}
		fmt.Fprintf(&b, "\n%s at %s: %.3f in %d %s, of which collecting %.3f, sorting %.3f", layout.Plain(name), layout.Plain(g.Node), g.SearchMs, g.Segments, segments, g.CollectMs, g.SortMs)
		if g.AggsMs > 0 {
			fmt.Fprintf(&b, "; aggregations %.3f", g.AggsMs)
		}
		fmt.Fprintf(&b, "\n%8s %8s %11s %11s  clause\n", "ms", "own ms", "postings", "visited")
		renderClauses(&b, g.Clauses, 0, width)
	}
	return b.String()
}

func renderClauses(b *strings.Builder, clauses []wire.ClauseProfile, depth, width int) {
	indent := strings.Repeat("  ", depth)
	for i := range clauses {
		c := &clauses[i]
		postings, visited := "", ""
		if c.Lists > 0 {
			postings, visited = fmt.Sprint(c.Postings), fmt.Sprint(c.Visited)
		}
		name := indent + layout.Plain(c.Role) + "  " + layout.Plain(c.Clause)
		fmt.Fprintf(b, "%8.3f %8.3f %11s %11s  %s\n", c.Ms, c.OwnMs, postings, visited, layout.Cut(name, max(width-43, 20)))
		renderClauses(b, c.Clauses, depth+1, width)
		if c.Hidden > 0 {
			fmt.Fprintf(b, "%43s%s%d more, within the time of the clause above\n", "", indent+"  ", c.Hidden)
		}
	}
}
