package embedded

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/jetseek/jetseek/coordinator/client"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects/wire"
)

// The client's requests are answered in its own process: nothing of them passes its connection. A body is the caller's again when the call has returned, also while the write
// still waits to be stored; an answer larger than a message comes whole.
func TestRequestsStayInTheProcess(t *testing.T) {
	s := setStage(t, 1, 1)
	sent := s.Conn().Stats().OutMsgs
	release := s.holds["g0/n1"].stop()
	body := []byte(`{"id":"a","text":"as it was given"}`)
	if _, err := s.Client().Index(t.Context(), "default", body, client.WriteOptions{Wait: "none"}); err != nil {
		t.Fatal(err)
	}
	copy(body, strings.Repeat("x", len(body)))
	close(release)
	large := strings.Repeat("word ", 300_000)
	for _, id := range []string{"b", "c"} {
		document, err := json.Marshal(map[string]string{"id": id, "text": large[:900_000]})
		if err != nil {
			t.Fatal(err)
		}
		if reply, err := s.Client().Index(t.Context(), "default", document, client.WriteOptions{}); err != nil || !reply.OK {
			t.Fatalf("%+v, %v", reply, err)
		}
	}
	doc, err := s.Client().Get(t.Context(), "default", "a")
	if err != nil || string(doc.Source) != `{"id":"a","text":"as it was given"}` {
		t.Errorf("the document is %+v, %v", doc, err)
	}
	reply, err := s.Client().Search(t.Context(), "default", wire.NewSearch("*"))
	if err != nil || len(reply.Hits) != 3 {
		t.Fatalf("%v", err)
	}
	size := 0
	for _, h := range reply.Hits {
		size += len(h.Source)
	}
	if size < 1_800_000 {
		t.Errorf("hits of %d bytes", size)
	}
	if now := s.Conn().Stats().OutMsgs; now != sent {
		t.Errorf("%d messages left over the client's connection", now-sent)
	}
}

// A call that is given up says so, and of a write that it may have been stored.
func TestRequestInTheProcessIsGivenUp(t *testing.T) {
	s := setStage(t, 1, 1)
	release := s.holds["g0/n1"].stop()
	defer close(release)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := s.Client().Index(ctx, "default", []byte(`{"id":"a"}`), client.WriteOptions{})
		ended <- err
	}()
	cancel()
	var failed *wire.Error
	if err := <-ended; !errors.As(err, &failed) || failed.Code != fault.Unavailable || failed.Reason != wire.ReasonCanceled || failed.Durable == wire.IsDurable {
		t.Errorf("%+v", err)
	}
}

// A coordinator that takes no requests, and subjects that are not its own, send them over NATS: another coordinator answers.
func TestRequestsLeaveTheProcess(t *testing.T) {
	s := setStage(t, 1, 1)
	first := s.DB.coordinator
	elsewhere := nats.NewMsg("elsewhere.read.default.search")
	if _, err := first.Ask(t.Context(), elsewhere); !errors.Is(err, nats.ErrNoResponders) {
		t.Errorf("a subject of another cluster: %v", err)
	}
	s.stopCoordinator()
	if _, err := first.Ask(t.Context(), nats.NewMsg(s.names.Read("default", "search"))); !errors.Is(err, nats.ErrNoResponders) {
		t.Errorf("a coordinator that has ended: %v", err)
	}
	if err := s.startCoordinator(t.Context()); err != nil {
		t.Fatal(err)
	}
	if reply := s.index("a", client.WriteOptions{}); !reply.OK {
		t.Errorf("%+v", reply)
	}
	reply, err := s.Client().Search(t.Context(), "default", wire.NewSearch("*"))
	if err != nil || reply.Total.Value != 1 {
		t.Errorf("%+v, %v", reply, err)
	}
}
