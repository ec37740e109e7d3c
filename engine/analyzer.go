package engine

import (
	"fmt"

	"github.com/jetseek/jetseek/engine/analysis"
	"github.com/jetseek/jetseek/engine/internal/segment"
	"github.com/jetseek/jetseek/engine/schema"
)

// analyzer turns the body of a put into what a segment takes, in two steps: [analyzer.prepare] does all that may fail or panic, [analyzer.add]
// hands the result over. It keeps its memory from one document to the next.
type analyzer struct {
	chain  func(name string) (analysis.Analyzer, bool) // of the analyzers that schemas name
	tokens []analysis.Token                            // of all text fields, one after the other
	ends   []int                                       // of each text field in tokens
	exact  []string
}

// prepare decodes a body under a schema and analyses its texts. A panic in that comes back as a [panicError].
func (a *analyzer) prepare(s *schema.Schema, body []byte) (doc *schema.Document, err error) {
	defer func() {
		if r := recover(); r != nil {
			doc, err = nil, &panicError{r}
		}
	}()
	a.tokens, a.ends = a.tokens[:0], a.ends[:0]
	if doc, err = s.DecodeKnown(body); err != nil {
		return nil, fmt.Errorf("decode: %w", err)
	}
	for i := range doc.Values {
		if v := &doc.Values[i]; v.Field.Type == schema.Text {
			if err := a.text(v); err != nil {
				return nil, err
			}
			a.ends = append(a.ends, len(a.tokens))
		}
	}
	return doc, nil
}

// text appends the tokens of all values of a field, [analysis.PositionGap] positions between them.
func (a *analyzer) text(v *schema.Values) error {
	chain, ok := a.chain(v.Field.Analyzer)
	if !ok {
		return fmt.Errorf("field %q: no analyzer %q", v.Field.Name, v.Field.Analyzer)
	}
	base := 0
	for _, text := range v.Strings {
		from := len(a.tokens)
		a.tokens = chain.Analyze(a.tokens, text)
		if from == len(a.tokens) {
			continue
		}
		for i := from; i < len(a.tokens); i++ {
			a.tokens[i].Position += base
		}
		base = a.tokens[len(a.tokens)-1].Position + 1 + analysis.PositionGap
	}
	return nil
}

// add hands the fields of the document prepared last to a builder, whose last document is this one.
func (a *analyzer) add(b *segment.Builder, doc *schema.Document) {
	from, texts := 0, 0
	for i := range doc.Values {
		v := &doc.Values[i]
		switch v.Field.Type {
		case schema.Text:
			b.Text(v.Field.Name, a.tokens[from:a.ends[texts]])
			from, texts = a.ends[texts], texts+1
			a.addExact(b, v)
		case schema.Keyword:
			a.addExact(b, v)
		case schema.Long, schema.Date, schema.Bool:
			b.Ints(v.Field.Name, v.Ints)
		case schema.Double:
			b.Floats(v.Field.Name, v.Floats)
		}
	}
}

func (a *analyzer) addExact(b *segment.Builder, v *schema.Values) {
	a.exact = a.exact[:0]
	for _, s := range v.Strings {
		if v.Field.HasExact(s) {
			a.exact = append(a.exact, s)
		}
	}
	if len(a.exact) > 0 {
		b.Exact(v.Field.Name, a.exact)
	}
}

// panicError is a panic of decoding or analysis.
type panicError struct{ value any }

func (e *panicError) Error() string { return fmt.Sprintf("panic: %v", e.value) }
