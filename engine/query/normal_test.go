package query_test

import (
	"slices"
	"testing"

	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/schema"
)

// Parts of words are written as the field's analyzer writes words: folded, without accents, or as they are.
func TestPartsOfWordsAreNormalised(t *testing.T) {
	s, err := schema.Parse([]byte(`{"analyzers":{"plain":{"filters":["lowercase","ascii_folding"]},"raw":{"tokenizer":"whitespace"}},
		"fields":{"p":{"type":"text","analyzer":"plain"},"r":{"type":"text","analyzer":"raw"},"t":{"type":"text"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	c := newCorpus(s)
	if err := c.put([]byte(`{"p":"Café crème","r":"Café C*me","t":"Café crème"}`), "d"); err != nil {
		t.Fatal(err)
	}
	for q, found := range map[string]bool{
		`"p:CAFÉ*"`: true, `"p:cafe*"`: true, `"p:C?FÉ"`: true, `"p:cr*ÈME"`: true, `"p:crême~1"`: true, `{"prefix":{"p":"Crè"}}`: true, `{"wildcard":{"p":"\\C\\rè*"}}`: true,
		`"r:Caf*"`: true, `"r:caf*"`: false, `"r:cafe*"`: false, `"r:C\\*m*"`: true, `"r:C\\*e*"`: false,
		`"t:CAFÉ*"`: true, `"t:cafe*"`: false, `"t:C?FÉ"`: true, `"t:c?fe"`: false, `"t:c＊?"`: false,
	} {
		n, err := query.DecodeJSON([]byte(q), query.Options{})
		if err != nil {
			t.Fatal(q, err)
		}
		n, err = query.Resolve(n, s, true)
		if err != nil {
			t.Fatal(q, err)
		}
		if questions := query.FuzzyQuestions(n); len(questions) == 1 {
			if questions[0].Word != "creme" {
				t.Errorf("%s asks for words near %q", q, questions[0].Word)
			}
			continue
		}
		hits, err := c.search(n, nil, nil)
		if got := slices.Contains(ids(hits), "d"); err != nil || got != found {
			t.Errorf("%s: found %t, want %t (%v)", q, got, found, err)
		}
	}
}

// What a regular expression writes out is brought into the form of the field's terms; its classes are taken as they are.
func TestExpressionsAreWrittenAsTermsAre(t *testing.T) {
	s, err := schema.Parse([]byte(`{"analyzers":{"plain":{"filters":["lowercase","ascii_folding"]},"cased":{"filters":["ascii_folding"]}},
		"fields":{"p":{"type":"text","analyzer":"plain"},"c":{"type":"text","analyzer":"cased"},"t":{"type":"text"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		field, expression, term string
		matches                 bool
	}{
		{"p", "CAFÉ|x", "cafe", true}, {"p", "(cr)?ème.*", "creme", true}, {"p", "straße", "strasse", true}, {"p", "créme", "creme", true}, {"p", "caf[ée]", "cafe", true}, {"p", "caf[éè]", "cafe", false},
		{"t", "CAFÉ", "café", true}, {"t", "CAFÉ", "cafe", false}, {"t", "cafe", "café", false},
		{"c", "Café", "Café", true}, {"c", "café", "Cafe", false},
	} {
		n, err := query.Resolve(&query.Regexp{Field: c.field, Pattern: c.expression, Boost: 1, Pos: -1}, s, false)
		if err != nil {
			t.Fatal(c, err)
		}
		e, err := n.(*query.TermPattern).Expression()
		if err != nil {
			t.Fatal(c, err)
		}
		a, err := e.Automaton()
		if err != nil || a.Matches(c.term) != c.matches {
			t.Errorf("%+v: matches %t (%v)", c, a.Matches(c.term), err)
		}
	}
}
