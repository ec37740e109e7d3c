package search

import (
	"math"
	"slices"

	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/internal/docset"
	"github.com/jetseek/jetseek/engine/internal/segment"
	"github.com/jetseek/jetseek/engine/internal/segment/docvalues"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/schema"
)

// listTerms is up to how many exact values are walked as lists; more are gathered into a set.
const listTerms = 16

// compile makes the scorer of a node for the segment entered; nil when nothing matches. Where scoring is false nobody asks for scores.
func (e *env) compile(n query.Node, scoring bool) scorer {
	switch n := n.(type) {
	case *query.MatchAll:
		return e.every(bm25.Units(n.Boost))
	case *query.MatchNone:
		return nil
	case *query.Bool:
		return e.boolean(n, scoring)
	case *query.DisMax:
		return e.disMax(n, scoring)
	case *query.ConstantScore:
		return withScore(e.compile(n.Child, false), n.Boost)
	case *query.TextTerm:
		return e.term(n, scoring)
	case *query.TextPhrase:
		return e.phrase(n, scoring)
	case *query.KeywordSet:
		return e.keywordSet(n)
	case *query.KeywordRange:
		return e.keywordRange(n)
	case *query.LongRange:
		if f := e.view.Segment.Field(n.Field); f != nil && f.HasInts {
			return e.span(&f.Ints, n.Boost, n.Lo, n.Hi)
		}
		return nil
	case *query.LongSet:
		if f := e.view.Segment.Field(n.Field); f != nil && f.HasInts {
			return e.valueSet(&f.Ints, n.Boost, n.Values)
		}
		return nil
	case *query.DoubleRange:
		return e.doubleRange(n)
	case *query.DoubleSet:
		return e.doubleSet(n)
	case *query.FieldExists:
		return e.exists(n)
	case *query.IDs:
		return e.ids(n)
	}
	e.fail(fault.New(fault.BadQuery, "a query of type %T cannot be searched", n))
	return nil
}

func among(values []int64, v int64) bool {
	_, ok := slices.BinarySearch(values, v)
	return ok
}

// overlaps tells whether any of values lies from lo to hi.
func overlaps(values []int64, lo, hi int64) bool {
	at, _ := slices.BinarySearch(values, lo)
	return at < len(values) && values[at] <= hi
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
	if s == nil || !scoring {
		return s
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
	case n.Slop != 0:
		e.fail(fault.New(fault.BadQuery, "phrases with a slop are not supported yet"))
		return nil
	case len(n.Terms) == 0 || len(n.Offsets) != len(n.Terms):
		e.fail(fault.New(fault.BadQuery, "a phrase of %d terms at %d places", len(n.Terms), len(n.Offsets)))
		return nil
	case f == nil || !f.HasText:
		return nil
	}
	p := &phrase{offsets: n.Offsets, env: e, weight: weight, lengths: &f.Lengths}
	var terms []scorer
	for _, text := range n.Terms {
		s := e.termOf(f, text, bm25.Weight{})
		if s == nil {
			return nil
		}
		terms = append(terms, s)
		p.its = append(p.its, s.(*term).it)
	}
	if p.all = newConjunction(terms, nil); p.all == nil {
		return nil
	}
	return nonEmpty(p, p.fit(p.all.Doc()) == noDoc)
}

// keywordSet walks the lists of the values that the segment has.
func (e *env) keywordSet(n *query.KeywordSet) scorer {
	f := e.view.Segment.Field(n.Field)
	if f == nil || !f.HasExact {
		return nil
	}
	var lists []scorer
	var set docset.Set
	for _, v := range n.Values {
		if !e.step() {
			return nil
		}
		_, ref, ok := f.Exact.Lookup(v)
		if !ok {
			continue
		}
		it := e.list(f.ExactPostings(), ref)
		if len(n.Values) <= listTerms {
			if it.Doc() != noDoc {
				lists = append(lists, &term{env: e, it: it, doc: it.Doc()})
			}
			continue
		}
		if set == nil {
			set = docset.New(e.view.Segment.Docs())
		}
		for ; it.Doc() != noDoc && e.step(); it.Next() {
			set.Add(it.Doc())
		}
		e.done(it)
	}
	if set != nil {
		return e.members(bm25.Units(n.Boost), set)
	}
	return withScore(newDisjunction(lists, 1), n.Boost)
}

// keywordRange turns the ends into ordinals, of which the column then tells.
func (e *env) keywordRange(n *query.KeywordRange) scorer {
	f := e.view.Segment.Field(n.Field)
	if f == nil || !f.HasExact {
		return nil
	}
	lo, hi := int64(0), int64(f.Exact.Len())
	if n.Lo != nil {
		lo = ceil(f, *n.Lo, !n.IncLo)
	}
	if n.Hi != nil {
		hi = ceil(f, *n.Hi, n.IncHi)
	}
	if lo >= hi {
		return nil
	}
	return e.span(&f.Ordinals, n.Boost, lo, hi-1)
}

// ceil gives the ordinal of the first exact value at or behind v, or behind it.
func ceil(f *segment.Field, v string, behind bool) int64 {
	ord := f.Exact.Ceil(v)
	if behind {
		if at, _, ok := f.Exact.Lookup(v); ok {
			return int64(at) + 1
		}
	}
	return int64(ord)
}

// doubleRange turns the ends into numbers of the doubles' order; 0 stands for -0 too.
func (e *env) doubleRange(n *query.DoubleRange) scorer {
	f := e.view.Segment.Field(n.Field)
	if f == nil || !f.HasFloats || !(n.Lo <= n.Hi) {
		return nil
	}
	lo, hi := docvalues.Ordered(n.Lo+0), docvalues.Ordered(n.Hi+0)
	if !n.IncLo {
		lo++
	}
	if !n.IncHi {
		hi--
	}
	return e.span(&f.Floats, n.Boost, lo, hi)
}

func (e *env) doubleSet(n *query.DoubleSet) scorer {
	f := e.view.Segment.Field(n.Field)
	if f == nil || !f.HasFloats {
		return nil
	}
	values := make([]int64, len(n.Values))
	for i, v := range n.Values {
		values[i] = docvalues.Ordered(v + 0)
	}
	return e.valueSet(&f.Floats, n.Boost, values)
}

func (e *env) exists(n *query.FieldExists) scorer {
	f := e.view.Segment.Field(n.Field)
	if f == nil {
		return nil
	}
	switch {
	case n.Type == schema.Text && f.HasText:
		return e.span(&f.Lengths, n.Boost, 1, math.MaxInt64)
	case n.Type == schema.Keyword && f.HasExact:
		return e.span(&f.Ordinals, n.Boost, math.MinInt64, math.MaxInt64)
	case n.Type == schema.Double && f.HasFloats:
		return e.span(&f.Floats, n.Boost, math.MinInt64, math.MaxInt64)
	case (n.Type == schema.Long || n.Type == schema.Date || n.Type == schema.Bool) && f.HasInts:
		return e.span(&f.Ints, n.Boost, math.MinInt64, math.MaxInt64)
	}
	return nil
}

func (e *env) ids(n *query.IDs) scorer {
	set := docset.New(e.view.Segment.Docs())
	for _, id := range n.Values {
		if !e.step() {
			return nil
		}
		if doc, ok := e.view.Segment.Find(id, segment.HashID(id)); ok {
			set.Add(doc)
		}
	}
	return e.members(bm25.Units(n.Boost), set)
}
