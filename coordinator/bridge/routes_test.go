package bridge

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/jetseek/jetseek/subjects/ops"
	"github.com/jetseek/jetseek/subjects/wire"
)

// twin is one request over HTTP and the request over NATS that it must be.
type twin struct {
	method, target, body string
	subject, want        string
	header               map[string]string
}

var twins = []twin{
	{"PUT", "/collections/books", `{"fields":{}}`, "jetseek.admin.collections.create", `{"name":"books","schema":{"fields":{}}}`, nil},
	{"PUT", "/collections/books", "", "jetseek.admin.collections.create", `{"name":"books","schema":{}}`, nil},
	{"GET", "/collections/books", "", "jetseek.admin.collections.show", `{"name":"books"}`, nil},
	{"DELETE", "/collections/books", "", "jetseek.admin.collections.drop", `{"name":"books"}`, nil},
	{"GET", "/collections", "", "jetseek.admin.collections.list", `{}`, nil},

	{"POST", "/index", `{"id": 1.0}`, "jetseek.write.default.index", `{"id": 1.0}`, nil},
	{"POST", "/index?collection=books&id=%0A%20x&wait=durable&timeout_ms=7&if_version=0&request_id=r-1&report=true", "{}", "jetseek.write.books.index", "{}",
		map[string]string{wire.HeaderIDEscaped: "%0A+x", wire.HeaderWait: "durable", wire.HeaderTimeoutMs: "7", wire.HeaderIfVersion: "0",
			wire.HeaderRequestID: "r-1", wire.HeaderReport: "true"}},
	{"POST", "/collections/books/index?id=50%2525", "{}", "jetseek.write.books.index", "{}", map[string]string{wire.HeaderID: "50%25"}},
	{"DELETE", "/index?id=a%2Fb", "", "jetseek.write.default.delete", `{"id":"a/b"}`, nil},
	{"DELETE", "/index?id=a&collection=books&wait=none&timeout_ms=8&if_version=3&request_id=r&report=false", "", "jetseek.write.books.delete", `{"id":"a"}`,
		map[string]string{wire.HeaderWait: "none", wire.HeaderTimeoutMs: "8", wire.HeaderIfVersion: "3", wire.HeaderRequestID: "r", wire.HeaderReport: "false"}},
	{"DELETE", "/collections/books/index?id=a", "", "jetseek.write.books.delete", `{"id":"a"}`, nil},
	{"POST", "/index/bulk?wait=applied&timeout_ms=9&request_id=q&report=true&collection=books", "{}\n\n{}", "jetseek.write.books.bulk", "{}\n\n{}",
		map[string]string{wire.HeaderWait: "applied", wire.HeaderTimeoutMs: "9", wire.HeaderRequestID: "q", wire.HeaderReport: "true"}},
	{"POST", "/collections/books/index/bulk", "{}", "jetseek.write.books.bulk", "{}", nil},
	{"GET", "/doc?id=+a%00%0A%F0%9F%98%80%22", "", "jetseek.read.default.get", `{"id":" a\u0000\n😀\""}`, nil},
	{"GET", "/doc?id=e%CC%81&collection=books", "", "jetseek.read.books.get", "{\"id\":\"e\u0301\"}", nil},
	{"GET", "/collections/books/doc?id=a", "", "jetseek.read.books.get", `{"id":"a"}`, nil},
	{"POST", "/search", `{"query":"x"}`, "jetseek.read.default.search", `{"query":"x"}`, nil},
	{"POST", "/search?collection=books", `no JSON`, "jetseek.read.books.search", `no JSON`, nil},
	{"POST", "/collections/books/search", ``, "jetseek.read.books.search", ``, nil},

	{"POST", "/explain?collection=books", `{"id":1}`, "jetseek.read.books.explain", `{"id":1}`, nil},
	{"POST", "/analyze?collection=books", `{"text":"a"}`, "jetseek.read.books.analyze", `{"text":"a"}`, nil},
	{"POST", "/collections/books/analyze", `no JSON`, "jetseek.read.books.analyze", `no JSON`, nil},
	{"POST", "/collections/books/explain", `no JSON`, "jetseek.read.books.explain", `no JSON`, nil},

	{"POST", "/suggest?collection=books", `no JSON`, "jetseek.read.books.suggest", `no JSON`, nil},
	{"POST", "/collections/books/suggest", `{"prefix":"a"}`, "jetseek.read.books.suggest", `{"prefix":"a"}`, nil},
	{"GET", "/suggest?field=title&prefix=&size=3&min_seq=g0:17&timeout_ms=50&partial=fail", "", "jetseek.read.default.suggest",
		`{"field":"title","prefix":"","size":3,"min_seq":{"g0":17},"timeout_ms":50,"partial":"fail"}`, nil},
	{"GET", "/suggest?collection=books&field=title&text=garbge+colector&always=true&max_edits=1", "", "jetseek.read.books.suggest",
		`{"field":"title","text":"garbge colector","always":true,"max_edits":1}`, nil},
	{"GET", "/collections/books/suggest?field=title&prefix=a", "", "jetseek.read.books.suggest", `{"field":"title","prefix":"a"}`, nil},

	{"GET", "/search", "", "jetseek.read.default.search", `{}`, nil},
	{"GET", "/search?q=", "", "jetseek.read.default.search", `{"query":""}`, nil},
	{"GET", "/collections/books/search?q=caf%C3%A9+noir&filter=n:%3E1&filter=n:%3C3", "", "jetseek.read.books.search",
		`{"query":"café noir","filters":["n:\u003e1","n:\u003c3"]}`, nil},
	{"GET", "/search?collection=books&limit=5&from=10&sort=num:n&order=desc&default_operator=and&lenient=true&min_seq=g0:17,g1:3&min_score=0.5", "",
		"jetseek.read.books.search", `{"limit":5,"from":10,"sort":"num:n","order":"desc","default_operator":"and","lenient":true,"min_seq":{"g0":17,"g1":3},"min_score":0.5}`, nil},
	{"GET", "/search?collapse=author&track_scores=true&stats=local&dfs=false&facets=a,b&fields=a,b.c&snippet=body&track_total=true&timeout_ms=50", "",
		"jetseek.read.default.search", `{"collapse":{"field":"author"},"track_scores":true,"stats":"local","dfs":false,"facets":"a,b","fields":["a","b.c"],"snippet":["body"],"track_total":true,"timeout_ms":50}`, nil},
	{"GET", "/search?aggs=%7B%22a%22:1%7D&knn=v:1,-2.5&knn_k=7&knn_exact=true&fusion=rrf&pool=300&fields=&track_total=100", "",
		"jetseek.read.default.search", `{"aggs":{"a":1},"knn":{"field":"v","vector":[1,-2.5]},"knn_k":7,"knn_exact":true,"fusion":"rrf","pool":300,"fields":[],"track_total":100}`, nil},
	{"GET", "/search?filter=a&partial=fail&quality=fast&cursor=*&explain=true&profile=true", "", "jetseek.read.default.search",
		`{"filters":["a"],"partial":"fail","quality":"fast","cursor":"*","explain":true,"profile":true}`, nil},

	{"GET", "/ready", "", "jetseek.admin.status", `{}`, nil},
	{"GET", "/health?group=g0", "", "jetseek.admin.status", `{"group":"g0"}`, nil},
	{"GET", "/_ring", "", "jetseek.admin.ring", `{}`, nil},
	{"GET", "/_placement?id=%E4%B8%AD", "", "jetseek.admin.placement", `{"id":"中"}`, nil},
	{"GET", "/_plan?shards=4", "", "jetseek.admin.plan", `{"shards":4}`, nil},
	{"GET", "/_members", "", "jetseek.admin.members", `{}`, nil},
	{"POST", "/_repair?timeout_ms=9", "", "jetseek.admin.repair", `{}`, map[string]string{wire.HeaderTimeoutMs: "9"}},
	{"GET", "/_quarantine", "", "jetseek.admin.quarantine", `{}`, nil},
	{"POST", "/_requeue", `{"group":"g0","seq":17,"operation":3}`, "jetseek.admin.requeue", `{"group":"g0","seq":17,"operation":3}`, nil},
	{"GET", "/_map", "", "jetseek.admin.map", `{}`, nil},
}

