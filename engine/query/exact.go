package query

import (
	"math"
	"strings"

	"github.com/jetseek/jetseek/engine/analysis"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/schema"
)

// This file resolves term, terms and range.

// term resolves one exact value. In a text field it is a term as it is indexed, but of a dynamic string the exact value.
func (r *resolver) term(n *Term, c scope) (Node, error) {
	f, known := r.schema.Lookup(n.Field)
	if !known {
		return &MatchNone{}, nil
	}
	c = c.times(f.Boost)
	if f.Type != schema.Text {
		return exact(f, n.Value, c)
	}
	if n.Value.Kind != StringValue {
		return nil, misfit(f, n.Value)
	}
	if f.Exact {
		return &KeywordSet{Field: f.Name, Values: []string{n.Value.Text}, Boost: c.leaf()}, nil
	}
	return oneTerm(f, n.Value.Text, c), nil
}

// oneTerm matches a term of a text field as it is indexed: nothing, where it is longer than any.
func oneTerm(f *schema.Field, term string, c scope) Node {
	if len(term) > analysis.MaxTermBytes {
		return &MatchNone{}
	}
	return &TextTerm{Field: f.Name, Term: term, Boost: c.leaf(), Leaf: -1}
}

// terms resolves a set of exact values, for a constant score in every type of field.
func (r *resolver) terms(n *Terms, c scope) (Node, error) {
	f, known := r.schema.Lookup(n.Field)
	if !known || len(n.Values) == 0 {
		return &MatchNone{}, nil
	}
	c = c.times(f.Boost)
	switch {
	case f.Type == schema.Keyword || f.Type == schema.Text:
		values, err := textValues(f, n.Values)
		if err != nil {
			return nil, err
		}
		if f.Type == schema.Text && !f.Exact {
			return r.anyTerm(f, values, c)
		}
		return &KeywordSet{Field: f.Name, Values: values, Boost: c.leaf()}, nil
	case f.Type == schema.Double:
		set := make([]float64, 0, len(n.Values))
		for _, v := range n.Values {
			x, err := doubleValue(f, v)
			if err != nil {
				return nil, err
			}
			set = append(set, x)
		}
		return &DoubleSet{Field: f.Name, Values: sortedSet(set), Boost: c.leaf()}, nil
	}
	return longSet(f, n.Values, c)
}

func textValues(f *schema.Field, values []Value) ([]string, error) {
	set := make([]string, 0, len(values))
	for _, v := range values {
		if v.Kind != StringValue {
			return nil, misfit(f, v)
		}
		set = append(set, v.Text)
	}
	return sortedSet(set), nil
}

// anyTerm matches any of several terms of a text field.
func (r *resolver) anyTerm(f *schema.Field, terms []string, c scope) (Node, error) {
	if r.leaves += len(terms); r.leaves > MaxTerms+MaxLeaves {
		return nil, tooManyLeaves()
	}
	alternatives := &Bool{MinShould: 1}
	for _, term := range terms {
		alternatives.Should = append(alternatives.Should, &TextTerm{Field: f.Name, Term: term, Leaf: -1})
	}
	return constant(simplify(alternatives), c), nil
}

// longSet resolves a set of whole numbers, dates or truth values. A short date is a span of time, so dates can need more than a set.
func longSet(f *schema.Field, values []Value, c scope) (Node, error) {
	set := make([]int64, 0, len(values))
	var parts []Node
	for _, v := range values {
		in, err := spanOf(f, v)
		switch {
		case err != nil:
			return nil, err
		case in.Outside != 0 || in.Lo > in.Hi:
		case in.Lo == in.Hi:
			set = append(set, in.Lo)
		default:
			parts = append(parts, longRange(f, in.Lo, in.Hi, c.silent()))
		}
	}
	switch {
	case len(parts) == 0 && len(set) == 0:
		return &MatchNone{}, nil
	case len(parts) == 0:
		return &LongSet{Field: f.Name, Values: sortedSet(set), Boost: c.leaf()}, nil
	}
	if len(set) > 0 {
		parts = append(parts, &LongSet{Field: f.Name, Values: sortedSet(set)})
	}
	return constant(simplify(&Bool{Should: parts, MinShould: 1}), c), nil
}

