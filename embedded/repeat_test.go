package embedded

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/jetseek/jetseek/coordinator/client"
	"github.com/jetseek/jetseek/subjects/wire"
)

// inShapes runs a test on the smallest system and on a larger one.
func inShapes(t *testing.T, test func(t *testing.T, s *stage)) {
	t.Helper()
	for _, shape := range [][2]int{{1, 1}, {3, 2}} {
		t.Run(fmt.Sprintf("%dx%d", shape[0], shape[1]), func(t *testing.T) {
			inBubble(t, func(t *testing.T) { test(t, setStage(t, shape[0], shape[1])) })
		})
	}
}

// both makes a write for both doors, with a request id.
func both(op, http, body, requestID string) request {
	return request{op: "write.default." + op, http: http + "request_id=" + requestID, body: body, headers: map[string]string{wire.HeaderRequestID: requestID}}
}

func read[T any](t *testing.T, a answer, status int) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(a.body), &v); err != nil || a.status != status {
		t.Fatalf("%d %s, want %d; %v", a.status, a.body, status, err)
	}
	return v
}

// count gives the number of documents that a query finds, exactly.
func (s *stage) count(query string) uint64 {
	s.t.Helper()
	r, err := s.Client().Search(s.t.Context(), "default", wire.NewSearch(query))
	if err != nil || !r.Exact {
		s.t.Fatalf("%+v, %v", r, err)
	}
	return r.Total.Value
}

// A write with a request id is done once, through whichever door it comes again: a document without an id is the same one, a repeated delete takes nothing that
// was written since.
func TestRequestIDs(t *testing.T) {
	inShapes(t, func(t *testing.T, s *stage) {
		doors := []func(request) answer{func(r request) answer { return s.overNATS(r, 30*time.Second) }, s.overHTTP}
		for first, ask := range doors {
			again := doors[1-first]
			name := fmt.Sprint("door", first)
			write := both("index", "POST /index?", fmt.Sprintf(`{"body":%q}`, name), name+"-w")
			made := read[wire.WriteReply](t, ask(write), 201)
			if made.Repeated || made.Outcome != "created" || len(made.ID) != 26 {
				t.Errorf("the first: %+v", made)
			}
			repeat := read[wire.WriteReply](t, again(write), 201)
			if repeat.ID != made.ID || !repeat.Repeated || repeat.Outcome != "created" || repeat.Version != 1 || !repeat.OK || repeat.Seq <= made.Seq {
				t.Errorf("its repeat: %+v, after %+v", repeat, made)
			}
			if n := s.count("body:" + name); n != 1 {
				t.Errorf("%d documents", n)
			}
			other := both("index", "POST /index?", fmt.Sprintf(`{"id":%q}`, s.idOf(made.Group, 3)), name+"-w")
			s.expect(refused{"another document under the request id", other, 400, "bad_request", "", wire.IsDurable, -1})

			remove := both("delete", "DELETE /index?id="+made.ID+"&", fmt.Sprintf(`{"id":%q}`, made.ID), name+"-d")
			if r := read[wire.WriteReply](t, ask(remove), 200); r.Outcome != "deleted" || !*r.Verified {
				t.Errorf("the delete: %+v", r)
			}
			s.index(made.ID, client.WriteOptions{})
			if r := read[wire.WriteReply](t, again(remove), 200); r.Outcome != "deleted" || !r.Repeated {
				t.Errorf("its repeat: %+v", r)
			}
			if _, err := s.Client().Get(t.Context(), "default", made.ID); err != nil {
				t.Errorf("a repeated delete took what was written since: %v", err)
			}
		}
		s.sameDigests()
	})
}

