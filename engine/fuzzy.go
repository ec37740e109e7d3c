package engine

import (
	"context"
	"slices"

	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/query/pattern"
	"github.com/jetseek/jetseek/engine/schema"
)

// Expand answers for live, owned documents, in the order asked: the terms near a word, the nearest first, as many as the question's Limit. Errors are ctx's, which is
// noticed within a millisecond.
func (s *Snapshot) Expand(ctx context.Context, c schema.Incarnation, questions []query.FuzzyQuestion) (_ [][]query.Expansion, err error) {
	defer s.index.files.catch(panicOnFault(), &err)
	answers := make([][]query.Expansion, len(questions))
	found := s.state.find(c)
	if found == nil {
		return answers, ctx.Err()
	}
	for i := range questions {
		if answers[i], err = found.expand(ctx, &questions[i]); err != nil {
			return nil, err
		}
	}
	return answers, nil
}

func (c *collection) expand(ctx context.Context, q *query.FuzzyQuestion) ([]query.Expansion, error) {
	w := &watched{Automaton: pattern.Fuzzy(q.Word, q.Edits, q.Prefix), ctx: ctx}
	measure := pattern.NewDistance(q.Word, q.Edits)
	edits := map[string]int{}
	for _, p := range c.parts {
		f := p.seg.Field(q.Field)
		if f == nil {
			continue
		}
		dict := &f.Terms
		if q.Exact {
			dict = &f.Exact
		}
		for m := dict.Match(w); m.Next(); {
			if _, known := edits[string(m.Term())]; !known {
				term := string(m.Term())
				edits[term], _ = measure.Of(term)
			}
		}
	}
	if w.err != nil {
		return nil, w.err
	}
	near := make([]query.Expansion, 0, len(edits))
	for term, n := range edits {
		near = append(near, query.Expansion{Term: term, Edits: n})
	}
	slices.SortFunc(near, query.CompareExpansions)
	live := near[:0]
	for _, e := range near {
		if len(live) == q.Limit() {
			break
		}
		for _, p := range c.parts {
			e.DF += p.frequency(bm25.FieldTerm{Field: q.Field, Term: e.Term}, q.Exact)
		}
		if e.DF > 0 {
			live = append(live, e)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return live, nil
}

// watched is an automaton that looks at the context between terms, and lets nothing match any more when it has ended.
type watched struct {
	*pattern.Automaton
	ctx   context.Context
	terms int
	err   error
}

// termsBetweenLooks is how many terms are walked over between two looks at the context: some hundred microseconds.
const termsBetweenLooks = 256

// Trim is called between terms.
func (w *watched) Trim() bool {
	if w.terms++; w.terms%termsBetweenLooks == 0 && w.err == nil {
		w.err = w.ctx.Err()
	}
	return w.Automaton.Trim()
}

// CanMatch says no when the context has ended.
func (w *watched) CanMatch(state int) bool { return w.err == nil && w.Automaton.CanMatch(state) }
