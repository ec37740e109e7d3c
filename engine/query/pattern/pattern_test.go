package pattern

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/jetseek/jetseek/engine/analysis"
	"github.com/jetseek/jetseek/engine/fault"
)

// compiled makes the automaton of an expression that could be read.
func compiled(e *Expression, err error) (*Automaton, error) {
	if err != nil {
		return nil, err
	}
	return e.Automaton()
}

func TestRegexp(t *testing.T) {
	for _, c := range []struct {
		expression     string
		match, nothing []string
	}{
		{"s.*ch", []string{"search", "sketch", "sch"}, []string{"ch", "searching"}},
		{"sear", []string{"sear"}, []string{"search", "ear"}},
		{"", []string{""}, []string{"a"}},
		{"caf.", []string{"cafe", "café", "caf界", "caf😀"}, []string{"caf", "cafee"}},
		{"[α-ω]+", []string{"αβγ", "ω"}, []string{"", "αB", "a"}},
		{`[^a]`, []string{"b", "é", "😀"}, []string{"a", "bb"}},
		{`\pL\d`, []string{"a1", "é2", "界3"}, []string{"11", "a"}},
		{"(a|aa)+", []string{"a", "aaa"}, []string{"", "ab"}},
		{"(a*)*b", []string{"b", "aab"}, []string{"", "aa"}},
		{"(?i)k", []string{"k", "K", "\u212a"}, []string{"c"}},
		{`\bfoo\b`, []string{"foo"}, []string{"foo ", "xfoo"}},
		{`a\b.\bb`, []string{"a b", "a-b"}, []string{"acb", "ab"}},
		{`^a$`, []string{"a"}, []string{"a\n"}},
		{`(?m)a$\n^b`, []string{"a\nb"}, []string{"ab"}},
		{`a^b`, nil, []string{"ab", "a", "b"}},
		{`[^\x00-\x{10FFFF}]|x`, []string{"x"}, []string{"", "y"}},
		{".*a.{30}", []string{strings.Repeat("a", 40), "ba" + strings.Repeat("b", 30)}, []string{strings.Repeat("b", 40)}},
	} {
		a, err := compiled(ParseRegexp(c.expression, nil))
		if err != nil {
			t.Errorf("%q: %v", c.expression, err)
			continue
		}
		for _, term := range c.match {
			if !a.Matches(term) {
				t.Errorf("%q does not match %q", c.expression, term)
			}
		}
		for _, term := range c.nothing {
			if a.Matches(term) {
				t.Errorf("%q matches %q", c.expression, term)
			}
		}
	}
}

func TestFoldedExpressionsMatchFoldedTerms(t *testing.T) {
	for _, c := range []struct{ expression, word string }{
		{"GO.*", "Gopher"}, {"[A-C]+", "ABC"}, {"straße", "STRASSE"}, {"İz.*", "İzmir"}, {`\p{Lu}+`, "ABC"}, {"ﬁ.", "fit"}, {"cafe\u0301", "Café"},
	} {
		a, err := compiled(ParseRegexp(c.expression, analysis.Fold))
		if err != nil || !a.Matches(analysis.Fold(c.word)) {
			t.Errorf("%q does not match %q folded: %v", c.expression, c.word, err)
		}
	}
}

