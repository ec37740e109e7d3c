package engine_test

import (
	"math"
	"slices"

	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/query/factor"
	"github.com/jetseek/jetseek/engine/schema"
)

// functions makes a function_score of a scoring query none of whose scores can be an error.
func (g generator) functions(depth int, leaves *[]query.Node) query.Node {
	n := &query.Functions{Mode: factor.Mode(g.IntN(6)), Boost: factor.Boost(g.IntN(6)), MaxBoost: math.MaxFloat64, Limit: query.MaxScore}
	if n.Child = g.node(depth-1, leaves, n.Boost != factor.Replace); g.IntN(3) == 0 {
		n.MaxBoost = 3 * g.Float64()
	}
	for range 1 + g.IntN(3) {
		f := query.Function{Weight: float64(g.IntN(4)) / 2}
		if g.IntN(2) == 0 {
			f.Filter = g.node(1, nil, false)
		}
		missing := 1 + g.Float64()
		decay := factor.NewDecay(factor.Shape(g.IntN(3)), 1+9*g.Float64(), float64(g.IntN(3)), 0.1+0.8*g.Float64())
		switch g.IntN(6) {
		case 0:
			f.Of = &query.ValueOf{Field: "price", Type: schema.Double, Factor: 0.5, Modifier: factor.Square, Missing: &missing}
		case 1:
			f.Of = &query.ValueOf{Field: "flag", Type: schema.Bool, Factor: 1.25, Modifier: []factor.Modifier{factor.None, factor.LnPlus2, factor.LogPlus1, factor.Sqrt}[g.IntN(4)], Missing: &missing}
		case 2:
			f.Of = &query.Nearness{Field: "price", Type: schema.Double, Origin: 1.5, Decay: decay}
		case 3, 4:
			f.Of = &query.Nearness{Field: "year", Type: schema.Long, Origin: float64(g.IntN(20) - 10), Decay: decay, Pick: factor.Pick(g.IntN(4))}
		}
		n.List = append(n.List, f)
	}
	if g.IntN(4) == 0 {
		return &query.AtLeast{Child: n, Score: g.Float64()}
	}
	return n
}

// functions is the score of a function_score by the published formulas.
func (d *modelDoc) functions(n *query.Functions, own float64) int64 {
	var values, weights []float64
	for _, f := range n.List {
		if f.Filter != nil {
			if ok, _ := d.eval(f.Filter, nil); !ok {
				continue
			}
		}
		values, weights = append(values, float64(f.Weight*d.measure(f.Of))), append(weights, f.Weight)
	}
	by := 1.0
	if len(values) > 0 {
		product, sum, weight := 1.0, 0.0, 0.0
		for i, v := range values {
			product, sum, weight = float64(product*v), sum+v, weight+weights[i]
		}
		switch n.Mode.Name() {
		case "multiply":
			by = product
		case "sum":
			if weight > 0 {
				by = sum
			}
		case "avg":
			if weight > 0 {
				by = sum / weight
			}
		case "first":
			by = values[0]
		case "max":
			by = slices.Max(values)
		case "min":
			by = slices.Min(values)
		}
	}
	by = math.Min(by, n.MaxBoost)
	score := map[string]float64{"multiply": float64(own * by), "replace": by, "sum": own + by, "avg": (own + by) / 2, "max": math.Max(own, by), "min": math.Min(own, by)}[n.Boost.Name()]
	return int64(float64(score * modelUnit))
}

// measure is the value of a function without its weight.
func (d *modelDoc) measure(of query.Measure) float64 {
	switch of := of.(type) {
	case *query.ValueOf:
		x := *of.Missing
		if v := d.floats[of.Field]; len(v) > 0 {
			x = slices.Min(v)
		} else if v := d.ints[of.Field]; len(v) > 0 {
			x = float64(slices.Min(v))
		}
		x = float64(x * of.Factor)
		switch of.Modifier.Name() {
		case "square":
			return float64(x * x)
		case "ln2p":
			return factor.Log1p(x + 1)
		case "log1p":
			return factor.Log10(x + 1)
		case "sqrt":
			return math.Sqrt(x)
		}
		return x
	case *query.Nearness:
		values := slices.Clone(d.floats[of.Field])
		for _, v := range d.ints[of.Field] {
			values = append(values, float64(v))
		}
		if len(values) == 0 {
			return 1
		}
		for i, v := range values {
			values[i] = math.Max(0, math.Abs(v-of.Origin)-of.Decay.Offset)
		}
		slices.Sort(values)
		sum := 0.0
		for _, v := range values {
			sum += v
		}
		distance := map[string]float64{"min": values[0], "max": values[len(values)-1], "sum": sum, "avg": sum / float64(len(values))}[of.Pick.Name()]
		switch of.Decay.Shape.Name() {
		case "gauss":
			return factor.Exp(float64(0.5*float64(distance*distance)) / of.Decay.Rate)
		case "exp":
			return factor.Exp(float64(distance * of.Decay.Rate))
		}
		return math.Max(0, (of.Decay.Rate-distance)/of.Decay.Rate)
	}
	return 1
}

// atLeast is a function_score with min_score, or the least score of a search.
func (d *modelDoc) atLeast(n *query.AtLeast, weights []bm25.Weight) (bool, int64) {
	ok, score := d.eval(n.Child, weights)
	if !ok || float64(score)/modelUnit < n.Score {
		return false, 0
	}
	return true, score
}