func TestEveryRouteAsksItsSubject(t *testing.T) {
	d := openDoor(t)
	seen := map[string]map[string]bool{} // route -> parameters used
	for _, c := range twins {
		d.call(c.method, c.target, c.body)
		if len(d.asked) != 1 {
			t.Errorf("%s %s: the coordinator was asked %d times", c.method, c.target, len(d.asked))
			continue
		}
		m := <-d.asked
		if m.Subject != c.subject || string(m.Data) != c.want {
			t.Errorf("%s %s asks\n     %s %s\nwant %s %s", c.method, c.target, m.Subject, m.Data, c.subject, c.want)
		}
		got := maps.Clone(m.Header)
		delete(got, wire.HeaderBudgetMs)
		delete(got, wire.HeaderFrames)
		for k, v := range c.header {
			if m.Header.Get(k) != v {
				t.Errorf("%s %s: header %s is %q, want %q", c.method, c.target, k, m.Header.Get(k), v)
			}
			delete(got, k)
		}
		if len(got) > 0 {
			t.Errorf("%s %s: headers too much: %v", c.method, c.target, got)
		}
		note(seen, c)
	}
	for _, rt := range allRoutes() {
		key := rt.Method + " " + rt.Path
		if rt.op == nil {
			continue
		}
		if seen[key] == nil {
			t.Errorf("no case for %s", key)
		}
		for _, p := range rt.Params {
			if !p.InPath && !strings.HasPrefix(rt.Path, "/collections/") && !seen[key][p.Name] {
				t.Errorf("no case for parameter %s of %s", p.Name, key)
			}
		}
	}
}