// rangeQuery resolves a range. Fractions compare exactly with whole numbers; a short date means its start, and as an upper inclusive end or a lower exclusive one
// its end.
func (r *resolver) rangeQuery(n *Range, c scope) (Node, error) {
	f, known := r.schema.Lookup(n.Field)
	if !known {
		return &MatchNone{}, nil
	}
	resolved, err := resolveRange(n, f, c.times(f.Boost))
	switch {
	case err == nil:
		return resolved, nil
	case n.Lenient:
		return &MatchNone{}, nil
	case n.Pos >= 0 && f.Type != schema.Text:
		return nil, fault.At(fault.BadQuery, n.Pos, "field %s is %s and has no such range", fault.Quote(f.Name), f.Type)
	}
	return nil, err
}

func resolveRange(n *Range, f *schema.Field, c scope) (Node, error) {
	switch f.Type {
	case schema.Text, schema.Keyword:
		if f.Type == schema.Text && !f.Exact {
			return nil, fault.New(fault.BadField, "field %s is text, which has no ranges; declare a keyword for them", fault.Quote(f.Name))
		}
		return keywordRange(n, f, c)
	case schema.Double:
		return doubleRange(n, f, c)
	case schema.Geo, schema.Vector:
		return nil, fault.New(fault.BadField, "field %s is %s, which has no ranges", fault.Quote(f.Name), f.Type)
	}
	lo, hi := int64(math.MinInt64), int64(math.MaxInt64)
	empty := false
	if n.Lo != nil {
		in, err := spanOf(f, *n.Lo)
		switch {
		case err != nil:
			return nil, err
		case in.Outside != 0:
			empty = in.Outside > 0
		case n.IncLo:
			lo = in.Lo
		case in.Hi == math.MaxInt64:
			empty = true
		default:
			lo = in.Hi + 1
		}
	}
	if n.Hi != nil {
		in, err := spanOf(f, *n.Hi)
		switch {
		case err != nil:
			return nil, err
		case in.Outside != 0:
			empty = empty || in.Outside < 0
		case n.IncHi:
			hi = in.Hi
		case in.Lo == math.MinInt64:
			empty = true
		default:
			hi = in.Lo - 1
		}
	}
	if empty {
		return &MatchNone{}, nil
	}
	return longRange(f, lo, hi, c), nil
}

func keywordRange(n *Range, f *schema.Field, c scope) (Node, error) {
	resolved := &KeywordRange{Field: f.Name, IncLo: n.IncLo, IncHi: n.IncHi, Boost: c.leaf()}
	for _, end := range []struct {
		value *Value
		into  **string
	}{{n.Lo, &resolved.Lo}, {n.Hi, &resolved.Hi}} {
		if end.value == nil {
			continue
		}
		if end.value.Kind != WordValue && end.value.Kind != StringValue {
			return nil, misfit(f, *end.value)
		}
		text := end.value.Text
		*end.into = &text
	}
	if lo, hi := resolved.Lo, resolved.Hi; lo != nil && hi != nil {
		if order := strings.Compare(*lo, *hi); order > 0 || order == 0 && !(n.IncLo && n.IncHi) {
			return &MatchNone{}, nil
		}
	}
	return resolved, nil
}

func doubleRange(n *Range, f *schema.Field, c scope) (Node, error) {
	resolved := &DoubleRange{Field: f.Name, Lo: math.Inf(-1), Hi: math.Inf(1), IncLo: n.IncLo, IncHi: n.IncHi, Boost: c.leaf()}
	var err error
	if n.Lo != nil {
		if resolved.Lo, err = doubleValue(f, *n.Lo); err != nil {
			return nil, err
		}
	}
	if n.Hi != nil {
		if resolved.Hi, err = doubleValue(f, *n.Hi); err != nil {
			return nil, err
		}
	}
	lo, hi := resolved.Lo, resolved.Hi
	if lo > hi || lo == hi && !(n.IncLo && n.IncHi) || math.IsInf(lo, 1) || math.IsInf(hi, -1) {
		return &MatchNone{}, nil
	}
	return resolved, nil
}
