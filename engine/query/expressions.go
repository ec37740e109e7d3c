package query

import (
	"strings"
	"unicode/utf8"

	"github.com/jetseek/jetseek/engine/analysis"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/query/pattern"
	"github.com/jetseek/jetseek/engine/schema"
)

// This file resolves prefixes, wildcards and regular expressions.

// PatternKind says how the text of a [TermPattern] is read.
type PatternKind uint8

// The kinds of patterns.
const (
	PrefixPattern    PatternKind = iota + 1 // what terms begin with
	WildcardPattern                         // [pattern.ParseWildcard]
	RegexpPattern                           // [pattern.ParseRegexp]
	CharacterPattern                        // one character, with which terms begin or end: pairs of a script without spaces
)

// TermPattern matches documents any of whose terms in a field matches: its words, or with Exact its exact values as a whole. Constant score.
type TermPattern struct {
	Field string
	Kind  PatternKind
	Exact bool
	Fold  bool // the text is brought into the form of folded words; a prefix is already
	Plain bool // and without accents
	Text  string
	Boost float64
}

func (*TermPattern) node() {}

// Expression reads the text of a wildcard or regular expression.
func (n *TermPattern) Expression() (*pattern.Expression, error) {
	var fold func(string) string
	switch {
	case n.Plain:
		fold = func(text string) string { return analysis.WithoutAccents(analysis.Fold(text)) }
	case n.Fold:
		fold = analysis.Fold
	}
	if n.Kind == RegexpPattern {
		return pattern.ParseRegexp(n.Text, fold)
	}
	return pattern.ParseWildcard(n.Text, fold)
}

// pattern resolves a pattern against one field: the folded words of a text field, else the exact values, as they are. spread tells that the field is one of the
// default fields, where what does not fit matches nothing. Boost and field of p are set here.
func (r *resolver) pattern(p TermPattern, f *schema.Field, c scope, pos int, forgiven bool) (Node, error) {
	p.Field, p.Boost = f.Name, c.leaf()
	switch f.Type {
	case schema.Keyword:
		p.Exact = true
	case schema.Text:
		p.Fold = !p.Exact && r.folds(f)
		p.Plain = p.Fold && r.normal("é", f) == "e"
	default:
		switch {
		case forgiven:
			return &MatchNone{}, nil
		case pos < 0:
			return nil, fault.New(fault.BadField, "field %s is %s, which has no words to match by %s", fault.Quote(f.Name), f.Type, fault.Quote(p.Text))
		}
		return nil, fault.At(fault.BadQuery, pos, "field %s is %s, which has no words to match by %s", fault.Quote(f.Name), f.Type, fault.Quote(p.Text))
	}
	if p.Kind == PrefixPattern {
		if f.Type == schema.Text && !p.Exact {
			p.Text = r.normal(p.Text, f)
		}
		return &p, nil
	}
	if p.Kind == WildcardPattern && f.Type == schema.Text && !p.Exact {
		p.Text = r.normalWildcard(p.Text, f)
	}
	e, err := p.Expression()
	if err != nil {
		return nil, placed(err, pos)
	}
	if r.states += e.Size(); r.states > MaxStates {
		return nil, fault.At(fault.LimitExceeded, pos, "the expressions of a query have at most %d states, each for every field that it is looked for in", MaxStates)
	}
	return &p, nil
}

// prefix resolves a prefix. Of a dynamic string one in JSON means the exact value, as a term does; one of q any of its words or the value.
func (r *resolver) prefix(n *Prefix, f *schema.Field, c scope, forgiven bool) (Node, error) {
	whole := f.Type == schema.Text && f.Exact
	p := TermPattern{Kind: PrefixPattern, Text: n.Text, Exact: whole && n.Pos < 0}
	switch {
	case f.Type != schema.Text || p.Exact:
		return r.pattern(p, f, c, n.Pos, forgiven)
	case !whole:
		return r.wordsPrefix(p, f, c, n.Pos, forgiven)
	}
	words, err := r.wordsPrefix(p, f, c.silent(), n.Pos, forgiven)
	if err != nil {
		return nil, err
	}
	value := &TermPattern{Field: f.Name, Kind: PrefixPattern, Exact: true, Text: n.Text}
	return constant(&Bool{Should: []Node{words, value}, MinShould: 1}, c), nil
}

