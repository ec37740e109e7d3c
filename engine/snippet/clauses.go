package snippet

import (
	"cmp"
	"slices"
	"strings"

	"github.com/jetseek/jetseek/engine/analysis"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/query/pattern"
	"github.com/jetseek/jetseek/engine/schema"
)

// none is the word of the query of what nothing matched.
const none = -1

// clauses are those of a query for one field. Each has the number of the word of the query that it stands for; several may stand for one.
type clauses struct {
	field    *schema.Field
	terms    map[string]int
	patterns []termPattern  // of words
	cut      map[string]int // characters of scripts without spaces, which are marked in the pairs that hold them
	phrases  []phrase
	inPhrase map[string]bool // terms of phrases

	values        map[string]int
	ranges        []valueRange
	valuePatterns []termPattern
}

// termPattern matches terms, or exact values.
type termPattern struct {
	prefix    string
	automaton *pattern.Automaton // nil: by prefix
	word      int
}

func (p *termPattern) matches(term string) bool {
	if p.automaton == nil {
		return strings.HasPrefix(term, p.prefix)
	}
	return p.automaton.Matches(term)
}

type phrase struct {
	*query.TextPhrase
	word int
}

type valueRange struct {
	*query.KeywordRange
	word int
}

func (r *valueRange) holds(v string) bool {
	if r.Lo != nil {
		if c := cmp.Compare(v, *r.Lo); c < 0 || c == 0 && !r.IncLo {
			return false
		}
	}
	if r.Hi != nil {
		if c := cmp.Compare(v, *r.Hi); c > 0 || c == 0 && !r.IncHi {
			return false
		}
	}
	return true
}

// reader collects the clauses of a query by field.
type reader struct {
	fields map[string]*clauses
	words  int // numbers given
}

// node takes the clauses of a node and of those below it. word is the number that a leaf takes, or [none] for one of its own.
func (r *reader) node(n query.Node, word int) error {
	switch n := n.(type) {
	case *query.Bool:
		for _, list := range [...][]query.Node{n.Must, n.Should, n.Filter} {
			for _, child := range list {
				if err := r.node(child, none); err != nil {
					return err
				}
			}
		}
	case *query.DisMax: // of leaves: the ways to write a word
		if word == none {
			word = r.number()
		}
		for _, child := range n.Children {
			if err := r.node(child, word); err != nil {
				return err
			}
		}
	case *query.ConstantScore:
		return r.node(n.Child, word)
	case *query.Scaled:
		return r.node(n.Child, word)
	case *query.AtLeast:
		return r.node(n.Child, word)
	case *query.Functions:
		return r.node(n.Child, word)
	case *query.TextTerm:
		r.term(n, word)
	case *query.TextPhrase:
		r.phrase(n, word)
	case *query.KeywordSet:
		r.values(n, word)
	case *query.KeywordRange:
		if c := r.fields[n.Field]; c != nil {
			c.ranges = append(c.ranges, valueRange{n, r.own(word)})
		}
	case *query.TermPattern:
		return r.pattern(n, word)
	}
	return nil
}

func (r *reader) number() int {
	r.words++
	return r.words - 1
}

// own gives a word's number, or a new one for none.
func (r *reader) own(word int) int {
	if word == none {
		return r.number()
	}
	return word
}

func (r *reader) term(n *query.TextTerm, word int) {
	c := r.fields[n.Field]
	if c == nil {
		return
	}
	if _, known := c.terms[n.Term]; !known {
		c.terms[n.Term] = r.own(word)
	}
}

func (r *reader) phrase(n *query.TextPhrase, word int) {
	c := r.fields[n.Field]
	if c == nil {
		return
	}
	c.phrases = append(c.phrases, phrase{n, r.own(word)})
	for _, term := range n.Terms {
		c.inPhrase[term] = true
	}
}

func (r *reader) values(n *query.KeywordSet, word int) {
	c := r.fields[n.Field]
	if c == nil {
		return
	}
	for _, v := range n.Values {
		if _, known := c.values[v]; !known {
			c.values[v] = r.own(word)
		}
	}
}

func (r *reader) pattern(n *query.TermPattern, word int) error {
	c := r.fields[n.Field]
	if c == nil {
		return nil
	}
	if n.Kind == query.CharacterPattern {
		if _, known := c.cut[n.Text]; !known {
			c.cut[n.Text] = r.own(word)
		}
		return nil
	}
	if len(c.patterns)+len(c.valuePatterns) >= MaxPatterns {
		return fault.New(fault.LimitExceeded, "snippets of field %s: at most %d prefixes, wildcards and expressions are looked for in it", fault.Quote(n.Field), MaxPatterns)
	}
	p := termPattern{prefix: n.Text, word: r.own(word)}
	if n.Kind != query.PrefixPattern {
		e, err := n.Expression()
		if err != nil {
			return err
		}
		if p.automaton, err = e.Automaton(); err != nil {
			return err
		}
	}
	if n.Exact {
		c.valuePatterns = append(c.valuePatterns, p)
	} else {
		c.patterns = append(c.patterns, p)
	}
	return nil
}

// word gives the word of the query that a term of the text stands for.
func (c *clauses) word(term string) int {
	if word, ok := c.terms[term]; ok {
		return word
	}
	return firstMatch(c.patterns, term)
}

// cutWords gives the words of the query that the first and the last character of a term stand for.
func (c *clauses) cutWords(term string) (first, last int) {
	if len(c.cut) == 0 {
		return none, none
	}
	return c.cutWord(term[:analysis.FirstCharacter(term)]), c.cutWord(term[analysis.LastCharacter(term):])
}

func (c *clauses) cutWord(character string) int {
	if word, ok := c.cut[character]; ok {
		return word
	}
	return none
}

// valueWord gives the word of the query that an exact value stands for.
func (c *clauses) valueWord(value string) int {
	if word, ok := c.values[value]; ok {
		return word
	}
	if i := slices.IndexFunc(c.ranges, func(r valueRange) bool { return r.holds(value) }); i >= 0 {
		return c.ranges[i].word
	}
	return firstMatch(c.valuePatterns, value)
}

func firstMatch(patterns []termPattern, term string) int {
	for i := range patterns {
		if patterns[i].matches(term) {
			return patterns[i].word
		}
	}
	return none
}
