package schema

import (
	"strings"
	"testing"

	"github.com/jetseek/jetseek/engine/fault"
)

const withAnalyzers = `{"fields":{"title":{"type":"text","analyzer":"names","search_analyzer":"ask"},"body":{"type":"text","analyzer":"german"}},
	"analyzers":{"names":{"char_filters":["html_strip",{"type":"mapping","mappings":["& => and"]}],"filters":["lowercase","ascii_folding",{"type":"edge_ngram","min":1,"max":10}]},
	"ask":{"tokenizer":"whitespace","filters":["lowercase",{"type":"stop","words":["the"]},"stemmer",{"type":"length","min":2},{"type":"synonyms","rules":["tv, television"]}]}}}`

func TestAnalyzersOfASchema(t *testing.T) {
	s, err := Parse([]byte(withAnalyzers))
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"fields":{"body":{"type":"text","analyzer":"german"},"title":{"type":"text","analyzer":"names","search_analyzer":"ask"}},"analyzers":{` +
		`"ask":{"tokenizer":"whitespace","filters":[{"type":"lowercase"},{"type":"stop","words":["the"]},{"type":"stemmer","language":"english"},{"type":"length","min":2,"max":255},{"type":"synonyms","rules":["tv, television"]}]},` +
		`"names":{"char_filters":[{"type":"html_strip"},{"type":"mapping","mappings":["\u0026 =\u003e and"]}],"tokenizer":"standard","filters":[{"type":"lowercase"},{"type":"ascii_folding"},{"type":"edge_ngram","min":1,"max":10}]}` +
		`},"dynamic":true}`
	canonical, _ := s.MarshalJSON()
	if string(canonical) != want {
		t.Errorf("%s, want\n%s", canonical, want)
	}
	again, err := Parse(canonical)
	if err != nil || !again.Equal(s) {
		t.Errorf("the canonical form gives another schema: %v", err)
	}
	other, err := Parse([]byte(strings.Replace(withAnalyzers, `"the"`, `"a"`, 1)))
	if err != nil || other.Equal(s) {
		t.Errorf("another stop word makes no difference: %v", err)
	}
	f, _ := s.Lookup("title")
	index, ok := s.IndexAnalyzer(f)
	if !ok {
		t.Fatal("no analyzer")
	}
	if tokens := index.Analyze(nil, "<b>É</b>a"); len(tokens) != 2 || tokens[1].Term != "ea" || tokens[1].End != len("<b>É</b>a") {
		t.Errorf("%+v", tokens)
	}
	search, ok := s.SearchAnalyzer(f)
	if !ok {
		t.Fatal("no search analyzer")
	}
	if tokens := search.Analyze(nil, "The Foxes"); len(tokens) != 1 || tokens[0].Term != "fox" {
		t.Errorf("%+v", tokens)
	}
	if grown, err := s.With([]Field{{Name: "n", Type: Long, Boost: 1}}); err != nil || len(grown.Analyzers) != 2 {
		t.Errorf("a schema that grows loses its analyzers: %v", err)
	}
}

func TestParseRefusesAnalyzers(t *testing.T) {
	analyzer := func(body string) string { return `{"analyzers":{"a":` + body + `}}` }
	filter := func(body string) string { return analyzer(`{"filters":[` + body + `]}`) }
	for _, c := range []struct {
		name, text string
		code       fault.Code
		message    string
	}{
		{"no object", `{"analyzers":[]}`, fault.BadRequest, "analyzers must be an object"},
		{"name", `{"analyzers":{"A b":{}}}`, fault.BadRequest, "A b"},
		{"name of another", `{"analyzers":{"german":{}}}`, fault.BadRequest, "german"},
		{"name twice", `{"analyzers":{"a":{},"a":{}}}`, fault.BadRequest, "twice"},
		{"unknown key", analyzer(`{"filter":[]}`), fault.BadRequest, `unknown key "filter"`},
		{"tokenizer is a list", analyzer(`{"tokenizer":[]}`), fault.BadRequest, "tokenizer must be a string"},
		{"unknown tokenizer", analyzer(`{"tokenizer":"ngram"}`), fault.BadRequest, "tokenizer: there are"},
		{"filters are a word", analyzer(`{"filters":"lowercase"}`), fault.BadRequest, "filters must be a list"},
		{"unknown filter", filter(`"lower"`), fault.BadRequest, "filters[0]: type: there are lowercase"},
		{"filter is a number", filter(`1`), fault.BadRequest, "must be an object"},
		{"unknown key of a filter", filter(`"lowercase",{"type":"stop","stopwords":["a"]}`), fault.BadRequest, `filters[1]: unknown key "stopwords"`},
		{"key of another filter", filter(`{"type":"stemmer","min":1}`), fault.BadRequest, "min means nothing for type stemmer"},
		{"words are a word", filter(`{"type":"stop","words":"a"}`), fault.BadRequest, "words must be a list of strings"},
		{"words are numbers", filter(`{"type":"stop","words":[1]}`), fault.BadRequest, "words must be a list of strings"},
		{"half a count", filter(`{"type":"length","min":0.5}`), fault.BadRequest, "whole number"},
		{"no prefixes", filter(`{"type":"edge_ngram"}`), fault.BadRequest, "min and max"},
		{"char filter", analyzer(`{"char_filters":[{"type":"mapping","mapping":["a=>b"]}]}`), fault.BadRequest, `char_filters[0]: unknown key "mapping"`},
		{"many filters", filter(strings.Repeat(`"lowercase",`, 32) + `"lowercase"`), fault.LimitExceeded, "32"},
		{"many words", filter(`{"type":"stop","words":[` + strings.Repeat(`"a",`, 4096) + `"a"]}`), fault.LimitExceeded, "4096"},
		{"large", filter(`{"type":"stop","words":[` + strings.Repeat(`"`+strings.Repeat("a", 1000)+`",`, 140) + `"a"]}`), fault.LimitExceeded, "131072 bytes"},
	} {
		_, err := Parse([]byte(c.text))
		if fault.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.message) {
			t.Errorf("%s: %v, want %s with %q", c.name, err, c.code, c.message)
		}
	}
}
