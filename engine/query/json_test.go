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
		{`{"function_score":{"query":{"match_all":{}},"weight":2}}`, `*query.FunctionScore`},
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
		{"latitude", `{"geo_distance":{"field":"p","lat":91,"lon":2,"distance":"5km"}}`, fault.BadField},
		{"edits", `{"fuzzy":{"f":{"value":"a","fuzziness":5}}}`, fault.LimitExceeded},
		{"slop", `{"match_phrase":{"f":{"query":"a","slop":100000}}}`, fault.LimitExceeded},
		{"31 levels and a leaf", nested(31), ""},
		{"32 levels and a leaf", nested(32), fault.LimitExceeded},
		{"100,000 levels", nested(100_000), fault.LimitExceeded},
		{"100,000 lists", strings.Repeat("[", 100_000), fault.BadQuery},
		{"lists in a parameter", `{"function_score":{"weight":` + strings.Repeat("[", 100_000), fault.LimitExceeded},
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
	f.Add([]byte(`"f:[1 TO 5] g:\"x\""`))
	s := resolveSchema(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		n, err := query.DecodeJSON(text, query.Options{})
		if err == nil {
			_ = query.String(n)
			n, err = query.Resolve(n, s, false)
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
