package search_test

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/internal/search"
	"github.com/jetseek/jetseek/engine/query"
)

// checkProfile searches again with a profile: the answer is what it was without, the times add up to that of the search, and everything that was done took some.
func checkProfile(t *testing.T, views []search.View, r *search.Request, want *search.Result, what string) {
	t.Helper()
	asked, now := *r, time.Duration(0)
	asked.Profile = ticks(&now)
	got, err := search.Run(t.Context(), views, &asked)
	if err != nil || got.Total != want.Total || got.Inexact != want.Inexact || !reflect.DeepEqual(got.Candidates, want.Candidates) {
		t.Fatalf("%s: with a profile %+v, %v; without %+v", what, got, err, want)
	}
	p := got.Profile
	sum := p.Collecting + p.Sorting
	for _, c := range flat(p.Clauses) {
		if c.Own < 0 || c.Visited > 0 && c.Own == 0 {
			t.Fatalf("%s: %s takes %s to read %d postings", what, c.Label, c.Own, c.Visited)
		}
		sum += c.Own
	}
	if sum != p.Took || p.Took != now-1 || p.Sorting != 1 || len(p.Clauses) != 1+len(r.Filters) || p.Segments != len(views) {
		t.Fatalf("%s: the parts take %s, the search %s of %s: %+v", what, sum, p.Took, now, p)
	}
}

// ticks is a clock that goes on by one whenever it is looked at.
func ticks(now *time.Duration) search.Clock {
	return func() time.Duration {
		*now++
		return *now
	}
}

// flat gives clauses, each before those below it.
func flat(clauses []search.ClauseProfile) (all []search.ClauseProfile) {
	for _, c := range clauses {
		all = append(append(all, c), flat(c.Clauses)...)
	}
	return all
}

