package query_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/query"
)

func TestDecodeJSON(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`"a AND f:b"`, `(+w'a' +f:w'b')`},
		{`""`, `all`},
		{`{"match_all":{}}`, `all`},
		{`{"match_all":{"boost":2}}`, `all^2`},
		{`{"match_none":{}}`, `none`},
		{`{"match":{"f":"a b"}}`, `f:match({1 a b} and=false min="" fuzz=0)`},
		{`{"match":{"f":{"query":"a","operator":"AND","minimum_should_match":"75%","fuzziness":"auto","boost":3}}}`, `f:match({1 a} and=true min="75%" fuzz=AUTO)^3`},
		{`{"match":{"f":{"query":5,"minimum_should_match":-1,"fuzziness":0}}}`, `f:match({2 5} and=false min="-1" fuzz=0)`},
		{`{"match_phrase":{"f":"a b"}}`, `f:p'a b'~0`},
		{`{"match_phrase":{"f":{"query":"a b","slop":2,"boost":0}}}`, `f:p'a b'~2^0`},
		{`{"match_phrase_prefix":{"f":"a b"}}`, `f:p'a b'*~0`},
		{`{"multi_match":{"query":"a","fields":["t^2.5","b"],"type":"most_fields","tie_breaker":0.3}}`, `multi([{t 2.5} {b 1}] {1 a} most=true and=false min="" tie=0.3)`},
		{`{"multi_match":{"query":"a"}}`, `multi([] {1 a} most=false and=false min="" tie=0)`},
		{`{"term":{"f":"A"}}`, `f:term{1 A}`},
		{`{"term":{"f":{"value":9007199254740993,"boost":2}}}`, `f:term{2 9007199254740993}^2`},
		{`{"term":{"f":true}}`, `f:term{3 true}`},
		{`{"terms":{"f":["a",1,false],"boost":2}}`, `f:terms[{1 a} {2 1} {3 false}]^2`},
		{`{"terms":{"boost":["a"]}}`, `boost:terms[{1 a}]`},
		{`{"range":{"f":{"gte":1,"lt":"x","boost":2}}}`, `f:[1,x}^2`},
		{`{"range":{"f":{"gt":1.5,"lte":null}}}`, `f:{1.5,*}`},
		{`{"range":{"f":{}}}`, `f:{*,*}`},
		{`{"prefix":{"f":"a"}}`, `f:prefix'a'`},
		{`{"wildcard":{"f":{"value":"a*","boost":2}}}`, `f:wild'a*'^2`},
		{`{"regexp":{"f":"a.*"}}`, `f:re'a.*'`},
		{`{"fuzzy":{"f":"a"}}`, `f:fuzzy'a'~2/0`},
		{`{"fuzzy":{"f":{"value":"a","fuzziness":"AUTO","prefix_length":1,"max_expansions":10}}}`, `f:fuzzy'a'~AUTO/1`},
		{`{"exists":{"field":"f"}}`, `exists(f)`},
		{`{"ids":{"values":["b","a","b",7]}}`, `ids["7" "a" "b"]`},
		{`{"bool":{"must":[{"exists":{"field":"a"}},{"exists":{"field":"b"}}],"should":{"match_all":{}},"must_not":[],"filter":[{"match_none":{}}],"minimum_should_match":1,"boost":2}}`,
			`(+exists(a) +exists(b) |all =none)[1]^2`},
		{`{"bool":{}}`, `()`},
		{`{"dis_max":{"queries":[{"match_all":{}},{"match_none":{}}],"tie_breaker":0.5}}`, `max0.5(all none)`},
		{`{"constant_score":{"filter":{"match_all":{}},"boost":4}}`, `const(all)^4`},
		{`{"query_string":{"query":"a b","default_operator":"and","default_field":"f","boost":2}}`, `(+f:w'a' +f:w'b')^2`},
		{`{"query_string":{"query":"(a","lenient":true}}`, `w'a'`},
		{`{"function_score":{"query":{"match_all":{}},"weight":2}}`, `score(all by multiply of [2] under 1.7976931348623157e+308, least none)multiply`},
		{`{"function_score":{"field_value_factor":{"field":"n","factor":1.2,"modifier":"log1p","missing":1},"weight":3,"boost_mode":"sum","max_boost":5,"min_score":0.5,"boost":2}}`,
			`score(all by multiply of [3 log1p(n*1.2 or 1)] under 5, least 0.5)^2sum`},
		{`{"function_score":{"query":{"match_none":{}},"functions":[{"filter":{"match_all":{}},"weight":0},{"gauss":{"n":{"origin":5,"scale":10}}},
			{"exp":{"at":{"origin":"2020","scale":"10d","offset":"1h","decay":0.3},"multi_value_mode":"avg"}},{"linear":{"p":{"origin":{"lat":1,"lon":2},"scale":"5km"}}}],"score_mode":"avg","boost_mode":"replace"}}`,
			`score(none by avg of [0 if all, 1 gauss(n {2 5} <nil> scale {2 10} offset {2 0} decay 0.5 min), 1 exp(at {1 2020} <nil> scale {1 10d} offset {1 1h} decay 0.3 avg), ` +
				`1 linear(p {0 } &{1 2} scale {1 5km} offset {2 0} decay 0.5 min)] under 1.7976931348623157e+308, least none)replace`},
		{`{"function_score":{"functions":[]}}`, `score(all by multiply of [] under 1.7976931348623157e+308, least none)multiply`},
		{`{"geo_distance":{"field":"p","lat":1,"lon":2,"distance":"5km"}}`, `*query.GeoDistance`},
		{`{"geo_box":{"field":"p","top":2,"left":1,"bottom":1,"right":2}}`, `*query.GeoBox`},
	} {
		n, err := query.DecodeJSON([]byte(c.text), query.Options{})
		if err != nil || dump(n) != c.want {
			t.Errorf("%s: %s, want %s (%v)", c.text, dump(n), c.want, err)
		}
	}
}

