package query

import (
	"math"
	"slices"

	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/query/factor"
	"github.com/jetseek/jetseek/engine/schema"
)

// Resolve gives surface nodes a meaning by a schema: a tree of resolved nodes alone, which a member can execute. Fields are found, texts analysed, values
// read by the types of their fields, boosts pushed into the leaves, default fields spread. As a filter nothing in it scores; else scoring text leaves are numbered in
// the order in which a walk meets them, of a Bool those in Must before those in Should.
//
// It fails with bad_query or bad_field where a value or form does not fit the field, with bad_query where a boost is too large or a
// function_score asks for scores in a filter, and with limit_exceeded past [MaxLeaves].
func Resolve(n Node, s *schema.Schema, filter bool) (Node, error) {
	r := resolver{schema: s}
	resolved, err := r.node(n, scope{boost: 1, scores: !filter}, 0)
	if err != nil {
		return nil, err
	}
	if resolved == nil {
		return &MatchNone{}, nil
	}
	if err := finishLeaves(resolved, filter); err != nil {
		return nil, err
	}
	return resolved, nil
}

// scope is what holds for a node from outside.
type scope struct {
	boost  float64 // product of the boosts around it, from the outermost inwards
	scores bool    // else it stands in a filter
}

// times gives the scope for what has a boost of its own.
func (c scope) times(boost float64) scope {
	c.boost = float64(c.boost * boost)
	return c
}

// leaf gives the boost that a leaf keeps: 0 where it does not score, so that equal filters are equal.
func (c scope) leaf() float64 {
	if !c.scores {
		return 0
	}
	return c.boost
}

// silent gives the scope of what matches without scoring.
func (c scope) silent() scope { return scope{boost: 1} }

// resolver turns nodes into resolved ones. A nil node is a clause without tokens: it is dropped from the list that it stands in, and matches
// nothing alone.
type resolver struct {
	schema *schema.Schema
	leaves int
	states int // of expressions
}

// maxResolveDepth bounds recursion for trees that no parser made. A pair of parentheses makes up to four nodes: a list, a chain, a NOT and a boost.
const maxResolveDepth = 8 * MaxDepth

func (r *resolver) node(n Node, c scope, depth int) (Node, error) {
	if depth > maxResolveDepth {
		return nil, fault.New(fault.LimitExceeded, "a query nests at most %d deep", MaxDepth)
	}
	switch n := n.(type) {
	case *Bool:
		return r.bool(n, c, depth)
	case *DisMax:
		return r.disMax(n, c, depth)
	case *ConstantScore:
		return r.constantScore(n, c, depth)
	case *FunctionScore:
		return r.functionScore(n, c, depth)
	}
	if r.leaves++; r.leaves > MaxLeaves {
		return nil, tooManyLeaves()
	}
	switch n := n.(type) {
	case *MatchAll:
		return &MatchAll{Boost: c.times(n.Boost).leaf()}, nil
	case *MatchNone:
		return &MatchNone{}, nil
	case *Word:
		return r.overFields(n.Field, c.times(n.Boost), func(f *schema.Field, c scope) (Node, error) {
			return r.word(n, f, c, n.Field == "")
		})
	case *Phrase:
		return r.overFields(n.Field, c.times(n.Boost), func(f *schema.Field, c scope) (Node, error) {
			return r.phrase(n, f, c, n.Field == "")
		})
	case *Match:
		return r.match(n, c.times(n.Boost))
	case *MultiMatch:
		return r.multiMatch(n, c.times(n.Boost))
	case *Term:
		return r.term(n, c.times(n.Boost))
	case *Terms:
		return r.terms(n, c.times(n.Boost))
	case *Range:
		return r.rangeQuery(n, c.times(n.Boost))
	case *Like:
		return r.like(n, c.times(n.Boost))
	case *Exists:
		return r.exists(n, c.times(n.Boost))
	case *Prefix:
		return r.overFields(n.Field, c.times(n.Boost), func(f *schema.Field, c scope) (Node, error) {
			return r.prefix(n, f, c, n.Field == "" || n.Lenient)
		})
	case *Wildcard:
		return r.overFields(n.Field, c.times(n.Boost), func(f *schema.Field, c scope) (Node, error) {
			return r.pattern(TermPattern{Kind: WildcardPattern, Text: n.Pattern}, f, c, n.Pos, n.Field == "" || n.Lenient)
		})
	case *Regexp:
		return r.overFields(n.Field, c.times(n.Boost), func(f *schema.Field, c scope) (Node, error) {
			return r.pattern(TermPattern{Kind: RegexpPattern, Text: n.Pattern}, f, c, n.Pos, n.Field == "" || n.Lenient)
		})
	case *Fuzzy:
		return r.overFields(n.Field, c.times(n.Boost), func(f *schema.Field, c scope) (Node, error) {
			word := n.Text
			if f.Type == schema.Text {
				word = r.normal(word, f)
			}
			return r.fuzzy(word, n.Fuzziness, n, f, c, n.Field == "" || n.Lenient)
		})
	case *IDs:
		if len(n.Values) == 0 {
			return &MatchNone{}, nil
		}
		return &IDs{Values: sortedSet(slices.Clone(n.Values)), Boost: c.times(n.Boost).leaf()}, nil
	case *GeoDistance:
		return r.geoDistance(n, c.times(n.Boost))
	case *GeoBox:
		return r.geoBox(n, c.times(n.Boost))
	}
	return nil, fault.New(fault.BadQuery, "a node of type %T has no meaning by a schema", n)
}

