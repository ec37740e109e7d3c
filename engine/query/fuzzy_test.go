package query_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/query"
)

// expand puts the terms of a corpus in place of the fuzzy words of a node.
func (c *corpus) expand(n query.Node, filter bool) (query.Node, error) {
	questions := query.FuzzyQuestions(n)
	agreed := make([][]query.Expansion, len(questions))
	for i, q := range questions {
		df := map[string]uint64{}
		for _, m := range c.docs {
			terms := m.terms[q.Field]
			if q.Exact {
				terms = m.values[q.Field].Strings
			}
			for _, term := range slices.Compact(slices.Sorted(slices.Values(terms))) {
				df[term]++
			}
		}
		var near []query.Expansion
		for term, n := range df {
			begins := []rune(q.Word)[:min(q.Prefix, len([]rune(q.Word)))]
			if edits := alignment([]rune(q.Word), []rune(term)); term != "" && edits <= q.Edits && strings.HasPrefix(term, string(begins)) {
				near = append(near, query.Expansion{Term: term, Edits: edits, DF: n})
			}
		}
		slices.SortFunc(near, query.CompareExpansions)
		var err error
		if agreed[i], err = query.Agree(&q, [][]query.Expansion{near[:min(len(near), q.Limit())]}); err != nil {
			return nil, err
		}
	}
	return query.Expand(n, filter, questions, agreed, nil)
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

func TestFuzzyWordsResolve(t *testing.T) {
	s := resolveSchema(t)
	for _, c := range []struct{ q, want string }{
		{`"t:Gopher~1"`, `t:gopher~1/0/0`},
		{`"Gopher~^2"`, `(|t:gopher~2/0/0^2 |u:gopher~2/0/0^4)1`},
		{`"t:go~0"`, `t:go#0`},
		{`"k:Go~1"`, `k:Go~1/0/0exact^3`},
		{`"k:Go~0"`, `k:set["Go"]^3`},
		{`"d:Go~1"`, `d:go~1/0/0`},
		{`{"fuzzy":{"t":{"value":"gopher","fuzziness":"AUTO","prefix_length":2,"max_expansions":5}}}`, `t:gopher~2/2/5`},
		{`{"match":{"t":{"query":"ab abc gopher","fuzziness":"AUTO"}}}`, `(|t:ab#0 |t:abc~1/0/0 |t:gopher~2/0/0)1`},
		{`{"constant_score":{"filter":{"fuzzy":{"t":"go"}}}}`, `const(t:go~2/0/0silent^0)`},
		{`"nope:a~1"`, `none`},
		{`"t:` + strings.Repeat("x", 300) + `~1"`, `none`},
	} {
		n, err := query.DecodeJSON([]byte(c.q), query.Options{})
		if err != nil {
			t.Errorf("%s: %v", c.q, err)
			continue
		}
		if n, err = query.Resolve(n, s, false); err != nil || dump(n) != c.want {
			t.Errorf("%s: %s, want %s (%v)", c.q, dump(n), c.want, err)
		}
	}
}

func TestExpandPutsTermsInPlace(t *testing.T) {
	s := resolveSchema(t)
	n, err := query.DecodeJSON([]byte(`"+t:gopher~1 t:go k:abcd~2^2"`), query.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if n, err = query.Resolve(n, s, false); err != nil {
		t.Fatal(err)
	}
	questions := query.FuzzyQuestions(n)
	agreed := [][]query.Expansion{
		{{Term: "abcd", Edits: 0}, {Term: "abce", Edits: 1}, {Term: "abxd", Edits: 1}, {Term: "ab", Edits: 2}},
		{{Term: "gopher", Edits: 0}, {Term: "gophers", Edits: 1}},
	}
	x, err := query.Expand(n, false, questions, agreed, nil)
	const want = `(+max0(t:gopher#0 t:gophers#1*0.8333333333333334) |t:go#2 |max0(k:set["abcd"]^6 k:set["abce" "abxd"]^6*0.75 k:set["ab"]^6*0.5))`
	if err != nil || dump(x) != want {
		t.Errorf("%s, want %s (%v)", dump(x), want, err)
	}
	back, _, err := query.DecodeNode(query.AppendNode(nil, x))
	if err != nil || dump(back) != want {
		t.Errorf("comes back as %s, %v", dump(back), err)
	}
}

// TestAgreeDoesNotDependOnGroups deals the terms near a word to groups in many ways.
func TestAgreeDoesNotDependOnGroups(t *testing.T) {
	for _, c := range []struct {
		terms, most int
		code        fault.Code
		want        int
	}{{10, 0, "", 10}, {1024, 0, "", 1024}, {1025, 0, fault.LimitExceeded, 0}, {5000, 50, "", 50}, {30, 50, "", 30}} {
		q := query.FuzzyQuestion{Word: "w", Edits: 2, Most: c.most}
		for groups := 1; groups <= 5; groups++ {
			answers := make([][]query.Expansion, groups)
			for i := range c.terms {
				e := query.Expansion{Term: fmt.Sprintf("%04d", i*7919%c.terms), Edits: i % 3, DF: 1}
				answers[i%groups] = append(answers[i%groups], e)
				if i%2 == 0 && groups > 1 {
					answers[(i+1)%groups] = append(answers[(i+1)%groups], e)
				}
			}
			for i := range answers {
				slices.SortFunc(answers[i], query.CompareExpansions)
				answers[i] = answers[i][:min(len(answers[i]), q.Limit())]
			}
			agreed, err := query.Agree(&q, answers)
			if fault.CodeOf(err) != c.code || len(agreed) != c.want || !slices.IsSortedFunc(agreed, query.CompareExpansions) {
				t.Errorf("%d terms of %d groups, at most %d: %d agreed, %v", c.terms, groups, c.most, len(agreed), err)
			}
			for _, e := range agreed[:min(len(agreed), 10)] {
				if i := slices.Index(agreed, e); e.DF == 0 || i < 0 {
					t.Errorf("%+v has no documents", e)
				}
			}
		}
	}
}
