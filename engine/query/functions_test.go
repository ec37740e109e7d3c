package query_test

import (
	"math"
	"strings"
	"testing"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/geo"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/query/factor"
	"github.com/jetseek/jetseek/engine/schema"
)

func resolved(t *testing.T, text string, filter bool) (query.Node, error) {
	t.Helper()
	n, err := query.DecodeJSON([]byte(text), query.Options{})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return query.Resolve(n, resolveSchema(t), filter)
}

func TestResolveFunctionScore(t *testing.T) {
	const none = " under 1.7976931348623157e+308, to "
	for _, c := range []struct{ text, want string }{
		{`{"function_score":{"query":{"match":{"t":"a"}},"weight":2,"boost":3}}`, `(multiply t:a#0^3 by multiply of [2]` + none + `1.073741824e+09)`},
		{`{"function_score":{"query":{"match":{"t":"a b"}},"weight":2}}`, `(multiply (|t:a#0 |t:b#1)1 by multiply of [2]` + none + `5.36870912e+08)`},
		{`{"function_score":{"query":{"match":{"t":"a"}},"weight":2,"boost_mode":"replace"}}`, `(replace t:a^0 by multiply of [2]` + none + `1.073741824e+09)`},
		{`{"function_score":{"query":{"match":{"t":"a"}},"functions":[],"boost_mode":"replace"}}`, `t:a#0`},
		{`{"function_score":{"query":{"match":{"t":"a"}},"min_score":1.5}}`, `t:a#0>=1.5`},
		{`{"function_score":{"query":{"match":{"nope":"a"}},"weight":2}}`, `none`},
		{`{"function_score":{"query":{"match":{"t":"..."}},"weight":2}}`, `none`},
		{`{"function_score":{"functions":[{"filter":{"match":{"t":"a"}},"weight":2},{"filter":{"match":{"t":"..."}},"weight":3},{"filter":{"term":{"nope":1}},"weight":4}]}}`,
			`(multiply all by multiply of [2 if t:a^0, 3 if none, 4 if none]` + none + `1.073741824e+09)`},
		{`{"function_score":{"field_value_factor":{"field":"nope","missing":2}}}`, `(multiply all by multiply of [1 none(nope:double*1 or 2)]` + none + `1.073741824e+09)`},
		{`{"function_score":{"field_value_factor":{"field":"at","modifier":"sqrt"}}}`, `(multiply all by multiply of [1 sqrt(at:date*1 or none)]` + none + `1.073741824e+09)`},
		{`{"bool":{"should":[{"function_score":{"query":{"match":{"t":"a"}},"weight":2}},{"match":{"t":"b"}}],"boost":2}}`,
			`(|(multiply t:a#0^2 by multiply of [2]` + none + `5.36870912e+08) |t:b#1^2)1`},
	} {
		n, err := resolved(t, c.text, false)
		if err != nil || dump(n) != c.want {
			t.Errorf("%s: %s, want %s (%v)", c.text, dump(n), c.want, err)
		}
	}
	for _, c := range []struct{ text, want string }{
		{`{"function_score":{"query":{"match":{"t":"a"}},"weight":2}}`, `t:a^0`},
		{`{"constant_score":{"filter":{"function_score":{"query":{"match":{"t":"a"}},"weight":2}}}}`, `t:a^0`},
	} {
		if n, err := resolved(t, c.text, true); err != nil || dump(n) != c.want {
			t.Errorf("a filter %s: %s, want %s (%v)", c.text, dump(n), c.want, err)
		}
	}
}

func TestResolveDecays(t *testing.T) {
	const day = 864e5 // milliseconds
	ln := math.Log(0.5)
	for _, c := range []struct {
		text string
		want query.Nearness
	}{
		{`{"exp":{"n":{"origin":-5,"scale":10,"offset":2}}}`, query.Nearness{Field: "n", Type: schema.Long, Origin: -5, Decay: factor.Decay{Shape: factor.Exponential, Offset: 2, Rate: ln / 10}}},
		{`{"gauss":{"x":{"origin":0.5,"scale":4}},"weight":1}`, query.Nearness{Field: "x", Type: schema.Double, Origin: 0.5, Decay: factor.Decay{Shape: factor.Gauss, Rate: 8 / ln}}},
		{`{"linear":{"at":{"origin":"1970-01-02","scale":"10d","offset":"1.5h"},"multi_value_mode":"max"}}`,
			query.Nearness{Field: "at", Type: schema.Date, Time: day * 1e6, Decay: factor.Decay{Shape: factor.Linear, Offset: 5_400_000, Rate: 20 * day}, Pick: factor.Greatest}},
		{`{"linear":{"at":{"origin":1000,"scale":"10s"}}}`, query.Nearness{Field: "at", Type: schema.Date, Time: 1e9, Decay: factor.Decay{Shape: factor.Linear, Rate: 20_000}}},
		{`{"linear":{"g":{"origin":"1.5, -2","scale":"5km","offset":100}}}`,
			query.Nearness{Field: "g", Type: schema.Geo, Place: geo.Point{Lat: 1.5, Lon: -2}, Decay: factor.Decay{Shape: factor.Linear, Offset: 100, Rate: 10_000}}},
	} {
		n, err := resolved(t, `{"function_score":`+c.text+`}`, false)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		got := n.(*query.Functions).List[0].Of.(*query.Nearness)
		if math.Abs(got.Decay.Rate-c.want.Decay.Rate) > 1e-15*math.Abs(c.want.Decay.Rate) {
			t.Errorf("%s: a rate of %v, want %v", c.text, got.Decay.Rate, c.want.Decay.Rate)
		}
		if c.want.Decay.Rate = got.Decay.Rate; *got != c.want {
			t.Errorf("%s: %+v, want %+v", c.text, *got, c.want)
		}
	}
}

