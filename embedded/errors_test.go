package embedded

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/jetseek/jetseek/coordinator/bridge"
	"github.com/jetseek/jetseek/coordinator/client"
	"github.com/jetseek/jetseek/subjects"
	"github.com/jetseek/jetseek/subjects/wire"
)

// answer is what a door gave for a request.
type answer struct {
	status int
	wire.ErrorInfo
	body string
}

func answerOf(t *testing.T, status int, body []byte) answer {
	t.Helper()
	var sent wire.ErrorBody
	if err := json.Unmarshal(body, &sent); err != nil {
		t.Errorf("%d with a body that is no JSON: %v: %.200s", status, err, body)
	}
	return answer{status, sent.Error, string(body)}
}

// request is the same request for both doors. One of them may be left out, where only the other can be asked so.
type request struct {
	op      string // plane.op, plane.collection.op in full: read.books.search
	headers map[string]string
	body    string

	http     string // "POST /search?collection=books"
	httpBody string // "" for the same body
}

// overNATS asks as a NATS client does.
func (s *stage) overNATS(r request, budget time.Duration) answer {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), budget)
	defer cancel()
	header := nats.Header{}
	for k, v := range r.headers {
		header.Set(k, v)
	}
	s.outside.Do(func() {
		var err error
		if s.natsClient, err = client.New(s.Conn(), client.Options{Prefix: s.names.Prefix()}); err != nil {
			s.t.Error(err)
		}
	})
	reply, err := s.natsClient.Do(ctx, client.Request{Subject: s.names.Prefix() + "." + r.op, Header: header, Body: []byte(r.body), Write: strings.HasPrefix(r.op, "write.")})
	if err != nil {
		failed := wire.FromError(err)
		return answer{failed.Status(), *failed.Info(), err.Error()}
	}
	return answerOf(s.t, reply.Status, reply.Body)
}

// overHTTP asks the bridge.
func (s *stage) overHTTP(r request) answer {
	s.t.Helper()
	method, target, _ := strings.Cut(r.http, " ")
	body := r.httpBody
	if body == "" && method != http.MethodGet && method != http.MethodDelete {
		body = r.body
	}
	w := httptest.NewRecorder()
	bridge.NewHandler(s.Client(), nil).ServeHTTP(w, httptest.NewRequest(method, target, strings.NewReader(body)))
	return answerOf(s.t, w.Code, w.Body.Bytes())
}

// refused is a request and the error that both doors give for it.
type refused struct {
	name string
	request
	status   int
	code     string
	reason   string
	durable  wire.Durability
	position int // -1: none
}

// expect asks both doors and compares.
func (s *stage) expect(c refused) {
	s.t.Helper()
	check := func(door string, got answer) {
		s.t.Helper()
		position := -1
		if got.Position != nil {
			position = *got.Position
		}
		if got.status != c.status || string(got.Code) != c.code || got.Reason != c.reason || got.Durable != c.durable || position != c.position || got.Message == "" {
			s.t.Errorf("%s, over %s: %d %.300s, want %d %s %s, durable %q, position %d", c.name, door, got.status, got.body, c.status, c.code, c.reason, c.durable, c.position)
		}
	}
	if c.op != "" {
		budget := 30 * time.Second
		if strings.HasPrefix(c.op, "read.") {
			budget = 2 * time.Second // what the bridge gives a read: the coordinator tries as long as its caller waits
		}
		check("NATS", s.overNATS(c.request, budget))
	}
	if c.http != "" {
		check("HTTP", s.overHTTP(c.request))
	}
}

// state is all that a refused request must not change.
type state struct {
	Collections []wire.CollectionBody
	Digests     map[string]string // and content sequences, by member
	Documents   map[string]string
}

func (s *stage) state(documents ...string) state {
	s.t.Helper()
	ctx := s.t.Context()
	time.Sleep(time.Second) // virtual: every watermark is out
	st := state{Digests: map[string]string{}, Documents: map[string]string{}}
	var err error
	if st.Collections, err = s.Client().Collections(ctx); err != nil {
		s.t.Fatal(err)
	}
	members, err := s.Client().Members(ctx)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, m := range members {
		st.Digests[m.Member] = fmt.Sprintf("%s, %s at %d", m.State, m.Digest, m.ContentSeq)
	}
	for _, name := range documents {
		collection, id, _ := strings.Cut(name, "/")
		doc, err := s.Client().Get(ctx, collection, id)
		if err != nil {
			s.t.Fatal(err)
		}
		st.Documents[name] = fmt.Sprintf("%d %s", doc.Version, doc.Source)
	}
	return st
}

