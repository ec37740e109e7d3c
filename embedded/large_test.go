package embedded

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/jetseek/jetseek/coordinator/client"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects/wire"
)

// bigDoc is a document of about so many bytes, whose text is not all the same.
func bigDoc(id string, bytes int) []byte {
	var s strings.Builder
	fmt.Fprintf(&s, `{"id":%q,"blob":"big `, id)
	for n := 0; s.Len() < bytes; n++ {
		fmt.Fprintf(&s, "%0120x ", n%4096) // long words: what is tested is size, not analysis
	}
	s.WriteString(`"}`)
	return []byte(s.String())
}

// Documents, bulks and answers larger than a message go and come whole, to every member, and survive a restart.
func TestLargerThanAMessage(t *testing.T) {
	dir := t.TempDir()
	db, err := Open(dir, Options{Groups: 2, Members: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute) // and with it the budget of every read
	defer cancel()
	if _, err := db.Client().CreateCollection(ctx, "c", json.RawMessage(`{"fields":{"blob":{"type":"text"}}}`)); err != nil {
		t.Fatal(err)
	}
	minute := client.WriteOptions{Timeout: time.Minute}
	big := bigDoc("big", 3<<20)
	if reply, err := db.Client().Index(ctx, "c", big, minute); err != nil || reply.Outcome != "created" || !reply.OK {
		t.Fatalf("index 3 MiB: %+v, %v", reply, err)
	}
	// A bulk of 3 MB: lines of 500 KB, one of 1.2 MB, a blank one, and one that is no document.
	var bulk bytes.Buffer
	for n := range 4 {
		bulk.Write(append(bigDoc(fmt.Sprintf("b%d", n), 500<<10), '\n'))
	}
	bulk.WriteString("\n{\"id\":true}\n")
	bulk.Write(append(bigDoc("b4", 1200<<10), '\n'))
	bulk.WriteString(`{"id":"small","blob":"big"}`)
	reply, err := db.Client().Bulk(ctx, "c", bulk.Bytes(), minute)
	if err != nil {
		t.Fatal(err)
	}
	if reply.Indexed != 6 || reply.Failed != 1 || len(reply.Errors) != 1 || reply.Errors[0].Line != 6 || reply.Errors[0].Code != fault.BadDocument || !reply.Visible {
		t.Errorf("bulk: %+v", reply)
	}
	check := func(db *DB) {
		t.Helper()
		body := wire.NewSearch("blob:big")
		body.TimeoutMs = 30_000
		found, err := db.Client().Search(ctx, "c", body)
		if err != nil || len(found.Hits) != 7 || !found.Exact {
			t.Fatalf("search: %v, %v", found, err)
		}
		for _, hit := range found.Hits {
			if hit.ID == "big" && !bytes.Equal(hit.Source, big) {
				t.Errorf("the source of %d bytes came back as %d bytes", len(big), len(hit.Source))
			}
		}
		doc, err := db.Client().Get(ctx, "c", "big")
		if err != nil || !bytes.Equal(doc.Source, big) {
			t.Errorf("get: %v", err)
		}
	}
	check(db)
	// A client that takes no frames is told the limit, and soon.
	msg, err := db.Conn().Request(db.names.Read("c", "search"), []byte(`{"query":"blob:big","timeout_ms":60000}`), time.Minute)
	if err != nil || !strings.Contains(string(msg.Data), `"too_large"`) || !strings.Contains(string(msg.Data), fmt.Sprint(db.Conn().MaxPayload())) {
		t.Errorf("without frames: %v, %v", msg, err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if db, err = Open(dir, Options{Groups: 2, Members: 2}); err != nil {
		t.Fatal(err)
	}
	check(db)
}

// What is too large for every way is refused by name of the limit, and changes nothing.
func TestTooLarge(t *testing.T) {
	db := open(t, Options{})
	ctx := t.Context()
	if _, err := db.Client().CreateCollection(ctx, "c", json.RawMessage(`{"dynamic":false}`)); err != nil {
		t.Fatal(err)
	}
	_, err := db.Client().Index(ctx, "c", bigDoc("x", wire.MaxDocumentBytes+1), client.WriteOptions{})
	if fault.CodeOf(err) != fault.TooLarge || !strings.Contains(err.Error(), fmt.Sprint(wire.MaxDocumentBytes)) {
		t.Errorf("a document past the limit: %v", err)
	}
	long := []byte(`{"query":"` + strings.Repeat("a ", 1<<20) + `"}`)
	if _, err := db.Client().SearchJSON(ctx, "c", long); fault.CodeOf(err) != fault.TooLarge {
		t.Errorf("a query larger than a message: %v", err)
	}
	// An object that is none of the client's, or is not there, is no body.
	for _, name := range []string{"", "none", "../x", "a b"} {
		request := nats.NewMsg(db.names.Write("c", "index"))
		request.Header.Set(wire.HeaderObject, name)
		reply, err := db.Conn().RequestMsg(request, 5*time.Second)
		if err != nil || reply.Header.Get(wire.HeaderStatus) != "400" {
			t.Errorf("object %q: %v, %v", name, reply, err)
		}
	}
	if c, err := db.Client().Collection(ctx, "c"); err != nil || c.Documents != 0 {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestCutAndJoin(t *testing.T) {
	if wire.Fits(100, 4096) || !wire.Fits(100, 8192) {
		t.Error("Fits leaves no room for headers")
	}
	var j wire.Joiner
	frame := func(n, last, data string) *nats.Msg {
		m := nats.NewMsg("x")
		m.Header.Set(wire.HeaderFrame, n)
		m.Header.Set(wire.HeaderLast, last)
		m.Data = []byte(data)
		return m
	}
	if m, err := j.Add(frame("0", "", "ab")); m != nil || err != nil {
		t.Fatal(m, err)
	}
	if _, err := j.Add(frame("2", "1", "c")); err == nil {
		t.Error("a lost frame was not noticed")
	}
	var k wire.Joiner
	_, _ = k.Add(frame("0", "", "ab"))
	if m, err := k.Add(frame("1", "1", "cd")); err != nil || string(m.Data) != "abcd" {
		t.Error(m, err)
	}
}