func TestResolveFunctionScoreRefuses(t *testing.T) {
	for _, c := range []struct {
		text   string
		filter bool
		code   fault.Code
	}{
		{`{"function_score":{"min_score":1}}`, true, fault.BadQuery},
		{`{"bool":{"must_not":[{"function_score":{"min_score":1}}]}}`, false, fault.BadQuery},
		{`{"function_score":{"field_value_factor":{"field":"nope"}}}`, false, fault.BadField},
		{`{"function_score":{"field_value_factor":{"field":"t","missing":1}}}`, false, fault.BadField},
		{`{"function_score":{"field_value_factor":{"field":"k"}}}`, false, fault.BadField},
		{`{"function_score":{"gauss":{"nope":{"origin":1,"scale":1}}}}`, false, fault.BadField},
		{`{"function_score":{"gauss":{"k":{"origin":1,"scale":1}}}}`, false, fault.BadField},
		{`{"function_score":{"gauss":{"b":{"origin":true,"scale":1}}}}`, false, fault.BadField},
		{`{"function_score":{"gauss":{"n":{"origin":"1","scale":1}}}}`, false, fault.BadField},
		{`{"function_score":{"gauss":{"n":{"origin":1,"scale":"1"}}}}`, false, fault.BadField},
		{`{"function_score":{"gauss":{"n":{"origin":1,"scale":0}}}}`, false, fault.BadQuery},
		{`{"function_score":{"gauss":{"n":{"origin":1,"scale":1e-200}}}}`, false, fault.BadQuery},
		{`{"function_score":{"gauss":{"n":{"origin":1,"scale":1,"offset":-1}}}}`, false, fault.BadQuery},
		{`{"function_score":{"gauss":{"at":{"origin":"soon","scale":"1d"}}}}`, false, fault.BadField},
		{`{"function_score":{"gauss":{"at":{"origin":"2020","scale":1}}}}`, false, fault.BadQuery},
		{`{"function_score":{"gauss":{"at":{"origin":"2020","scale":"1 fortnight"}}}}`, false, fault.BadQuery},
		{`{"function_score":{"gauss":{"at":{"origin":"2020","scale":"-1d"}}}}`, false, fault.BadQuery},
		{`{"function_score":{"gauss":{"g":{"origin":"91,0","scale":"1km"}}}}`, false, fault.BadField},
		{`{"function_score":{"gauss":{"g":{"origin":5,"scale":"1km"}}}}`, false, fault.BadField},
		{`{"function_score":{"query":{"match":{"t":{"query":"a","boost":3000000}}},"weight":0}}`, false, fault.BadQuery},
		{`{"function_score":{"functions":[{"filter":{"match":{"n":"a"}},"weight":1}]}}`, false, fault.BadField},
	} {
		if n, err := resolved(t, c.text, c.filter); fault.CodeOf(err) != c.code {
			t.Errorf("%s: %s, %v, want %s", c.text, dump(n), err, c.code)
		}
	}
}

// Fuzzy words below a function_score, in its query and its filters, become terms as others do.
func TestExpandFunctionScore(t *testing.T) {
	n, err := resolved(t, `{"function_score":{"query":{"fuzzy":{"t":{"value":"abcd","fuzziness":1}}},"functions":[{"filter":{"fuzzy":{"t":{"value":"abcd","fuzziness":1}}},"weight":2}],"min_score":1}}`, false)
	if err != nil {
		t.Fatal(err)
	}
	if !query.Judges(n) {
		t.Error("with min_score, what matches depends on scores")
	}
	questions := query.FuzzyQuestions(n)
	if len(questions) != 1 {
		t.Fatalf("%d questions", len(questions))
	}
	before := dump(n)
	n2, err := query.Expand(n, false, questions, [][]query.Expansion{{{Term: "abcd", DF: 1}, {Term: "abce", Edits: 1, DF: 1}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := "(multiply max0(t:abcd#0 t:abce#1*0.75) by multiply of [2 if (|t:abcd^0 |t:abce^0)1] under 1.7976931348623157e+308, to 1.073741824e+09)>=1"; dump(n2) != want || dump(n) != before {
		t.Errorf("%s, want %s, made of %s", dump(n2), want, dump(n))
	}
}

func TestNoScoreSaysWhatToDo(t *testing.T) {
	if err := query.ErrNoScore(); fault.CodeOf(err) != fault.BadQuery || !strings.Contains(err.Error(), "missing") {
		t.Error(err)
	}
	for ns, want := range map[int64]float64{0: 0, 1_500_000: 1.5, -1_500_000: -1.5, 1_600_000_000_123_000_000: 1_600_000_000_123, math.MinInt64: -9223372036854.775808} {
		if got := query.Milliseconds(ns); got != want {
			t.Errorf("%d ns are %v ms, want %v", ns, got, want)
		}
	}
	n := query.Nearness{Time: math.MinInt64, Decay: factor.Decay{Offset: 1}}
	if got, want := n.Date(math.MaxInt64), 18446744073709.551615-1; got != want {
		t.Errorf("from the first time to the last: %v, want %v", got, want)
	}
}