// unchanged checks that the state is what it was, that members of a group agree, and that the system still takes writes.
func (s *stage) unchanged(before state, documents ...string) {
	s.t.Helper()
	if after := s.state(documents...); !reflect.DeepEqual(after, before) {
		s.t.Errorf("the state has changed:\nbefore %+v\nafter  %+v", before, after)
	}
	s.sameDigests()
	if reply := s.index("afterwards", client.WriteOptions{}); !reply.OK {
		s.t.Errorf("a write afterwards: %+v", reply)
	}
	if _, took := s.remove("afterwards"); took > time.Second {
		s.t.Errorf("a delete afterwards took %s", took)
	}
	select {
	case err := <-s.Failed():
		s.t.Errorf("a part of the system has ended: %v", err)
	default:
	}
}

const errorSchema = `{"fields":{"title":{"type":"text"},"kind":{"type":"keyword"},"year":{"type":"long"},"when":{"type":"date"},"v":{"type":"vector","dims":2,"similarity":"cosine"}},
	"default_fields":["title"],"dynamic":"strict"}`

// Every request that can be refused at once, through both doors.
func TestRefusedRequests(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := setStage(t, 3, 2)
		if _, err := s.Client().CreateCollection(t.Context(), "books", json.RawMessage(errorSchema)); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Client().Index(t.Context(), "books", []byte(`{"id":"a","title":"one","year":1999}`), client.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
		s.index("d", client.WriteOptions{})
		documents := []string{"books/a", "default/d"}
		before := s.state(documents...)
		for _, c := range refusedRequests() {
			s.expect(c)
		}
		s.unchanged(before, documents...)
	})
}

