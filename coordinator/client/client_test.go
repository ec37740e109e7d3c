package client

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/jetseek/jetseek/embedded/natstest"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects/wire"
)

// coordinator answers every request under jetseek.> with reply, and hands out what it was asked.
func coordinator(t *testing.T, s *natstest.Server, reply func(*nats.Msg) *nats.Msg) <-chan *nats.Msg {
	t.Helper()
	nc := s.Conn(t)
	asked := make(chan *nats.Msg, 100) // more than any test asks
	_, err := nc.Subscribe("jetseek.>", func(m *nats.Msg) {
		asked <- m
		if r := reply(m); r != nil {
			_ = m.RespondMsg(r)
		}
	})
	if err == nil {
		err = nc.Flush()
	}
	if err != nil {
		t.Fatal(err)
	}
	return asked
}

func success(status, body string) func(*nats.Msg) *nats.Msg {
	return func(*nats.Msg) *nats.Msg {
		return &nats.Msg{Header: nats.Header{wire.HeaderStatus: {status}}, Data: []byte(body)}
	}
}

func failure(status, body string) func(*nats.Msg) *nats.Msg {
	return func(*nats.Msg) *nats.Msg {
		return &nats.Msg{Header: nats.Header{"Nats-Service-Error": {"it failed"}, "Nats-Service-Error-Code": {status}}, Data: []byte(body)}
	}
}