func tooManyLeaves() error {
	return fault.New(fault.LimitExceeded, "a query has at most %d clauses once its words are spread over fields", MaxLeaves)
}

func (r *resolver) bool(n *Bool, c scope, depth int) (Node, error) {
	c = c.times(n.Boost)
	must, _, err := r.list(n.Must, c, depth)
	if err != nil {
		return nil, err
	}
	should, lost, err := r.list(n.Should, c, depth)
	if err != nil {
		return nil, err
	}
	mustNot, _, err := r.list(n.MustNot, c.silent(), depth)
	if err != nil {
		return nil, err
	}
	filter, _, err := r.list(n.Filter, c.silent(), depth)
	if err != nil {
		return nil, err
	}

	needed := 0
	if len(n.Should) > 0 && len(n.Must)+len(n.Filter) == 0 {
		needed = 1
	}
	if n.MinShouldText != "" {
		wanted, err := neededClauses(n.MinShouldText, len(n.Should))
		if err != nil {
			return nil, err
		}
		needed = max(needed, wanted)
	}
	switch {
	case len(must)+len(should)+len(filter) == 0 && len(n.Must)+len(n.Filter) > 0 && len(mustNot) == 0:
		return nil, nil // all that it asked for was dropped
	case needed > len(should) && lost == len(n.Should):
		return nil, nil
	}
	return simplify(&Bool{Must: must, Should: should, MustNot: mustNot, Filter: filter, MinShould: needed}), nil
}

// list resolves clauses, and counts those that were dropped.
func (r *resolver) list(nodes []Node, c scope, depth int) (resolved []Node, dropped int, err error) {
	for _, n := range nodes {
		one, err := r.node(n, c, depth+1)
		switch {
		case err != nil:
			return nil, 0, err
		case one == nil:
			dropped++
		default:
			resolved = append(resolved, one)
		}
	}
	return resolved, dropped, nil
}