func refusedRequests() []refused {
	const many = 100_000
	search := func(body string) request {
		return request{op: "read.books.search", body: body, http: "POST /search?collection=books"}
	}
	index := func(body string) request {
		return request{op: "write.books.index", body: body, http: "POST /index?collection=books"}
	}
	get := func(query string) request {
		return request{op: "read.books.search", body: fmt.Sprintf(`{"query":%q}`, query), http: "GET /search?collection=books&q=" + url.QueryEscape(query)}
	}
	id := func(op, http, id string) request {
		return request{op: op, body: fmt.Sprintf(`{"id":%q}`, id), http: http + "id=" + url.QueryEscape(id)}
	}
	header := func(r request, name, value, parameter string) request {
		r.headers = map[string]string{name: value}
		r.http += "&" + parameter
		return r
	}
	return []refused{
		{"a body that is no JSON", search(`{"query":`), 400, "bad_request", "", "", -1},
		{"a body that is no object", search(`["a"]`), 400, "bad_request", "", "", -1},
		{"a body that goes on", search(`{"query":"a"} {}`), 400, "bad_request", "", "", -1},
		{"an unknown key", search(`{"qurey":"a"}`), 400, "bad_request", "", "", -1},
		{"a key twice", search(`{"limit":1,"limit":1}`), 400, "bad_request", "", "", -1},
		{"a value of another type", search(`{"limit":"1"}`), 400, "bad_request", "", "", -1},
		{"a page past the end", search(`{"from":9999,"limit":2}`), 400, "bad_request", "", "", -1},
		{"min_seq of no group", search(`{"min_seq":{"g7":1}}`), 400, "bad_request", "", "", -1},
		{"a name that no collection has", request{op: "read.BOOKS.search", http: "GET /collections/BOOKS/search"}, 400, "bad_request", "", "", -1},
		{"an id and another", header(index(`{"id":"b"}`), wire.HeaderID, "c", "id=c"), 400, "bad_request", "", "", -1},
		{"a wait that is none", header(index(`{"id":"b"}`), wire.HeaderWait, "soon", "wait=soon"), 400, "bad_request", "", "", -1},
		{"a version that is none", header(index(`{"id":"b"}`), wire.HeaderIfVersion, "-1", "if_version=-1"), 400, "bad_request", "", "", -1},
		{"a budget that is none", header(index(`{"id":"b"}`), wire.HeaderTimeoutMs, "0", "timeout_ms=0"), 400, "bad_request", "", "", -1},
		{"a bulk of blank lines", request{op: "write.books.bulk", body: "\n \n", http: "POST /index/bulk?collection=books"}, 400, "bad_request", "", "", -1},
		{"an unknown key of a schema", request{op: "admin.collections.create", body: `{"name":"c","schema":{"filds":{}}}`, http: "PUT /collections/c", httpBody: `{"filds":{}}`}, 400, "bad_request", "", "", -1},
		{"a collection's name with a dot", request{op: "admin.collections.create", body: `{"name":"c.d"}`, http: "PUT /collections/c.d", httpBody: "{}"}, 400, "bad_request", "", "", -1},

		{"an unclosed bracket", get("alpha AND (beta"), 400, "bad_query", "", "", 10},
		{"an unclosed phrase", get(`one "two`), 400, "bad_query", "", "", 4},
		{"a word that is no number", get("title:a year:x"), 400, "bad_query", "", "", 13},
		{"a filter that does not parse", search(`{"filters":["year:[1 TO"]}`), 400, "bad_query", "", "", 5},

		{"a document that is no JSON", index(`{"id":"b"`), 400, "bad_document", "", "", -1},
		{"a document that goes on", index(`{"id":"b"}{}`), 400, "bad_document", "", "", -1},
		{"an id of nothing", index(`{"id":""}`), 400, "bad_document", "", "", -1},
		{"an id that is no id", index(`{"id":1.0}`), 400, "bad_document", "", "", -1},
		{"an id of 1,025 bytes", index(`{"id":"` + strings.Repeat("x", 1025) + `"}`), 400, "bad_document", "", "", -1},
		{"a document of brackets", index(`{"id":"b","title":` + strings.Repeat("[", many) + strings.Repeat("]", many) + "}"), 400, "bad_document", "", "", -1},
		{"half a surrogate pair", index(`{"id":"b","title":"\ud800"}`), 400, "bad_document", "", "", -1},

		{"a field of another type", index(`{"id":"a","year":"1999"}`), 400, "bad_field", "", "", -1},
		{"a whole number with a point", index(`{"id":"b","year":5.0}`), 400, "bad_field", "", "", -1},
		{"a field that a strict schema lacks", index(`{"id":"b","other":1}`), 400, "bad_field", "", "", -1},
		{"a day that no month has", index(`{"id":"b","when":"2001-02-30"}`), 400, "bad_field", "", "", -1},
		{"a keyword of 8 KiB and one", index(`{"id":"b","kind":"` + strings.Repeat("x", 8193) + `"}`), 400, "bad_field", "", "", -1},
		{"a range of text", get("title:[a TO b]"), 400, "bad_field", "", "", -1},

		{"a sort by an unknown field", search(`{"sort":"num:nowhere"}`), 400, "bad_sort", "", "", -1},
		{"a sort by text", search(`{"sort":[{"field":"title"}]}`), 400, "bad_sort", "", "", -1},
		{"a direction that is none", request{op: "read.books.search", body: `{"sort":"num:year","order":"up"}`, http: "GET /search?collection=books&sort=num:year&order=up"}, 400, "bad_sort", "", "", -1},
		{"a direction that is none, in a list", search(`{"sort":[{"field":"year","order":"up"}]}`), 400, "bad_sort", "", "", -1},

		{"a vector of three", index(`{"id":"b","v":[1,2,3]}`), 400, "bad_vector", "", "", -1},
		{"a vector without direction", index(`{"id":"b","v":[0,0]}`), 400, "bad_vector", "", "", -1},
		{"a vector past float32", index(`{"id":"b","v":[1e39,0]}`), 400, "bad_vector", "", "", -1},

		{"a document that is not there", id("read.books.get", "GET /doc?collection=books&", "z"), 404, "not_found", "", "", -1},
		{"an operation that is none", request{op: "read.books.nothing", http: "GET /collections/books/nothing"}, 404, "not_found", "", "", -1},
		{"a group that is none", request{http: "GET /health?group=g9"}, 404, "not_found", "", "", -1},

		{"a search of no collection", request{op: "read.nope.search", http: "GET /search?collection=nope"}, 404, "no_collection", "", "", -1},
		{"a read of no collection", id("read.nope.get", "GET /doc?collection=nope&", "a"), 404, "no_collection", "", "", -1},
		{"a write to no collection", request{op: "write.nope.index", body: `{"id":"a"}`, http: "POST /index?collection=nope"}, 404, "no_collection", "", "", -1},
		{"a delete from no collection", id("write.nope.delete", "DELETE /index?collection=nope&", "a"), 404, "no_collection", "", "", -1},
		{"a drop of no collection", request{op: "admin.collections.drop", body: `{"name":"nope"}`, http: "DELETE /collections/nope"}, 404, "no_collection", "", "", -1},
		{"a view of no collection", request{op: "admin.collections.show", body: `{"name":"nope"}`, http: "GET /collections/nope"}, 404, "no_collection", "", "", -1},

		{"another version", header(index(`{"id":"a","title":"two"}`), wire.HeaderIfVersion, "7", "if_version=7"), 409, "version_conflict", "", wire.IsDurable, -1},
		{"a version of what is not there", header(id("write.books.delete", "DELETE /index?collection=books&", "z"), wire.HeaderIfVersion, "1", "if_version=1"), 409, "version_conflict", "", wire.IsDurable, -1},
		{"a document that is there", header(index(`{"id":"a"}`), wire.HeaderIfVersion, "0", "if_version=0"), 409, "version_conflict", "", wire.IsDurable, -1},
		{"another schema", request{op: "admin.collections.create", body: `{"name":"books","schema":{}}`, http: "PUT /collections/books", httpBody: "{}"}, 409, "exists", "", "", -1},

		{"a query larger than a message", search(`{"query":"` + strings.Repeat("a ", 1<<20) + `"}`), 413, "too_large", "", "", -1},

		{"a query of 64 KiB and one", search(`{"query":"` + strings.Repeat("a", 64<<10+1) + `"}`), 422, "limit_exceeded", "", "", -1},
		{"a query of 1,025 words", search(`{"query":"` + strings.Repeat("a ", 1025) + `"}`), 422, "limit_exceeded", "", "", 2048},
		{"a query of brackets", search(`{"query":"` + strings.Repeat("(", 60_000) + `"}`), 422, "limit_exceeded", "", "", 32},
		{"a query of objects", search(`{"query":` + strings.Repeat(`{"bool":{"must":[`, 1000) + `"a"` + strings.Repeat("]}}", 1000) + "}"), 422, "limit_exceeded", "", "", -1},
		{"nine sort keys", search(`{"sort":["year"` + strings.Repeat(`,"year"`, 8) + `]}`), 422, "limit_exceeded", "", "", -1},
	}
}

