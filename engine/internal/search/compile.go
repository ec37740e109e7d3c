package search

import (
	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/internal/docset"
	"github.com/jetseek/jetseek/engine/internal/segment"
	"github.com/jetseek/jetseek/engine/internal/segment/postings"
	"github.com/jetseek/jetseek/engine/query"
)

// listTerms is up to how many lists of a [union] are walked; more are gathered into a set.
const listTerms = 16

// compile makes the scorer of a node for the segment entered; nil when nothing matches. Where scoring is false nobody asks for scores.
func (e *env) compile(n query.Node, scoring bool) scorer {
	a := e.account(n)
	was := e.charge(a)
	s := e.scorer(n, scoring)
	e.charge(was)
	return e.timed(s, a)
}

func (e *env) scorer(n query.Node, scoring bool) scorer {
	switch n := n.(type) {
	case *query.MatchAll:
		return e.every(bm25.Units(n.Boost))
	case *query.MatchNone:
		return nil
	case *query.Bool:
		return e.boolean(n, scoring)
	case *query.DisMax:
		return e.disMax(n, scoring)
	case *query.Scaled:
		return scale(e.compile(n.Child, scoring), n.Factor)
	case *query.ConstantScore:
		return withScore(e.compile(n.Child, false), n.Boost)
	case *query.TextTerm:
		return e.term(n, scoring)
	case *query.TextPhrase:
		return e.phrase(n, scoring)
	case *query.KeywordSet:
		return e.keywordSet(n)
	case *query.IDs:
		return e.ids(n)
	case *query.AtLeast:
		return e.atLeast(n)
	case *query.Functions:
		return e.functions(n, scoring)
	case *query.Near:
		return e.near(n)
	}
	if in, ok := e.interval(n); ok {
		return e.span(in)
	}
	if n, ok := n.(*query.TermPattern); ok {
		return e.termPattern(n)
	}
	e.fail(fault.New(fault.BadQuery, "a query of type %T cannot be searched", n))
	return nil
}

func withScore(s scorer, boost float64) scorer {
	if s == nil {
		return nil
	}
	return &constant{s, bm25.Units(boost)}
}

// boolean combines clauses as [query.Bool] says.
func (e *env) boolean(n *query.Bool, scoring bool) scorer {
	var required, counted []scorer
	for _, clause := range n.Must {
		s := e.compile(clause, scoring)
		if s == nil {
			return nil
		}
		required, counted = append(required, s), append(counted, s)
	}
	for _, clause := range n.Filter {
		s := e.compile(clause, false)
		if s == nil {
			return nil
		}
		required = append(required, s)
	}
	var should scorer
	if scoring || n.MinShould > 0 {
		should = newDisjunction(e.all(n.Should, scoring), max(n.MinShould, 1))
	}
	if n.MinShould > 0 {
		if should == nil {
			return nil
		}
		required, counted, should = append(required, should), append(counted, should), nil
	}
	var s scorer
	if len(required) == 0 {
		s = e.every(0)
	} else {
		s = newConjunction(required, counted)
	}
	if not := newDisjunction(e.all(n.MustNot, false), 1); not != nil && s != nil {
		s = newExclusion(s, not)
	}
	if should != nil && s != nil {
		s = &optional{s, should}
	}
	return s
}

// all compiles nodes, without those that match nothing.
func (e *env) all(nodes []query.Node, scoring bool) []scorer {
	var scorers []scorer
	for _, n := range nodes {
		if s := e.compile(n, scoring); s != nil {
			scorers = append(scorers, s)
		}
	}
	return scorers
}

func (e *env) disMax(n *query.DisMax, scoring bool) scorer {
	children := e.all(n.Children, scoring)
	s := newDisjunction(children, 1)
	switch {
	case s == nil || !scoring || n.Tie == 0 && len(children) == 1: // a child may be a disjunction too, which adds up
		return s
	case n.Tie == 0:
		return &greatest{s.(*disjunction)}
	}
	return &disMax{scorer: s, children: children, tie: n.Tie}
}

