package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/internal/search"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/schema"
)

// ExplainRequest asks how a document comes by its score.
type ExplainRequest struct {
	Collection schema.Incarnation
	Query      query.Node // resolved
	ID         string
	// Fields, Terms and Stats are the question of the query's leaves and its answer, of which the weights are made.
	Fields []string
	Terms  []bm25.FieldTerm
	Stats  bm25.Stats
}

// Explained is a score with its parts: the explanation's value is the score as shown, 0 for a document that does not match.
type Explained struct {
	Matched     bool
	Explanation bm25.Explanation
}

// Explain takes the score of one live, owned document apart; false when there is none of the id. The score is what [Snapshot.Search] gives the document under weights
// of the same statistics. Errors are those of Search and of [query.Weigh].
func (s *Snapshot) Explain(ctx context.Context, r ExplainRequest) (_ Explained, _ bool, err error) {
	defer s.index.files.catch(panicOnFault(), &err)
	p, doc, ok := s.locate(r.Collection, r.ID)
	if !ok {
		return Explained{}, false, ctx.Err()
	}
	x := explainer{leaves: query.Leaves(r.Query), request: &r}
	weights, err := query.Weigh(x.leaves, r.Fields, r.Terms, r.Stats)
	if err != nil {
		return Explained{}, false, err
	}
	x.probe = search.NewProbe(ctx, &search.View{Segment: p.seg, Visible: p.visible, Docs: p.docs}, doc, weights)
	e, matched, err := x.node(r.Query)
	if err != nil {
		return Explained{}, false, err
	}
	return Explained{Matched: matched, Explanation: e}, true, nil
}

// explainer takes scores of one document apart, node by node.
type explainer struct {
	probe   *search.Probe
	leaves  []query.Leaf
	request *ExplainRequest
}

// node explains what a node that scores gives the document.
func (x *explainer) node(n query.Node) (bm25.Explanation, bool, error) {
	m, err := x.probe.Match(n, true)
	if err != nil {
		return bm25.Explanation{}, false, err
	}
	if !m.Matched {
		e, err := x.miss(n)
		return e, false, err
	}
	switch n := n.(type) {
	case *query.Bool:
		e, err := x.boolean(n, m.Score)
		return e, true, err
	case *query.DisMax:
		e, err := x.disMax(n)
		return e, true, err
	case *query.AtLeast:
		return x.node(n.Child)
	case *query.Scaled:
		e, _, err := x.node(n.Child)
		return bm25.Fixed(query.Label(n), bm25.Product("the more edits the less", e, bm25.Constant(n.Factor, "1 - edits/characters of the word"))), true, err
	case *query.Functions:
		e, err := x.functions(n)
		return e, true, err
	case *query.TextTerm:
		return x.leaf(n, n.Leaf, m), true, nil
	case *query.TextPhrase:
		return x.leaf(n, n.Leaf, m), true, nil
	}
	boost, ok := query.ConstantBoost(n)
	if !ok {
		return bm25.Explanation{}, false, fmt.Errorf("explain: a node of type %T scores in no way that is known", n)
	}
	return bm25.Fixed(query.Label(n), bm25.Constant(boost, "boost")), true, nil
}

// boolean adds up the clauses that match; filters only match.
func (x *explainer) boolean(n *query.Bool, score int64) (bm25.Explanation, error) {
	details, err := x.matching(slices.Concat(n.Must, n.Should))
	if err != nil {
		return bm25.Explanation{}, err
	}
	for _, f := range n.Filter {
		details = append(details, bm25.Constant(0, "matches and does not score: "+query.Label(f)))
	}
	if len(details) == 0 {
		return bm25.Constant(0, "matches, and nothing in it scores: "+query.Label(n)), nil
	}
	sum := bm25.Sum(query.Label(n), details...)
	if lost := bm25.Shown(score) - sum.Value; lost != 0 { // beyond 2^21, where a float64 has no more digits than units
		details = append(details, bm25.Constant(lost, "what was rounded away: scores are summed as integers"))
		sum = bm25.Sum(query.Label(n), details...)
	}
	return sum, nil
}

// disMax takes the best child and a part of the others, of which the values alone are repeated.
func (x *explainer) disMax(n *query.DisMax) (bm25.Explanation, error) {
	children, err := x.matching(n.Children)
	if err != nil {
		return bm25.Explanation{}, err
	}
	label := query.Label(n)
	best := bm25.Max(label, children...)
	if len(children) == 1 {
		return best, nil
	}
	at := slices.IndexFunc(children, func(e bm25.Explanation) bool { return e.Value == best.Value })
	var others []bm25.Explanation
	for i, c := range children {
		if i != at {
			others = append(others, bm25.Constant(c.Value, "score above: "+c.Description))
		}
	}
	best.Description = "the best"
	rest := bm25.Product("a part of the others", bm25.Constant(n.Tie, "tie_breaker"), bm25.Sum("the others", others...))
	return bm25.Fixed(label, bm25.Sum("the best and a part of the others", best, rest)), nil
}

// matching explains those of some nodes that match, in order.
func (x *explainer) matching(nodes []query.Node) ([]bm25.Explanation, error) {
	var all []bm25.Explanation
	for _, n := range nodes {
		e, matched, err := x.node(n)
		if err != nil {
			return nil, err
		}
		if matched {
			all = append(all, e)
		}
	}
	return all, nil
}

// leaf explains a term or phrase by its figures, which the request has, since the leaf has a weight.
func (x *explainer) leaf(n query.Node, index int, m search.Match) bm25.Explanation {
	leaf, r := x.leaves[index], x.request
	f := bm25.LeafFigures{Boost: leaf.Boost, Terms: leaf.Terms, TF: m.Freq, DL: m.Length}
	f.Field = r.Stats.Fields[slices.Index(r.Fields, leaf.Field)]
	if f.Field.Docs == 0 || f.Field.TotalLen == 0 {
		return bm25.Constant(0, "the statistics know of no document with the field: "+query.Label(n))
	}
	for _, term := range leaf.Terms {
		f.DF = append(f.DF, r.Stats.DF[slices.Index(r.Terms, bm25.FieldTerm{Field: leaf.Field, Term: term})])
	}
	return bm25.ExplainPart(query.Label(n), f)
}

// miss says why a node does not match: of a Bool the first clause that keeps it from matching.
func (x *explainer) miss(n query.Node) (bm25.Explanation, error) {
	reason := query.Label(n)
	if least, ok := n.(*query.AtLeast); ok {
		n = least.Child
		if m, err := x.probe.Match(n, true); err != nil || m.Matched {
			return bm25.Constant(0, fmt.Sprintf("does not match: its score, %g, is too low: %s", bm25.Shown(m.Score), reason)), err
		}
	}
	b, ok := n.(*query.Bool)
	if !ok {
		return bm25.Constant(0, "does not match: "+reason), nil
	}
	required := len(b.Must) + len(b.Filter)
	for i, clause := range slices.Concat(b.Must, b.Filter, b.MustNot) {
		m, err := x.probe.Match(clause, false)
		switch {
		case err != nil:
			return bm25.Explanation{}, err
		case i < required && !m.Matched:
			return bm25.Constant(0, "does not match: this clause must, and does not: "+query.Label(clause)), nil
		case i >= required && m.Matched:
			return bm25.Constant(0, "does not match: this clause must not, and does: "+query.Label(clause)), nil
		}
	}
	return bm25.Constant(0, fmt.Sprintf("does not match: fewer than %d of %d optional clauses do", b.MinShould, len(b.Should))), nil
}
