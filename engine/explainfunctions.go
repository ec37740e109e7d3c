package engine

import (
	"fmt"
	"math"

	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/query/factor"
)

// functions takes the score of a function_score apart: the score of its query, the factor, and what that makes of it.
func (x *explainer) functions(n *query.Functions) (bm25.Explanation, error) {
	by, err := x.factor(n)
	if err != nil {
		return bm25.Explanation{}, err
	}
	if n.MaxBoost < math.MaxFloat64 {
		by = bm25.Min("the factor, bounded", by, bm25.Constant(n.MaxBoost, "max_boost"))
	}
	label, how := query.Label(n), "boost_mode "+n.Boost.Name()
	if n.Boost == factor.Replace {
		return bm25.Fixed(label, bm25.Max(how+": the query matches, and does not score", by)), nil
	}
	own, _, err := x.node(n.Child)
	if err != nil {
		return bm25.Explanation{}, err
	}
	var e bm25.Explanation
	switch n.Boost {
	case factor.Plus:
		e = bm25.Sum(how, own, by)
	case factor.Between:
		e = bm25.Quotient(how, bm25.Sum("score and factor", own, by), bm25.Constant(2, "their number"))
	case factor.Larger:
		e = bm25.Max(how, own, by)
	case factor.Smaller:
		e = bm25.Min(how, own, by)
	default:
		e = bm25.Product(how, own, by)
	}
	return bm25.Fixed(label, e), nil
}

// factor explains the factor that the functions give.
func (x *explainer) factor(n *query.Functions) (bm25.Explanation, error) {
	var values, weights []bm25.Explanation
	total := 0.0
	for _, f := range n.List {
		if f.Filter != nil {
			m, err := x.probe.Match(f.Filter, false)
			if err != nil {
				return bm25.Explanation{}, err
			}
			if !m.Matched {
				continue
			}
		}
		weight := bm25.Constant(f.Weight, "weight")
		values, weights, total = append(values, x.function(f, weight)), append(weights, weight), total+f.Weight
		if n.Mode == factor.First {
			break
		}
	}
	how := "score_mode " + n.Mode.Name()
	switch {
	case len(values) == 0:
		return bm25.Constant(1, "no function applies"), nil
	case (n.Mode == factor.Sum || n.Mode == factor.Average) && total == 0:
		return bm25.Constant(1, "no function that applies has a weight"), nil
	}
	switch n.Mode {
	case factor.Sum:
		return bm25.Sum(how, values...), nil
	case factor.Average:
		return bm25.Quotient(how, bm25.Sum("values of the functions", values...), bm25.Sum("their weights", weights...)), nil
	case factor.Greater, factor.First:
		return bm25.Max(how, values...), nil
	case factor.Lesser:
		return bm25.Min(how, values...), nil
	}
	return bm25.Product(how, values...), nil
}

// function explains the value of one function. What has no operation is a constant that says how it was made.
func (x *explainer) function(f query.Function, weight bm25.Explanation) bm25.Explanation {
	label := "function"
	if f.Filter != nil {
		label += " for " + query.Label(f.Filter)
	}
	if f.Of == nil {
		return bm25.Product(label, weight)
	}
	v, has, number := x.probe.Measure(f.Of)
	var e bm25.Explanation
	switch of := f.Of.(type) {
	case *query.ValueOf:
		value := bm25.Constant(v, "value of "+of.Field)
		if !has {
			value = bm25.Constant(*of.Missing, "missing: what stands for the value of "+of.Field)
		}
		e = bm25.Product("value and factor", value, bm25.Constant(of.Factor, "factor"))
		switch of.Modifier {
		case factor.None:
		case factor.Ln:
			e = bm25.LnOf("modifier ln", e)
		default:
			e = bm25.Constant(number, fmt.Sprintf("%s of %g: value of %s times factor %g", of.Modifier.Name(), e.Value, of.Field, of.Factor))
		}
	case *query.Nearness:
		e = bm25.Constant(number, fmt.Sprintf("%s: value of %s, %g behind the offset", of.Decay.Shape.Name(), of.Field, v))
	}
	return bm25.Product(label, weight, e)
}