// allRoutes gives the routes in some order.
func allRoutes() []*route {
	var all []*route
	for _, methods := range routes() {
		all = slices.AppendSeq(all, maps.Values(methods))
	}
	return all
}

// note keeps what a case uses.
func note(seen map[string]map[string]bool, c twin) {
	path, query, _ := strings.Cut(c.target, "?")
	if rest, ok := strings.CutPrefix(path, "/collections/books"); ok {
		path = "/collections/{collection}" + rest
	}
	key := c.method + " " + path
	if seen[key] == nil {
		seen[key] = map[string]bool{}
	}
	for part := range strings.SplitSeq(query, "&") {
		name, _, _ := strings.Cut(part, "=")
		seen[key][name] = true
	}
}

// What /openapi.json says is what the table holds, and nothing else.
func TestOpenAPIDescribesTheTable(t *testing.T) {
	d := openDoor(t)
	got := d.call("GET", "/openapi.json", "")
	var api struct {
		OpenAPI string
		Paths   map[string]map[string]struct {
			Parameters []struct {
				Name, In string
				Required bool
				Schema   struct{ Type any }
			}
			RequestBody *struct{ Content map[string]any }
			Responses   map[string]any
			Subject     string `json:"x-nats-subject"`
		}
	}
	if err := json.Unmarshal([]byte(got.body), &api); err != nil || got.status != 200 || !strings.HasPrefix(api.OpenAPI, "3.1") {
		t.Fatalf("%d %v %s", got.status, err, api.OpenAPI)
	}
	operations := 0
	for _, methods := range api.Paths {
		operations += len(methods)
	}
	rows := slices.DeleteFunc(allRoutes(), func(rt *route) bool { return rt.op == nil })
	if operations != len(rows) {
		t.Errorf("%d operations are described, %d stand in the table", operations, len(rows))
	}
	for _, rt := range rows {
		op, ok := api.Paths[rt.Path][strings.ToLower(rt.Method)]
		if !ok {
			t.Errorf("%s %s is not described", rt.Method, rt.Path)
			continue
		}
		var names, want []string
		for _, p := range op.Parameters {
			if in := "query"; p.In != in && !(p.In == "path" && strings.Contains(rt.Path, "{"+p.Name+"}") && p.Required) {
				t.Errorf("%s %s: parameter %s in %s", rt.Method, rt.Path, p.Name, p.In)
			}
			if p.Schema.Type == nil {
				t.Errorf("%s %s: parameter %s has no type", rt.Method, rt.Path, p.Name)
			}
			names = append(names, p.Name)
		}
		for _, p := range rt.Params {
			want = append(want, p.Name)
		}
		if !slices.Equal(names, want) {
			t.Errorf("%s %s: parameters %v, want %v", rt.Method, rt.Path, names, want)
		}
		if (op.RequestBody != nil) != (rt.Body != ops.NoBody) || len(op.Responses) != len(rt.Status)+1 {
			t.Errorf("%s %s: body %v, responses %v", rt.Method, rt.Path, op.RequestBody, op.Responses)
		}
		for _, c := range twins {
			path, _, _ := strings.Cut(c.target, "?")
			if c.method == rt.Method && path == rt.Path && rt.op.ID.Plane() == ops.Admin && op.Subject != c.subject {
				t.Errorf("%s %s: subject %s, want %s", rt.Method, rt.Path, op.Subject, c.subject)
			}
		}
	}
}
