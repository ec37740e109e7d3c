package query

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"github.com/jetseek/jetseek/engine/analysis"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/schema"
)

// This file suggests terms: those that begin with what was typed, and those near a word that no document holds. Groups tell what they hold, and what is agreed here is what one index of all
// documents would say, or nothing.

// MaxCompletions is how many terms a group tells of those that begin alike.
const MaxCompletions = 100_000

// CompletionQuestion asks for the terms of a field that begin with a prefix.
type CompletionQuestion struct {
	Field  string
	Exact  bool // exact values, else words
	Prefix string
	Most   int // how many of the most frequent are told, 1 to [MaxCompletions]
}

// TermCount is a term and the number of live documents that hold it.
type TermCount struct {
	Term string
	DF   uint64
}

// CompareCounts orders terms by their documents, most first, then by bytes.
func CompareCounts(a, b TermCount) int {
	return cmp.Or(cmp.Compare(b.DF, a.DF), cmp.Compare(a.Term, b.Term))
}

// Completions answer a [CompletionQuestion]: the first of its terms in the order of [CompareCounts].
type Completions struct {
	Terms []TermCount
	Rest  uint64 // the greatest DF of a term that was left out; 0: none was
}

// ResolveCompletion makes the question for what was typed: against a text field it is folded as the field's words are. It fails with bad_field for a field that has neither words nor exact values.
func ResolveCompletion(typed string, f *schema.Field, s *schema.Schema) (*CompletionQuestion, error) {
	q := &CompletionQuestion{Field: f.Name, Prefix: typed, Most: MaxCompletions}
	switch f.Type {
	case schema.Keyword:
		q.Exact = true
	case schema.Text:
		if analyzer, known := s.IndexAnalyzer(f); known {
			q.Prefix = analysis.Normalize(analyzer, typed)
		}
	default:
		return nil, fault.New(fault.BadField, "field %s is %s, which has no words to suggest", fault.Quote(f.Name), f.Type)
	}
	return q, nil
}

// AgreeCompletions gives the first of all groups' terms, so many, each with the sum of its documents; false when what the groups have told does not prove which these are: then ask for more.
//
// A group that left terms out holds each of them in at most Rest documents. So a term's documents are known where every group that does not name it has left nothing out, and others can
// have at most the Rests of the groups that do not name them more than is known.
func AgreeCompletions(answers []Completions, most int) ([]TermCount, bool) {
	var left uint64 // what a term may have that nobody names
	for i := range answers {
		left += answers[i].Rest
	}
	type tally struct{ known, hidden uint64 } // hidden: what groups that do not name it may hold
	tallies := map[string]tally{}
	for i := range answers {
		for _, t := range answers[i].Terms {
			sum, named := tallies[t.Term]
			if !named {
				sum.hidden = left
			}
			tallies[t.Term] = tally{sum.known + t.DF, sum.hidden - answers[i].Rest}
		}
	}
	top := make([]TermCount, 0, len(tallies))
	for term, t := range tallies {
		top = append(top, TermCount{term, t.known})
	}
	slices.SortFunc(top, CompareCounts)
	top = top[:min(len(top), most)]
	if left == 0 {
		return top, true
	}
	if len(top) < most {
		return nil, false
	}
	last := top[most-1].DF
	if len(answers) > 1 && left >= last { // what one group alone has left out comes behind its last
		return nil, false
	}
	for _, t := range top {
		if tallies[t.Term].hidden > 0 {
			return nil, false
		}
		delete(tallies, t.Term)
	}
	for _, t := range tallies {
		if t.hidden > 0 && t.known+t.hidden >= last {
			return nil, false
		}
	}
	return top, true
}

// ResolveCorrection makes the question for the terms near a word, at most so many edits away, 0: one for words up to 5 characters, else two. false: nothing can be near the word.
func ResolveCorrection(word string, edits int, f *schema.Field) (FuzzyQuestion, bool) {
	q := FuzzyQuestion{Field: f.Name, Exact: f.Type == schema.Keyword, Word: word, Edits: edits}
	longest := analysis.MaxTermBytes
	if q.Exact {
		longest = schema.MaxExactBytes
	}
	characters := utf8.RuneCountInString(word)
	switch {
	case edits > 0:
	case characters <= 5:
		q.Edits = 1
	default:
		q.Edits = MaxEdits
	}
	return q, characters > 0 && characters <= longest+MaxEdits
}

// Holders counts the documents that hold the word of a question itself, by the answers to it.
func Holders(q *FuzzyQuestion, answers [][]Expansion) uint64 {
	df := uint64(0)
	for _, answer := range answers {
		for _, e := range answer {
			if e.Edits == 0 {
				df += e.DF
			}
		}
	}
	return df
}

// Nearest gives the first of the other terms near a word, so many, by their distance, then their documents, most first, then bytes. Each answer is the nearest terms of a group in the order
// of [CompareExpansions], as many as it has or as the question's Limit. It fails with limit_exceeded when so many terms lie near the word that the answers do not tell which of them these are.
func Nearest(q *FuzzyQuestion, answers [][]Expansion, most int) ([]Expansion, error) {
	whole := MaxEdits + 1 // all terms at a smaller distance are known
	sums := map[string]Expansion{}
	for _, answer := range answers {
		if len(answer) >= q.Limit() {
			whole = min(whole, answer[len(answer)-1].Edits)
		}
		for _, e := range answer {
			e.DF += sums[e.Term].DF
			sums[e.Term] = e
		}
	}
	near := []Expansion{}
	for _, e := range sums {
		if e.Edits > 0 && e.Edits < whole {
			near = append(near, e)
		}
	}
	if whole <= MaxEdits && len(near) < most {
		return nil, fault.New(fault.LimitExceeded, "more than %d terms lie near %s: ask for max_edits 1, or a smaller size", MaxExpansions, fault.Quote(q.Word))
	}
	slices.SortFunc(near, func(a, b Expansion) int {
		return cmp.Or(cmp.Compare(a.Edits, b.Edits), cmp.Compare(b.DF, a.DF), cmp.Compare(a.Term, b.Term))
	})
	return near[:min(len(near), most)], nil
}
