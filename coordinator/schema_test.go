package coordinator

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects/wire"
)

// A collection gets fields and analyzers while it is in use. Documents that are there lack a field until they are written again; a coordinator that has not heard
// of it, and both members of each group, agree.
func TestFieldsAreAddedToACollection(t *testing.T) {
	c := newCluster(t, 2)
	both := []*Coordinator{c.coordinator(), c.coordinator()}
	put := func(by *Coordinator, schema string) (bool, error) {
		created, _, err := by.create(c.budget(), "c", []byte(schema))
		return created, err
	}
	const (
		first  = `{"fields":{"title":{"type":"text"}},"dynamic":false}`
		second = `{"fields":{"title":{"type":"text"},"body":{"type":"text","analyzer":"mine"}},"analyzers":{"mine":{"filters":["lowercase","ascii_folding"]}},"dynamic":false}`
	)
	if created, err := put(both[0], first); err != nil || !created {
		t.Fatal(created, err)
	}
	write := func(by *Coordinator, body string) {
		t.Helper()
		if _, err := c.index(by, "c", body); err != nil {
			t.Fatal(err)
		}
	}
	found := func(by *Coordinator, query string) string {
		var ids []string
		for _, h := range c.search(by, "c", query, 100, nil).Hits {
			ids = append(ids, h.ID)
		}
		slices.Sort(ids)
		return strings.Join(ids, " ")
	}
	for _, id := range []string{"1", "2", "3", "4"} {
		write(both[1], `{"id":"`+id+`","title":"old","body":"Crème"}`)
	}
	if created, err := put(both[0], second); err != nil || created {
		t.Fatal(created, err)
	}
	for _, id := range []string{"5", "6", "7"} {
		write(both[0], `{"id":"`+id+`","title":"new","body":"Crème"}`)
	}
	write(both[0], `{"id":"2","title":"again","body":"Crème"}`)
	if created, err := put(both[1], second); err != nil || created {
		t.Errorf("the same again: %v, %v", created, err)
	}
	for n, by := range both {
		if got := found(by, "body:creme"); got != "2 5 6 7" {
			t.Errorf("coordinator %d: %q", n, got)
		}
		if got := found(by, "title:old"); got != "1 3 4" {
			t.Errorf("coordinator %d: %q", n, got)
		}
		for _, refused := range []string{first, strings.Replace(second, `"text"`, `"keyword"`, 1)} {
			if _, err := put(by, refused); fault.CodeOf(err) != fault.Exists {
				t.Errorf("coordinator %d: %v", n, err)
			}
		}
		data, err := json.Marshal(wire.AnalyzeBody{Text: "Die Crème", Field: "body"})
		if err != nil {
			t.Fatal(err)
		}
		shown, err := by.handleAnalyze(c.budget(), "c", &nats.Msg{Data: data})
		if err != nil {
			t.Fatal(err)
		}
		want := []wire.AnalyzedToken{{Token: "die", Position: 0, Start: 0, End: 3}, {Token: "creme", Position: 1, Start: 4, End: 10}}
		if got := shown.body.(*wire.AnalyzeResponse).Tokens; len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
			t.Errorf("coordinator %d: %+v", n, got)
		}
	}
}

func TestAnalyze(t *testing.T) {
	c := newCluster(t, 1)
	by := c.coordinator()
	for _, q := range []struct {
		body string
		code fault.Code
		want string
	}{
		{`{"text":"The dogs' İzmir"}`, "", `{"tokens":[{"token":"the","position":0,"start":0,"end":3},{"token":"dogs","position":1,"start":4,"end":8},{"token":"izmir","position":2,"start":10,"end":16}]}`},
		{`{"text":"The running","analyzer":"english"}`, "", `{"tokens":[{"token":"run","position":1,"start":4,"end":11}]}`},
		{`{"text":"","analyzer":"keyword"}`, "", `{"tokens":[]}`},
		{`{"text":"<b>TV</b>","search":true,"definition":{"char_filters":["html_strip"],"filters":["lowercase",{"type":"synonyms","rules":["tv, tele vision"]}]}}`, "",
			`{"tokens":[{"token":"tv","position":0,"start":3,"end":5}],"readings":[[{"token":"tv","position":0,"start":3,"end":5}],[{"token":"tele","position":0,"start":3,"end":5},{"token":"vision","position":1,"start":3,"end":5}]]}`},
		{`{"text":"a","definition":{"filters":["klingon"]}}`, fault.BadRequest, ""},
		{`{"text":"a","analyzer":"klingon"}`, fault.BadRequest, ""},
		{`{"text":"a","field":"nope"}`, fault.BadField, ""},
		{`{"text":"a","field":"t","analyzer":"english"}`, fault.BadRequest, ""},
		{`{"analyzer":"english"}`, fault.BadRequest, ""},
		{`{"text":"a","tokenizer":"standard"}`, fault.BadRequest, ""},
		{`{"text":7}`, fault.BadRequest, ""},
	} {
		shown, err := by.handleAnalyze(c.budget(), defaultCollection, &nats.Msg{Data: []byte(q.body)})
		if fault.CodeOf(err) != q.code {
			t.Errorf("%s: %v, want %q", q.body, err, q.code)
			continue
		}
		if err != nil {
			continue
		}
		if got, _ := json.Marshal(shown.body); string(got) != q.want {
			t.Errorf("%s:\n%s, want\n%s", q.body, got, q.want)
		}
	}
	if _, err := by.handleAnalyze(c.budget(), "nope", &nats.Msg{Data: []byte(`{"text":"a"}`)}); fault.CodeOf(err) != fault.NoCollection {
		t.Errorf("a collection that is not there: %v", err)
	}
}
