package analysis

import (
	"fmt"
	"slices"
	"strings"
)

// Synonyms are for queries alone, so that rules of several words are right in phrases and may change without indexing anything again: a document's tokens have one
// place each, in which "dns" and "domain name system" cannot both be. A rule
//
//	television, tv, telly          lets a query for one ask for each of them
//	ipad => ipad, tablet           lets a query for what is on the left ask for what is on the right instead, which may repeat it
//
// Spellings may have several words. At each place of a query the longest spelling that begins there is taken, and what follows is looked for behind it.

// Step is what stands in one place of a query: a token, or the ways to write it that synonyms give. Every way is as good as any other.
type Step struct {
	Gap  int   // positions left empty before it, by removed tokens
	Ways []Way // none: what stood there was removed
}

// Way is one way to write a step.
type Way struct {
	Tokens []Token // positions from the beginning of the step; offsets of what stands in the query
	Width  int     // how many positions it takes
}

// Expand gives the steps of a query's text; ok is false where the analyzer has no synonyms, and every token is a step.
func Expand(a Analyzer, text string) (steps []Step, ok bool) {
	c, ok := a.(*Chain)
	if !ok || c.synonyms == nil {
		return nil, false
	}
	return c.expand(text), true
}

// Phrases gives every text that steps can be read as; ok is false where there are more than most.
func Phrases(steps []Step, most int) (phrases [][]Token, ok bool) {
	type read struct {
		tokens []Token
		width  int
	}
	reads := []read{{}}
	for _, s := range steps {
		if len(s.Ways)*len(reads) > most {
			return nil, false
		}
		var longer []read
		for _, before := range reads {
			for _, way := range s.Ways {
				at := before.width + s.Gap
				tokens := slices.Clip(before.tokens)
				for _, t := range way.Tokens {
					t.Position += at
					tokens = append(tokens, t)
				}
				longer = append(longer, read{tokens, at + way.Width})
			}
		}
		if len(s.Ways) > 0 {
			reads = longer
		}
	}
	for _, r := range reads {
		phrases = append(phrases, r.tokens)
	}
	return phrases, true
}

// synonyms are the rules by the first term of what they stand for.
type synonyms struct {
	byFirst map[string][]*rule // the longest first
}

type rule struct {
	from []Token
	to   []Way
}

// newSynonyms reads rules, whose words are made by what c has so far.
func (c *Chain) newSynonyms(rules []string) (*synonyms, error) {
	if err := checkEntries("rules", rules); err != nil {
		return nil, err
	}
	s := &synonyms{byFirst: map[string][]*rule{}}
	for i, text := range rules {
		left, right, oneWay := strings.Cut(text, "=>")
		from, err := c.spellings(left)
		to := from
		if err == nil && oneWay {
			to, err = c.spellings(right)
		}
		if err == nil && !oneWay && len(from) < 2 {
			err = fmt.Errorf("a rule has several spellings")
		}
		if err != nil {
			return nil, fmt.Errorf("rules[%d] %q: %w", i, text, err)
		}
		for _, way := range from {
			s.add(way.Tokens, to)
		}
	}
	return s, nil
}

// spellings reads a list that commas separate.
func (c *Chain) spellings(list string) ([]Way, error) {
	var ways []Way
	for text := range strings.SplitSeq(list, ",") {
		tokens := c.Analyze(nil, text)
		if len(tokens) == 0 || len(tokens) > MaxSynonymWords {
			return nil, fmt.Errorf("%q has %d words, not 1 to %d", strings.TrimSpace(text), len(tokens), MaxSynonymWords)
		}
		first := tokens[0].Position
		for i := range tokens {
			tokens[i].Position -= first
		}
		ways = appendWay(ways, Way{tokens, tokens[len(tokens)-1].Position + 1})
	}
	return ways, nil
}

// appendWay appends a way that is not there yet.
func appendWay(ways []Way, w Way) []Way {
	if slices.ContainsFunc(ways, func(other Way) bool { return sameTerms(other.Tokens, w.Tokens) }) {
		return ways
	}
	return append(ways, w)
}

// add lets a spelling stand for ways, beside those that it stands for already.
func (s *synonyms) add(from []Token, ways []Way) {
	rules := s.byFirst[from[0].Term]
	i := slices.IndexFunc(rules, func(r *rule) bool { return sameTerms(r.from, from) })
	if i < 0 {
		i = len(rules)
		rules = append(rules, &rule{from: from})
	}
	for _, w := range ways {
		rules[i].to = appendWay(rules[i].to, w)
	}
	slices.SortStableFunc(rules, func(a, b *rule) int { return len(b.from) - len(a.from) })
	s.byFirst[from[0].Term] = rules
}

// sameTerms tells whether both have the same terms at the same distances.
func sameTerms(a, b []Token) bool {
	return slices.EqualFunc(a, b, func(x, y Token) bool {
		return x.Term == y.Term && x.Position-a[0].Position == y.Position-b[0].Position
	})
}

// match gives the longest rule that tokens begin with, nil where there is none.
func (s *synonyms) match(tokens []Token) *rule {
	for _, r := range s.byFirst[tokens[0].Term] {
		if n := len(r.from); n <= len(tokens) && sameTerms(r.from, tokens[:n]) {
			return r
		}
	}
	return nil
}

// expand gives the steps of a query.
func (c *Chain) expand(text string) []Step {
	tokens := c.cut(nil, text)
	for _, f := range c.filters[:c.behind] {
		tokens = f(tokens, 0)
	}
	var steps []Step
	end := 0 // of the step before, in positions
	for len(tokens) > 0 {
		first, n := tokens[0], 1
		ways := []Way{{Tokens: tokens[:1], Width: 1}}
		if r := c.synonyms.match(tokens); r != nil {
			n, ways = len(r.from), r.to
		}
		step := Step{Gap: first.Position - end}
		for _, w := range ways {
			w.Tokens = c.finish(w.Tokens, tokens[n-1].End, first.Start)
			if len(w.Tokens) > 0 {
				step.Ways = appendWay(step.Ways, w)
			}
		}
		end = tokens[n-1].Position + 1
		if len(step.Ways) == 0 { // the filters behind removed it: its place stays empty
			end = first.Position - step.Gap
		} else {
			steps = append(steps, step)
		}
		tokens = tokens[n:]
	}
	return steps
}

// finish gives the tokens of a way, after the filters behind the synonyms, as tokens of what stands between two bytes of the query.
func (c *Chain) finish(tokens []Token, end, start int) []Token {
	tokens = slices.Clone(tokens)
	first := tokens[0].Position
	for i := range tokens {
		tokens[i].Position -= first
		tokens[i].Start, tokens[i].End = start, end
	}
	for _, f := range c.filters[c.behind:] {
		tokens = f(tokens, 0)
	}
	if c.expands {
		tokens = distinct(tokens, 0)
	}
	return tokens
}
