package embedded

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/query/factor"
)

// refFunctions is a function_score around a query: by the price and the year of a document, both as they may be missing.
type refFunctions struct {
	query     refQuery
	of        refQuery // the filter of the first function
	scoreMode string
	boostMode string
	maxBoost  float64
	minScore  float64
	boost     float64
}

// String is the JSON form.
func (q refFunctions) String() string {
	return fmt.Sprintf(`{"function_score":{"query":%s,"functions":[
		{"filter":%s,"weight":1.5},
		{"field_value_factor":{"field":"price","factor":0.7,"modifier":"ln1p","missing":3}},
		{"field_value_factor":{"field":"price","modifier":"log2p","missing":0},"weight":0.5},
		{"gauss":{"year":{"origin":1995,"scale":3,"offset":1,"decay":0.3}}},
		{"filter":{"exists":{"field":"year"}},"exp":{"price":{"origin":2,"scale":2}},"weight":2},
		{"linear":{"year":{"origin":2000,"scale":5.5}}}],
		"score_mode":%q,"boost_mode":%q,"max_boost":%v,"min_score":%v,"boost":%v}}`,
		jsonForm(q.query), jsonForm(q.of), q.scoreMode, q.boostMode, q.maxBoost, q.minScore, q.boost)
}

// jsonForm writes a query in the JSON form.
func jsonForm(q refQuery) string {
	switch q := q.(type) {
	case refFunctions, refShould, refLike:
		return q.String()
	}
	text, err := json.Marshal(q.String())
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf(`{"query_string":{"query":%s}}`, text)
}

func (q refFunctions) eval(s refStats, d *refDoc, boost float64) (bool, int64) {
	matched, units := q.query.eval(s, d, float64(boost*q.boost))
	if !matched {
		return false, 0
	}
	score := q.combine(float64(units)/4294967296, q.factor(s, d))
	return score >= q.minScore, int64(float64(score * 4294967296))
}

// factor is what the functions make of a document.
func (q refFunctions) factor(s refStats, d *refDoc) float64 {
	price, priced := d.double["price"]
	year, dated := d.long["year"]
	or := func(there bool, v, missing float64) float64 {
		if there {
			return v
		}
		return missing
	}
	var values, weights []float64
	add := func(value, weight float64) {
		values, weights = append(values, float64(weight*value)), append(weights, weight)
	}
	if applies, _ := q.of.eval(s, d, 0); applies {
		add(1, 1.5)
	}
	add(factor.Log1p(float64(or(priced, price, 3)*0.7)), 1)
	add(factor.Log10(or(priced, price, 0)+2), 0.5)
	away := max(0, math.Abs(or(dated, float64(year), 1995)-1995)-1)
	add(factor.Exp(float64(0.5*float64(away*away))/(4.5/bm25.Ln(0.3))), 1)
	if dated {
		add(factor.Exp(float64(math.Abs(or(priced, price, 2)-2)*(bm25.Ln(0.5)/2))), 2)
	}
	add(max(0, (11-math.Abs(or(dated, float64(year), 2000)-2000))/11), 1)
	total, weight, product := 0.0, 0.0, values[0]
	least, greatest := values[0], values[0]
	for i, v := range values {
		total, weight = total+v, weight+weights[i]
		least, greatest = min(least, v), max(greatest, v)
		if i > 0 {
			product = float64(product * v)
		}
	}
	return map[string]float64{"multiply": product, "sum": total, "avg": total / weight, "first": values[0], "max": greatest, "min": least}[q.scoreMode]
}

func (q refFunctions) combine(score, by float64) float64 {
	by = min(by, q.maxBoost)
	return map[string]float64{"multiply": float64(score * by), "replace": by, "sum": score + by, "avg": (score + by) / 2, "max": max(score, by), "min": min(score, by)}[q.boostMode]
}

// refShould is the sum of two queries of which one must match.
type refShould [2]refQuery

func (q refShould) String() string {
	return fmt.Sprintf(`{"bool":{"should":[%s,%s],"boost":1.5}}`, jsonForm(q[0]), jsonForm(q[1]))
}

func (q refShould) eval(s refStats, d *refDoc, boost float64) (bool, int64) {
	any, sum := false, int64(0)
	for _, clause := range q {
		if ok, units := clause.eval(s, d, float64(boost*1.5)); ok {
			any, sum = true, sum+units
		}
	}
	return any, sum
}

// functions makes a function_score, alone or beside another query.
func (w *world) functions() refQuery {
	pick := func(names ...string) string { return names[w.rng.IntN(len(names))] }
	q := refFunctions{query: w.query(1), of: w.query(1), boost: []float64{1, 2.5, 0.3}[w.rng.IntN(3)], maxBoost: []float64{1e9, 0.8}[w.rng.IntN(2)], minScore: float64(w.rng.IntN(2)) * 2 * w.rng.Float64(),
		scoreMode: pick("multiply", "sum", "avg", "first", "max", "min"), boostMode: pick("multiply", "replace", "sum", "avg", "max", "min")}
	switch w.rng.IntN(4) {
	case 0:
		return refShould{q, w.query(1)}
	case 1:
		nested := q
		nested.query, nested.minScore, nested.boostMode = q, 0.5, "sum"
		return nested
	}
	return q
}