// expectStored sends a write through both doors to a group of which no member answers: it is durable, and its outcome is not known.
func (s *stage) expectStored(r request) {
	s.t.Helper()
	for door, got := range map[string]answer{"NATS": s.overNATS(r, 30*time.Second), "HTTP": s.overHTTP(r)} {
		var reply wire.WriteReply
		if err := json.Unmarshal([]byte(got.body), &reply); err != nil {
			s.t.Fatal(err)
		}
		if got.status != 202 || !reply.Durable || reply.Visible || reply.OK || reply.Outcome != "" || reply.Seq == 0 {
			s.t.Errorf("write to a group without members, over %s: %d %s", door, got.status, got.body)
		}
	}
}

// What is asked of a cluster that cannot answer: every reason of unavailable that can be made from outside, and deadlines.
func TestUnavailable(t *testing.T) {
	write := func(id string) request {
		return request{op: "write.default.index", body: fmt.Sprintf(`{"id":%q,"body":"word"}`, id), http: "POST /index?timeout_ms=2000", headers: map[string]string{wire.HeaderTimeoutMs: "2000"}}
	}
	search := request{op: "read.default.search", body: `{"query":"word"}`, http: "POST /search"}

	t.Run("before the map", func(t *testing.T) {
		inBubble(t, func(t *testing.T) {
			s := &stage{t: t, DB: open(t, Options{Groups: 2, Members: 1})}
			create := request{op: "admin.collections.create", body: `{"name":"c"}`, http: "PUT /collections/c", httpBody: "{}"}
			s.expect(refused{"search", search, 404, "no_collection", "", "", -1})
			s.expect(refused{"the map", request{op: "admin.map", http: "GET /_map"}, 503, "unavailable", "no_map", "", -1})
			s.kill("g1/n1")
			time.Sleep(time.Minute) // its liveness record ends
			s.expect(refused{"create with half of the groups", create, 503, "unavailable", "too_few_groups", "", -1})
			s.expect(refused{"write with half of the groups", write("a"), 503, "unavailable", "too_few_groups", wire.NotDurable, -1})
			s.kill("g0/n1")
			time.Sleep(time.Minute)
			s.expect(refused{"create with nobody", create, 503, "unavailable", "no_serving_member", "", -1})
			s.expect(refused{"write with nobody", write("a"), 503, "unavailable", "no_serving_member", wire.NotDurable, -1})
			if list, err := s.Client().Collections(t.Context()); err != nil || len(list) != 0 {
				t.Errorf("refused, and there: %+v, %v", list, err)
			}
		})
	})

	t.Run("a group is gone", func(t *testing.T) {
		inBubble(t, func(t *testing.T) {
			s := setStage(t, 2, 1)
			lost := s.idOf("g1", 0)
			s.index(lost, client.WriteOptions{})
			s.kill("g1/n1")
			s.expect(refused{"partial", request{op: "read.default.search", body: `{"partial":"fail"}`, http: "GET /search?partial=fail"}, 503, "unavailable", "partial", "", -1})
			s.expect(refused{"read", request{op: "read.default.get", body: fmt.Sprintf(`{"id":%q}`, lost), http: "GET /doc?id=" + lost}, 503, "unavailable", "no_serving_member", "", -1})
			s.expect(refused{"count", request{op: "admin.collections.show", body: `{"name":"default"}`, http: "GET /collections/default"}, 503, "unavailable", "no_serving_member", "", -1})
			s.expectStored(write(lost))
			s.kill("g0/n1")
			s.expect(refused{"search with nobody", search, 503, "unavailable", "no_serving_member", "", -1})
		})
	})

	t.Run("a log that takes nothing", func(t *testing.T) {
		inBubble(t, func(t *testing.T) {
			s := setStage(t, 1, 1)
			s.index("a", client.WriteOptions{})
			js, err := jetstream.New(s.Conn())
			if err != nil {
				t.Fatal(err)
			}
			full := s.names.StreamConfig("g0", subjects.StreamLimits{})
			full.MaxMsgs = 1
			if _, err := js.UpdateStream(t.Context(), full); err != nil {
				t.Fatal(err)
			}
			s.expect(refused{"write to a full log", write("b"), 503, "unavailable", "log_full", wire.NotDurable, -1})
			time.Sleep(20 * time.Second) // and no lease is renewed
			s.expect(refused{"search without a lease", search, 503, "unavailable", wire.ReasonNotServing, "", -1})
		})
	})

	t.Run("a log that does not answer", func(t *testing.T) {
		inBubble(t, func(t *testing.T) {
			s := setStage(t, 1, 1)
			s.index("a", client.WriteOptions{})
			time.Sleep(time.Second) // the acknowledgement of the write has come as well
			s.links["coordinator/log"].cut()
			first := make(chan answer)
			go func() { first <- s.overNATS(write("b"), 30*time.Second) }()
			time.Sleep(500 * time.Millisecond)
			r := write("c")
			r.headers[wire.HeaderTimeoutMs], r.http = "1000", "POST /index?timeout_ms=1000"
			waiting := make(chan answer)
			go func() { waiting <- s.overHTTP(r) }()
			if got := s.overNATS(r, 30*time.Second); got.status != 504 || got.Durable != wire.NotDurable {
				t.Errorf("a write that waited its time out: %d %s", got.status, got.body)
			}
			if got := <-waiting; got.status != 504 || got.Durable != wire.NotDurable {
				t.Errorf("a write that waited its time out, over HTTP: %d %s", got.status, got.body)
			}
			if got := <-first; got.status != 504 || got.Durable != wire.DurableUnknown {
				t.Errorf("a write on its way: %d %s", got.status, got.body)
			}
			s.links["coordinator/log"].mend()
			time.Sleep(10 * time.Second)
		})
	})

	t.Run("members that do not answer", func(t *testing.T) {
		inBubble(t, func(t *testing.T) {
			s := setStage(t, 1, 2)
			s.index("a", client.WriteOptions{})
			s.links["g0/n1"].cut()
			s.links["g0/n2"].cut()
			s.expect(refused{"search", search, 504, "deadline", "", "", -1})
			s.expect(refused{"read", request{op: "read.default.get", body: `{"id":"a"}`, http: "GET /doc?id=a"}, 504, "deadline", "", "", -1})
			s.expectStored(write("b"))
			s.links["g0/n1"].mend()
			s.links["g0/n2"].mend()
			time.Sleep(10 * time.Second)
			s.expectServing()
		})
	})

	t.Run("no coordinator, then no NATS", func(t *testing.T) {
		inBubble(t, func(t *testing.T) {
			s := setStage(t, 1, 1)
			s.stopCoordinator()
			s.DB.stopCoordinator = nil
			s.expect(refused{"search without a coordinator", search, 503, "unavailable", client.ReasonNoCoordinator, "", -1})
			s.expect(refused{"write without a coordinator", write("a"), 503, "unavailable", client.ReasonNoCoordinator, wire.NotDurable, -1})
			if err := s.nats.Close(); err != nil {
				t.Fatal(err)
			}
			s.DB.nats = nil
			time.Sleep(time.Second)
			s.expect(refused{"search without NATS", search, 503, "unavailable", client.ReasonNoNATS, "", -1})
			s.expect(refused{"write without NATS", write("a"), 503, "unavailable", client.ReasonNoNATS, wire.NotDurable, -1})
		})
	})
}

