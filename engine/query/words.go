package query

import (
	"strconv"
	"strings"

	"github.com/jetseek/jetseek/engine/analysis"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/schema"
)

// This file resolves words and phrases against one field.

// word resolves a bare word: the phrase of its tokens in a text field, the value in any other. Among default fields a word that does not fit a field's type
// matches nothing there.
func (r *resolver) word(n *Word, f *schema.Field, c scope, spread bool) (Node, error) {
	if f.Type == schema.Text {
		return r.phraseOf(n.Text, f, c)
	}
	return r.exactWord(n.Text, f, c, n.Pos, spread || n.Lenient)
}

// phrase resolves quoted text.
func (r *resolver) phrase(n *Phrase, f *schema.Field, c scope, spread bool) (Node, error) {
	switch {
	case f.Type == schema.Text:
		resolved, err := r.phraseOf(n.Text, f, c)
		return loosened(resolved, n), err
	case n.Prefix:
		return r.pattern(TermPattern{Kind: PrefixPattern, Text: n.Text}, f, scope{scores: c.scores}, n.Pos, spread || n.Lenient)
	case n.Pos < 0 && f.Type != schema.Keyword:
		return nil, misfit(f, Value{Kind: StringValue, Text: n.Text})
	}
	return r.exactWord(n.Text, f, c, n.Pos, spread || n.Lenient)
}

// loosened gives the phrases that a text resolved to the slop and the prefix that were asked for.
func loosened(resolved Node, n *Phrase) Node {
	switch p := resolved.(type) {
	case *DisMax:
		for i := range p.Children {
			p.Children[i] = loosened(p.Children[i], n)
		}
	case *TextPhrase:
		p.Slop, p.Prefix = n.Slop, n.Prefix
		p.CutLast = p.CutLast && !p.Prefix
		p.CutFirst = p.CutFirst && p.Slop == 0
		if n.Prefix {
			return scored(p, 0)
		}
		return scored(p, p.Boost)
	case *ConstantScore: // of a phrase of two ends
		return loosened(p.Child, n)
	case *TermPattern:
		if n.Prefix {
			p.Boost = 0
		}
	case *TextTerm:
		if n.Prefix {
			return &TermPattern{Field: p.Field, Kind: PrefixPattern, Text: p.Term} // a prefix adds nothing to a phrase's score
		}
	}
	return resolved
}

// exactWord resolves a word against a field that is no text. The error has the word's place; forgiven, what does not fit matches nothing.
func (r *resolver) exactWord(text string, f *schema.Field, c scope, pos int, forgiven bool) (Node, error) {
	n, err := exact(f, Value{Text: text}, c)
	if err == nil {
		return n, nil
	}
	if forgiven {
		return &MatchNone{}, nil
	}
	return nil, fault.At(fault.BadQuery, pos, "field %s is %s and cannot be %s", fault.Quote(f.Name), f.Type, fault.Quote(text))
}

// phraseOf gives the term or phrase of a text's tokens, nil where it has none.
func (r *resolver) phraseOf(text string, f *schema.Field, c scope) (Node, error) {
	if steps, ok := r.steps(text, f); ok {
		return r.readings(steps, f, c)
	}
	tokens, err := r.tokens(text, f)
	if err != nil || len(tokens) == 0 {
		return nil, err
	}
	return r.phraseNode(tokens, f, c), nil
}

// phraseNode gives the term or phrase of tokens, of which there is at least one.
func (r *resolver) phraseNode(tokens []analysis.Token, f *schema.Field, c scope) Node {
	first, last := tokens[0].Term, tokens[len(tokens)-1].Term
	switch {
	case len(tokens) > 1:
	case r.isCut(first, f):
		return &TermPattern{Field: f.Name, Kind: CharacterPattern, Text: first, Boost: c.leaf()}
	default:
		return &TextTerm{Field: f.Name, Term: first, Boost: c.leaf(), Leaf: -1}
	}
	n := &TextPhrase{Field: f.Name, Boost: c.leaf(), Leaf: -1}
	for _, t := range tokens {
		n.Terms = append(n.Terms, t.Term)
		n.Offsets = append(n.Offsets, t.Position-tokens[0].Position)
	}
	n.CutFirst, n.CutLast = r.isCut(first, f), r.isCut(last, f)
	return scored(n, n.Boost)
}

// scored gives a constant score to a phrase of which no term stands for itself.
func scored(n *TextPhrase, boost float64) Node {
	if len(n.whole()) > 0 {
		return n
	}
	return &ConstantScore{Child: n, Boost: boost}
}

// isCut tells whether a term is one character where a text field has pairs of them, so that it may stand within longer texts in the pair to its left or right.
func (r *resolver) isCut(term string, f *schema.Field) bool {
	if !analysis.IsCharacter(term) {
		return false
	}
	analyzer, known := r.schema.IndexAnalyzer(f)
	return known && analysis.MakesPairs(analyzer)
}