// simplify removes what can match nothing and the Bool around a single clause.
func simplify(n *Bool) Node {
	isNone := func(n Node) bool { _, none := n.(*MatchNone); return none }
	n.Should = slices.DeleteFunc(n.Should, isNone)
	n.MustNot = slices.DeleteFunc(n.MustNot, isNone)
	if slices.ContainsFunc(n.Must, isNone) || slices.ContainsFunc(n.Filter, isNone) || n.MinShould > len(n.Should) {
		return &MatchNone{}
	}
	if len(n.MustNot)+len(n.Filter) == 0 {
		switch {
		case len(n.Must) == 1 && len(n.Should) == 0:
			return n.Must[0]
		case len(n.Must) == 0 && len(n.Should) == 1 && n.MinShould == 1:
			return n.Should[0]
		}
	}
	return n
}

func (r *resolver) disMax(n *DisMax, c scope, depth int) (Node, error) {
	children, dropped, err := r.list(n.Children, c.times(n.Boost), depth)
	if err != nil || dropped == len(n.Children) {
		return nil, err
	}
	return best(children, n.Tie), nil
}

// best joins children by the best of their scores.
func best(children []Node, tie float64) Node {
	children = slices.DeleteFunc(children, func(n Node) bool { _, none := n.(*MatchNone); return none })
	switch len(children) {
	case 0:
		return &MatchNone{}
	case 1:
		return children[0]
	}
	return &DisMax{Children: children, Tie: tie}
}

func (r *resolver) constantScore(n *ConstantScore, c scope, depth int) (Node, error) {
	child, err := r.node(n.Child, c.silent(), depth+1)
	if err != nil || child == nil {
		return nil, err
	}
	return constant(child, c.times(n.Boost)), nil
}

// constant gives every match of a silent node the score of the scope.
func constant(child Node, c scope) Node {
	if _, none := child.(*MatchNone); none || !c.scores {
		return child
	}
	return &ConstantScore{Child: child, Boost: c.boost}
}

// overFields resolves for one field, or for the default fields, whose scores add up in listed order.
func (r *resolver) overFields(name string, c scope, one func(*schema.Field, scope) (Node, error)) (Node, error) {
	if name != "" {
		f, known := r.schema.Lookup(name)
		if !known {
			return &MatchNone{}, nil
		}
		return one(f, c.times(f.Boost))
	}
	var parts []Node
	dropped := false
	for _, f := range r.defaultFields() {
		if r.leaves++; r.leaves > MaxLeaves {
			return nil, tooManyLeaves()
		}
		part, err := one(f, c.times(f.Boost))
		switch {
		case err != nil:
			return nil, err
		case part == nil:
			dropped = true
		default:
			parts = append(parts, part)
		}
	}
	parts = slices.DeleteFunc(parts, func(n Node) bool { _, none := n.(*MatchNone); return none })
	if len(parts) == 0 && dropped {
		return nil, nil
	}
	return simplify(&Bool{Should: parts, MinShould: 1}), nil
}

// defaultFields lists the fields of a bare word: those of the schema that are there, or all text fields by name.
func (r *resolver) defaultFields() []*schema.Field {
	var fields []*schema.Field
	for _, name := range r.schema.DefaultFields {
		if f, known := r.schema.Lookup(name); known {
			fields = append(fields, f)
		}
	}
	if len(r.schema.DefaultFields) > 0 {
		return fields
	}
	for i := range r.schema.Fields {
		if r.schema.Fields[i].Type == schema.Text {
			fields = append(fields, &r.schema.Fields[i])
		}
	}
	return fields
}

func (r *resolver) exists(n *Exists, c scope) (Node, error) {
	f, known := r.schema.Lookup(n.Field)
	if !known {
		return &MatchNone{}, nil
	}
	if f.Type == schema.Geo {
		return &FieldExists{Field: schema.LatName(f.Name), Type: schema.Double, Boost: c.times(f.Boost).leaf()}, nil
	}
	if f.Type == schema.Vector {
		return nil, fault.New(fault.BadQuery, "queries for the existence of a %s field are not supported yet", f.Type)
	}
	return &FieldExists{Field: f.Name, Type: f.Type, Boost: c.times(f.Boost).leaf()}, nil
}

