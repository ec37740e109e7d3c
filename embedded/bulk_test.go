package embedded

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/jetseek/jetseek/coordinator/client"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects/wire"
)

// A line of a bulk that fails is named by its number, and by its id where it has one.
func TestFailedLinesAreNamed(t *testing.T) {
	db := open(t, Options{Groups: 2})
	body := "{\"id\":\"a\",\"n\":1,\"_if_version\":0}\n\n{\"id\":\"b\",\"n\":1.5}\nnothing\n{\"id\":7,\"n\":\"x\"}\n{\"id\":\"a\",\"n\":2,\"_if_version\":9}\n"
	reply, err := db.Client().Bulk(t.Context(), "default", []byte(body), client.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := []wire.LineError{{Line: 3, ID: "b", Code: fault.BadField}, {Line: 4, Code: fault.BadDocument}, {Line: 5, ID: "7", Code: fault.BadField}, {Line: 6, ID: "a", Code: fault.VersionConflict}}
	if reply.Indexed != 1 || reply.Failed != len(want) || len(reply.Errors) != len(want) {
		t.Fatalf("%+v", reply)
	}
	for i, e := range reply.Errors {
		if e.Line != want[i].Line || e.ID != want[i].ID || e.Code != want[i].Code || e.Message == "" {
			t.Errorf("error %d: %+v, want %+v", i, e, want[i])
		}
	}
}

// The flags of a bulk speak of the lines that stand; where none does, nothing is durable or visible.
func TestNoLineStands(t *testing.T) {
	db := open(t, Options{})
	for _, c := range []struct {
		body       string
		stands, ok bool
	}{
		{`{"id":"a","n":1}` + "\nnothing\n", true, false}, {"nothing\n[\n", false, false}, {`{"id":"a","n":2,"_if_version":9}`, false, false}, {`{"_delete":"none"}`, true, true},
	} {
		msg, err := db.Conn().Request(db.names.Write("default", "bulk"), []byte(c.body), 20*time.Second)
		var r wire.BulkReply
		if err == nil {
			err = json.Unmarshal(msg.Data, &r)
		}
		if err != nil || msg.Header.Get(wire.HeaderStatus) != "200" || r.Durable != c.stands || r.Visible != c.stands || r.OK != c.ok {
			t.Errorf("%s: %v, status %s, %s", c.body, err, msg.Header.Get(wire.HeaderStatus), msg.Data)
		}
	}
}

// Failed lines are named as far as a reply has room for them; all of them are counted, and the lines that stand are told.
func TestManyFailedLines(t *testing.T) {
	db := open(t, Options{})
	const bad = 30_000
	body := []byte(strings.Repeat("[\n", bad) + `{"id":"a","n":1}`)
	msg, err := db.Conn().Request(db.names.Write("default", "bulk"), body, 20*time.Second)
	if err != nil || msg.Header.Get(wire.HeaderStatus) != "200" {
		t.Fatalf("%.200s, %v", msg.Data, err)
	}
	var plain wire.BulkReply
	if err := json.Unmarshal(msg.Data, &plain); err != nil {
		t.Fatal(err)
	}
	framed, err := db.Client().Bulk(t.Context(), "default", body, client.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []*wire.BulkReply{&plain, framed} {
		if r.Failed != bad || r.Indexed != 1 || !r.Visible || len(r.Errors) == 0 || r.Errors[0].Line != 1 {
			t.Errorf("%d failed, %d indexed, visible %t, %d named", r.Failed, r.Indexed, r.Visible, len(r.Errors))
		}
	}
	if len(plain.Errors) >= len(framed.Errors) || len(framed.Errors) != wire.MaxLineErrors {
		t.Errorf("%d named in one message, %d in frames", len(plain.Errors), len(framed.Errors))
	}
}
