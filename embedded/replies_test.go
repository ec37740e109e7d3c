package embedded

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/jetseek/jetseek/coordinator/client"
	"github.com/jetseek/jetseek/subjects/ops"
	"github.com/jetseek/jetseek/subjects/wire"
)

// Coordinators and members answer inboxes and nothing else, so that no request can aim what they publish into a log, a tail, JetStream or another request.
func TestOnlyInboxesAreAnswered(t *testing.T) {
	db := open(t, Options{Groups: 1, Members: 1})
	ctx, nc := t.Context(), db.Conn()
	if _, err := db.Client().Index(ctx, "default", []byte(`{"id":"a"}`), client.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	watched := map[string]*nats.Subscription{}
	aims := []string{"jetseek.log.g0", "jetseek.log.g0.own", "jetseek.tail.g0", "jetseek.event.group.g0.applied", "jetseek.group.g0.n1.search", "jetseek.write.default.bulk",
		"$KV.JETSEEK.map", "$JS.API.STREAM.DELETE.JETSEEK_g0", "$SRV.PING", "evil.inbox", "a._INBOX.x"}
	marker := "no-such-operation-or-id" // stands in every answer to the requests below
	for _, aim := range aims {
		sub, err := nc.SubscribeSync(aim)
		if err != nil {
			t.Fatal(err)
		}
		watched[aim] = sub
	}
	var asked []string
	for _, op := range ops.Table() {
		asked = append(asked, op.ID.Subject(db.names, marker))
	}
	asked = append(asked, db.names.Read("default", marker), db.names.Member("g0", "n1", "get"), db.names.Any("g0", "get"))
	body := fmt.Appendf(nil, `{"collection":"%s","ids":["%[1]s"],"name":"%[1]s","%[1]s":1}`, marker)
	for _, subject := range asked {
		for _, aim := range aims {
			if err := nc.PublishRequest(subject, aim, body); err != nil {
				t.Fatal(err)
			}
		}
		// Requests on one subject are taken in order, so what is answered is answered by now, or soon.
		if _, err := nc.Request(subject, body, 10*time.Second); err != nil {
			t.Fatalf("%s with an inbox: %v", subject, err)
		}
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	for aim, sub := range watched {
		for {
			m, err := sub.NextMsg(50 * time.Millisecond)
			if err != nil {
				break
			}
			if m.Header.Get(wire.HeaderStatus) != "" || m.Header.Get(wire.HeaderServiceErrorCode) != "" || strings.Contains(string(m.Data), marker) {
				t.Errorf("%s got an answer: %v %.200s", aim, m.Header, m.Data)
			}
		}
	}
	if found, err := db.Client().Search(ctx, "default", wire.NewSearch("*")); err != nil || found.Total.Value != 1 {
		t.Errorf("after all that: %+v, %v", found, err)
	}
}

// What HTTP refuses among parameters, NATS refuses among headers, in the same words for programs.
func TestHeadersAreHeldToTheTable(t *testing.T) {
	db := open(t, Options{Groups: 1, Members: 1})
	for _, c := range []struct {
		subject, body, header, value string
		status                       string
	}{
		{"jetseek.read.default.search", "{}", "Jetseek-Wait", "none", "400"},
		{"jetseek.read.default.search", "{}", "Jetseek-Timeout", "5", "400"},
		{"jetseek.write.default.index", "{}", "jetseek-wait", "none", "400"},
		{"jetseek.write.default.delete", `{"id":"a"}`, "Jetseek-Id", "a", "400"},
		{"jetseek.admin.members", "", "Jetseek-If-Version", "1", "400"},
		{"jetseek.admin.members", "", "Jetseek-Budget-Ms", "1000", "200"},
		{"jetseek.admin.members", "", "Other-Header", "1", "200"},
	} {
		request := nats.NewMsg(c.subject)
		request.Data = []byte(c.body)
		request.Header[c.header] = []string{c.value}
		got, err := db.Conn().RequestMsg(request, 10*time.Second)
		if err != nil {
			t.Fatalf("%s: %v", c.subject, err)
		}
		if got.Header.Get(wire.HeaderStatus) != c.status || c.status == "400" && !strings.Contains(string(got.Data), `"bad_request"`) {
			t.Errorf("%s with %s: %v %s", c.subject, c.header, got.Header, got.Data)
		}
	}
}