func TestDecodeJSONRefuses(t *testing.T) {
	nested := func(n int) string {
		return strings.Repeat(`{"bool":{"must":[`, n) + `{"match_all":{}}` + strings.Repeat(`]}}`, n)
	}
	list := func(n int) string { return `{"terms":{"f":[1` + strings.Repeat(",1", n-1) + `]}}` }
	clauses := func(n int) string {
		return `{"bool":{"should":[{"match_all":{}}` + strings.Repeat(`,{"match_all":{}}`, n-1) + `]}}`
	}
	for _, c := range []struct {
		name, text string
		code       fault.Code
	}{
		{"no JSON", `{"match"`, fault.BadRequest},
		{"something behind", `"a" "b"`, fault.BadRequest},
		{"a key twice", `{"match":{"f":"a","f":"b"}}`, fault.BadRequest},
		{"a list", `["a"]`, fault.BadQuery},
		{"a number", `5`, fault.BadQuery},
		{"null", `null`, fault.BadQuery},
		{"nothing named", `{}`, fault.BadQuery},
		{"two names", `{"match":{"f":"a"},"term":{"f":"a"}}`, fault.BadQuery},
		{"unknown name", `{"mtach":{"f":"a"}}`, fault.BadQuery},
		{"no field", `{"match":{}}`, fault.BadQuery},
		{"two fields", `{"match":{"f":"a","g":"b"}}`, fault.BadQuery},
		{"unknown parameter", `{"match":{"f":{"query":"a","foo":1}}}`, fault.BadQuery},
		{"no query", `{"match":{"f":{"operator":"and"}}}`, fault.BadQuery},
		{"other operator", `{"match":{"f":{"query":"a","operator":"xor"}}}`, fault.BadQuery},
		{"negative boost", `{"match_all":{"boost":-1}}`, fault.BadQuery},
		{"endless boost", `{"match_all":{"boost":1e999}}`, fault.BadQuery},
		{"boost is a word", `{"match_all":{"boost":"2"}}`, fault.BadQuery},
		{"unknown clause of bool", `{"bool":{"musst":[]}}`, fault.BadQuery},
		{"bool of words", `{"bool":{"must":["a"]}}`, fault.BadQuery},
		{"bad minimum", `{"bool":{"minimum_should_match":"most"}}`, fault.BadQuery},
		{"both ends twice", `{"range":{"f":{"gt":1,"gte":2}}}`, fault.BadQuery},
		{"range of a word", `{"range":{"f":5}}`, fault.BadQuery},
		{"range of a list", `{"range":{"f":{"gte":[1]}}}`, fault.BadQuery},
		{"terms of a word", `{"terms":{"f":"a"}}`, fault.BadQuery},
		{"terms of lists", `{"terms":{"f":[["a"]]}}`, fault.BadQuery},
		{"terms of nothing", `{"terms":{}}`, fault.BadQuery},
		{"ids of fractions", `{"ids":{"values":[1.5]}}`, fault.BadQuery},
		{"exists of nothing", `{"exists":{}}`, fault.BadQuery},
		{"no queries", `{"dis_max":{"queries":[]}}`, fault.BadQuery},
		{"no filter", `{"constant_score":{}}`, fault.BadQuery},
		{"broken expression", `{"regexp":{"f":"a["}}`, fault.BadQuery},
		{"broken text", `{"query_string":{"query":"(a"}}`, fault.BadQuery},
		{"other type", `{"multi_match":{"query":"a","type":"cross_fields"}}`, fault.BadQuery},
		{"an unknown function", `{"function_score":{"random_score":{}}}`, fault.BadQuery},
		{"an unknown function of several", `{"function_score":{"functions":[{"script_score":{}}]}}`, fault.BadQuery},
		{"a function of nothing", `{"function_score":{"functions":[{"filter":{"match_all":{}}}]}}`, fault.BadQuery},
		{"functions and one", `{"function_score":{"functions":[],"weight":2}}`, fault.BadQuery},
		{"two functions in one", `{"function_score":{"gauss":{"n":{"origin":5,"scale":1}},"field_value_factor":{"field":"n"}}}`, fault.BadQuery},
		{"a negative weight", `{"function_score":{"weight":-1}}`, fault.BadQuery},
		{"a negative max_boost", `{"function_score":{"weight":1,"max_boost":-1}}`, fault.BadQuery},
		{"no field of a factor", `{"function_score":{"field_value_factor":{"factor":2}}}`, fault.BadQuery},
		{"an unknown modifier", `{"function_score":{"field_value_factor":{"field":"n","modifier":"cube"}}}`, fault.BadQuery},
		{"an unknown score_mode", `{"function_score":{"weight":1,"score_mode":"median"}}`, fault.BadQuery},
		{"an unknown boost_mode", `{"function_score":{"weight":1,"boost_mode":"first"}}`, fault.BadQuery},
		{"a decay without origin", `{"function_score":{"exp":{"at":{"scale":"1d"}}}}`, fault.BadQuery},
		{"a decay without scale", `{"function_score":{"exp":{"n":{"origin":1}}}}`, fault.BadQuery},
		{"a decay of two fields", `{"function_score":{"exp":{"n":{"origin":1,"scale":1},"m":{"origin":1,"scale":1}}}}`, fault.BadQuery},
		{"a decay of 1", `{"function_score":{"exp":{"n":{"origin":1,"scale":1,"decay":1}}}}`, fault.BadQuery},
		{"an unknown multi_value_mode", `{"function_score":{"exp":{"n":{"origin":1,"scale":1},"multi_value_mode":"median"}}}`, fault.BadQuery},
		{"half a place", `{"function_score":{"exp":{"p":{"origin":{"lat":1},"scale":"1km"}}}}`, fault.BadQuery},
		{"1,025 functions", `{"function_score":{"functions":[{"weight":1}` + strings.Repeat(`,{"weight":1}`, 1024) + `]}}`, fault.LimitExceeded},
		{"latitude", `{"geo_distance":{"field":"p","lat":91,"lon":2,"distance":"5km"}}`, fault.BadField},
		{"edits", `{"fuzzy":{"f":{"value":"a","fuzziness":5}}}`, fault.LimitExceeded},
		{"slop", `{"match_phrase":{"f":{"query":"a","slop":100000}}}`, fault.LimitExceeded},
		{"31 levels and a leaf", nested(31), ""},
		{"32 levels and a leaf", nested(32), fault.LimitExceeded},
		{"100,000 levels", nested(100_000), fault.LimitExceeded},
		{"100,000 lists", strings.Repeat("[", 100_000), fault.BadQuery},
		{"lists in a parameter", `{"function_score":{"weight":` + strings.Repeat("[", 100_000), fault.BadQuery},
		{"65,536 values", list(65_536), ""},
		{"65,537 values", list(65_537), fault.LimitExceeded},
		{"1,024 clauses", clauses(1024), ""},
		{"1,025 clauses", clauses(1025), fault.LimitExceeded},
		{"clauses in text and JSON", `{"bool":{"should":[{"query_string":{"query":"` + strings.Repeat("a ", 600) + `"}},{"query_string":{"query":"` + strings.Repeat("a ", 600) + `"}}]}}`, fault.LimitExceeded},
		{"depth in text and JSON", strings.Repeat(`{"bool":{"must":[`, 20) + `{"query_string":{"query":"` + strings.Repeat("(", 20) + "a" + strings.Repeat(")", 20) + `"}}` + strings.Repeat(`]}}`, 20), fault.LimitExceeded},
		{"64 KiB", `{"match":{"f":"` + strings.Repeat("a", 70_000) + `"}}`, fault.LimitExceeded},
	} {
		n, err := query.DecodeJSON([]byte(c.text), query.Options{})
		if fault.CodeOf(err) != c.code || (err == nil) != (c.code == "") {
			t.Errorf("%s: %.80s, %v, want %q", c.name, dump(n), err, c.code)
		}
	}
}

