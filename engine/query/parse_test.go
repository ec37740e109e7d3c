package query_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/query"
)

func TestParse(t *testing.T) {
	for _, c := range []struct{ q, want string }{
		// lists and operators
		{`a`, `w'a'`},
		{``, `all`},
		{" \t\u3000", `all`},
		{`a b`, `(|w'a' |w'b')`},
		{"a\u00a0b\u2003c", `(|w'a' |w'b' |w'c')`},
		{`a OR b || c`, `(|w'a' |w'b' |w'c')`},
		{`a AND b && c`, `(+w'a' +w'b' +w'c')`},
		{`a b AND c`, `(|w'a' |(+w'b' +w'c'))`},
		{`a AND b OR c AND d`, `(|(+w'a' +w'b') |(+w'c' +w'd'))`},
		{`(a OR b) AND c`, `(+(|w'a' |w'b') +w'c')`},
		{`+a b`, `(+w'a' |w'b')`},
		{`+a -b c`, `(+w'a' |w'c' -w'b')`},
		{`+a`, `(+w'a')`},
		{`-a`, `(-w'a')`},
		{`NOT a`, `(-w'a')`},
		{`!a b`, `(|w'b' -w'a')`},
		{`a NOT b`, `(|w'a' -w'b')`},
		{`a OR NOT b`, `(|w'a' |(-w'b'))`},
		{`NOT a OR b`, `(|(-w'a') |w'b')`},
		{`a AND NOT b`, `(+w'a' -w'b')`},
		{`a AND -b AND +c`, `(+w'a' +w'c' -w'b')`},
		{`+a b AND c`, `(+w'a' |(+w'b' +w'c'))`},
		{`- a`, `(-w'a')`},
		{`and or not`, `(|w'and' |w'or' |w'not')`},
		{`ANDROID ORacle`, `(|w'ANDROID' |w'ORacle')`},
		{`NOT(a)`, `(-w'a')`},
		{`a AND(b)`, `(+w'a' +w'b')`},
		{`"AND"`, `p'AND'~0`},
		{`\AND`, `w'AND'`},
		// words
		{`wi-fi c++ a/b a!b 3<4 x=y`, `(|w'wi-fi' |w'c++' |w'a/b' |w'a!b' |w'3<4' |w'x=y')`},
		{`a\:b \(x\) \\ \- \*`, `(|w'a:b' |w'(x)' |w'\' |w'-' |w'*')`},
		{`New\ York`, `w'New York'`},
		{`東京 日本`, `(|w'東京' |w'日本')`},
		// phrases
		{`"a b"`, `p'a b'~0`},
		{`"a \"b\" \\"~3^2`, `p'a "b" \'~3^2`},
		{`""`, `p''~0`},
		{`a"b"c`, `(|w'a' |p'b'~0 |w'c')`},
		// fields
		{`f:a`, `f:w'a'`},
		{`f:"a b"~1`, `f:p'a b'~1`},
		{`f:(a b)`, `(|f:w'a' |f:w'b')`},
		{`f:(a g:b AND c)`, `(|f:w'a' |(+g:w'b' +f:w'c'))`},
		{`f: a`, `f:w'a'`},
		{`f:-5 f:+x`, `(|f:w'-5' |f:w'+x')`},
		{`f:10:30:00`, `f:w'10:30:00'`},
		{`my\ field:a поле:b`, `(|my field:w'a' |поле:w'b')`},
		{`*`, `all`},
		{`*:*`, `all`},
		{`f:*`, `exists(f)`},
		{`_exists_:f`, `exists(f)`},
		{`_exists_:"a b"`, `exists(a b)`},
		{`f:AND`, `f:w'AND'`},
		// ranges
		{`f:[1 TO 5]`, `f:[1,5]`},
		{`f:{a TO "b c"}`, `f:{a,b c}`},
		{`f:[* TO 5}`, `f:[*,5}`},
		{`f:[  -1   TO  *  ]^2`, `f:[-1,*]^2`},
		{`f:["*" TO \*]`, `f:[*,*]`},
		{`f:[2024-01-01T00:00:00Z TO *]`, `f:[2024-01-01T00:00:00Z,*]`},
		{`f:>5 f:>=5 f:<5 f:<=5`, `(|f:{5,*} |f:[5,*} |f:{*,5} |f:{*,5])`},
		{`f:(>=10 AND < "20")`, `(+f:[10,*} +f:{*,20})`},
		{`f:([1 TO 2] OR 7)`, `(|f:[1,2] |f:w'7')`},
		// patterns
		{`pre*`, `prefix'pre'`},
		{`f:pre*^2`, `f:prefix'pre'^2`},
		{`p\*re*`, `prefix'p*re'`},
		{`wi?d*`, `wild'wi?d*'`},
		{`*x`, `wild'*x'`},
		{`a**`, `wild'a**'`},
		{`a\?b*c`, `wild'a\?b*c'`},
		{`?`, `wild'?'`},
		{`/ab.*\/c/`, `re'ab.*/c'`},
		{`f:/\d+/`, `f:re'\d+'`},
		{`fuzy~1`, `fuzzy'fuzy'~1/0`},
		{`fuzy~`, `fuzzy'fuzy'~2/0`},
		{`f:fuzy~0^3`, `f:fuzzy'fuzy'~0/0^3`},
		// boosts
		{`a^2.5 b^0`, `(|w'a'^2.5 |w'b'^0)`},
		{`(a b)^2`, `(|w'a' |w'b')^2`},
		{`(a)^2`, `w'a'^2`},
		{`(a^3)^2`, `(+w'a'^3)^2`},
		{`((a b)^3)^2`, `(+(|w'a' |w'b')^3)^2`},
		{`f:(a b)^1e2`, `(|f:w'a' |f:w'b')^100`},
		{`*^2`, `all^2`},
	} {
		n, err := query.Parse(c.q, query.Options{})
		if err != nil || dump(n) != c.want {
			t.Errorf("%s: %s, want %s (%v)", c.q, dump(n), c.want, err)
			continue
		}
		printed := query.String(n)
		again, err := query.Parse(printed, query.Options{})
		if err != nil || dump(again) != c.want {
			t.Errorf("%s is printed %s, which is %s (%v)", c.q, printed, dump(again), err)
		}
	}
}

