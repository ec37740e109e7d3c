package subjects_test

import (
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/jetseek/jetseek/embedded/natstest"
	"github.com/jetseek/jetseek/subjects"
)

// The server must republish both subjects of the stream, in order, with the sequence; and keep what it was told to keep.
func TestTailCarriesBothSubjectsOfTheLog(t *testing.T) {
	s := natstest.Start(t)
	nc := s.Conn(t)
	js := s.JetStream(t)
	var n subjects.Names
	for _, group := range []string{"g0", "g1"} { // two streams whose republish sources are the same wildcard
		if _, err := js.CreateStream(t.Context(), n.StreamConfig(group, subjects.StreamLimits{})); err != nil {
			t.Fatal(err)
		}
	}
	tail := make(chan *nats.Msg, 16)
	for _, subject := range []string{n.Tail("g0"), n.TailOwn("g0")} {
		if _, err := nc.ChanSubscribe(subject, tail); err != nil {
			t.Fatal(err)
		}
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	for i, subject := range []string{n.Log("g0"), n.LogOwn("g0"), n.Log("g1"), n.Log("g0")} {
		if _, err := js.Publish(t.Context(), subject, []byte{byte(i)}); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []struct{ subject, seq string }{{"jetseek.tail.g0", "1"}, {"jetseek.tail.g0.own", "2"}, {"jetseek.tail.g0", "3"}} {
		select {
		case m := <-tail:
			if m.Subject != want.subject || m.Header.Get(jetstream.SequenceHeader) != want.seq {
				t.Fatalf("got %s %v, want %v", m.Subject, m.Header, want)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("no %v", want)
		}
	}
}

func TestStreamsOfAGroup(t *testing.T) {
	s := natstest.Start(t)
	js := s.JetStream(t)
	stream, err := js.CreateStream(t.Context(), subjects.Names{}.StreamConfig("g0", subjects.StreamLimits{MaxBytes: 1 << 20}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.Publish(t.Context(), "jetseek.log.g0", nil); err != nil {
		t.Fatal(err)
	}
	if err := stream.DeleteMsg(t.Context(), 1); err == nil {
		t.Error("a message was deleted out of the log")
	}
	info, err := stream.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c := info.Config
	if c.Discard != jetstream.DiscardNew || c.Storage != jetstream.FileStorage || c.MaxAge != 0 || c.MaxMsgsPerSubject != -1 || !c.AllowDirect ||
		!c.DenyDelete || c.DenyPurge || c.Duplicates != 2*time.Minute || c.MaxBytes != 1<<20 || c.PersistMode != jetstream.DefaultPersistMode {
		t.Errorf("the server made of it %+v", c)
	}
}