// finishLeaves numbers the scoring text leaves and holds every boost to its limit.
func finishLeaves(n Node, filter bool) error {
	scoring, text := clauses(n, !filter), 0
	largest := 0.0
	walk(n, !filter, func(n Node, scores bool) {
		boost, leaf := leafOf(n)
		if leaf != nil {
			*leaf = -1
		}
		if boost == nil || !scores {
			return
		}
		largest = max(largest, *boost)
		if leaf != nil {
			*leaf = text
			text++
		}
	})
	if scoring > 0 && !(largest <= bm25.MaxWeight/float64(scoring)) {
		return tooLarge(scoring)
	}
	walk(n, !filter, func(n Node, _ bool) {
		if n, ok := n.(*Functions); ok {
			n.Limit = MaxScore / float64(scoring)
		}
	})
	return nil
}

// clauses counts the parts of which a score can be the sum. Of alternatives without a tie breaker only the best counts.
func clauses(n Node, scores bool) int {
	if boost, _ := leafOf(n); boost != nil {
		return int(schema.BoolInt(scores))
	}
	count := 0
	switch n := n.(type) {
	case *Bool:
		for _, list := range [...][]Node{n.Must, n.Should} {
			for _, child := range list {
				count += clauses(child, scores)
			}
		}
	case *DisMax:
		for _, child := range n.Children {
			if one := clauses(child, scores); n.Tie > 0 {
				count += one
			} else {
				count = max(count, one)
			}
		}
	case *Scaled:
		return clauses(n.Child, scores)
	case *AtLeast:
		return clauses(n.Child, scores)
	case *Functions:
		return max(1, clauses(n.Child, scores))
	}
	return count
}

func tooLarge(clauses int) error {
	return fault.New(fault.BadQuery, "a boost is too large: with %d scoring clauses each must stay below %g",
		clauses, math.Floor(bm25.MaxWeight/float64(clauses)))
}

// walk visits every node in the order in which leaves are numbered, and tells whether it scores.
func walk(n Node, scores bool, visit func(n Node, scores bool)) {
	visit(n, scores)
	switch n := n.(type) {
	case *Bool:
		for i, list := range [...][]Node{n.Must, n.Should, n.MustNot, n.Filter} {
			for _, child := range list {
				walk(child, scores && i < 2, visit)
			}
		}
	case *DisMax:
		for _, child := range n.Children {
			walk(child, scores, visit)
		}
	case *ConstantScore:
		walk(n.Child, false, visit)
	case *Scaled:
		walk(n.Child, scores, visit)
	case *AtLeast:
		walk(n.Child, scores, visit)
	case *Functions:
		walk(n.Child, scores && n.Boost != factor.Replace, visit)
		for _, f := range n.List {
			if f.Filter != nil {
				walk(f.Filter, false, visit)
			}
		}
	}
}

// leafOf finds the boost of a resolved node that scores by itself, and the index of a text leaf.
func leafOf(n Node) (boost *float64, leaf *int) {
	switch n := n.(type) {
	case *MatchAll:
		return &n.Boost, nil
	case *ConstantScore:
		return &n.Boost, nil
	case *TextTerm:
		return &n.Boost, &n.Leaf
	case *TextPhrase:
		return &n.Boost, &n.Leaf
	case *KeywordSet:
		return &n.Boost, nil
	case *KeywordRange:
		return &n.Boost, nil
	case *LongRange:
		return &n.Boost, nil
	case *LongSet:
		return &n.Boost, nil
	case *DoubleRange:
		return &n.Boost, nil
	case *DoubleSet:
		return &n.Boost, nil
	case *FieldExists:
		return &n.Boost, nil
	case *IDs:
		return &n.Boost, nil
	case *Near:
		return &n.Boost, nil
	case *TermPattern:
		return &n.Boost, nil
	case *FuzzyTerms:
		return &n.Boost, nil
	}
	return nil, nil
}