func TestDefaultOperatorAnd(t *testing.T) {
	for _, c := range []struct{ q, want string }{
		{`a b`, `(+w'a' +w'b')`},
		{`a b OR c d`, `(|(+w'a' +w'b') |(+w'c' +w'd'))`},
		{`a OR b`, `(|w'a' |w'b')`},
		{`+a b -c`, `(+w'a' +w'b' -w'c')`},
		{`(a b)`, `(+w'a' +w'b')`},
		{`-a`, `(-w'a')`},
	} {
		n, err := query.Parse(c.q, query.Options{DefaultOperatorAnd: true})
		if err != nil || dump(n) != c.want {
			t.Errorf("%s: %s, want %s (%v)", c.q, dump(n), c.want, err)
		}
	}
}

func TestParseRefusesWithThePlace(t *testing.T) {
	for _, c := range []struct {
		q  string
		at int
	}{
		{`(alpha`, 0}, {`alpha)`, 5}, {`"alpha`, 0}, {`x (alpha OR (beta)`, 2}, {`body:[1 TO`, 5}, {`alpha AND`, 9}, {`AND alpha`, 0}, {`alpha OR OR beta`, 9},
		{`body:`, 0}, {`alpha AND )`, 10}, {`a ()`, 3}, {`alpha ^`, 6}, {`a^x`, 1}, {`a^`, 1}, {`a^1e999`, 1}, {`[1 TO 2]`, 0}, {`f:[1 2]`, 5}, {`f:[1 TO 2`, 2}, {`f:[TO]`, 5},
		{`f:[1 TO ]`, 8}, {`f:>`, 2}, {`:x`, 0}, {`x]`, 1}, {`}`, 0}, {`~`, 0}, {`a\`, 1}, {`"a"~`, 3}, {`"a"~b`, 3}, {`a*~1`, 2}, {`a~0.5`, 1}, {`/al[/`, 0}, {`é /(/`, 3},
		{`/abc`, 0}, {`NOT`, 3}, {`a AND NOT NOT b`, 10}, {`+`, 1}, {`f*:x`, 0}, {`_exists_:(a)`, 9}, {`a && && b`, 5},
	} {
		n, err := query.Parse(c.q, query.Options{})
		var f *fault.Error
		if !errors.As(err, &f) || f.Code != fault.BadQuery || f.Position != c.at {
			t.Errorf("%s: %s, %v, want a bad_query at %d", c.q, dump(n), err, c.at)
		}
		if _, err := query.Parse(c.q, query.Options{Lenient: true}); err != nil {
			t.Errorf("%s, leniently: %v", c.q, err)
		}
	}
}

func TestLenient(t *testing.T) {
	for _, c := range []struct{ q, want string }{
		{`(alpha`, `w'alpha'`},
		{`alpha AND`, `w'alpha'`},
		{`(alpha OR beta`, `(|w'alpha' |w'beta')`},
		{`title:"x y`, `(|w'title' |w'x' |w'y')`},
		{`((((`, `none`},
		{`+a -b`, `(+w'a' -w'b')`},
		{strings.Repeat("(", 100) + `deep`, `w'deep'`},
		{"a\xff(b", `(|w'a' |w'b')`},
	} {
		n, err := query.Parse(c.q, query.Options{Lenient: true})
		if err != nil || dump(n) != c.want {
			t.Errorf("%s: %s, want %s (%v)", c.q, dump(n), c.want, err)
		}
	}
}

func TestParseLimits(t *testing.T) {
	nested := func(n int) string { return strings.Repeat("(", n) + "a" + strings.Repeat(")", n) }
	for _, c := range []struct {
		name, q string
		code    fault.Code
	}{
		{"1,024 clauses", strings.Repeat("a ", 1024), ""},
		{"1,025 clauses", strings.Repeat("a ", 1025), fault.LimitExceeded},
		{"depth 32", nested(32), ""},
		{"depth 33", nested(33), fault.LimitExceeded},
		{"60,000 brackets", strings.Repeat("(", 60_000), fault.LimitExceeded},
		{"60,000 fields", strings.Repeat("f:(", 20_000), fault.LimitExceeded},
		{"64 KiB", strings.Repeat("a", 64<<10), ""},
		{"64 KiB and a byte", strings.Repeat("a", 64<<10+1), fault.LimitExceeded},
		{"3 edits", "a~3", fault.LimitExceeded},
		{"endless edits", "a~99999999999999999999", fault.LimitExceeded},
		{"slop", `"a b"~10001`, fault.LimitExceeded},
		{"no UTF-8", "a\xff", fault.BadQuery},
	} {
		if _, err := query.Parse(c.q, query.Options{}); fault.CodeOf(err) != c.code {
			t.Errorf("%s: %v, want %q", c.name, err, c.code)
		}
	}
}

// The deepest tree that a query within the limits makes can be resolved and travels.
func TestDeepestQuery(t *testing.T) {
	q := `t:a`
	for range query.MaxDepth {
		q = `(b OR NOT (c AND (` + q + `)^2)^3)^2`
		if n, err := query.Parse(q, query.Options{}); err == nil {
			r, err := query.Resolve(n, resolveSchema(t), false)
			if err != nil {
				t.Fatalf("%s: %v", q, err)
			}
			if _, _, err := query.DecodeNode(query.AppendNode(nil, r)); err != nil {
				t.Fatalf("%s: %v", q, err)
			}
		} else if fault.CodeOf(err) != fault.LimitExceeded {
			t.Fatalf("%s: %v", q, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`+a -b (c AND "d e"~2)^2 f:[1 TO *} g:>=5`, `x\:y z* w?ld~1 /re\/x/ _exists_:f *:*`, `NOT a OR !b && c || d`, `\AND a\ b "\"" f:(a g:b)`, `f:"" ^ ~ ] }`, `\&& \/ x\/ <a \>b`, `f:\<5 f:\/x/`, `a\*b* \?*`,
	} {
		f.Add(seed, false)
		f.Add(seed, true)
	}
	f.Fuzz(func(t *testing.T, q string, and bool) {
		opts := query.Options{DefaultOperatorAnd: and}
		n, err := query.Parse(q, opts)
		if lenient, err := query.Parse(q, query.Options{DefaultOperatorAnd: and, Lenient: true}); err != nil && fault.CodeOf(err) != fault.LimitExceeded {
			t.Fatalf("%q, leniently: %s, %v", q, dump(lenient), err)
		}
		var bad *fault.Error
		if errors.As(err, &bad) {
			if bad.Position > len(q) || bad.Code == fault.BadQuery && bad.Position < 0 && utf8.ValidString(q) {
				t.Fatalf("%q: %v", q, err)
			}
			return
		}
		printed := query.String(n)
		again, err := query.Parse(printed, query.Options{})
		if len(printed) > query.MaxBytes || fault.CodeOf(err) == fault.LimitExceeded {
			return // escapes and parentheses can make a text longer and deeper
		}
		if err != nil || dump(again) != dump(n) {
			t.Fatalf("%q is %s, printed %q, which is %s, %v", q, dump(n), printed, dump(again), err)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := query.Parse(`+title:compiler "garbage collector"~2^3 year:[2000 TO 2010] -draft:true (go OR rust)`, query.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
