package web_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/nats-io/nats.go"
	"golang.org/x/net/html"

	"github.com/jetseek/jetseek/coordinator/bridge/web"
	"github.com/jetseek/jetseek/coordinator/client"
	"github.com/jetseek/jetseek/embedded/natstest"
	"github.com/jetseek/jetseek/subjects/placement"
	"github.com/jetseek/jetseek/subjects/wire"
)

// site is the pages before a coordinator that answers as it is told: by subject, JSON of a reply or of an error.
type site struct {
	t     *testing.T
	url   string
	asked chan *nats.Msg

	mu      sync.Mutex // guards replies
	replies map[string]any
}

// set changes what a subject answers.
func (s *site) set(subject string, body any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replies[subject] = body
}

func (s *site) reply(subject string) any {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.replies[subject]
}

// refusal is an error as a reply.
type refusal struct {
	status string
	body   wire.ErrorBody
}

func openSite(t *testing.T, replies map[string]any) *site {
	t.Helper()
	s := &site{t: t, replies: replies, asked: make(chan *nats.Msg, 100)} // more than any test asks
	server := natstest.Start(t)
	nc := server.Conn(t)
	_, err := nc.Subscribe("jetseek.>", func(m *nats.Msg) {
		select {
		case s.asked <- m:
		default: // nobody counts
		}
		reply := &nats.Msg{Header: nats.Header{wire.HeaderStatus: {"200"}}}
		body := s.reply(m.Subject)
		if r, ok := body.(refusal); ok {
			reply.Header = nats.Header{"Nats-Service-Error": {"refused"}, "Nats-Service-Error-Code": {r.status}}
			body = r.body
		}
		reply.Data, _ = json.Marshal(body)
		_ = m.RespondMsg(reply)
	})
	if err == nil {
		err = nc.Flush()
	}
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.New(server.Conn(t), client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	web.New(c, nil).Register(mux)
	door := httptest.NewServer(mux)
	t.Cleanup(door.Close)
	s.url = door.URL
	return s
}

// page is an answered page.
type page struct {
	status int
	header http.Header
	raw    string
	root   *html.Node
}

func (s *site) get(target string) *page {
	s.t.Helper()
	resp, err := http.Get(s.url + target)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	root, err := html.Parse(strings.NewReader(string(raw)))
	if err != nil {
		s.t.Fatal(err)
	}
	return &page{resp.StatusCode, resp.Header, string(raw), root}
}

// all gives the elements of a name, and where class is not empty only those of the class.
func (p *page) all(name, class string) []*html.Node {
	var found []*html.Node
	for n := range p.root.Descendants() {
		if n.Type == html.ElementNode && n.Data == name && (class == "" || slices.Contains(strings.Fields(attr(n, "class")), class)) {
			found = append(found, n)
		}
	}
	return found
}

// texts gives the text of each such element.
func (p *page) texts(name, class string) []string {
	var texts []string
	for _, n := range p.all(name, class) {
		texts = append(texts, text(n))
	}
	return texts
}

func text(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(" " + d.Data)
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func score(f float64) *float64 { return &f }

// found is an answer with one hit of the source.
func found(source string) wire.SearchResponse {
	return wire.SearchResponse{
		TookMs: 3.25, Query: "gc", Total: wire.Total{Value: 1315, Relation: "eq"}, Exact: true, Stats: "global",
		Hits:     []wire.Hit{{ID: "a/b c", Score: score(7.25), Source: json.RawMessage(source)}},
		Shards:   wire.Shards{Total: 3, OK: 3, FailedGroups: []string{}},
		Coverage: wire.Coverage{Documents: 1, Seq: map[string]uint64{"g0": 117, "g1": 98, "g2": 120}},
	}
}

var listed = wire.CollectionsBody{Collections: []wire.CollectionBody{
	{Name: "books", Documents: 11304, Schema: json.RawMessage(`{"fields":{"year":{"type":"long"},"kind":{"type":"keyword"},"title":{"type":"text"}}}`)},
	{Name: "notes", Documents: 1, Schema: json.RawMessage(`{}`)},
}}

// Where the time of a search went is measured when the reader asks for it: a row for each clause, below the one it is of.
func TestTimesOfASearch(t *testing.T) {
	answer := found(`{"id":"a"}`)
	answer.Profile = &wire.SearchProfile{StatsMs: 0.5, SearchMs: 1.75, DocsMs: 1, Groups: map[string]wire.GroupProfile{
		"g1": {Node: "n2", SearchMs: 0.25, Clauses: []wire.ClauseProfile{{Role: "query", Clause: "every document", Ms: 0.125, OwnMs: 0.125}}},
		"g0": {Node: "n1", SearchMs: 1.5, CollectMs: 0.25, SortMs: 0.125, Clauses: []wire.ClauseProfile{
			{Role: "query", Clause: "1 must", Ms: 1, OwnMs: 0.5, Clauses: []wire.ClauseProfile{{Role: "must", Clause: "t:<b>", Ms: 0.5, OwnMs: 0.5, Lists: 2, Postings: 12345, Visited: 128}}},
		}},
	}}
	s := openSite(t, map[string]any{"jetseek.admin.collections.list": listed, "jetseek.read.books.search": answer})
	p := s.get("/?q=gc&collection=books&from=20&profile=true")
	for len(s.asked) > 0 {
		var body wire.SearchBody
		if m := <-s.asked; m.Subject == "jetseek.read.books.search" && (json.Unmarshal(m.Data, &body) != nil || !body.Profile) {
			t.Errorf("it asked for %s", m.Data)
		}
	}
	details := text(p.all("details", "whole")[0])
	for _, part := range []string{"time 3.25 ms, statistics 0.5 ms, search 1.75 ms, documents 1 ms query",
		"g0 at n1: 1.5 ms, of which collecting 0.25 ms, sorting 0.125 ms clause ms own ms postings visited query 1 must 1 0.5 must t:<b> 0.5 0.5 12,345 128 g1 at n2: 0.25 ms"} {
		if !strings.Contains(details, part) {
			t.Errorf("no %q in %q", part, details)
		}
	}
	if rest := p.raw; strings.Contains(rest, "where it went") || !strings.Contains(rest, "profile=true&amp;q=gc") {
		t.Error("the links to other pages and to JSON do not go on with profiles")
	}
}

func TestAnswerStandsAsTheAPIGaveIt(t *testing.T) {
	s := openSite(t, map[string]any{
		"jetseek.admin.collections.list": listed,
		"jetseek.read.books.search":      found(`{"id":"a/b c","title":"The gc of Go","year":2015,"turned":"` + "\u202e" + `back","body":"` + strings.Repeat("filler ", 30) + `GC pauses"}`),
	})
	p := s.get("/?q=gc+pauses&collection=books&filter=year:%3E2000&sort=num:year&order=desc&from=20")
	if p.status != 200 {
		t.Fatalf("status %d: %s", p.status, p.raw)
	}
	var body map[string]any
	for len(s.asked) > 0 {
		if m := <-s.asked; m.Subject == "jetseek.read.books.search" {
			if err := json.Unmarshal(m.Data, &body); err != nil {
				t.Fatal(err)
			}
		}
	}
	want := map[string]any{"query": "gc pauses", "filters": []any{"year:>2000"}, "sort": "num:year", "order": "desc", "from": 20.0, "limit": 10.0, "profile": false}
	for k, v := range want {
		if got, _ := json.Marshal(body[k]); string(got) != mustJSON(t, v) {
			t.Errorf("it asked for %s %s, want %v", k, got, v)
		}
	}
	if got := p.texts("h1", ""); !slices.Equal(got, []string{"1,315 documents"}) {
		t.Errorf("headings %q", got)
	}
	facts := text(p.all("ul", "facts")[0])
	if facts != "exact 3 of 3 groups 100 % covered 3.25 ms" {
		t.Errorf("facts %q", facts)
	}
	details := text(p.all("details", "whole")[0])
	for _, part := range []string{"1315 ( eq )", "g0 at 117, g1 at 98, g2 at 120", "statistics global", "time 3.25 ms ( where it went )"} {
		if !strings.Contains(details, part) {
			t.Errorf("no %q in %q", part, details)
		}
	}
	if got := p.texts("mark", ""); !slices.Equal(got[:3], []string{"gc", "GC", "pauses"}) {
		t.Errorf("marked %q", got)
	}
	if got := text(p.all("pre", "source")[0]); !strings.Contains(got, `"turned": "\u202eback"`) {
		t.Errorf("the source turns around: %s", got)
	}
	if got := p.texts("span", "score"); !slices.Equal(got, []string{"score 7.25"}) {
		t.Errorf("scores %q", got)
	}
	var links []string
	for _, a := range p.all("a", "") {
		links = append(links, attr(a, "href"))
	}
	for _, want := range []string{
		"/collections/books/doc?id=a%2Fb+c", "/?collection=books&filter=year%3A%3E2000&from=10&order=desc&q=gc+pauses&sort=num%3Ayear",
		"/?collection=books&filter=year%3A%3E2000&from=30&order=desc&q=gc+pauses&sort=num%3Ayear",
		"/collections/books/search?filter=year%3A%3E2000&from=20&limit=10&order=desc&q=gc+pauses&sort=num%3Ayear",
	} {
		if !slices.Contains(links, want) {
			t.Errorf("no link to %s in %q", want, links)
		}
	}
	var options []string
	for _, o := range p.all("option", "") {
		if hasAttr(o, "selected") {
			options = append(options, text(o))
		}
	}
	if !slices.Equal(options, []string{"books (11,304)", "num:year", "descending"}) {
		t.Errorf("selected %q", options)
	}
}

func TestPartialAnswerNamesWhatIsMissing(t *testing.T) {
	answer := found(`{"title":"x"}`)
	answer.Exact, answer.ExactNote, answer.Partial = false, "group g2 did not answer: its documents are missing", true
	answer.Total.Relation = "gte"
	answer.Shards = wire.Shards{Total: 3, OK: 2, Failed: 1, FailedGroups: []string{"g2"}, Reasons: map[string]string{"g2": "no_serving_member"}}
	answer.Coverage.Documents = 0.99996
	// The list of collections needs every group: without it the name is written.
	down := refusal{"503", wire.ErrorBody{Error: wire.ErrorInfo{Code: "unavailable", Message: "no member of group g2 serves"}}}
	s := openSite(t, map[string]any{"jetseek.admin.collections.list": down, "jetseek.read.books.search": answer})
	if p := s.get("/"); len(p.texts("h1", "")) != 0 {
		t.Errorf("the first page says %q of collections that it could not list", p.texts("h1", ""))
	}
	p := s.get("/?q=gc&collection=books")
	if got := p.texts("h1", ""); !slices.Equal(got, []string{"At least 1,315 documents"}) {
		t.Errorf("headings %q", got)
	}
	if got := text(p.all("ul", "facts")[0]); got != "not exact 2 of 3 groups 99.99 % covered 3.25 ms" {
		t.Errorf("facts %q", got)
	}
	if got := text(p.all("div", "notice")[0]); !strings.Contains(got, "Group g2 did not answer ( no_serving_member ).") {
		t.Errorf("notice %q", got)
	}
	for _, n := range p.all("input", "") {
		if attr(n, "name") == "collection" && attr(n, "value") == "books" {
			return
		}
	}
	t.Error("no field for the collection's name")
}

func TestErrorsShowWhereTheQueryIsWrong(t *testing.T) {
	at := 3
	bad := refusal{"400", wire.ErrorBody{Error: wire.ErrorInfo{Code: "bad_query", Message: "unbalanced ( at 3", Position: &at}}}
	s := openSite(t, map[string]any{"jetseek.admin.collections.list": listed, "jetseek.read.default.search": bad})
	p := s.get("/?q=gc+(a")
	if p.status != 400 {
		t.Errorf("status %d", p.status)
	}
	if got := text(p.all("section", "notice")[0]); got != "This cannot be asked unbalanced ( at 3 gc (a bad_query" {
		t.Errorf("notice %q", got)
	}
	if got := p.texts("mark", ""); !slices.Equal(got, []string{"(a"}) {
		t.Errorf("marked %q", got)
	}
	for target, status := range map[string]int{"/?q=a&from=-1": 400, "/?q=a&from=x": 400, "/?q=a&collection=A.B": 400, "/?q=" + strings.Repeat("x", 17_000): 422} {
		if p := s.get(target); p.status != status || len(p.all("section", "notice")) != 1 {
			t.Errorf("GET %.40s: %d", target, p.status)
		}
	}
	if p := s.get("/"); p.status != 200 || !slices.Equal(p.texts("strong", ""), []string{"books", "notes"}) {
		t.Errorf("the first page: %d %q", p.status, p.texts("strong", ""))
	}
}

// Strings that would be markup, or steer what stands beside them, are text in every place, and no page needs anything that its policy forbids.
func TestHostileStringsAreText(t *testing.T) {
	const evil = `"'><script>alert(1)</script><img src=x onerror=alert(1)>` + "\u202e{{.}}\u0000`$"
	source := mustJSON(t, map[string]any{"title": evil, evil: evil, "list": []string{evil, evil}, "object": map[string]any{evil: evil}, "body": strings.Repeat(evil+" ", 20)})
	answer := found(source)
	answer.Query, answer.ExactNote, answer.Exact = evil, evil, false
	answer.Hits[0].ID, answer.Hits[0].Sort = evil, []any{evil, evil}
	answer.Shards.FailedGroups, answer.Shards.Reasons = []string{evil}, map[string]string{evil: evil}
	answer.Coverage.Seq = map[string]uint64{evil: 1}
	members := wire.MembersBody{Members: []wire.MemberBody{{Member: evil, Group: evil, Node: evil, State: evil, Reason: evil, Digest: evil}}}
	noMap := refusal{"503", wire.ErrorBody{Error: wire.ErrorInfo{Code: "unavailable", Message: evil, Reason: "no_map"}}}
	refused := refusal{"503", wire.ErrorBody{Error: wire.ErrorInfo{Code: "unavailable", Message: evil, Reason: evil}}}
	collections := wire.CollectionsBody{Collections: []wire.CollectionBody{{Name: evil, Schema: json.RawMessage(mustJSON(t, map[string]any{"fields": map[string]any{evil: map[string]any{"type": "long"}}}))}}}
	for _, partial := range []bool{false, true} {
		answer.Partial = partial
		s := openSite(t, map[string]any{"jetseek.admin.collections.list": collections, "jetseek.read.default.search": answer, "jetseek.read.books.search": refused,
			"jetseek.admin.members": members, "jetseek.admin.map": noMap})
		e := "%22%27%3E%3Cscript%3Ealert(1)%3C/script%3E%E2%80%AE%00%ff"
		for _, target := range []string{"/", "/?q=" + e + "&filter=" + e + "&sort=" + e + "&order=" + e, "/?q=x&collection=books", "/?q=x&collection=" + e, "/?q=x&from=" + e, "/cluster"} {
			p := s.get(target)
			harmless(t, target, p)
		}
		if p := s.get("/?q=x"); !strings.Contains(p.texts("h2", "")[len(p.texts("h2", ""))-1], "<script>alert(1)</script>") {
			t.Errorf("the title is not shown as it is: %q", p.texts("h2", ""))
		}
	}
}

// harmless fails when a page holds a script of its own text, an event handler, an inline style or a link to elsewhere.
func harmless(t *testing.T, target string, p *page) {
	t.Helper()
	if got := p.header.Get("Content-Security-Policy"); !strings.HasPrefix(got, "default-src 'self';") || strings.Contains(got, "unsafe") {
		t.Errorf("%s: policy %q", target, got)
	}
	for k, v := range map[string]string{"Content-Type": "text/html; charset=utf-8", "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store"} {
		if p.header.Get(k) != v {
			t.Errorf("%s: %s is %q", target, k, p.header.Get(k))
		}
	}
	if strings.ContainsRune(p.raw, 0) {
		t.Errorf("%s: a NUL", target)
	}
	for n := range p.root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		switch n.Data {
		case "script":
			if attr(n, "src") != "/assets/page.js" || n.FirstChild != nil {
				t.Errorf("%s: a script %v", target, n.Attr)
			}
		case "img", "style", "iframe", "object", "base":
			t.Errorf("%s: an element %s", target, n.Data)
		}
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Key, "on") || a.Key == "style" {
				t.Errorf("%s: %s has %s=%q", target, n.Data, a.Key, a.Val)
			}
			if (a.Key == "href" || a.Key == "src" || a.Key == "action") && !strings.HasPrefix(a.Val, "/") && !strings.HasPrefix(a.Val, "#") {
				t.Errorf("%s: %s leads to %q", target, n.Data, a.Val)
			}
		}
	}
}

