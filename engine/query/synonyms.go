package query

import (
	"github.com/jetseek/jetseek/engine/analysis"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/schema"
)

// maxReadings is how many phrases the synonyms of one text may make.
const maxReadings = 64

// steps gives what synonyms make of a text; ok is false where the field has none.
func (r *resolver) steps(text string, f *schema.Field) (steps []analysis.Step, ok bool) {
	analyzer, known := r.schema.SearchAnalyzer(f)
	if !known {
		return nil, false
	}
	return analysis.Expand(analyzer, text)
}

// readings gives the best of the phrases that a text with synonyms can be read as, nil where it has no words.
func (r *resolver) readings(steps []analysis.Step, f *schema.Field, c scope) (Node, error) {
	phrases, ok := analysis.Phrases(steps, maxReadings)
	if !ok {
		return nil, fault.New(fault.LimitExceeded, "field %s: a phrase has more than %d readings by its synonyms", fault.Quote(f.Name), maxReadings)
	}
	var nodes []Node
	words := 0
	for _, tokens := range phrases {
		if len(tokens) > 0 {
			words += len(tokens)
			nodes = append(nodes, r.phraseNode(tokens, f, c))
		}
	}
	if len(nodes) == 0 {
		return nil, nil
	}
	return best(nodes, 0), r.count(words)
}

// spelled gives a clause for each step of a text with synonyms: a term, or the best of the ways to write it.
func (r *resolver) spelled(steps []analysis.Step, f *schema.Field, c scope) ([]Node, error) {
	var nodes []Node
	words := 0
	for _, s := range steps {
		var ways []Node
		for _, w := range s.Ways {
			words += len(w.Tokens)
			ways = append(ways, r.phraseNode(w.Tokens, f, c))
		}
		nodes = append(nodes, best(ways, 0))
	}
	return nodes, r.count(words)
}