func TestWildcard(t *testing.T) {
	for _, c := range []struct {
		pattern, term string
		want          bool
	}{
		{"s?arch", "search", true}, {"s?arch", "sarch", false}, {"caf?", "café", true}, {"caf?", "caf", false}, {"*", "", true}, {"**", "any", true},
		{"*a*b*c*", "xxaxxbxxc", true}, {"*a*b*c*", "xxbxxaxxc", false}, {`a\*b`, "a*b", true}, {`a\*b`, "axb", false}, {`a\\b`, `a\b`, true},
		{"a.b", "axb", false}, {"a*\nb", "ax\nb", true}, {"a*b", "a\nb", true}, {`a\`, `a\`, true}, {"", "", true}, {"", "a", false}, {"[ab]", "a", false},
	} {
		a, err := compiled(ParseWildcard(c.pattern, nil))
		if err != nil || a.Matches(c.term) != c.want {
			t.Errorf("%q matches %q: %v, want %v (%v)", c.pattern, c.term, !c.want, c.want, err)
		}
	}
}

func TestRefused(t *testing.T) {
	for expression, code := range map[string]fault.Code{
		"al[": fault.BadQuery, "(al": fault.BadQuery, "*": fault.BadQuery, "a{1,100000}": fault.BadQuery, "a{2,1}": fault.BadQuery, `\C`: fault.BadQuery,
		"(a{1,100}){1,100}":         fault.BadQuery, // beyond RE2's bound of a thousand repetitions
		"(.{100}){10}":              "",
		"((abcdefghij){100}){10}":   fault.LimitExceeded,
		strings.Repeat("a", 10_001): fault.LimitExceeded, strings.Repeat("(", 2000) + strings.Repeat(")", 2000): fault.LimitExceeded,
		strings.Repeat(".{1000}", 9000): fault.LimitExceeded,
	} {
		_, err := compiled(ParseRegexp(expression, nil))
		if (err == nil) != (code == "") || err != nil && fault.CodeOf(err) != code {
			t.Errorf("%.30q: %v, want %q", expression, err, code)
		}
	}
	if _, err := compiled(ParseWildcard(strings.Repeat("*a", 32<<10), nil)); fault.CodeOf(err) != fault.LimitExceeded {
		t.Errorf("a wildcard of 64 KiB: %v", err)
	}
}

// TestExpressionsAreThoseOfTheStandardLibrary holds random expressions against package regexp, with the automaton forgetting its states now and then.
func TestExpressionsAreThoseOfTheStandardLibrary(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	for range 1000 {
		expression := randomExpression(r, 3)
		std, err := regexp.Compile(`\A(?:` + expression + `)\z`)
		if err != nil {
			t.Fatal(err)
		}
		a, err := compiled(ParseRegexp(expression, nil))
		if err != nil {
			t.Fatalf("%q: %v", expression, err)
		}
		for range 20 {
			term := randomTerm(r)
			if r.IntN(10) == 0 {
				a.forget()
			}
			if got := a.Matches(term); got != std.MatchString(term) {
				t.Fatalf("%q matches %q: %v", expression, term, got)
			}
		}
	}
}

func randomExpression(r *rand.Rand, depth int) string {
	if depth == 0 || r.IntN(4) == 0 {
		return []string{"a", "b", "é", "界", ".", "[ab]", "[^a]", "[à-ü]", `\b`, `\B`, "^", "$", `\w`, "(?i:A)", "(?s:.)", "(?m:$)", `\n`}[r.IntN(17)]
	}
	sub := func() string { return "(" + randomExpression(r, depth-1) + ")" }
	switch r.IntN(6) {
	case 0:
		return sub() + "*"
	case 1:
		return sub() + "?"
	case 2:
		return sub() + fmt.Sprintf("{%d,%d}", r.IntN(2), 2+r.IntN(2))
	case 3:
		return sub() + "|" + sub()
	}
	return sub() + sub()
}

func randomTerm(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(8) {
		b.WriteString([]string{"a", "b", "A", "é", "ü", "界", "\n", " ", "😀"}[r.IntN(9)])
	}
	return b.String()
}

// TestFuzzyIsTheTableOfDistances holds the bands against the whole table, for all short words.
func TestFuzzyIsTheTableOfDistances(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 2))
	word := func() string {
		var b strings.Builder
		for range r.IntN(9) {
			b.WriteString([]string{"a", "b", "c", "é", "界"}[r.IntN(5)])
		}
		return b.String()
	}
	for range 1500 {
		query, edits, prefix := word(), r.IntN(MaxEdits+1), r.IntN(3)
		a, measure := Fuzzy(query, edits, prefix), NewDistance(query, edits)
		for range 20 {
			term := word()
			if r.IntN(2) == 0 {
				term = mutate(r, query)
			}
			want := alignment([]rune(query), []rune(term))
			begins := string([]rune(query)[:min(prefix, utf8.RuneCountInString(query))])
			matches := want <= edits && strings.HasPrefix(term, begins) && (prefix <= utf8.RuneCountInString(query) || term == query)
			if got := a.Matches(term); got != matches {
				t.Fatalf("%q~%d with prefix %d matches %q: %v, distance %d", query, edits, prefix, term, got, want)
			}
			if got, ok := measure.Of(term); ok != (want <= edits) || ok && got != want {
				t.Fatalf("distance of %q and %q: %d %v, want %d", query, term, got, ok, want)
			}
		}
	}
}

func mutate(r *rand.Rand, word string) string {
	chars := []rune(word)
	for range 1 + r.IntN(2) {
		if len(chars) < 2 {
			break
		}
		switch at := r.IntN(len(chars) - 1); r.IntN(4) {
		case 0:
			chars[at], chars[at+1] = chars[at+1], chars[at]
		case 1:
			chars = append(chars[:at:at], chars[at+1:]...)
		case 2:
			chars[at] = 'z'
		default:
			chars = append(chars[:at:at], append([]rune{'a'}, chars[at:]...)...)
		}
	}
	return string(chars)
}

// alignment is the optimal string alignment, as textbooks give it.
func alignment(a, b []rune) int {
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		d[i][0] = i
	}
	for j := range d[0] {
		d[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d[i][j] = min(d[i-1][j]+1, d[i][j-1]+1, d[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(a)][len(b)]
}

// TestNothingThatCanMatchIsDead walks by bytes: whatever leads to a match is alive all the way, also within characters.
func TestNothingThatCanMatchIsDead(t *testing.T) {
	for _, term := range []string{"é", "界", "😀", "\u0800", "\U00010000", "\U0010ffff", "\u07ff", "\uffff"} {
		for _, expression := range []string{regexp.QuoteMeta(term), ".", "[" + term + "]", "(?i)" + term, `[^a]`} {
			a, err := compiled(ParseRegexp(expression, nil))
			if err != nil || !a.Matches(term) {
				t.Errorf("%q does not match %q: %v", expression, term, err)
			}
		}
	}
	a, _ := compiled(ParseRegexp("é+", nil))
	if s := a.Step(a.Start(), 0xc4); a.CanMatch(s) {
		t.Error("no character that begins with c4 matches, and the state is alive")
	}
}

func TestMemoryIsBounded(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 3))
	a, err := compiled(ParseRegexp("(a|b)*a(a|b){200}", nil))
	if err != nil {
		t.Fatal(err)
	}
	forgot := false
	for range 60 {
		var term strings.Builder
		for range 255 {
			term.WriteByte("ab"[r.IntN(2)])
		}
		a.Matches(term.String())
		if n := len(a.states)*stateBytes + a.machine.size(); n > maxBytes+255*(stateBytes+8*500) {
			t.Fatalf("states take %d bytes", n)
		}
		forgot = a.Trim() || forgot
	}
	if !forgot {
		t.Error("no state was ever forgotten: the test tests nothing")
	}
}

func FuzzRegexp(f *testing.F) {
	for _, seed := range []string{"s.*ch", "(a+)+$", "(a|aa)+", `\bfoo\b`, "[^é]", "(?i)ß", "a{2,5}", `\p{Greek}*`, "(?m)^a$", `\Qa.b\E`, "(((a{10}){10}){10}){10}"} {
		f.Add(seed, "aaaa")
	}
	f.Fuzz(func(t *testing.T, expression, term string) {
		if !utf8.ValidString(term) || !utf8.ValidString(expression) || len(term) > 255 || len(expression) > 500 {
			return
		}
		a, err := compiled(ParseRegexp(expression, nil))
		if err != nil {
			return
		}
		// Expressions that are broken alone may be whole in parentheses.
		std, err := regexp.Compile(`\A(?:` + expression + `)\z`)
		if err != nil {
			return
		}
		if got := a.Matches(term); got != std.MatchString(term) {
			t.Errorf("%q matches %q: %v", expression, term, got)
		}
		if _, err := compiled(ParseRegexp(expression, analysis.Fold)); err != nil && fault.CodeOf(err) != fault.LimitExceeded {
			t.Errorf("%q: folded alone it is %v", expression, err)
		}
	})
}

func FuzzWildcard(f *testing.F) {
	f.Add("*a*b*c*", "xaxbxcx")
	f.Add(`a\*?`, "a*b")
	f.Fuzz(func(t *testing.T, text, term string) {
		if !utf8.ValidString(text) || !utf8.ValidString(term) || len(text) > 200 {
			return
		}
		a, err := compiled(ParseWildcard(text, nil))
		if err != nil {
			t.Fatal(err)
		}
		if got := a.Matches(term); got != glob(text, term) {
			t.Errorf("%q matches %q: %v", text, term, got)
		}
	})
}

// glob matches by trying everything that a star can stand for, from the end.
func glob(pattern, term string) bool {
	chars := []rune(term)
	ends := make([]bool, len(chars)+1) // whether the rest of the pattern matches the term from here on
	ends[len(chars)] = true
	var parts []string
	for i := 0; i < len(pattern); {
		_, size := utf8.DecodeRuneInString(pattern[i:])
		if pattern[i] == '\\' && i+1 < len(pattern) {
			_, next := utf8.DecodeRuneInString(pattern[i+1:])
			size = 1 + next
		}
		parts = append(parts, pattern[i:i+size])
		i += size
	}
	for k := len(parts) - 1; k >= 0; k-- {
		before := make([]bool, len(ends))
		for i := len(chars); i >= 0; i-- {
			switch part := parts[k]; {
			case part == "*":
				before[i] = ends[i] || i < len(chars) && before[i+1]
			case i == len(chars):
			case part == "?" || part == string(chars[i]) && part != "\\" || len(part) > 1 && part[0] == '\\' && part[1:] == string(chars[i]) || part == "\\" && chars[i] == '\\':
				before[i] = ends[i+1]
			}
		}
		ends = before
	}
	return ends[0]
}

func BenchmarkStep(b *testing.B) {
	a, err := compiled(ParseRegexp(".*ing", nil))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		a.Matches("internationalizing")
	}
}