func TestClusterShowsWhoIsDown(t *testing.T) {
	m, err := placement.NewMap(placement.Ring, placement.DefaultVnodes, []placement.Group{
		{Name: "g0", Generation: 1, Members: []string{"g0/n1", "g0/n2"}}, {Name: "g1", Generation: 1, Members: []string{"g1/n1"}}})
	if err != nil {
		t.Fatal(err)
	}
	s := openSite(t, map[string]any{"jetseek.admin.map": m, "jetseek.admin.members": wire.MembersBody{Members: []wire.MemberBody{
		{Member: "g0/n1", Group: "g0", Node: "n1", State: "serving", Applied: 1234567, Documents: 40, Digest: "0123456789abcdef"},
		{Member: "g0/n2", Group: "g0", Node: "n2", State: "joining", Applied: 1234000, Lag: 567, Documents: 30, Digest: "ffff"},
		{Member: "g1/n1", Group: "g1", Node: "n1", State: "failed", Reason: "log hole", Documents: 5},
	}}})
	p := s.get("/cluster")
	harmless(t, "/cluster", p)
	if got := p.texts("h1", ""); !slices.Equal(got, []string{"1 of 3 members serve"}) {
		t.Errorf("headings %q", got)
	}
	if got := text(p.all("ul", "facts")[0]); got != "2 groups 45 documents map epoch 1" {
		t.Errorf("facts %q", got)
	}
	var rows []string
	for _, row := range p.all("tr", "") {
		rows = append(rows, text(row))
	}
	counts := m.Counts()
	for _, want := range []string{"g0/n1 serving 1,234,567 0 40 01234567", "g0/n2 joining 1,234,000 567 30 ffff", "g1/n1 failed log hole 0 0 5"} {
		if !slices.Contains(rows, want) {
			t.Errorf("no row %q in %q", want, rows)
		}
	}
	if counts[0]+counts[1] != 16384 {
		t.Fatal(counts)
	}
	if got := p.texts("span", "bad"); !slices.Equal(got, []string{"failed"}) {
		t.Errorf("bad states %q", got)
	}
	if got := text(p.all("div", "notice")[0]); !strings.Contains(got, "No member of group g1 serves") {
		t.Errorf("notice %q", got)
	}
	if paths := p.all("path", "color-1"); len(paths) != 1 || !strings.HasPrefix(attr(paths[0], "d"), "M") {
		t.Errorf("%d paths of the second group in the ring", len(paths))
	}
	// Every field has a name, and every table heads its columns.
	for _, n := range append(s.get("/?q=x").all("input", ""), s.get("/?q=x").all("select", "")...) {
		if !slices.ContainsFunc(s.get("/?q=x").all("label", ""), func(l *html.Node) bool { return attr(l, "for") == attr(n, "id") }) {
			t.Errorf("the field %s has no label", attr(n, "name"))
		}
	}
}

func TestAssets(t *testing.T) {
	s := openSite(t, nil)
	for name, kind := range map[string]string{"page.css": "text/css; charset=utf-8", "page.js": "text/javascript; charset=utf-8", "icon.svg": "image/svg+xml"} {
		if p := s.get("/assets/" + name); p.status != 200 || p.header.Get("Content-Type") != kind || p.header.Get("X-Content-Type-Options") != "nosniff" || p.raw == "" {
			t.Errorf("%s: %d %v", name, p.status, p.header)
		}
	}
	for _, name := range []string{"", "no.css", "..%2fpages.go"} {
		if p := s.get("/assets/" + name); p.status != 404 {
			t.Errorf("/assets/%s: %d", name, p.status)
		}
	}
}

func hasAttr(n *html.Node, name string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
