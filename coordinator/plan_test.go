package coordinator

import (
	"encoding/json"
	"testing"

	"github.com/jetseek/jetseek/engine/schema"
	"github.com/jetseek/jetseek/subjects/registry"
	"github.com/jetseek/jetseek/subjects/wire"
)

// A reply repeats the text of a query letter by letter, whatever it was read as; a query in JSON has no text, and is printed.
func TestTheQueryIsRepeatedAsSent(t *testing.T) {
	s, err := schema.Parse([]byte(`{"fields":{"title":{"type":"text"},"year":{"type":"long"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	coll := &collection{Collection: &registry.Collection{Name: "books"}, Schema: s}
	for body, want := range map[string]string{
		`{}`:                                                "*",
		`{"query":""}`:                                      "",
		`{"query":"  gc   AND\tgo "}`:                       "  gc   AND\tgo ",
		`{"query":"(a or (b))^1.50"}`:                       "(a or (b))^1.50",
		`{"query":"\u0061 \"b\" \ud83d\ude00"}`:             `a "b" 😀`,
		`{"query":"year:>=2000","lenient":true}`:            "year:>=2000",
		`{"query":"((","lenient":true}`:                     "((",
		`{"query":{"match_all":{}}}`:                        "*",
		`{"query":{"query_string":{"query":" a   AND b"}}}`: "+a +b",
	} {
		search, err := wire.DecodeSearch([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		p, err := planSearch(coll, search)
		if err != nil {
			t.Errorf("%s: %v", body, err)
			continue
		}
		if sent, err := json.Marshal(p.text); err != nil || p.text != want {
			t.Errorf("%s: %s, %v, want %q", body, sent, err, want)
		}
	}
}
