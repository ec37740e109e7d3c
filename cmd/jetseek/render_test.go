package main

import (
	"strings"
	"testing"

	"github.com/jetseek/jetseek/coordinator/client/highlight"
	"github.com/jetseek/jetseek/subjects/wire"
)

// On a terminal the words of the query are marked, and nothing of a document steers it.
func TestRenderSearchMarks(t *testing.T) {
	score := 1.5
	a := &wire.SearchResponse{TookMs: 1.26, Total: wire.Total{Value: 12, Relation: "gte"}, Partial: true, ExactNote: "g1 is missing",
		Shards: wire.Shards{Total: 2, OK: 1, Failed: 1, FailedGroups: []string{"g1"}},
		Hits: []wire.Hit{
			{ID: "a\x1b[2J", Score: &score, Source: []byte(`{"id":"a","title":"Go and going\u001b[31m","n":9007199254740993,"tags":["go"]}`)},
			{ID: "b", Sort: []any{nil, "b"}, Source: []byte(`{}`)},
		}}
	want := `at least 12 found, not exact: g1 is missing, 1.3 ms from 1 of 2 groups, PARTIAL: without g1

 11.   1.5000  a [2J
     title  <Go> and going [31m
     n      9007199254740993
     tags   ["<go>"]

 12.        -  b  by nothing
`
	if got := renderSearch(a, highlight.New("go"), 10, 80, [2]string{"<", ">"}); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// The clauses of a profile stand below those they are of, with numbers only where lists are read, and cut to the width.
func TestRenderProfile(t *testing.T) {
	p := &wire.SearchProfile{Path: "stats+search", Rounds: 2, StatsMs: 0.4, SearchMs: 2.1, DocsMs: 0.61, Groups: map[string]wire.GroupProfile{
		"g1": {Node: "n2", Segments: 1, SearchMs: 0.5, AggsMs: 0.25, Clauses: []wire.ClauseProfile{{Role: "query", Clause: "every document", Ms: 0.3, OwnMs: 0.3}}},
		"g0": {Node: "n1", Segments: 4, SearchMs: 1.8341, CollectMs: 0.12, SortMs: 0.011, Clauses: []wire.ClauseProfile{
			{Role: "query", Clause: "clauses", Ms: 1.703, OwnMs: 0.4016, Hidden: 3, Clauses: []wire.ClauseProfile{
				{Role: "should", Clause: "body:go\x1b[31m", Ms: 0.7, OwnMs: 0.7, Lists: 4, Postings: 1000, Visited: 300}}},
			{Role: "filter", Clause: "year:[2000 TO 9223372036854775807]"},
		}},
	}}
	want := `
time in ms: statistics 0.400, search 2.100, documents 0.610; by stats+search, in 2 rounds

g0 at n1: 1.834 in 4 segments, of which collecting 0.120, sorting 0.011
      ms   own ms    postings     visited  clause
   1.703    0.402                          query  clauses
   0.700    0.700        1000         300    should  body:go [31m
                                             3 more, within the time of the clause above
   0.000    0.000                          filter  year:[2000 TO 9223…

g1 at n2: 0.500 in 1 segment, of which collecting 0.000, sorting 0.000; aggregations 0.250
      ms   own ms    postings     visited  clause
   0.300    0.300                          query  every document
`
	if got := renderProfile(p, 70); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestStatusSaysWhatIsMissing(t *testing.T) {
	member := func(id, state string) wire.MemberBody {
		group, _, _ := strings.Cut(id, "/")
		return wire.MemberBody{Member: id, Group: group, State: state}
	}
	for want, members := range map[string][]wire.MemberBody{
		"no members: start some with jetseek shard": nil,
		"whole: all 2 members serve":                {member("g0/n1", "serving"), member("g1/n1", "serving")},
		"whole, with 1 of 2 members away":           {member("g0/n1", "serving"), member("g0/n2", "down")},
		"not whole: no member serves of g2, g10; their documents are missing from answers": {member("g0/n1", "serving"), member("g10/n1", "down"),
			member("g2/n1", "joining"), member("g2/n2", "down")},
	} {
		if got := (&state{Members: members}).verdict(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
