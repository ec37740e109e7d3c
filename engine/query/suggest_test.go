package query_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/schema"
)

// What groups prove by parts of their terms is what counting all of them gives; whole answers always prove it.
func TestAgreedCompletionsAreThoseOfAll(t *testing.T) {
	proven, open := 0, 0
	for seed := range uint64(4000) {
		r := rand.New(rand.NewPCG(seed, 3))
		groups, terms, most := 1+r.IntN(4), 1+r.IntN(30), 1+r.IntN(6)
		sums := map[string]uint64{}
		var answers, parts []query.Completions
		for range groups {
			var whole []query.TermCount
			for i := range terms {
				if n := uint64(float64(r.IntN(40)) / math.Pow(float64(1+i), 0.7)); n > 0 {
					term := fmt.Sprintf("t%02d", i)
					whole = append(whole, query.TermCount{Term: term, DF: n})
					sums[term] += n
				}
			}
			slices.SortFunc(whole, query.CompareCounts)
			answers = append(answers, query.Completions{Terms: whole})
			part := query.Completions{Terms: whole[:min(len(whole), most+r.IntN(10))]}
			if cut := len(part.Terms); cut < len(whole) {
				part.Rest = whole[cut].DF
			}
			parts = append(parts, part)
		}
		var want []query.TermCount
		for term, n := range sums {
			want = append(want, query.TermCount{Term: term, DF: n})
		}
		slices.SortFunc(want, query.CompareCounts)
		want = want[:min(len(want), most)]
		if got, ok := query.AgreeCompletions(answers, most); !ok || !slices.Equal(got, want) {
			t.Fatalf("seed %d: %v, %t of whole answers, want %v", seed, got, ok, want)
		}
		got, ok := query.AgreeCompletions(parts, most)
		if !ok {
			open++
			if groups == 1 {
				t.Fatalf("seed %d: one group's first terms prove nothing", seed)
			}
			continue
		}
		proven++
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d: %v, want %v of %+v", seed, got, want, parts)
		}
	}
	if proven < 1000 || open < 100 {
		t.Errorf("%d proven, %d left open: the cases are one-sided", proven, open)
	}
}

// A term that one group left out may come before another group's of as many documents.
func TestTermsOfEqualFrequencyAreLeftOpen(t *testing.T) {
	answers := []query.Completions{
		{Terms: []query.TermCount{{Term: "a", DF: 5}}, Rest: 1}, // b was left out
		{Terms: []query.TermCount{{Term: "z", DF: 1}}},
	}
	if got, ok := query.AgreeCompletions(answers, 2); ok {
		t.Errorf("%v is taken as proven", got)
	}
	if got, ok := query.AgreeCompletions(answers, 1); !ok || got[0] != (query.TermCount{Term: "a", DF: 5}) {
		t.Errorf("%v, %t", got, ok)
	}
	if _, ok := query.AgreeCompletions(nil, 3); !ok {
		t.Error("no group has left anything out")
	}
}

// Terms near a word come by distance, documents and bytes, the word itself apart. Answers that were cut prove what lies nearer than their last.
func TestNearestTerms(t *testing.T) {
	whole := [][]query.Expansion{
		{{Term: "gopher", DF: 2}, {Term: "gophers", Edits: 1, DF: 1}, {Term: "topher", Edits: 1, DF: 4}, {Term: "goph", Edits: 2, DF: 9}},
		{{Term: "gopher", DF: 1}, {Term: "gophers", Edits: 1, DF: 3}, {Term: "gother", Edits: 1, DF: 9}},
	}
	q := query.FuzzyQuestion{Field: "f", Word: "gopher", Edits: 2}
	want := []query.Expansion{{Term: "gother", Edits: 1, DF: 9}, {Term: "gophers", Edits: 1, DF: 4}, {Term: "topher", Edits: 1, DF: 4}, {Term: "goph", Edits: 2, DF: 9}}
	for most := range 6 {
		if got, err := query.Nearest(&q, whole, most); err != nil || !slices.Equal(got, want[:min(most, 4)]) {
			t.Errorf("%d: %v, %v", most, got, err)
		}
	}
	if df := query.Holders(&q, whole); df != 3 {
		t.Errorf("%d documents hold the word itself, want 3", df)
	}
	q.Most = 4 // the first group may have more two edits away
	if got, err := query.Nearest(&q, whole, 3); err != nil || !slices.Equal(got, want[:3]) {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := query.Nearest(&q, whole, 4); fault.CodeOf(err) != fault.LimitExceeded {
		t.Errorf("%v, %v", got, err)
	}
}

// The distance follows the word's length unless it is said; what is longer than any term is near none.
func TestCorrectionsResolve(t *testing.T) {
	s := resolveSchema(t)
	text, _ := s.Lookup("t")
	exact, _ := s.Lookup("k")
	long := string(make([]byte, 258))
	for _, c := range []struct {
		word        string
		edits, want int
		asked       bool
	}{{"go", 0, 1, true}, {"gophe", 0, 1, true}, {"gopher", 0, 2, true}, {"größe", 0, 1, true}, {"go", 2, 2, true}, {"gopher", 1, 1, true}, {"", 1, 1, false}, {long, 0, 2, false}} {
		q, asked := query.ResolveCorrection(c.word, c.edits, text)
		if asked != c.asked || q.Edits != c.want || q.Exact || q.Field != "t" || q.Word != c.word {
			t.Errorf("%q: %+v, %t", c.word, q, asked)
		}
	}
	if q, asked := query.ResolveCorrection(long, 0, exact); !asked || !q.Exact {
		t.Errorf("%+v, %t", q, asked)
	}
}

// What was typed is folded as words are; exact values are as they are.
func TestCompletionsResolve(t *testing.T) {
	s := resolveSchema(t)
	for _, c := range []struct {
		field, typed, want string
		exact              bool
	}{{"t", "GoPh", "goph", false}, {"k", "GoPh", "GoPh", true}, {"t", "", "", false}} {
		f, _ := s.Lookup(c.field)
		q, err := query.ResolveCompletion(c.typed, f, s)
		if err != nil || q.Prefix != c.want || q.Exact != c.exact || q.Field != c.field {
			t.Errorf("%s %q: %+v, %v", c.field, c.typed, q, err)
		}
	}
	for i := range s.Fields {
		f := &s.Fields[i]
		if f.Type == schema.Text || f.Type == schema.Keyword {
			continue
		}
		if _, err := query.ResolveCompletion("a", f, s); fault.CodeOf(err) != fault.BadField {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
}
