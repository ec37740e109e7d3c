package search

import (
	"slices"

	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/query"
)

// plan is what windows execute: a query that is, but for its filters, made of terms or one phrase. Everything else is walked by a [scorer].
type plan struct {
	all     []planTerm // that a document must hold
	any     []planTerm // of which it must hold one, unless there are terms in all
	phrase  *query.TextPhrase
	filters []query.Node // that must match, without a score
	not     []query.Node // that must not
	every   bool         // there are no terms: what passes matches
	score   int64        // of every match, if there are no terms
}

// planTerm is a term, and the clause that it is of: itself, or a phrase.
type planTerm struct {
	query.TextTerm
	of query.Node
}

// of sees whether windows can execute a query with filters. Where nobody wants scores they can execute any; when documents are sorted by something else, all that
// a document must match is masks, of which windows may be asked in any order.
func (p *plan) of(n query.Node, filters []query.Node, scoring, sorted bool) bool {
	if p.terms(n, filters) && (scoring || !sorted || p.phrase != nil) {
		return true
	}
	p.start(filters)
	p.every = true
	if n, ok := n.(*query.MatchAll); ok {
		p.score = bm25.Units(n.Boost)
		return true
	}
	p.filters = append(p.filters, n)
	return !scoring
}

// start begins a plan with nothing but filters.
func (p *plan) start(filters []query.Node) {
	p.every, p.score = false, 0
	p.all, p.any, p.filters, p.not, p.phrase = p.all[:0], p.any[:0], append(p.filters[:0], filters...), p.not[:0], nil
}

// terms sees whether a query is made of terms.
func (p *plan) terms(n query.Node, filters []query.Node) bool {
	p.start(filters)
	switch n := n.(type) {
	case *query.TextTerm:
		p.any = append(p.any, planTerm{*n, n})
		return true
	case *query.TextPhrase:
		return p.ofPhrase(n)
	case *query.Bool:
		if phrase := onlyPhrase(n); phrase != nil {
			p.filters = append(p.filters, n.Filter...)
			p.not = append(p.not, n.MustNot...)
			return p.ofPhrase(phrase)
		}
		return p.must(n) && p.should(n) && len(p.all)+len(p.any) > 0
	}
	return false
}

// ofPhrase takes a phrase, and sees whether windows can execute it.
func (p *plan) ofPhrase(n *query.TextPhrase) bool {
	p.phrase = n
	for _, t := range n.Terms {
		p.all = append(p.all, planTerm{query.TextTerm{Field: n.Field, Term: t, Leaf: n.Leaf}, n})
	}
	return n.Slop == 0 && !n.Prefix && !n.CutFirst && !n.CutLast && n.Sound()
}

// onlyPhrase gives the phrase that is all that scores in a query and must match; nil when there is none.
func onlyPhrase(n *query.Bool) *query.TextPhrase {
	clauses := n.Must
	if len(clauses) == 0 && n.MinShould == 1 {
		clauses = n.Should
	} else if len(n.Should) > 0 || n.MinShould > 0 {
		return nil
	}
	if len(clauses) != 1 {
		return nil
	}
	phrase, _ := clauses[0].(*query.TextPhrase)
	return phrase
}

// forget lets go of the query.
func (p *plan) forget() {
	clear(p.all)
	clear(p.any)
	clear(p.filters)
	clear(p.not)
	p.phrase = nil
}

// must takes what a document has to match, of conjunctions in conjunctions too.
func (p *plan) must(n *query.Bool) bool {
	for _, clause := range n.Must {
		switch c := clause.(type) {
		case *query.TextTerm:
			p.all = append(p.all, planTerm{*c, c})
		case *query.Bool:
			if len(c.Should) > 0 || len(c.Must) == 0 || !p.must(c) {
				return false
			}
		default:
			return false
		}
	}
	p.filters = append(p.filters, n.Filter...)
	p.not = append(p.not, n.MustNot...)
	return true
}

// should takes the alternatives, of disjunctions in disjunctions too.
func (p *plan) should(n *query.Bool) bool {
	switch {
	case len(n.Should) == 0:
		return n.MinShould == 0
	case len(p.all) > 0 && n.MinShould > 0, len(p.all) == 0 && n.MinShould != 1:
		return false
	}
	return p.alternatives(n.Should)
}

func (p *plan) alternatives(nodes []query.Node) bool {
	for _, clause := range nodes {
		switch c := clause.(type) {
		case *query.TextTerm:
			p.any = append(p.any, planTerm{*c, c})
		case *query.Bool:
			if len(c.Must)+len(c.Filter)+len(c.MustNot) > 0 || c.MinShould != 1 || !p.alternatives(c.Should) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// enter opens the lists of the plan in the segment entered, those of all the rarest first. It tells whether anything can match.
func (s *sweep) enter(p *plan) bool {
	s.used = 0
	s.all, s.any = s.all[:0], s.any[:0]
	s.masks = s.masks[:0]
	s.clauses.enter(s.env)
	for i := range p.all {
		l := s.listOf(&p.all[i])
		if l == nil {
			return false
		}
		s.all = append(s.all, l)
	}
	if s.phrase = p.phrase != nil; s.phrase {
		s.check.enter(p.phrase, s.all)
	}
	slices.SortStableFunc(s.all, func(a, b *list) int { return int(a.blocks.DF()) - int(b.blocks.DF()) })
	for i := range p.any {
		if l := s.listOf(&p.any[i]); l != nil {
			s.any = append(s.any, l)
		}
	}
	if s.constant = p.score; len(s.all)+len(s.any) == 0 && !p.every {
		return false
	}
	return s.mask(p.filters, p.not) && s.env.err == nil
}

// mask makes masks of clauses that must match and that must not. It tells whether anything can match.
func (s *sweep) mask(filters, not []query.Node) bool {
	for _, n := range filters {
		m := s.clauses.of(n)
		if m == nil {
			return false
		}
		if m.kind == inAll && !m.not {
			s.masks = append(s.masks, m.parts...)
		} else {
			s.masks = append(s.masks, m)
		}
	}
	for _, n := range not {
		if m := s.clauses.of(n); m != nil {
			m.negate(s.env.view.Segment.Docs())
			s.masks = append(s.masks, m)
		}
	}
	slices.SortStableFunc(s.masks, func(a, b *mask) int { return a.markCost - b.markCost })
	return true
}

// listOf opens the list of a term, on the account of its clause.
func (s *sweep) listOf(t *planTerm) *list {
	was := s.env.charge(s.env.account(t.of))
	l := s.list(&t.TextTerm)
	s.env.charge(was)
	return l
}

// list opens the list of a term, nil when the segment does not have it.
func (s *sweep) list(t *query.TextTerm) *list {
	e := s.env
	weight := e.weight(t.Leaf, s.scoring)
	f := e.view.Segment.Field(t.Field)
	if f == nil || !f.HasText {
		return nil
	}
	_, ref, ok := f.Terms.Lookup(t.Term)
	if !ok {
		return nil
	}
	if s.used == len(s.lists) {
		s.lists = append(s.lists, &list{})
	}
	l := s.lists[s.used]
	s.used++
	if !s.scoring {
		weight = bm25.Weight{}
	}
	if !l.open(f, ref, weight) {
		e.fail(corrupt(&l.blocks))
		return nil
	}
	if l.account = e.charged(); e.profile != nil {
		e.profile.list(ref, &l.blocks)
	}
	return l
}
