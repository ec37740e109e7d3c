package embedded

import (
	"encoding/json"

	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/jetseek/jetseek/coordinator/client"
	"github.com/jetseek/jetseek/subjects/wire"
)

// A table of requests gives the same answers through NATS, HTTP and the Go client: a read is asked three times of one system, a write goes into a
// collection of each door's own. What differs by nature is left out of the comparison: times, sequences, and which member was asked again.
func TestOneTableThroughAllDoors(t *testing.T) {
	s := &stage{t: t, DB: open(t, Options{Groups: 3, Members: 2})}
	doors := []string{"nats", "http", "go"}
	const schema = `{"fields":{"title":{"type":"text"},"tags":{"type":"keyword"},"year":{"type":"long"},"price":{"type":"double"}},"default_fields":["title"]}`
	ctx := t.Context()

	// Every step is one request, said for each door.
	type step struct {
		name string
		request
		status int
		call   func(c *client.Client, collection string) (any, error) // the same with the Go client
	}
	none := uint64(0)
	steps := []step{
		{"create", request{op: "admin.collections.create", body: `{"name":"{c}","schema":` + schema + `}`, http: "PUT /collections/{c}", httpBody: schema}, 201,
			func(c *client.Client, name string) (any, error) {
				return c.CreateCollection(ctx, name, json.RawMessage(schema))
			}},
		{"create again", request{op: "admin.collections.create", body: `{"name":"{c}","schema":` + schema + `}`, http: "PUT /collections/{c}", httpBody: schema}, 200,
			func(c *client.Client, name string) (any, error) {
				return c.CreateCollection(ctx, name, json.RawMessage(schema))
			}},
		{"index", request{op: "write.{c}.index", body: `{"id":"a b/ü","title":"Red apple","tags":["x","y"],"year":9007199254740993}`, http: "POST /collections/{c}/index"}, 201,
			func(c *client.Client, name string) (any, error) {
				return c.Index(ctx, name, []byte(`{"id":"a b/ü","title":"Red apple","tags":["x","y"],"year":9007199254740993}`), client.WriteOptions{})
			}},
		{"index with an id beside the body", request{op: "write.{c}.index", headers: map[string]string{wire.HeaderID: "p1"}, body: `{"title":"Red pear","price":1.50}`, http: "POST /collections/{c}/index?id=p1"}, 201,
			func(c *client.Client, name string) (any, error) {
				return c.Index(ctx, name, []byte(`{"title":"Red pear","price":1.50}`), client.WriteOptions{ID: "p1"})
			}},
		{"index only if absent", request{op: "write.{c}.index", headers: map[string]string{wire.HeaderIfVersion: "0"}, body: `{"id":"p2","title":"Green pear"}`, http: "POST /collections/{c}/index?if_version=0"}, 201,
			func(c *client.Client, name string) (any, error) {
				return c.Index(ctx, name, []byte(`{"id":"p2","title":"Green pear"}`), client.WriteOptions{IfVersion: &none})
			}},
		{"update", request{op: "write.{c}.index", body: `{"id":"p2","title":"Green pear tree","year":-1}`, http: "POST /collections/{c}/index"}, 200,
			func(c *client.Client, name string) (any, error) {
				return c.Index(ctx, name, []byte(`{"id":"p2","title":"Green pear tree","year":-1}`), client.WriteOptions{})
			}},
		{"bulk", request{op: "write.{c}.bulk", body: "{\"id\":1,\"title\":\"one red\"}\n{\"id\":2,\"year\":1.5}\n{\"_delete\":\"p1\"}\n{\"_delete\":\"none\"}\n", http: "POST /collections/{c}/index/bulk"}, 200,
			func(c *client.Client, name string) (any, error) {
				return c.Bulk(ctx, name, []byte("{\"id\":1,\"title\":\"one red\"}\n{\"id\":2,\"year\":1.5}\n{\"_delete\":\"p1\"}\n{\"_delete\":\"none\"}\n"), client.WriteOptions{})
			}},
		{"get", request{op: "read.{c}.get", body: `{"id":"a b/ü"}`, http: "GET /collections/{c}/doc?id=a%20b%2F%C3%BC"}, 200,
			func(c *client.Client, name string) (any, error) { return c.Get(ctx, name, "a b/ü") }},
		{"search", request{op: "read.{c}.search", body: `{"query":"red OR pear"}`, http: "GET /collections/{c}/search?q=red+OR+pear"}, 200,
			func(c *client.Client, name string) (any, error) {
				return c.Search(ctx, name, wire.NewSearch("red OR pear"))
			}},
		{"search in JSON", request{op: "read.{c}.search", body: `{"query":{"bool":{"must":[{"match":{"title":"red"}}],"filter":[{"range":{"year":{"gte":0}}}]}},"fields":["tags"],"sort":[{"field":"year","order":"desc"},"_score"],"track_total":true}`, http: "POST /collections/{c}/search"}, 200,
			func(c *client.Client, name string) (any, error) {
				return c.SearchJSON(ctx, name, []byte(`{"query":{"bool":{"must":[{"match":{"title":"red"}}],"filter":[{"range":{"year":{"gte":0}}}]}},"fields":["tags"],"sort":[{"field":"year","order":"desc"},"_score"],"track_total":true}`))
			}},
		{"nothing found", request{op: "read.{c}.search", body: `{"query":"absent","limit":0}`, http: "GET /collections/{c}/search?q=absent&limit=0"}, 200,
			func(c *client.Client, name string) (any, error) {
				return c.SearchJSON(ctx, name, []byte(`{"query":"absent","limit":0}`))
			}},
		{"explain", request{op: "read.{c}.explain", body: `{"query":"red apple","id":"a b/ü"}`, http: "POST /collections/{c}/explain"}, 200,
			func(c *client.Client, name string) (any, error) {
				return c.Explain(ctx, name, &wire.ExplainBody{ID: "a b/ü", Query: json.RawMessage(`"red apple"`)})
			}},
		{"complete", request{op: "read.{c}.suggest", body: `{"field":"title","prefix":"App","size":3}`, http: "GET /collections/{c}/suggest?field=title&prefix=App&size=3"}, 200,
			func(c *client.Client, name string) (any, error) {
				prefix := "App"
				return c.Suggest(ctx, name, &wire.SuggestBody{Field: "title", Prefix: &prefix, Size: 3})
			}},
		{"correct", request{op: "read.{c}.suggest", body: `{"field":"title","text":"rde Aple","always":true}`, http: "POST /collections/{c}/suggest"}, 200,
			func(c *client.Client, name string) (any, error) {
				text := "rde Aple"
				return c.Suggest(ctx, name, &wire.SuggestBody{Field: "title", Text: &text, Always: true})
			}},
		{"delete", request{op: "write.{c}.delete", body: `{"id":"p2"}`, http: "DELETE /collections/{c}/index?id=p2"}, 200,
			func(c *client.Client, name string) (any, error) {
				return c.Delete(ctx, name, "p2", client.WriteOptions{})
			}},
		{"delete again", request{op: "write.{c}.delete", body: `{"id":"p2"}`, http: "DELETE /collections/{c}/index?id=p2"}, 200,
			func(c *client.Client, name string) (any, error) {
				return c.Delete(ctx, name, "p2", client.WriteOptions{})
			}},
		{"show", request{op: "admin.collections.show", body: `{"name":"{c}"}`, http: "GET /collections/{c}"}, 200,
			func(c *client.Client, name string) (any, error) { return c.Collection(ctx, name) }},
		{"placement", request{op: "admin.placement", body: `{"id":"a b/ü"}`, http: "GET /_placement?id=a%20b%2F%C3%BC"}, 200,
			func(c *client.Client, _ string) (any, error) { return c.Placement(ctx, "a b/ü") }},
		{"ring", request{op: "admin.ring", http: "GET /_ring"}, 200,
			func(c *client.Client, _ string) (any, error) { return c.Ring(ctx) }},
		{"ready", request{op: "admin.status", http: "GET /ready"}, 200,
			func(c *client.Client, _ string) (any, error) { return c.Ready(ctx) }},
		{"drop", request{op: "admin.collections.drop", body: `{"name":"{c}"}`, http: "DELETE /collections/{c}"}, 200,
			func(c *client.Client, name string) (any, error) { return c.DropCollection(ctx, name) }},
	}
	for _, step := range steps {
		answers := make(map[string]any)
		for _, door := range doors {
			name := "by-" + door
			request := step.request.named(name)
			var got answer
			switch door {
			case "nats":
				got = s.overNATS(request, 30*time.Second)
			case "http":
				got = s.overHTTP(request)
			case "go":
				reply, err := step.call(s.Client(), name)
				if err != nil {
					t.Fatalf("%s in Go: %v", step.name, err)
				}
				body, err := json.Marshal(reply)
				if err != nil {
					t.Fatal(err)
				}
				got = answer{status: step.status, body: string(body)}
			}
			if got.status != step.status {
				t.Fatalf("%s over %s: %d %s, want %d", step.name, door, got.status, got.body, step.status)
			}
			answers[door] = withoutTime(t, got.body, name)
		}
		for _, door := range doors[1:] {
			if !reflect.DeepEqual(answers[door], answers[doors[0]]) {
				t.Errorf("%s: %s gives\n%v\n%s gives\n%v", step.name, door, answers[door], doors[0], answers[doors[0]])
			}
		}
	}
}

// named puts a collection's name where the request says {c}.
func (r request) named(name string) request {
	put := strings.NewReplacer("{c}", name)
	r.op, r.body, r.http, r.httpBody = put.Replace(r.op), put.Replace(r.body), put.Replace(r.http), put.Replace(r.httpBody)
	return r
}

// withoutTime is an answer without what differs from time to time, and with the same name for every door's collection. Whole numbers keep their digits.
func withoutTime(t *testing.T, body, name string) any {
	t.Helper()
	var v any
	d := json.NewDecoder(strings.NewReader(body))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return strip(v, name)
}

func strip(v any, name string) any {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range []string{"took_ms", "seq", "cached", "hedged", "retried"} {
			delete(v, key)
		}
		for key := range v {
			v[key] = strip(v[key], name)
		}
	case []any:
		for i := range v {
			v[i] = strip(v[i], name)
		}
	case string:
		if v == name {
			return "the collection"
		}
	}
	return v
}