func FuzzDecodeJSON(f *testing.F) {
	for _, name := range []string{"match", "match_phrase", "term", "terms", "range", "prefix", "fuzzy", "regexp", "wildcard"} {
		f.Add([]byte(fmt.Sprintf(`{%q:{"f":{"query":"a","value":"b","gte":1,"boost":2}}}`, name)))
		f.Add([]byte(fmt.Sprintf(`{%q:{"f":["a",1,true,null]}}`, name)))
	}
	f.Add([]byte(`{"bool":{"must":[{"match":{"f":"a"}}],"should":{"match_all":{}},"minimum_should_match":"-25%"}}`))
	f.Add([]byte(`{"dis_max":{"queries":[{"ids":{"values":["a"]}},{"query_string":{"query":"(a b)^2"}}]}}`))
	f.Add([]byte(`{"multi_match":{"query":"a","fields":["f^2"]}}`))
	f.Add([]byte(`{"function_score":{"query":{"match":{"t":"a"}},"field_value_factor":{"field":"n","factor":1.2,"modifier":"log1p","missing":1},"max_boost":5,"min_score":0.5,"boost_mode":"sum"}}`))
	f.Add([]byte(`{"function_score":{"functions":[{"filter":{"term":{"k":"x"}},"weight":2},{"gauss":{"n":{"origin":5,"scale":10,"offset":1,"decay":0.3}}},{"exp":{"at":{"origin":"2020","scale":"10d"}}},{"linear":{"place":{"origin":"1,2","scale":"5km"},"multi_value_mode":"max"}}],"score_mode":"avg","boost_mode":"replace"}}`))
	f.Add([]byte(`"f:[1 TO 5] g:\"x\""`))
	s := resolveSchema(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		n, err := query.DecodeJSON(text, query.Options{})
		if err == nil {
			_ = query.String(n)
			n, err = query.Resolve(n, s, false)
		}
		if err == nil {
			questions := query.FuzzyQuestions(n)
			chosen := map[*query.LikeTerms]query.Node{}
			likes, _ := query.Likes(n)
			for _, like := range likes {
				chosen[like] = &query.MatchNone{}
			}
			n, err = query.Expand(n, false, questions, make([][]query.Expansion, len(questions)), chosen)
		}
		if err != nil {
			if fault.CodeOf(err) == "" {
				t.Fatalf("%q: an error without a code: %v", text, err)
			}
			return
		}
		back, rest, err := query.DecodeNode(query.AppendNode(nil, n))
		if err != nil || len(rest) > 0 || dump(back) != dump(n) {
			t.Fatalf("%q is %s and comes back as %s, %v", text, dump(n), dump(back), err)
		}
	})
}
