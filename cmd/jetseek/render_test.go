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