// expectServing checks that the document a is found and a write is whole.
func (s *stage) expectServing() {
	s.t.Helper()
	reply, err := s.Client().Search(s.t.Context(), "default", wire.NewSearch("word"))
	if err != nil || !reply.Exact {
		s.t.Errorf("a search: %+v, %v", reply, err)
	}
	if reply := s.index("again", client.WriteOptions{}); !reply.OK {
		s.t.Errorf("a write: %+v", reply)
	}
}

// A coordinator and a member that have all the requests they take answer the next at once, and go on.
func TestOverloaded(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := setStage(t, 1, 1)
		s.index("a", client.WriteOptions{})
		before := s.state("default/a")
		s.links["g0/n1"].cut()
		answers, err := s.Conn().SubscribeSync("_INBOX.busy")
		if err != nil {
			t.Fatal(err)
		}
		const requestsAtATime = 2048
		for range requestsAtATime {
			if err := s.Conn().PublishRequest(s.names.Read("default", "search"), "_INBOX.busy", []byte(`{"timeout_ms":3000}`)); err != nil {
				t.Fatal(err)
			}
		}
		s.expect(refused{"search of a busy coordinator", request{op: "read.default.search", http: "GET /search"}, 429, "overloaded", "", "", -1})
		s.expect(refused{"write to a busy coordinator", request{op: "write.default.index", body: `{"id":"b"}`, http: "POST /index"}, 429, "overloaded", "", "", -1})
		for range requestsAtATime {
			msg, err := answers.NextMsg(10 * time.Second)
			if err != nil {
				t.Fatal(err)
			}
			if code := msg.Header.Get("Nats-Service-Error-Code"); code != "504" {
				t.Fatalf("a search that nobody answered: %s %s", code, msg.Data)
			}
		}
		s.links["g0/n1"].mend()
		time.Sleep(10 * time.Second)

		// 1,024 requests may wait for a sequence that never comes.
		coll := s.incarnation("default")
		busy := wire.AppendGetRequest(nil, &wire.GetRequest{Head: wire.Head{Collection: coll, SchemaVersion: 9, Epoch: 1, MinSeq: 1 << 40, BudgetMs: 10_000}, ID: "a"})
		const parked, more = 1024, 100
		for range parked + more {
			if err := s.Conn().PublishRequest(s.names.Member("g0", "n1", wire.OpGet), "_INBOX.busy", busy); err != nil {
				t.Fatal(err)
			}
		}
		codes := map[string]int{}
		for range parked + more {
			msg, err := answers.NextMsg(20 * time.Second)
			if err != nil {
				t.Fatal(err)
			}
			failed, err := wire.DecodeError(msg.Data)
			if err != nil {
				t.Fatal(err)
			}
			codes[string(failed.Code)+" "+failed.Reason]++
		}
		if codes["overloaded "] < more || codes["overloaded "]+codes["unavailable not_caught_up"] != parked+more {
			t.Errorf("a busy member answered %v", codes)
		}
		s.unchanged(before, "default/a")
	})
}
