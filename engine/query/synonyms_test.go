package query_test

import (
	"strings"
	"testing"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/schema"
)

func TestSynonymsOfAQuery(t *testing.T) {
	s, err := schema.Parse([]byte(`{"fields":{"body":{"type":"text","search_analyzer":"ask"}},"default_fields":["body"],
		"analyzers":{"ask":{"filters":["lowercase",{"type":"synonyms","rules":["dns, domain name system","ipad => tablet"]}]}}}`))
	if err != nil {
		t.Fatal(err)
	}
	resolve := func(q string) (query.Node, error) {
		var tree query.Node
		var err error
		if strings.HasPrefix(q, "{") {
			tree, err = query.DecodeJSON([]byte(q), query.Options{})
		} else {
			tree, err = query.Parse(q, query.Options{})
		}
		if err != nil {
			t.Fatal(err)
		}
		return query.Resolve(tree, s, false)
	}
	for _, c := range []struct{ q, want string }{
		{`ipad`, `body:tablet#0`},
		{`DNS`, `max0(body:dns#0 body:[domain name system]@[0 1 2]#1)`},
		{`"fast dns servers"`, `max0(body:[fast dns servers]@[0 1 2]#0 body:[fast domain name system servers]@[0 1 2 3 4]#1)`},
		{`"fast domain name system"`, `max0(body:[fast dns]@[0 1]#0 body:[fast domain name system]@[0 1 2 3]#1)`},
		{`{"match":{"body":"fast dns"}}`, `(|body:fast#0 |max0(body:dns#1 body:[domain name system]@[0 1 2]#2))1`},
		{`{"match":{"body":{"query":"fast dns","operator":"and"}}}`, `(+body:fast#0 +max0(body:dns#1 body:[domain name system]@[0 1 2]#2))`},
	} {
		n, err := resolve(c.q)
		if err != nil {
			t.Errorf("%s: %v", c.q, err)
			continue
		}
		if got := dump(n); got != c.want {
			t.Errorf("%s: %s, want %s", c.q, got, c.want)
		}
	}
	if _, err := resolve(`"` + strings.Repeat("dns ", 7) + `"`); fault.CodeOf(err) != fault.LimitExceeded {
		t.Errorf("a phrase of 128 readings: %v", err)
	}
}