// tokens analyses a text as the field's words are asked for.
func (r *resolver) tokens(text string, f *schema.Field) ([]analysis.Token, error) {
	analyzer, known := r.schema.SearchAnalyzer(f)
	if !known {
		return nil, fault.New(fault.BadField, "field %s: unknown analyzer %s", fault.Quote(f.Name), fault.Quote(f.Analyzer))
	}
	tokens := analyzer.Analyze(nil, text)
	return tokens, r.count(len(tokens))
}

// count counts the words of a text towards the limits.
func (r *resolver) count(words int) error {
	if words > MaxClauses {
		return fault.New(fault.LimitExceeded, "a text of a query has at most %d words", MaxClauses)
	}
	if r.leaves += words; r.leaves > MaxLeaves {
		return tooManyLeaves()
	}
	return nil
}

func (r *resolver) match(n *Match, c scope) (Node, error) {
	f, known := r.schema.Lookup(n.Field)
	if !known {
		return &MatchNone{}, nil
	}
	return r.matchField(n.Value, f, c.times(f.Boost), n.And, n.MinShould, n.Fuzziness)
}

func (r *resolver) multiMatch(n *MultiMatch, c scope) (Node, error) {
	fields := n.Fields
	if len(fields) == 0 {
		for _, f := range r.defaultFields() {
			fields = append(fields, BoostedField{Name: f.Name, Boost: 1})
		}
	}
	var parts []Node
	dropped := 0
	for _, named := range fields {
		f, known := r.schema.Lookup(named.Name)
		if !known {
			continue
		}
		part, err := r.matchField(n.Value, f, c.times(named.Boost).times(f.Boost), n.And, n.MinShould, n.Fuzziness)
		switch {
		case err != nil:
			return nil, err
		case part == nil:
			dropped++
		default:
			parts = append(parts, part)
		}
	}
	switch {
	case len(parts) == 0 && dropped > 0:
		return nil, nil
	case n.Most:
		return simplify(&Bool{Should: parts, MinShould: 1}), nil
	}
	return best(parts, n.Tie), nil
}

// matchField resolves the words of a match against one field.
func (r *resolver) matchField(v Value, f *schema.Field, c scope, and bool, minShould, fuzziness string) (Node, error) {
	if f.Type == schema.Keyword && fuzziness != "0" && v.Kind == StringValue {
		return r.fuzzy(v.Text, fuzziness, &Fuzzy{Pos: -1}, f, c, false)
	}
	if f.Type != schema.Text {
		return exact(f, v, c)
	}
	if v.Kind != StringValue {
		return nil, misfit(f, v)
	}
	terms, err := r.matchTerms(v.Text, fuzziness, f, c)
	if err != nil || len(terms) == 0 {
		return nil, err
	}
	if and {
		return simplify(&Bool{Must: terms}), nil
	}
	needed := 1
	if minShould != "" {
		wanted, err := neededClauses(minShould, len(terms))
		if err != nil {
			return nil, err
		}
		needed = max(needed, wanted)
	}
	return simplify(&Bool{Should: terms, MinShould: needed}), nil
}

// matchTerms gives a clause for each word of a text.
func (r *resolver) matchTerms(text, fuzziness string, f *schema.Field, c scope) ([]Node, error) {
	if steps, ok := r.steps(text, f); ok {
		return r.spelled(steps, f, c)
	}
	tokens, err := r.tokens(text, f)
	if err != nil {
		return nil, err
	}
	terms := make([]Node, len(tokens))
	for i, t := range tokens {
		if edits(fuzziness, 1) == 0 && r.isCut(t.Term, f) {
			terms[i] = r.phraseNode(tokens[i:i+1], f, c)
			continue
		}
		if terms[i], err = r.fuzzy(t.Term, fuzziness, &Fuzzy{Pos: -1}, f, c, false); err != nil {
			return nil, err
		}
	}
	return terms, nil
}

// neededClauses reads minimum_should_match for so many clauses: 2, -1 (all but one), 75% or -25% (rounded down). A result below 0 is 0; one above total can
// never match.
func neededClauses(text string, total int) (int, error) {
	digits, percent := strings.CutSuffix(text, "%")
	n, err := strconv.Atoi(digits)
	const limit = 1 << 20
	if err != nil || n < -limit || n > limit {
		return 0, fault.New(fault.BadQuery, "minimum_should_match is a number or a percentage, not %s", fault.Quote(text))
	}
	if percent {
		n = n * total / 100 // Go's division rounds towards zero, as both signs need
	}
	if strings.HasPrefix(digits, "-") {
		n += total
	}
	return max(n, 0), nil
}