// wordsPrefix resolves a prefix against the words of a text field. One that is several words, as wi-f, is their phrase, the last a prefix; signs before it or behind it do not
// count. One character of a script without spaces stands anywhere, as longer parts of its texts do.
func (r *resolver) wordsPrefix(p TermPattern, f *schema.Field, c scope, pos int, forgiven bool) (Node, error) {
	analyzer, known := r.schema.IndexAnalyzer(f)
	if !known {
		return r.pattern(p, f, c, pos, forgiven)
	}
	tokens := analyzer.Analyze(nil, p.Text)
	if len(tokens) == 0 {
		return r.pattern(p, f, c, pos, forgiven)
	}
	first, last := tokens[0], tokens[len(tokens)-1]
	tail, open := last.Term, last.End == len(p.Text)
	if open {
		tail = r.normal(p.Text[last.Start:], f)
	}
	if first.Start == last.Start { // one word, perhaps in several forms
		switch p.Text = tail; {
		case r.isCut(tail, f):
			return &TermPattern{Field: f.Name, Kind: CharacterPattern, Text: tail, Boost: c.leaf()}, nil
		case !open:
			return constant(oneTerm(f, tail, c.silent()), c), nil
		}
		return r.pattern(p, f, c, pos, forgiven)
	}
	n := &TextPhrase{Field: f.Name, Leaf: -1, Prefix: open}
	for i, t := range tokens {
		if i == len(tokens)-1 {
			t.Term = tail
		} else if t.Start == last.Start {
			continue
		}
		n.Terms = append(n.Terms, t.Term)
		n.Offsets = append(n.Offsets, t.Position-first.Position)
	}
	n.CutFirst = r.isCut(first.Term, f)
	return constant(n, c), r.count(len(n.Terms))
}

// normal brings a part of a word into the form in which the terms of a text field are written.
func (r *resolver) normal(part string, f *schema.Field) string {
	if analyzer, known := r.schema.IndexAnalyzer(f); known {
		return analysis.Normalize(analyzer, part)
	}
	return part
}

// normalWildcard is normal for the characters between the signs of a wildcard pattern.
func (r *resolver) normalWildcard(text string, f *schema.Field) string {
	var b strings.Builder
	literal := func(part string) { // wide signs become plain ones, which still mean themselves
		b.WriteString(strings.NewReplacer(`*`, `\*`, `?`, `\?`, `\`, `\\`).Replace(r.normal(part, f)))
	}
	for from := 0; from < len(text); {
		at := strings.IndexAny(text[from:], `*?\`)
		if at < 0 {
			literal(text[from:])
			break
		}
		literal(text[from : from+at])
		sign, size := from+at, 1
		if text[sign] == '\\' && sign+1 < len(text) {
			_, size = utf8.DecodeRuneInString(text[sign+1:])
			if size++; strings.IndexByte(`*?\`, text[sign+1]) < 0 { // it takes no meaning off
				literal(text[sign+1 : sign+size])
				from = sign + size
				continue
			}
		}
		b.WriteString(text[sign : sign+size])
		from = sign + size
	}
	return b.String()
}

// folds tells whether the words of a text field are folded: those of all analyzers but few are.
func (r *resolver) folds(f *schema.Field) bool {
	analyzer, known := r.schema.IndexAnalyzer(f)
	if !known {
		return false
	}
	tokens := analyzer.Analyze(nil, "Q")
	return len(tokens) == 0 || !strings.HasPrefix(tokens[0].Term, "Q")
}

// placed gives an error a place in q.
func placed(err error, pos int) error {
	if f, ok := err.(*fault.Error); ok && f.Position < 0 {
		return fault.At(f.Code, pos, "%s", f.Message)
	}
	return err
}