// Of 1,000 documents all hold "all", the first 300 "some", the last one "rare": lists of 1,000, 300 and 1 postings in blocks of 128. Each way to execute a query tells which of them it
// decoded, where as many hits are asked for as there are, so that none is left out for its score.
func TestProfileTellsWhatWasRead(t *testing.T) {
	var docs []document
	for i := range 1000 {
		d := document{id: fmt.Sprintf("%04d", i), words: []string{"all"}, tag: "x", year: int64(i)}
		if i < 300 {
			d.words = append(d.words, "some")
		}
		if i == 999 {
			d.words = append(d.words, "rare")
		}
		docs = append(docs, d)
	}
	one, two := []search.View{view(docs)}, []search.View{view(docs[:500]), view(docs[500:])}
	term := func(word string, leaf int) query.Node { return &query.TextTerm{Field: "body", Term: word, Leaf: leaf} }
	pair := func(leaf int) query.Node {
		return &query.TextPhrase{Field: "body", Terms: []string{"all", "some"}, Offsets: []int{0, 1}, Leaf: leaf}
	}
	early := &query.LongRange{Field: "year", Hi: 99}
	weights := []bm25.Weight{{W: 1, C0: 0.3, C1: 0.1}, {W: 1, C0: 0.3, C1: 0.1}}
	const last = 1000 - 7*128 // postings of the last block of "all"
	type clauses = []search.ClauseProfile
	for _, c := range []struct {
		name    string
		views   []search.View
		query   query.Node
		filters []query.Node
		want    clauses
	}{
		{"everything", one, &query.MatchAll{}, nil, clauses{{Role: "query", Label: "every document"}}},
		{"a list, read whole", one, term("some", 0), nil, clauses{{Role: "query", Label: "body:some", Lists: 1, Postings: 300, Visited: 300}}},
		{"two segments", two, term("all", 0), nil, clauses{{Role: "query", Label: "body:all", Lists: 2, Postings: 1000, Visited: 1000}}},
		{"a rare one leads: of the other the last block alone", one, &query.Bool{Must: []query.Node{term("all", 0), term("rare", 1)}}, nil,
			clauses{{Role: "query", Label: "clauses: 2 must, 0 should of which 0 at least, 0 must not, 0 filter", Clauses: clauses{
				{Role: "must", Label: "body:all", Lists: 1, Postings: 1000, Visited: last}, {Role: "must", Label: "body:rare", Lists: 1, Postings: 1, Visited: 1}}}}},
		{"walked, the rare one first", one, &query.DisMax{Children: []query.Node{&query.Bool{Must: []query.Node{term("all", 0), term("rare", 1)}}}, Tie: 0.5}, nil,
			clauses{{Role: "query", Label: "the best of 1 clauses", Clauses: clauses{
				{Role: "of", Label: "clauses: 2 must, 0 should of which 0 at least, 0 must not, 0 filter", Clauses: clauses{
					{Role: "must", Label: "body:all", Lists: 1, Postings: 1000, Visited: 128 + last}, {Role: "must", Label: "body:rare", Lists: 1, Postings: 1, Visited: 1}}}}}}},
		{"a word that is nowhere", one, term("nowhere", 0), nil, clauses{{Role: "query", Label: "body:nowhere"}}},
		{"a phrase in windows, on one account: the longer list is marked whole first", one, pair(0), nil,
			clauses{{Role: "query", Label: `body:"all some"`, Lists: 2, Postings: 1300, Visited: 1000 + 300 + 384}}},
		{"a phrase that is walked", one, &query.Scaled{Child: pair(0), Factor: 0.5}, nil,
			clauses{{Role: "query", Label: `body:"all some", near`, Clauses: clauses{{Role: "of", Label: `body:"all some"`, Lists: 2, Postings: 1300, Visited: 300 + 384}}}}},
		{"filters", one, term("some", 0), []query.Node{early, &query.Bool{MustNot: []query.Node{term("rare", -1)}}},
			clauses{{Role: "query", Label: "body:some", Lists: 1, Postings: 300, Visited: 300}, {Role: "filter", Label: "year:[0 TO 99]"},
				{Role: "filter", Label: "clauses: 0 must, 0 should of which 0 at least, 1 must not, 0 filter", Clauses: clauses{{Role: "must_not", Label: "body:rare", Lists: 1, Postings: 1, Visited: 1}}}}},
		{"functions", one, &query.Functions{Child: term("some", 0), MaxBoost: 1, Limit: 9, List: []query.Function{{Filter: early, Weight: 2}}}, nil,
			clauses{{Role: "query", Label: "body:some, scored by 1 functions", Clauses: clauses{
				{Role: "of", Label: "body:some", Lists: 1, Postings: 300, Visited: 300}, {Role: "function", Label: "year:[0 TO 99]"}}}}},
	} {
		r := &search.Request{Query: c.query, Filters: c.filters, Weights: weights, Limit: len(docs), Profile: ticks(new(time.Duration)), Scratch: &search.Scratch{}}
		for range 2 { // in memory used before too
			got, err := search.Run(t.Context(), c.views, r)
			if err != nil || got.Profile == nil {
				t.Fatalf("%s: %+v, %v", c.name, got.Profile, err)
			}
			for _, worked := range flat(got.Profile.Clauses) {
				if reads := worked.Lists > 0 || worked.Label == "year:[0 TO 99]"; reads && worked.Own <= 0 {
					t.Errorf("%s: %s takes %s", c.name, worked.Label, worked.Own)
				}
			}
			if leaveOutTimes(got.Profile.Clauses); !reflect.DeepEqual(got.Profile.Clauses, c.want) {
				t.Errorf("%s: %+v, want %+v", c.name, got.Profile.Clauses, c.want)
			}
		}
		r.Profile = nil
		if got, err := search.Run(t.Context(), c.views, r); err != nil || got.Profile != nil {
			t.Errorf("%s: %+v though nobody asked (%v)", c.name, got.Profile, err)
		}
	}
}

// leaveOutTimes takes away what cannot be foretold.
func leaveOutTimes(clauses []search.ClauseProfile) {
	for i := range clauses {
		clauses[i].Own = 0
		leaveOutTimes(clauses[i].Clauses)
	}
}

// A profile names 1,000 clauses and all filters: here the query, two filters with 700 and 297 clauses, and one more. It says of how many more the work is within that of the clause above them;
// what was read is all there.
func TestProfileIsBounded(t *testing.T) {
	c := []search.View{view([]document{{id: "1", words: []string{"a"}}})}
	var many []query.Node
	for range 700 {
		many = append(many, &query.TextTerm{Field: "body", Term: "a", Leaf: -1})
	}
	half := func() query.Node { return &query.Bool{Should: many, MinShould: 1} }
	got, err := search.Run(t.Context(), c, &search.Request{Query: &query.MatchAll{}, Filters: []query.Node{half(), half(), half()}, Profile: ticks(new(time.Duration))})
	if err != nil || got.Total != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
	lists, hidden, told := 0, 0, flat(got.Profile.Clauses)
	for _, c := range told {
		lists += c.Lists
		hidden += c.Hidden
	}
	if len(told) != 1001 || lists != 3*700 || hidden != 403+700 {
		t.Errorf("%d clauses with %d lists, %d hidden", len(told), lists, hidden)
	}
}

func TestTotalTimeOfAClause(t *testing.T) {
	c := search.ClauseProfile{Own: 1, Clauses: []search.ClauseProfile{{Own: 10}, {Own: 100, Clauses: []search.ClauseProfile{{Own: 1000}}}}}
	if c.Total() != 1111 {
		t.Errorf("%d, want 1111", c.Total())
	}
}