func open(t *testing.T, s *natstest.Server) *Client {
	t.Helper()
	c, err := New(s.Conn(t), Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCallsAskWhatTheySay(t *testing.T) {
	s := natstest.Start(t)
	asked := coordinator(t, s, success("200", "{}"))
	c := open(t, s)
	version := uint64(7)
	all := WriteOptions{ID: " odd\nid", Wait: "durable", Timeout: 1500 * time.Millisecond, IfVersion: &version, RequestID: "r1"}
	ctx := t.Context()
	for _, call := range []struct {
		name, subject, body string
		header              map[string]string
		do                  func() error
	}{
		{"index", "jetseek.write.books.index", `{"a":1}`, map[string]string{wire.HeaderIDEscaped: "+odd%0Aid", wire.HeaderWait: "durable",
			wire.HeaderTimeoutMs: "1500", wire.HeaderIfVersion: "7", wire.HeaderRequestID: "r1", wire.HeaderID: ""},
			func() error { _, err := c.Index(ctx, "books", []byte(`{"a":1}`), all); return err }},
		{"index without options", "jetseek.write.books.index", `{}`, map[string]string{wire.HeaderWait: "", wire.HeaderID: "", wire.HeaderTimeoutMs: ""},
			func() error { _, err := c.Index(ctx, "books", []byte(`{}`), WriteOptions{}); return err }},
		{"delete", "jetseek.write.books.delete", `{"id":"a\"b"}`, map[string]string{wire.HeaderIfVersion: "7", wire.HeaderID: "", wire.HeaderIDEscaped: ""},
			func() error { _, err := c.Delete(ctx, "books", `a"b`, all); return err }},
		{"bulk", "jetseek.write.books.bulk", "{}\n{}\n", map[string]string{wire.HeaderWait: "durable", wire.HeaderIfVersion: ""},
			func() error { _, err := c.Bulk(ctx, "books", []byte("{}\n{}\n"), all); return err }},
		{"get", "jetseek.read.books.get", `{"id":"a"}`, nil, func() error { _, err := c.Get(ctx, "books", "a"); return err }},
		{"search JSON", "jetseek.read.books.search", `{"query":"x"}`, nil,
			func() error { _, err := c.SearchJSON(ctx, "books", []byte(`{"query":"x"}`)); return err }},
		{"create", "jetseek.admin.collections.create", `{"name":"books","schema":{}}`, nil,
			func() error { _, err := c.CreateCollection(ctx, "books", nil); return err }},
		{"show", "jetseek.admin.collections.show", `{"name":"books"}`, nil, func() error { _, err := c.Collection(ctx, "books"); return err }},
		{"list", "jetseek.admin.collections.list", `{}`, nil, func() error { _, err := c.Collections(ctx); return err }},
		{"drop", "jetseek.admin.collections.drop", `{"name":"books"}`, nil, func() error { _, err := c.DropCollection(ctx, "books"); return err }},
		{"ready", "jetseek.admin.status", `{}`, nil, func() error { _, err := c.Ready(ctx); return err }},
		{"members", "jetseek.admin.members", `{}`, nil, func() error { _, err := c.Members(ctx); return err }},
		{"ring", "jetseek.admin.ring", `{}`, nil, func() error { _, err := c.Ring(ctx); return err }},
		{"placement", "jetseek.admin.placement", `{"id":"a"}`, nil, func() error { _, err := c.Placement(ctx, "a"); return err }},
	} {
		if err := call.do(); err != nil {
			t.Errorf("%s: %v", call.name, err)
			continue
		}
		m := <-asked
		if m.Subject != call.subject || string(m.Data) != call.body {
			t.Errorf("%s asked %s %q, want %s %q", call.name, m.Subject, m.Data, call.subject, call.body)
		}
		for k, want := range call.header {
			if got := m.Header.Get(k); got != want {
				t.Errorf("%s: header %s is %q, want %q", call.name, k, got, want)
			}
		}
		if m.Header.Get(wire.HeaderBudgetMs) == "" {
			t.Errorf("%s carries no budget", call.name)
		}
	}
}

func TestSearchSendsWhatTheServerReads(t *testing.T) {
	s := natstest.Start(t)
	asked := coordinator(t, s, success("200", `{"hits":[{"id":"a","sort":[9007199254740993,"a"]}],"total":{"value":1,"relation":"eq"}}`))
	search := wire.NewSearch("go")
	search.Limit = 3
	got, err := open(t, s).Search(t.Context(), "books", search)
	if err != nil {
		t.Fatal(err)
	}
	read, err := wire.DecodeSearch((<-asked).Data)
	if err != nil || string(read.Query) != `"go"` || read.Limit != 3 {
		t.Errorf("the server reads %+v, %v", read, err)
	}
	if n, ok := got.Hits[0].Sort[0].(json.Number); !ok || n != "9007199254740993" {
		t.Errorf("a long sort key came as %v", got.Hits[0].Sort[0])
	}
}

func TestErrorsComeBackAsThemselves(t *testing.T) {
	s := natstest.Start(t)
	coordinator(t, s, failure("400", `{"error":{"code":"bad_query","message":"unbalanced (","position":14}}`))
	_, err := open(t, s).SearchJSON(t.Context(), "books", []byte("{}"))
	var f *fault.Error
	if !errors.As(err, &f) || *f != (fault.Error{Code: fault.BadQuery, Message: "unbalanced (", Position: 14}) {
		t.Errorf("got %#v", err)
	}
}

func TestRepliesThatCannotBeReadAreUnavailable(t *testing.T) {
	for name, reply := range map[string]func(*nats.Msg) *nats.Msg{
		"an error without a body":        failure("503", ""),
		"an error without a code":        failure("400", `{"error":{}}`),
		"neither success nor error":      func(*nats.Msg) *nats.Msg { return &nats.Msg{Data: []byte("{}")} },
		"a success that is no JSON":      success("200", "<html>"),
		"a status that is no number":     success("fine", "{}"),
		"a status that no success gives": success("700", "{}"),
	} {
		s := natstest.Start(t)
		coordinator(t, s, reply)
		_, err := open(t, s).Get(t.Context(), "books", "a")
		var e *wire.Error
		if !errors.As(err, &e) || e.Code != fault.Unavailable || e.Reason != ReasonBadReply {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestVersionConflictGivesReplyAndError(t *testing.T) {
	s := natstest.Start(t)
	coordinator(t, s, success("409", `{"ok":true,"id":"a","outcome":"version_conflict","version":4,"error":{"code":"version_conflict","message":"it is at 4"}}`))
	reply, err := open(t, s).Index(t.Context(), "books", []byte("{}"), WriteOptions{})
	if reply == nil || reply.Version != 4 || fault.CodeOf(err) != fault.VersionConflict {
		t.Errorf("got %+v, %v", reply, err)
	}
}

// What is known of a write that got no answer.
func TestDurabilityOfUnansweredWrites(t *testing.T) {
	silent := func(*nats.Msg) *nats.Msg { return nil }
	soon := func(t *testing.T) context.Context {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
		t.Cleanup(cancel)
		return ctx
	}
	check := func(name string, err error, code fault.Code, reason string, durable wire.Durability) {
		t.Helper()
		var e *wire.Error
		if !errors.As(err, &e) || e.Code != code || e.Reason != reason || e.Durable != durable {
			t.Errorf("%s: %#v, want %s, reason %q, durable %q", name, err, code, reason, durable)
		}
	}

	s := natstest.Start(t)
	c := open(t, s)
	_, err := c.Index(t.Context(), "books", []byte("{}"), WriteOptions{})
	check("nobody there, write", err, fault.Unavailable, ReasonNoCoordinator, wire.NotDurable)
	_, err = c.Get(t.Context(), "books", "a")
	check("nobody there, read", err, fault.Unavailable, ReasonNoCoordinator, "")

	asked := coordinator(t, s, silent)
	_, err = c.Index(soon(t), "books", []byte("{}"), WriteOptions{})
	check("no answer, write", err, fault.Deadline, "", wire.DurableUnknown)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("no answer: %v is not the context's error", err)
	}
	_, err = c.Get(soon(t), "books", "a")
	check("no answer, read", err, fault.Deadline, "", "")
	for range 3 { // the write once, the read once more
		<-asked
	}
	over, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	_, err = c.Index(over, "books", []byte("{}"), WriteOptions{})
	check("time over before", err, fault.Deadline, "", wire.NotDurable)
	cancel()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = c.Index(gone, "books", []byte("{}"), WriteOptions{})
	check("caller gone before", err, fault.Unavailable, wire.ReasonCanceled, wire.NotDurable)
	if len(asked) > 0 {
		t.Error("it was sent although it was too late")
	}

	ended := make(chan error, 1)
	go func() {
		_, err := c.Delete(t.Context(), "books", "a", WriteOptions{})
		ended <- err
	}()
	<-asked
	s.Stop()
	check("NATS gone while waiting", <-ended, fault.Unavailable, ReasonNoNATS, wire.DurableUnknown)
	_, err = c.Delete(t.Context(), "books", "a", WriteOptions{})
	check("NATS gone before", err, fault.Unavailable, ReasonNoNATS, wire.NotDurable)
}

func TestWhatIsLargerThanAMessageIsNotSent(t *testing.T) {
	s := natstest.Start(t, natstest.MaxPayload(10_000))
	asked := coordinator(t, s, success("200", "{}"))
	c := open(t, s)
	_, err := c.Bulk(t.Context(), "books", make([]byte, 10_000), WriteOptions{})
	if fault.CodeOf(err) != fault.TooLarge || !strings.Contains(err.Error(), "10000") {
		t.Errorf("got %v", err)
	}
	if len(asked) > 0 {
		t.Error("it was sent")
	}
	if _, err := c.Bulk(t.Context(), "books", make([]byte, c.MaxRequest()), WriteOptions{}); err != nil {
		t.Errorf("a body of MaxRequest: %v", err)
	}
}

// A bulk that is split is one bulk to its caller: lines keep their numbers, lists are lists, and what is named of failed lines has a bound.
func TestSplitBulkIsOneBulk(t *testing.T) {
	s := natstest.Start(t, natstest.MaxPayload(100_000))
	asked := coordinator(t, s, func(m *nats.Msg) *nats.Msg {
		if m.Header.Get(wire.HeaderFirstLine) == "1" {
			return success("200", `{"ok":true,"durable":true,"visible":true,"indexed":7,"groups":1,"members":2,"members_ok":2,"behind":[],"seq":{"g0":5},"errors":[]}`)(m)
		}
		return failure("503", `{"error":{"code":"unavailable","reason":"no_map","message":"away","durable":false}}`)(m)
	})
	c := open(t, s)
	lines := strings.Repeat("{}\n", 70_000)
	reply, err := c.Bulk(t.Context(), "books", []byte(lines), WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	first := len((<-asked).Data) / 3 // lines of the first piece
	if reply.Indexed != 7 || reply.Failed != 70_000-first || reply.OK || !reply.Durable || reply.Seq["g0"] != 5 {
		t.Errorf("%d indexed, %d failed, ok %t, durable %t, at %v", reply.Indexed, reply.Failed, reply.OK, reply.Durable, reply.Seq)
	}
	if len(reply.Errors) != wire.MaxLineErrors || reply.Errors[0].Line != first+1 || reply.Errors[0].Durable != wire.NotDurable {
		t.Errorf("%d errors, the first %+v", len(reply.Errors), reply.Errors[0])
	}
	raw, err := c.Do(within10s(t), Request{Subject: "jetseek.write.books.bulk", Body: []byte(lines), Write: true})
	if err != nil || !strings.Contains(string(raw.Body), `"behind":[]`) {
		t.Errorf("%.200s, %v", raw.Body, err)
	}
}

// Headers that are too large by themselves are refused, whatever way the body could go.
func TestHeadersLargerThanAMessage(t *testing.T) {
	s := natstest.Start(t, natstest.MaxPayload(1000))
	c := open(t, s)
	for _, op := range []string{"index", "bulk"} {
		r := Request{Subject: "jetseek.write.books." + op, Header: nats.Header{wire.HeaderObject: {"x"}, "X": {strings.Repeat("x", 2000)}}, Write: true}
		if _, err := c.Do(within10s(t), r); fault.CodeOf(err) != fault.TooLarge || !strings.Contains(err.Error(), "1000") {
			t.Errorf("%s: %v", op, err)
		}
	}
}

func within10s(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func TestCollectionNamesNeverBecomeSubjects(t *testing.T) {
	s := natstest.Start(t)
	asked := coordinator(t, s, success("200", "{}"))
	c := open(t, s)
	for _, name := range []string{"", "*", ">", "a.b", "A", "a b", "a\r\nb", strings.Repeat("a", 65), "ü"} {
		if _, err := c.Get(t.Context(), name, "a"); fault.CodeOf(err) != fault.BadRequest {
			t.Errorf("%q: %v", name, err)
		}
	}
	if len(asked) > 0 {
		t.Errorf("%s was asked", (<-asked).Subject)
	}
}

func TestBudgetIsALittleLessThanWhatIsLeft(t *testing.T) {
	for left, want := range map[time.Duration]time.Duration{
		10 * time.Second:       9900 * time.Millisecond,
		time.Second:            950 * time.Millisecond,
		10 * time.Millisecond:  9 * time.Millisecond,
		500 * time.Microsecond: time.Millisecond,
		-time.Second:           time.Millisecond,
		time.Hour:              longestBudget,
	} {
		if got := budget(left); got != want {
			t.Errorf("of %s: %s, want %s", left, got, want)
		}
	}
}

func TestPrefix(t *testing.T) {
	s := natstest.Start(t)
	nc := s.Conn(t)
	sub, err := nc.SubscribeSync("acme.search.read.books.get")
	if err != nil {
		t.Fatal(err)
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	c, err := New(s.Conn(t), Options{Prefix: "acme.search"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, _ = c.Get(ctx, "books", "a")
	if _, err := sub.NextMsg(time.Second); err != nil {
		t.Error(err)
	}
	if _, err := New(nc, Options{Prefix: "a b"}); err == nil {
		t.Error("a prefix with a blank was taken")
	}
	if _, err := New(nil, Options{}); err == nil {
		t.Error("no connection was taken")
	}
}
