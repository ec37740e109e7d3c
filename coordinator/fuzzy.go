package coordinator

import (
	"slices"

	"github.com/jetseek/jetseek/engine/agg"
	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/query"
)

// agree settles with what terms the plan's fuzzy words are searched: those of all groups that answered; and its likes, by the sum of their statistics. The plan, and the statistics of the groups, are then of
// these terms too: a group that does not name one has no live document with it, or nearer ones that take its place.
func (p *plan) agree(parts []*part, sum bm25.Stats) error {
	agreed := make([][]query.Expansion, len(p.fuzzy))
	for i := range p.fuzzy {
		var answers [][]query.Expansion
		for _, part := range parts {
			if part.err == nil {
				answers = append(answers, part.near[i])
			}
		}
		var err error
		if agreed[i], err = query.Agree(&p.fuzzy[i], answers); err != nil {
			return err
		}
	}
	chosen, err := p.choose(sum)
	if err != nil {
		return err
	}
	if p.query, err = query.Expand(p.query, false, p.fuzzy, agreed, chosen); err != nil {
		return err
	}
	for i, filter := range p.filters {
		if p.filters[i], err = query.Expand(filter, true, p.fuzzy, agreed, chosen); err != nil {
			return err
		}
	}
	if err := agg.EachFilter(p.aggs, func(n *query.Node) (err error) {
		*n, err = query.Expand(*n, true, p.fuzzy, agreed, chosen)
		return err
	}); err != nil {
		return err
	}
	asked, answered, questions := p.fields, p.terms, p.fuzzy
	p.likes, p.candidates = nil, nil
	p.ask()
	for _, part := range parts {
		if part.err == nil {
			part.stats = part.statsOf(p, asked, answered, questions)
		}
	}
	return nil
}

// statsOf gives a group's statistics for the plan's terms, of its answers to the question before.
func (part *part) statsOf(p *plan, fields []string, terms []bm25.FieldTerm, fuzzy []query.FuzzyQuestion) bm25.Stats {
	known := make(map[bm25.FieldTerm]uint64, len(p.terms))
	for i, t := range terms {
		known[t] = part.stats.DF[i]
	}
	for i, q := range fuzzy {
		for _, e := range part.near[i] {
			if !q.Exact {
				known[bm25.FieldTerm{Field: q.Field, Term: e.Term}] = e.DF
			}
		}
	}
	s := bm25.Stats{Fields: make([]bm25.FieldStats, len(p.fields)), DF: make([]uint64, len(p.terms))}
	for i, name := range p.fields {
		if at, ok := slices.BinarySearch(fields, name); ok {
			s.Fields[i] = part.stats.Fields[at]
		}
	}
	for i, t := range p.terms {
		s.DF[i] = known[t]
	}
	return s
}

// ask makes the question of the plan's leaves; the fields of fuzzy words, whose terms will be leaves, belong to it, and the words of likes.
func (p *plan) ask() {
	p.fuzzy = query.FuzzyQuestions(p.nodes()...)
	p.leaves, p.fields, p.terms = nil, nil, nil
	if p.score || query.Judges(p.query) || agg.NeedScores(p.aggs) {
		p.leaves = query.Leaves(p.query)
		p.fields, p.terms = query.Question(p.leaves)
		for _, q := range p.fuzzy {
			p.fields = append(p.fields, q.Field)
		}
	}
	p.askOfLikes()
	slices.Sort(p.fields)
	p.fields = slices.Compact(p.fields)
}
