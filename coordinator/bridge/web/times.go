package web

import (
	"maps"
	"slices"
	"strings"

	"github.com/jetseek/jetseek/subjects/wire"
)

// phase is the time of a part of the search, in milliseconds, as the API writes it.
type phase struct{ Name, Ms string }

// groupTimes is where the time of a group's member went.
type groupTimes struct {
	Group, Node                 string
	SearchMs, CollectMs, SortMs string
	Clauses                     []clauseTimes // each before those below it
}

// clauseTimes is a row of the table of clauses.
type clauseTimes struct {
	Indent, Role, Clause string
	Ms, OwnMs            string
	Lists                int
	Postings, Visited    uint64
}

// viewTimes shows the profile of an answer, if it has one.
func (v *answerView) viewTimes() {
	p := v.Profile
	if p == nil {
		return
	}
	v.Phases = []phase{{"statistics", number(p.StatsMs)}, {"search", number(p.SearchMs)}, {"documents", number(p.DocsMs)}}
	for _, name := range slices.Sorted(maps.Keys(p.Groups)) {
		g := p.Groups[name]
		v.Times = append(v.Times, groupTimes{name, g.Node, number(g.SearchMs), number(g.CollectMs), number(g.SortMs), rowsOf(nil, g.Clauses, 0)})
	}
}

func rowsOf(rows []clauseTimes, clauses []wire.ClauseProfile, depth int) []clauseTimes {
	for i := range clauses {
		c := &clauses[i]
		rows = append(rows, clauseTimes{strings.Repeat("\u2003", depth), c.Role, c.Clause, number(c.Ms), number(c.OwnMs), c.Lists, c.Postings, c.Visited})
		rows = rowsOf(rows, c.Clauses, depth+1)
	}
	return rows
}