// A bulk that comes again, longer or after a break, says of each line whether it was decided now or before.
func TestRepeatedBulk(t *testing.T) {
	inShapes(t, func(t *testing.T, s *stage) {
		lines := func(n int) string {
			var b strings.Builder
			for i := range n {
				fmt.Fprintf(&b, "{\"body\":\"line %d\"}\n", i+1)
			}
			return b.String() + "\n{\"_delete\":\"none\"}\n{\"id\":\"c\",\"_if_version\":7}\n"
		}
		part := lines(15)
		read[wire.BulkReply](t, s.overNATS(both("bulk", "", part[:strings.Index(part, "\n\n")+1], "b"), 30*time.Second), 200)
		for round, ask := range []func(request) answer{func(r request) answer { return s.overNATS(r, 30*time.Second) }, s.overHTTP} {
			got := read[wire.BulkReply](t, ask(both("bulk", "POST /index/bulk?", lines(40), "b")), 200)
			want := []wire.LineRange{{From: 1, To: 15}}
			if round == 1 {
				want = []wire.LineRange{{From: 1, To: 40}, {From: 42, To: 43}}
			}
			repeated := 0
			for _, r := range want {
				repeated += r.To - r.From + 1
			}
			if got.Indexed != 40 || got.NotFound != 1 || got.Failed != 1 || got.Errors[0].Line != 43 || got.Repeated != repeated || !reflect.DeepEqual(got.RepeatedLines, want) {
				t.Errorf("round %d: %+v", round, got)
			}
			if n := s.count("body:line"); n != 40 {
				t.Errorf("round %d: %d documents", round, n)
			}
		}
		s.sameDigests()
	})
}

// What is asked of a repeat holds over a restart of every member.
func TestRequestIDsOutliveMembers(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := setStage(t, 1, 2)
		o := client.WriteOptions{RequestID: "r", Timeout: time.Minute}
		first, err := s.Client().Index(t.Context(), "default", []byte(`{"body":"word"}`), o)
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{"g0/n1", "g0/n2"} {
			s.kill(id)
		}
		for _, id := range []string{"g0/n1", "g0/n2"} {
			s.restart(id)
		}
		again, err := s.Client().Index(t.Context(), "default", []byte(`{"body":"word"}`), o)
		if err != nil || !again.Repeated || again.ID != first.ID || s.count("word") != 1 {
			t.Errorf("%+v after %+v, %v", again, first, err)
		}
	})
}

// With no member up a write is durable by a commit record: at once where no more is asked, and its outcome is known when a member is back.
func TestCommitRecords(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := setStage(t, 2, 1)
		lost := s.idOf("g1", 0)
		s.kill("g1/n1")
		time.Sleep(3 * time.Second) // virtual: nothing is heard of g1/n1 for longer than a group may be silent
		document := fmt.Appendf(nil, `{"id":%q,"body":"word"}`, lost)
		began := time.Now()
		o := client.WriteOptions{Wait: "durable", Timeout: 10 * time.Second, RequestID: "r"}
		r, err := s.Client().Index(t.Context(), "default", document, o)
		if err != nil || !r.Durable || r.Visible || r.Outcome != "" || r.Seq == 0 || fmt.Sprint(r.Behind) != "[g1/n1]" {
			t.Fatalf("%+v, %v", r, err)
		}
		if took := time.Since(began); took > time.Second {
			t.Errorf("it took %s", took)
		}
		body := append(append(document, '\n'), fmt.Sprintf("{\"id\":%q,\"body\":\"word\"}\n", s.idOf("g0", 0))...)
		bulk, err := s.Client().Bulk(t.Context(), "default", body, client.WriteOptions{Wait: "durable", Timeout: 10 * time.Second})
		if err != nil || !bulk.Durable || bulk.Visible || bulk.Failed != 0 || bulk.Undecided != 1 || bulk.Indexed != 1 || bulk.Groups != 2 || bulk.Seq["g1"] <= r.Seq {
			t.Errorf("%+v, %v", bulk, err)
		}
		removed, err := s.Client().Delete(t.Context(), "default", lost, client.WriteOptions{Timeout: 5 * time.Second})
		if err != nil || !removed.Durable || *removed.Verified {
			t.Errorf("a delete: %+v, %v", removed, err)
		}
		s.restart("g1/n1")
		again, err := s.Client().Index(t.Context(), "default", document, o)
		if err != nil || again.Outcome != "created" || !again.Repeated || again.Version != 1 {
			t.Errorf("%+v, %v", again, err)
		}
		if _, err := s.Client().Get(t.Context(), "default", lost); err == nil {
			t.Error("the delete was lost")
		}
		s.sameDigests()
	})
}
