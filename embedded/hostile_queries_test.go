package embedded

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jetseek/jetseek/coordinator/client"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects/wire"
)

// TestHostileQueriesEndInTime asks what is made to take long: each is answered or refused by name about within its budget, and the next search is served.
func TestHostileQueriesEndInTime(t *testing.T) {
	db := open(t, Options{Groups: 2, Members: 1})
	c, ctx := db.Client(), t.Context()
	if _, err := c.CreateCollection(ctx, "books", json.RawMessage(`{"fields":{"body":{"type":"text"}},"default_fields":["body"]}`)); err != nil {
		t.Fatal(err)
	}
	var docs strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&docs, `{"id":"%d","body":"%s word%d a%db%dc near%d"}`+"\n", i, strings.Repeat("a", i%60), i, i, i, i%1500)
	}
	if _, err := c.Bulk(ctx, "books", []byte(docs.String()), client.WriteOptions{Timeout: time.Minute}); err != nil {
		t.Fatal(err)
	}
	list := func(n int, clause func(i int) string) string {
		clauses := make([]string, n)
		for i := range clauses {
			clauses[i] = clause(i)
		}
		return strings.Join(clauses, " ")
	}
	const budget = 5 * time.Second
	for name, q := range map[string]struct {
		query string
		codes []fault.Code // "" for an answer
	}{
		"parentheses":              {strings.Repeat("(", 10_000) + "a" + strings.Repeat(")", 10_000), []fault.Code{fault.LimitExceeded}},
		"nested repetition":        {`/(a+)+$/`, []fault.Code{""}},
		"many threads":             {`/.*a.{50}/`, []fault.Code{""}},
		"wildcard":                 {`*a*b*c*`, []fault.Code{""}},
		"a thousand wildcards":     {list(1000, func(i int) string { return fmt.Sprintf("*%d*a*", i) }), []fault.Code{"", fault.Deadline}},
		"a thousand fuzzy words":   {list(1000, func(i int) string { return fmt.Sprintf("word%d~1", i) }), []fault.Code{"", fault.LimitExceeded, fault.Deadline}},
		"a word near which all is": {`near12~2 near1~2`, []fault.Code{"", fault.LimitExceeded}},
		"a long word":              {strings.Repeat("a", 64<<10), []fault.Code{""}},
		"a long fuzzy word":        {strings.Repeat("a", 60<<10) + "~2", []fault.Code{""}},
		"a long wildcard":          {strings.Repeat("a?", 30<<10), []fault.Code{fault.LimitExceeded}},
		"a long expression":        {"/" + strings.Repeat("(a|b)", 10<<10) + "/", []fault.Code{fault.LimitExceeded}},
		"a loose phrase":           {`"` + strings.Repeat("a ", 1000) + `"~10000`, []fault.Code{""}},
		"too much":                 {strings.Repeat("a", 64<<10+1), []fault.Code{fault.LimitExceeded}},
	} {
		body := wire.NewSearch(q.query)
		body.TimeoutMs = budget.Milliseconds()
		began := time.Now()
		reply, err := c.Search(ctx, "books", body)
		took := time.Since(began)
		if code := fault.CodeOf(err); !slices.Contains(q.codes, code) && !(reply != nil && reply.Partial) {
			t.Errorf("%s: %v, want %q", name, err, q.codes)
		}
		if took > 3*budget {
			t.Errorf("%s took %v of %v", name, took, budget)
		}
		t.Logf("%s: %v, %v", name, took.Round(time.Millisecond), fault.CodeOf(err))
	}
	if reply, err := c.Search(ctx, "books", wire.NewSearch("word7")); err != nil || reply.Total.Value != 1 {
		t.Errorf("afterwards: %+v, %v", reply, err)
	}
}
