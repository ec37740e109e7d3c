package query_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/jetseek/jetseek/engine/analysis"
	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/schema"
)

func resolveSchema(t testing.TB) *schema.Schema {
	s, err := schema.Parse([]byte(`{"fields":{"t":{"type":"text"},"u":{"type":"text","boost":2},"d":{"type":"text","exact":true},"k":{"type":"keyword","boost":3},
		"n":{"type":"long"},"x":{"type":"double"},"at":{"type":"date"},"b":{"type":"bool"},"g":{"type":"geo"},"v":{"type":"vector","dims":2}},"default_fields":["t","u"]}`))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestResolve(t *testing.T) {
	s := resolveSchema(t)
	for _, c := range []struct{ q, want string }{
		{`"t:Go"`, `t:go#0`},
		{`"u:Go^3"`, `u:go#0^6`},
		{`"go"`, `(|t:go#0 |u:go#1^2)1`},
		{`"a AND b"`, `(+(|t:a#0 |u:a#1^2)1 +(|t:b#2 |u:b#3^2)1)`},
		{`"t:a t:b^2 -t:c"`, `(|t:a#0 |t:b#1^2 -t:c^0)1`},
		{`"t:b +t:a"`, `(+t:a#0 |t:b#1)`},
		{`"(t:a (u:b)^5)^2"`, `(|t:a#0^2 |u:b#1^20)1`},
		{`"t:wi-fi"`, `t:[wi fi]@[0 1]#0`},
		{`"t:東京都"`, `t:[東京 京都]@[0 1]#0`},
		{`"t:都"`, `t:character"都"`},
		{`"t:第3回"`, `t:[…第 3 回…]@[0 1 2]#0`},
		{`"t:2020年"`, `t:[2020 年…]@[0 1]#0`},
		{`"t:\"年 x\"~2"`, `t:[年 x]@[0 1]~2#0`},
		{`"t:人・物"`, `const(t:[…人 物…]@[0 1])`},
		{`"t:人・物^2"`, `const(t:[…人 物…]@[0 1]^2)^2`},
		{`"t:\"人・物\"~2"`, `t:[人 物…]@[0 1]~2#0`},
		{`{"match_phrase_prefix":{"t":"人・物"}}`, `const(t:[…人 物*]@[0 1])^0`},
		{`{"match_phrase_prefix":{"t":"第3"}}`, `const(t:[…第 3*]@[0 1])^0`},
		{`"t:第3*"`, `const(t:[…第 3*]@[0 1]^0)`},
		{`"k:都"`, `k:set["都"]^3`},
		{`"t:\"a b\" t:\"c\""`, `(|t:[a b]@[0 1]#0 |t:c#1)1`},
		{`"t:..."`, `none`},
		{`"t:a AND t:..."`, `t:a#0`},
		{`"t:... -t:a"`, `none`},
		{`"t:... t:a"`, `t:a#0`},
		{`"t:... AND n:5"`, `n:long(5,5)`},
		{`"-t:a"`, `(-t:a^0)`},
		{`"t:a OR NOT t:b"`, `(|t:a#0 |(-t:b^0))1`},
		{`"nope:a"`, `none`},
		{`"t:a nope:b"`, `t:a#0`},
		{`"t:a AND nope:b"`, `none`},
		{`"t:a -nope:b"`, `t:a#0`},
		{`"*"`, `all`},
		{`"*^2 -t:a"`, `(|all^2 -t:a^0)1`},
		{`"k:New\\ York^2"`, `k:set["New York"]^6`},
		{`"k:\"a b\""`, `k:set["a b"]^3`},
		{`"k:[a TO b}"`, `k:str(a,b,true,false)^3`},
		{`"k:[b TO a]"`, `none`},
		{`"k:{a TO a]"`, `none`},
		{`"d:words d:[a TO *]"`, `(|d:words#0 |d:str(a,*,true,true))1`},
		{`"n:5 n:5.0 n:5e0 n:0.5e1"`, `(|n:long(5,5) |n:long(5,5) |n:long(5,5) |n:long(5,5))1`},
		{`"n:5.5"`, `none`},
		{`"n:[1.5 TO 5.5]"`, `n:long(2,5)`},
		{`"n:{1.5 TO 5.5}"`, `n:long(2,5)`},
		{`"n:[-1.5 TO -0.5]"`, `n:long(-1,-1)`},
		{`"n:{1 TO 5}"`, `n:long(2,4)`},
		{`"n:>9223372036854775807"`, `none`},
		{`"n:<-9223372036854775808"`, `none`},
		{`"n:<9223372036854775807.5"`, `n:long(-9223372036854775808,9223372036854775807)`},
		{`"n:>1e30"`, `none`},
		{`"n:<1e999999999999"`, `n:long(-9223372036854775808,9223372036854775807)`},
		{`"n:>1e-999999999999"`, `n:long(1,9223372036854775807)`},
		{`"n:>=-1e30"`, `n:long(-9223372036854775808,9223372036854775807)`},
		{`"n:1e30"`, `none`},
		{`"at:[2261-12-31T23:59:59.999999999Z TO 9999-12-31T23:59:59Z]"`, `at:long(9214646399999999999,9223372036854775807)`},
		{`"at:>=3000"`, `none`},
		{`"at:<3000"`, `at:long(-9223372036854775808,9223372036854775807)`},
		{`"at:[0001-01-01T00:00:00Z TO 1969]"`, `at:long(-9223372036854775808,-1)`},
		{`"at:1500"`, `none`},
		{`{"range":{"at":{"gte":9223372036855}}}`, `none`},
		{`{"range":{"at":{"lte":1e30}}}`, `at:long(-9223372036854775808,9223372036854775807)`},
		{`"n:9007199254740993.0"`, `n:long(9007199254740993,9007199254740993)`},
		{`"x:0.3 x:>=-0"`, `(|x:double(0.3,0.3,true,true) |x:double(0,+Inf,true,false))1`},
		{`"x:>1e400"`, `none`},
		{`"x:<1e400"`, `x:double(-Inf,+Inf,false,false)`},
		{`"b:true b:false"`, `(|b:long(1,1) |b:long(0,0))1`},
		{`"at:1970"`, `at:long(0,31535999999999999)`},
		{`"at:>1970"`, `at:long(31536000000000000,9223372036854775807)`},
		{`"at:<1970"`, `at:long(-9223372036854775808,-1)`},
		{`"at:<=1970-01-01"`, `at:long(-9223372036854775808,86399999999999)`},
		{`"at:[1970-01-01T00:00:00.000000001Z TO *]"`, `at:long(1,9223372036854775807)`},
		{`"at:1710072000000"`, `at:long(1710072000000000000,1710072000000000000)`},
		{`"t:* n:* _exists_:k"`, `(|has(t text) |has(n long) |has(k keyword)^3)1`},
		{`{"match":{"t":"A b a"}}`, `(|t:a#0 |t:b#1 |t:a#2)1`},
		{`{"match":{"t":{"query":"a b","operator":"and"}}}`, `(+t:a#0 +t:b#1)`},
		{`{"match":{"t":{"query":"a b c","minimum_should_match":2}}}`, `(|t:a#0 |t:b#1 |t:c#2)2`},
		{`{"match":{"t":{"query":"a b c","minimum_should_match":"-1"}}}`, `(|t:a#0 |t:b#1 |t:c#2)2`},
		{`{"match":{"t":{"query":"a b c d","minimum_should_match":"75%"}}}`, `(|t:a#0 |t:b#1 |t:c#2 |t:d#3)3`},
		{`{"match":{"t":{"query":"a b c d","minimum_should_match":"-30%"}}}`, `(|t:a#0 |t:b#1 |t:c#2 |t:d#3)3`},
		{`{"match":{"t":{"query":"a b","minimum_should_match":5}}}`, `none`},
		{`{"match":{"k":"A b"}}`, `k:set["A b"]^3`},
		{`{"match":{"n":5}}`, `n:long(5,5)`},
		{`{"multi_match":{"query":"a b","fields":["t^2","u","nope"]}}`, `max0((|t:a#0^2 |t:b#1^2)1 (|u:a#2^2 |u:b#3^2)1)`},
		{`{"multi_match":{"query":"a","type":"most_fields"}}`, `(|t:a#0 |u:a#1^2)1`},
		{`{"term":{"t":"Raw"}}`, `t:Raw#0`},
		{`{"term":{"d":"New York"}}`, `d:set["New York"]`},
		{`{"term":{"n":5.0}}`, `n:long(5,5)`},
		{`{"terms":{"k":["b","a","b"]}}`, `k:set["a" "b"]^3`},
		{`{"terms":{"n":[3,1,3,2.5]}}`, `n:longs[1 3]`},
		{`{"terms":{"x":[3,-0.0]}}`, `x:doubles[0 3]`},
		{`{"terms":{"u":["b","a"],"boost":2}}`, `const((|u:a^0 |u:b^0)1)^4`},
		{`{"terms":{"at":["1970","1970-01-01T00:00:00Z"]}}`, `const((|at:long(0,31535999999999999)^0 |at:longs[0]^0)1)`},
		{`{"terms":{"k":[]}}`, `none`},
		{`{"ids":{"values":[]}}`, `none`},
		{`{"range":{"at":{"gte":0,"lt":"1970-01-02"}}}`, `at:long(0,86399999999999)`},
		{`{"range":{"n":{}}}`, `n:long(-9223372036854775808,9223372036854775807)`},
		{`{"bool":{"filter":[{"match":{"t":"a"}}],"should":[{"match":{"t":"b"}}]}}`, `(|t:b#0 =t:a^0)`},
		{`{"bool":{"should":[{"term":{"n":1}},{"term":{"n":2}}],"filter":{"match_all":{}},"minimum_should_match":1}}`, `(|n:long(1,1) |n:long(2,2) =all^0)1`},
		{`{"bool":{}}`, `()`},
		{`{"constant_score":{"filter":{"match":{"t":"a b"}},"boost":5}}`, `const((|t:a^0 |t:b^0)1)^5`},
		{`{"dis_max":{"queries":[{"term":{"t":"a"}},{"term":{"u":"b"}}],"tie_breaker":0.5,"boost":2}}`, `max0.5(t:a#0^2 u:b#1^4)`},
		{`"t:\"a b\"~2"`, `t:[a b]@[0 1]~2#0`},
		{`{"match_phrase":{"t":{"query":"a b a","slop":3}}}`, `t:[a b a]@[0 1 2]~3#0`},
		{`{"match_phrase_prefix":{"t":"Go la"}}`, `t:[go la*]@[0 1]#0`},
		{`{"match_phrase_prefix":{"t":"La"}}`, `t:prefix"la"^0`},
		{`{"match_phrase_prefix":{"k":"La"}}`, `k:prefix"La"exact^0`},
		{`"t:Gö*"`, `t:prefix"gö"fold`},
		{`"Go*^2"`, `(|t:prefix"go"fold^2 |u:prefix"go"fold^4)1`},
		{`"k:Go*"`, `k:prefix"Go"exact^3`},
		{`"t:Wi-F*^2"`, `const(t:[wi f*]@[0 1]^0)^2`},
		{`"t:#Go*"`, `t:prefix"go"fold`},
		{`"t:wi-*"`, `const(t:wi^0)`},
		{`"t:-..*"`, `t:prefix"-.."fold`},
		{`"t:東京都*"`, `const(t:[東京 京都*]@[0 1]^0)`},
		{`"t:第3回*"`, `const(t:[…第 3 回*]@[0 1 2]^0)`},
		{`"t:東*"`, `t:character"東"`},
		{`"k:wi-f*"`, `k:prefix"wi-f"exact^3`},
		{`"d:wi-f*"`, `const((|d:[wi f*]@[0 1]^0 |d:prefix"wi-f"exact^0)1)`},
		{`"d:Go*"`, `const((|d:prefix"go"fold^0 |d:prefix"Go"exact^0)1)`},
		{`{"prefix":{"d":"Go"}}`, `d:prefix"Go"exact`},
		{`{"prefix":{"d":{"value":"Go","boost":2}}}`, `d:prefix"Go"exact^2`},
		{`"t:G?o d:G?o k:G?o"`, `(|t:wildcard"g?o"fold |d:wildcard"g?o"fold |k:wildcard"G?o"exact^3)1`},
		{`"t:/G.o/ k:/G.o/"`, `(|t:regexp"G.o"fold |k:regexp"G.o"exact^3)1`},
		{`"nope:a* nope:/a/"`, `none`},
		{`{"bool":{"should":[{"term":{"t":"s"}}],"must":[{"term":{"t":"m"}}]}}`, `(+t:m#0 |t:s#1)`},
	} {
		n, err := query.DecodeJSON([]byte(c.q), query.Options{})
		if err != nil {
			t.Errorf("%s: %v", c.q, err)
			continue
		}
		r, err := query.Resolve(n, s, false)
		if err != nil || dump(r) != c.want {
			t.Errorf("%s: %s, want %s (%v)", c.q, dump(r), c.want, err)
			continue
		}
		back, rest, err := query.DecodeNode(append(query.AppendNode(nil, r), "rest"...))
		if err != nil || string(rest) != "rest" || dump(back) != c.want {
			t.Errorf("%s comes back as %s, %v", c.want, dump(back), err)
		}
		if f, err := query.Resolve(n, s, true); err != nil || len(query.Leaves(f)) > 0 {
			t.Errorf("%s as a filter scores: %s, %v", c.q, dump(f), err)
		}
	}
}

// A term that is longer than any that is indexed matches nothing, however it is asked for: it never travels.
func TestResolveLongTerms(t *testing.T) {
	s := resolveSchema(t)
	for _, c := range []struct {
		character string
		times     int
		none      bool
	}{{"x", analysis.MaxTermBytes, false}, {"x", analysis.MaxTermBytes + 1, true}, {"x", 40_000, true}, {"\U00010400", 64, true}, {"\U00010400", analysis.MaxTermBytes + query.MaxEdits, true}} {
		long := strings.Repeat(c.character, c.times)
		for _, form := range []string{`{"term":{"t":"%s"}}`, `{"fuzzy":{"t":{"value":"%s","fuzziness":0}}}`, `{"bool":{"should":[{"term":{"t":{"value":"%s","boost":2}}}]}}`} {
			n, err := query.DecodeJSON(fmt.Appendf(nil, form, long), query.Options{})
			if err != nil {
				t.Fatal(err)
			}
			r, err := query.Resolve(n, s, false)
			if _, none := r.(*query.MatchNone); err != nil || none != c.none {
				t.Errorf(form+": %T, %v", long, r, err)
			}
		}
	}
}

func TestResolveWithoutDefaultFields(t *testing.T) {
	s, err := schema.Parse([]byte(`{"fields":{"b":{"type":"text"},"a":{"type":"text"},"n":{"type":"long"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	mixed, err := schema.Parse([]byte(`{"fields":{"b":{"type":"text"},"n":{"type":"long"},"k":{"type":"keyword"}},"default_fields":["n","b","later","k"]}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		schema  *schema.Schema
		q, want string
	}{
		{s, `w`, `(|a:w#0 |b:w#1)1`},
		{&schema.Schema{}, `w`, `none`},
		{mixed, `word`, `(|b:word#0 |k:set["word"])1`},
		{mixed, `5`, `(|n:long(5,5) |b:5#0 |k:set["5"])1`},
		{mixed, `...`, `k:set["..."]`},
		{mixed, `"5"`, `(|n:long(5,5) |b:5#0 |k:set["5"])1`},
	} {
		n, err := query.Parse(c.q, query.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := query.Resolve(n, c.schema, false)
		if err != nil || dump(r) != c.want {
			t.Errorf("%s: %s, want %s (%v)", c.q, dump(r), c.want, err)
		}
	}
}

func TestResolveRefuses(t *testing.T) {
	s := resolveSchema(t)
	for _, c := range []struct {
		q    string
		code fault.Code
		at   int
	}{
		{`"n:many"`, fault.BadQuery, 2}, {`"t:a AND n:many"`, fault.BadQuery, 10}, {`"at:soon"`, fault.BadQuery, 3}, {`"b:yes"`, fault.BadQuery, 2}, {`"x:0x10"`, fault.BadQuery, 2},
		{`"x:NaN"`, fault.BadQuery, 2}, {`"x:inf"`, fault.BadQuery, 2}, {`"n:1_000"`, fault.BadQuery, 2}, {`"n:\"a\""`, fault.BadQuery, 2}, {`"g:a"`, fault.BadQuery, 2},
		{`"n:[1 TO lots]"`, fault.BadQuery, 2}, {`"at:>soon"`, fault.BadQuery, 3}, {`"t:[a TO b]"`, fault.BadField, -1}, {`"g:[a TO b]"`, fault.BadQuery, 2},
		{`{"range":{"t":{"gte":"a"}}}`, fault.BadField, -1}, {`{"range":{"n":{"gte":"5"}}}`, fault.BadField, -1}, {`{"range":{"k":{"gte":5}}}`, fault.BadField, -1},
		{`{"range":{"x":{"gte":true}}}`, fault.BadField, -1}, {`{"range":{"at":{"gte":1.5}}}`, fault.BadField, -1}, {`{"term":{"n":"5"}}`, fault.BadField, -1},
		{`{"term":{"k":5}}`, fault.BadField, -1}, {`{"term":{"t":5}}`, fault.BadField, -1}, {`{"term":{"b":"true"}}`, fault.BadField, -1}, {`{"term":{"at":true}}`, fault.BadField, -1},
		{`{"terms":{"n":[1,"2"]}}`, fault.BadField, -1}, {`{"terms":{"k":["a",1]}}`, fault.BadField, -1}, {`{"match":{"n":"5"}}`, fault.BadField, -1}, {`{"match":{"t":5}}`, fault.BadField, -1},
		{`{"match_phrase":{"n":"5"}}`, fault.BadField, -1},
		{`"n:5*"`, fault.BadQuery, 2}, {`"at:20?0"`, fault.BadQuery, 3}, {`"n:5~1"`, fault.BadQuery, 2}, {`{"prefix":{"n":"5"}}`, fault.BadField, -1},
		{`"` + strings.Repeat("t:/((abcdefghij){100}){7}/ ", 6) + `"`, fault.LimitExceeded, 5*27 + 2},
		{`{"fuzzy":{"n":"5"}}`, fault.BadField, -1}, {`{"exists":{"field":"v"}}`, fault.BadQuery, -1},
		{`{"geo_box":{"field":"v","top":1,"left":0,"bottom":0,"right":1}}`, fault.BadField, -1},
		{`"t:a^3000000"`, fault.BadQuery, -1}, {`"t:a^1100000 t:b"`, fault.BadQuery, -1}, {`"n:5^2097153"`, fault.BadQuery, -1},
		{`{"match":{"t":"` + strings.Repeat("a ", 1025) + `"}}`, fault.LimitExceeded, -1},
	} {
		n, err := query.DecodeJSON([]byte(c.q), query.Options{})
		if err != nil {
			t.Errorf("%.80s: %v", c.q, err)
			continue
		}
		r, err := query.Resolve(n, s, false)
		var f *fault.Error
		if !errors.As(err, &f) || f.Code != c.code || f.Position != c.at {
			t.Errorf("%.80s: %s, %v, want %s at %d", c.q, dump(r), err, c.code, c.at)
		}
	}
	for _, q := range []string{`n:many`, `n:[1 TO lots]`, `t:[a TO b]`, `at:>soon`} {
		n, err := query.Parse(q, query.Options{Lenient: true})
		if err != nil {
			t.Fatal(err)
		}
		if r, err := query.Resolve(n, s, false); err != nil || dump(r) != "none" {
			t.Errorf("%s, leniently: %s, %v", q, dump(r), err)
		}
	}
	for _, q := range []string{`t:a^1048576 t:b`, `n:5^2097152`, `-t:a^9999999`} {
		n, err := query.Parse(q, query.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := query.Resolve(n, s, false); err != nil {
			t.Errorf("%s: %v", q, err)
		}
	}
}

func TestManyFieldsTimesManyWords(t *testing.T) {
	var fields []schema.Field
	for i := range 1000 {
		fields = append(fields, schema.Field{Name: fmt.Sprintf("f%03d", i), Type: schema.Text, Analyzer: "standard", Boost: 1})
	}
	s, err := (&schema.Schema{}).With(fields)
	if err != nil {
		t.Fatal(err)
	}
	n, err := query.Parse(strings.Repeat("a ", 1024), query.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := query.Resolve(n, s, false); fault.CodeOf(err) != fault.LimitExceeded {
		t.Errorf("a million leaves: %v", err)
	}
}

// TestWeigh computes the weights of a query by hand: N = 4, df(red) = 3, df(apple) = 2, 14 tokens.
func TestWeigh(t *testing.T) {
	s := resolveSchema(t)
	n, err := query.Parse(`t:red^2 t:"apple red" u:red t:red`, query.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := query.Resolve(n, s, false)
	if err != nil {
		t.Fatal(err)
	}
	leaves := query.Leaves(r)
	fields, terms := query.Question(leaves)
	if got := fmt.Sprint(fields, terms); got != "[t u] [{t apple} {t red} {u red}]" {
		t.Fatalf("question: %s", got)
	}
	stats := bm25.Stats{Fields: []bm25.FieldStats{{Docs: 4, TotalLen: 14}, {}}, DF: []uint64{2, 3, 0}}
	weights, err := query.Weigh(leaves, fields, terms, stats)
	if err != nil {
		t.Fatal(err)
	}
	red, apple := math.Log(1+1.5/3.5), math.Ln2
	bound, avgdl := 0.9, 3.5 // variables: a quotient of constants would be exact
	c1 := bound / avgdl
	for i, want := range []bm25.Weight{{W: 2 * red, C0: 0.3, C1: c1}, {W: apple + red, C0: 0.3, C1: c1}, {C0: 0.3}, {W: red, C0: 0.3, C1: c1}} {
		if got := weights[i]; math.Abs(got.W-want.W) > 1e-15 || got.C0 != want.C0 || got.C1 != want.C1 {
			t.Errorf("leaf %d: %+v, want %+v", i, got, want)
		}
	}
	stats.DF = stats.DF[:2]
	if _, err := query.Weigh(leaves, fields, terms, stats); err == nil {
		t.Error("statistics that are too short were taken")
	}
	if _, err := query.Weigh(leaves, fields[1:], terms[:2], bm25.Stats{Fields: make([]bm25.FieldStats, 1), DF: make([]uint64, 2)}); err == nil {
		t.Error("another question's statistics were taken")
	}
	heavy := []query.Leaf{{Field: "t", Terms: []string{"red"}, Boost: 2_000_000, Limit: bm25.MaxWeight}}
	if _, err := query.Weigh(heavy, []string{"t"}, terms[1:2], bm25.Stats{Fields: []bm25.FieldStats{{Docs: 1000, TotalLen: 1000}}, DF: []uint64{1}}); fault.CodeOf(err) != fault.BadQuery {
		t.Errorf("a weight of 13 million: %v", err)
	}
}