// weight gives the weight of a leaf; a leaf that scores has one.
func (e *env) weight(leaf int, scoring bool) bm25.Weight {
	if !scoring {
		return bm25.Weight{}
	}
	if leaf < 0 || leaf >= len(e.weights) {
		e.fail(fault.New(fault.BadRequest, "scoring leaf %d has no weight: there are %d", leaf, len(e.weights)))
		return bm25.Weight{}
	}
	return e.weights[leaf]
}

func (e *env) term(n *query.TextTerm, scoring bool) scorer {
	weight := e.weight(n.Leaf, scoring)
	f := e.view.Segment.Field(n.Field)
	if f == nil || !f.HasText {
		return nil
	}
	return e.termOf(f, n.Term, weight)
}

func (e *env) termOf(f *segment.Field, text string, weight bm25.Weight) scorer {
	e.step()
	_, ref, ok := f.Terms.Lookup(text)
	if !ok {
		return nil
	}
	it := e.list(f.TermPostings(), ref)
	return nonEmpty(&term{env: e, it: it, doc: it.Doc(), weight: weight, lengths: &f.Lengths}, it.Doc() == noDoc)
}

func (e *env) phrase(n *query.TextPhrase, scoring bool) scorer {
	weight := e.weight(n.Leaf, scoring)
	f := e.view.Segment.Field(n.Field)
	switch {
	case !n.Sound():
		e.fail(fault.New(fault.BadQuery, "a phrase of %d terms at %d places", len(n.Terms), len(n.Offsets)))
		return nil
	case f == nil || !f.HasText:
		return nil
	}
	p := &phrase{offsets: n.Offsets, env: e, weight: weight, lengths: &f.Lengths}
	var terms []scorer
	whole := n.Terms
	switch last := len(whole) - 1; {
	case n.Prefix:
		whole, p.last = whole[:last], &anyOf{env: e, field: f, terms: beginning(&f.Terms, whole[last])}
	case n.CutLast:
		whole, p.last = whole[:last], &anyOf{env: e, field: f, terms: pairsFrom(&f.Terms, whole[last])}
	}
	if n.CutFirst {
		whole, p.first = whole[1:], &anyOf{env: e, field: f, terms: e.pairsTo(&f.Terms, whole[0])}
	}
	if n.Slop > 0 {
		p.slop = newSlop(e, whole, n.Offsets, n.Slop)
	}
	for _, text := range whole {
		s := e.termOf(f, text, bm25.Weight{})
		if s == nil {
			return nil
		}
		terms = append(terms, s)
		p.its = append(p.its, s.(*term).it)
	}
	if len(terms) > 0 {
		p.all = newConjunction(terms, nil)
	} else {
		p.all = e.anyIn(p.first.lists(), f.TermPostings(), 0)
	}
	if p.all == nil {
		return nil
	}
	return nonEmpty(p, p.fit(p.all.Doc()) == noDoc)
}

// keywordSet finds the documents of the values that the segment has.
func (e *env) keywordSet(n *query.KeywordSet) scorer {
	f := e.view.Segment.Field(n.Field)
	if f == nil || !f.HasExact {
		return nil
	}
	u := union{env: e, lists: f.ExactPostings()}
	for _, v := range n.Values {
		if !e.step() {
			return nil
		}
		if _, ref, ok := f.Exact.Lookup(v); ok {
			u.add(ref)
		}
	}
	return u.scorer(n.Boost)
}

// addList puts the documents of a list in a set.
func (e *env) addList(set docset.Set, src postings.Source, ref postings.Ref) {
	it := e.list(src, ref)
	for ; it.Doc() != noDoc && e.step(); it.Next() {
		set.Add(it.Doc())
	}
	e.done(it)
}

func (e *env) ids(n *query.IDs) scorer {
	set := docset.New(e.view.Segment.Docs())
	e.addIDs(set, n)
	return e.members(bm25.Units(n.Boost), set)
}

// addIDs puts the documents with some ids in a set.
func (e *env) addIDs(set docset.Set, n *query.IDs) {
	for _, id := range n.Values {
		if !e.step() {
			return
		}
		if doc, ok := e.view.Segment.Find(id, segment.HashID(id)); ok {
			set.Add(doc)
		}
	}
}
