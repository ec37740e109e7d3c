package search

import (
	"bytes"
	"iter"

	"github.com/jetseek/jetseek/engine/analysis"
	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/internal/docset"
	"github.com/jetseek/jetseek/engine/internal/segment/postings"
	"github.com/jetseek/jetseek/engine/internal/segment/termdict"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/query/pattern"
)

// termPattern finds the documents that hold any term like a pattern.
func (e *env) termPattern(n *query.TermPattern) scorer {
	f := e.view.Segment.Field(n.Field)
	if !e.step() || f == nil || n.Exact && !f.HasExact || !n.Exact && !f.HasText {
		return nil
	}
	dict, lists := &f.Terms, f.TermPostings()
	if n.Exact {
		dict, lists = &f.Exact, f.ExactPostings()
	}
	switch n.Kind {
	case query.PrefixPattern:
		return e.anyIn(beginning(dict, n.Text), lists, n.Boost)
	case query.CharacterPattern:
		return e.anyIn(e.pairsWith(dict, n.Text), lists, n.Boost)
	}
	a, err := e.automaton(n)
	if err != nil {
		e.fail(err)
		return nil
	}
	u := union{env: e, lists: lists}
	for m := dict.Match(patient{a, e}); m.Next() && e.step(); {
		u.add(m.Ref())
	}
	return u.scorer(n.Boost)
}

// anyIn finds the documents of any of some lists.
func (e *env) anyIn(refs iter.Seq[postings.Ref], lists postings.Source, boost float64) scorer {
	u := union{env: e, lists: lists}
	for ref := range refs {
		if !e.step() {
			return nil
		}
		u.add(ref)
	}
	return u.scorer(boost)
}

// unspaced walks the lists of those terms of scripts without spaces that a test lets pass.
func (e *env) unspaced(dict *termdict.Dict, holds func(term []byte) bool) iter.Seq[postings.Ref] {
	return func(yield func(postings.Ref) bool) {
		for it := dict.Seek(string(analysis.FirstUnspaced)); it.Valid() && e.step(); it.Next() {
			if holds(it.Term()) && !yield(it.Ref()) {
				return
			}
		}
	}
}

// pairsFrom walks the lists of the terms that begin with a character.
func pairsFrom(dict *termdict.Dict, character string) iter.Seq[postings.Ref] {
	return func(yield func(postings.Ref) bool) {
		for it := dict.Seek(character); it.Valid() && bytes.HasPrefix(it.Term(), []byte(character)); it.Next() {
			if analysis.BeginsWith(string(it.Term()), character) && !yield(it.Ref()) {
				return
			}
		}
	}
}

// pairsTo walks the lists of the terms that end with a character.
func (e *env) pairsTo(dict *termdict.Dict, character string) iter.Seq[postings.Ref] {
	end := []byte(character)
	return e.unspaced(dict, func(term []byte) bool { return bytes.HasSuffix(term, end) })
}

// pairsWith walks the lists of the terms that begin or end with a character.
func (e *env) pairsWith(dict *termdict.Dict, character string) iter.Seq[postings.Ref] {
	part := []byte(character)
	return e.unspaced(dict, func(term []byte) bool {
		return bytes.HasSuffix(term, part) || bytes.HasPrefix(term, part) && analysis.BeginsWith(string(term), character)
	})
}

// beginning walks the lists of the terms that begin with a prefix.
func beginning(dict *termdict.Dict, prefix string) iter.Seq[postings.Ref] {
	return func(yield func(postings.Ref) bool) {
		for it := dict.Seek(prefix); it.Valid() && bytes.HasPrefix(it.Term(), []byte(prefix)) && yield(it.Ref()); it.Next() {
		}
	}
}

// exactPrefix turns the values that begin with a prefix into ordinals, of which the column then tells.
func (e *env) exactPrefix(n *query.TermPattern) interval {
	f := e.view.Segment.Field(n.Field)
	if f == nil || !f.HasExact {
		return interval{}
	}
	lo, hi := f.Exact.Ceil(n.Text), f.Exact.Len()
	if end, bounded := behind(n.Text); bounded {
		hi = f.Exact.Ceil(end)
	}
	return interval{&f.Ordinals, int64(lo), int64(hi) - 1, nil, n.Boost}
}

// behind gives the least string greater than all that begin with a prefix; false when there is none.
func behind(prefix string) (string, bool) {
	end := []byte(prefix)
	for len(end) > 0 && end[len(end)-1] == 0xff {
		end = end[:len(end)-1]
	}
	if len(end) == 0 {
		return "", false
	}
	end[len(end)-1]++
	return string(end), true
}

// automaton gives that of a pattern, which all segments of a search share.
func (e *env) automaton(n *query.TermPattern) (*pattern.Automaton, error) {
	if a := e.automata[n]; a != nil {
		return a, nil
	}
	expression, err := n.Expression()
	if err != nil {
		return nil, err
	}
	a, err := expression.Automaton()
	if err != nil {
		return nil, err
	}
	if e.automata == nil {
		e.automata = map[*query.TermPattern]*pattern.Automaton{}
	}
	e.automata[n] = a
	return a, nil
}

// patient is an automaton that looks at the context between terms, and lets nothing match any more when the search has ended.
type patient struct {
	*pattern.Automaton
	env *env
}

// termSteps is what a term counts at most: each of its bytes may lead to a state that must be made.
const termSteps = 64

// Trim is called between terms.
func (p patient) Trim() bool {
	p.env.steps(termSteps)
	return p.Automaton.Trim()
}

// CanMatch says no when the search has ended.
func (p patient) CanMatch(state int) bool { return p.env.err == nil && p.Automaton.CanMatch(state) }

var _ termdict.Automaton = patient{}

// union finds the documents of any of some lists: a few are walked side by side, more are read into a set.
type union struct {
	env   *env
	lists postings.Source
	few   []postings.Ref
	set   docset.Set
}

func (u *union) add(ref postings.Ref) {
	switch {
	case u.set != nil:
		u.env.addList(u.set, u.lists, ref)
	case len(u.few) < listTerms:
		u.few = append(u.few, ref)
	default:
		u.set = docset.New(u.env.view.Segment.Docs())
		for _, ref := range append(u.few, ref) {
			u.env.addList(u.set, u.lists, ref)
		}
	}
}

// scorer gives what walks the documents; nil when there are none.
func (u *union) scorer(boost float64) scorer {
	if u.set != nil {
		return u.env.members(bm25.Units(boost), u.set)
	}
	var parts []scorer
	for _, ref := range u.few {
		if it := u.env.list(u.lists, ref); it.Doc() != noDoc {
			parts = append(parts, &term{env: u.env, it: it, doc: it.Doc()})
		}
	}
	return withScore(newDisjunction(parts, 1), boost)
}
