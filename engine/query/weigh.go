package query

import (
	"cmp"
	"slices"

	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/fault"
)

// Leaf is a scoring text leaf of a resolved query: a term, or a phrase with its terms in order.
type Leaf struct {
	Field string
	Terms []string
	Boost float64
	Limit float64 // the greatest weight that it may have, by the number of clauses beside it
}

// Leaves lists the scoring text leaves of resolved nodes, by their index.
func Leaves(nodes ...Node) []Leaf {
	var leaves []Leaf
	scoring := 0
	for _, n := range nodes {
		scoring += clauses(n, true)
		walk(n, true, func(n Node, _ bool) {
			switch n := n.(type) {
			case *TextTerm:
				if n.Leaf >= 0 {
					leaves = append(leaves, Leaf{Field: n.Field, Terms: []string{n.Term}, Boost: n.Boost})
				}
			case *TextPhrase:
				if n.Leaf >= 0 {
					leaves = append(leaves, Leaf{Field: n.Field, Terms: n.whole(), Boost: n.Boost})
				}
			}
		})
	}
	for i := range leaves {
		leaves[i].Limit = bm25.MaxWeight / float64(scoring)
	}
	return leaves
}

// whole gives the terms of a phrase that stand for themselves.
func (n *TextPhrase) whole() []string {
	terms := n.Terms
	if (n.Prefix || n.CutLast) && len(terms) > 0 {
		terms = terms[:len(terms)-1]
	}
	if n.CutFirst && len(terms) > 0 {
		terms = terms[1:]
	}
	return terms
}

// Question lists the fields and terms whose statistics the leaves need, each once, in order.
func Question(leaves []Leaf) (fields []string, terms []bm25.FieldTerm) {
	for _, leaf := range leaves {
		fields = append(fields, leaf.Field)
		for _, term := range leaf.Terms {
			terms = append(terms, bm25.FieldTerm{Field: leaf.Field, Term: term})
		}
	}
	slices.Sort(fields)
	slices.SortFunc(terms, CompareFieldTerms)
	return slices.Compact(fields), slices.Compact(terms)
}

// CompareFieldTerms orders terms by field, then by bytes.
func CompareFieldTerms(a, b bm25.FieldTerm) int {
	if c := cmp.Compare(a.Field, b.Field); c != 0 {
		return c
	}
	return cmp.Compare(a.Term, b.Term)
}

// Weigh makes the weight of each leaf from the answer to its [Question]: fields and terms as that gave them, and the sum of all groups' statistics. It fails with
// bad_query where a weight is above what the sum of scores can bear.
func Weigh(leaves []Leaf, fields []string, terms []bm25.FieldTerm, stats bm25.Stats) ([]bm25.Weight, error) {
	if len(stats.Fields) != len(fields) || len(stats.DF) != len(terms) {
		return nil, fault.New(fault.Unavailable, "statistics answer another question: %d fields and %d terms, not %d and %d",
			len(stats.Fields), len(stats.DF), len(fields), len(terms))
	}
	weights := make([]bm25.Weight, len(leaves))
	for i, leaf := range leaves {
		at, known := slices.BinarySearch(fields, leaf.Field)
		if !known {
			return nil, fault.New(fault.Unavailable, "statistics lack the field %s", fault.Quote(leaf.Field))
		}
		field := stats.Fields[at]
		idf := 0.0
		for _, term := range leaf.Terms {
			at, known := slices.BinarySearchFunc(terms, bm25.FieldTerm{Field: leaf.Field, Term: term}, CompareFieldTerms)
			if !known {
				return nil, fault.New(fault.Unavailable, "statistics lack the term %s", fault.Quote(term))
			}
			idf += bm25.IDF(field.Docs, stats.DF[at])
		}
		weights[i] = bm25.MakeWeight(leaf.Boost, idf, field)
		if !(weights[i].W <= leaf.Limit) {
			return nil, fault.New(fault.BadQuery, "a boost is too large: the weight of %s is above %g", fault.Quote(leaf.Terms[0]), leaf.Limit)
		}
	}
	return weights, nil
}
