package snippet

import (
	"context"
	"fmt"
	"unicode/utf8"

	"github.com/jetseek/jetseek/engine/analysis"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/schema"
)

// Cutter cuts the snippets of one query. It serves one goroutine.
type Cutter struct {
	options Options
	schema  *schema.Schema
	fields  []*clauses
	words   int // of the query, over all fields

	decoder schema.Decoder
	pace    pace
	tokens  []token
	counts  []int // matches of each word of the query in a window, all 0 in between
}

// New makes a cutter for a resolved query without fuzzy words ([query.Expand]). It fails with bad_field for a field that holds no text, and as
// [Options.Check] does.
func New(s *schema.Schema, q query.Node, o *Options) (*Cutter, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	r := &reader{fields: map[string]*clauses{}}
	c := &Cutter{options: *o, schema: s}
	for _, name := range o.Fields {
		f, known := s.Lookup(name)
		if !known || r.fields[name] != nil {
			continue
		}
		if f.Type != schema.Text && f.Type != schema.Keyword {
			return nil, fault.New(fault.BadField, "field %s is %s: snippets are cut from text and keyword fields", fault.Quote(name), f.Type)
		}
		r.fields[name] = &clauses{field: f, terms: map[string]int{}, values: map[string]int{}, cut: map[string]int{}, inPhrase: map[string]bool{}}
		c.fields = append(c.fields, r.fields[name])
	}
	if err := r.node(q, none); err != nil {
		return nil, err
	}
	c.words, c.counts = r.words, make([]int, r.words)
	return c, nil
}

// Cut gives the snippets of a document's source by field, the best first; a field that has none is not named. It fails with ctx's error when it ends.
func (c *Cutter) Cut(ctx context.Context, source []byte) (map[string][]string, error) {
	c.pace = pace{ctx: ctx}
	doc, err := c.decoder.DecodeKnown(c.schema, source)
	if err != nil {
		return nil, fmt.Errorf("decode the source: %w", err)
	}
	snippets := map[string][]string{}
	for _, f := range c.fields {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for i := range doc.Values {
			if doc.Values[i].Field.Name != f.field.Name {
				continue
			}
			passages, err := c.cut(f, doc.Values[i].Strings)
			if err != nil {
				return nil, err
			}
			if len(passages) > 0 {
				snippets[f.field.Name] = passages
			}
		}
	}
	return snippets, nil
}

// cut gives the snippets of one field.
func (c *Cutter) cut(f *clauses, values []string) ([]string, error) {
	values, broken := bounded(values)
	if broken && f.field.Type == schema.Keyword { // a part of an exact value is another one
		values = values[:len(values)-1]
	}
	tokens, err := c.analyse(f, values, broken)
	if err != nil {
		return nil, err
	}
	texts := split(values, tokens)
	var passages []passage
	for i := range texts {
		texts[i].match(f)
		if len(texts[i].matches) > 0 {
			if passages, err = c.passages(passages, &texts[i], i); err != nil {
				return nil, err
			}
		}
	}
	if len(passages) == 0 {
		return c.beginning(texts), nil
	}
	return c.best(passages, texts), nil
}

// bounded gives the values of which [MaxTextBytes] are left in all; broken tells that the last was cut, at a character.
func bounded(values []string) (_ []string, broken bool) {
	left := MaxTextBytes
	for i, v := range values {
		if len(v) <= left {
			left -= len(v)
			continue
		}
		for left > 0 && !utf8.RuneStart(v[left]) {
			left--
		}
		return append(append([]string(nil), values[:i]...), v[:left]), true
	}
	return values, false
}

// token is one of a value, with the word of the query that matched it, or its first or last character alone: pairs of characters are matched by one of them, too.
type token struct {
	analysis.Token
	value       int
	word        int
	first, last int
}

// analyse gives the tokens of all values as they were indexed, with what matches them; of a broken last value without the word that it breaks.
func (c *Cutter) analyse(f *clauses, values []string, broken bool) ([]token, error) {
	c.tokens = c.tokens[:0]
	if f.field.Type != schema.Text {
		return nil, nil
	}
	analyzer, known := c.schema.IndexAnalyzer(f.field)
	if !known {
		return nil, fault.New(fault.BadField, "field %s: unknown analyzer %s", fault.Quote(f.field.Name), fault.Quote(f.field.Analyzer))
	}
	var found []analysis.Token
	seen := map[string]int{} // patterns are dear: each term meets them once
	base := 0
	for i, text := range values {
		found = analyzer.Analyze(found[:0], text)
		for _, t := range found {
			if broken && i == len(values)-1 && t.End == len(text) {
				continue
			}
			if err := c.pace.step(1); err != nil {
				return nil, err
			}
			word, known := seen[t.Term]
			if !known {
				word = f.word(t.Term)
				seen[t.Term] = word
			}
			t.Position += base
			first, last := f.cutWords(t.Term)
			c.tokens = append(c.tokens, token{Token: t, value: i, word: word, first: first, last: last})
		}
		if len(found) > 0 {
			base += found[len(found)-1].Position + 1 + analysis.PositionGap
		}
	}
	return c.tokens, f.markPhrases(&c.pace, c.tokens)
}

// pace looks at the context from time to time.
type pace struct {
	ctx  context.Context
	left int
}

// stepsBetweenLooks is how much is done between two looks at the context: some hundred microseconds.
const stepsBetweenLooks = 4096

// step tells of so many small steps, and fails when the context has ended.
func (p *pace) step(n int) error {
	if p.left -= n; p.left > 0 {
		return nil
	}
	p.left = stepsBetweenLooks
	return p.ctx.Err()
}
