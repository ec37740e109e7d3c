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
