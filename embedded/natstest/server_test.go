package natstest_test

import (
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/jetseek/jetseek/embedded/natstest"
)

func TestStreamsSurviveARestart(t *testing.T) {
	s := natstest.Start(t)
	js := s.JetStream(t)
	stream, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "S", Subjects: []string{"s.>"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.Publish(t.Context(), "s.1", []byte("one")); err != nil {
		t.Fatal(err)
	}
	s.Restart()
	msg, err := stream.GetMsg(t.Context(), 1)
	for errors.Is(err, nats.ErrNoResponders) || errors.Is(err, nats.ErrConnectionClosed) || errors.Is(err, nats.ErrTimeout) { // while the connection finds the server again
		msg, err = stream.GetMsg(t.Context(), 1)
	}
	if err != nil || string(msg.Data) != "one" {
		t.Fatalf("after the restart: %v, %v", msg, err)
	}
}

func TestOtherProcessesCanConnect(t *testing.T) {
	s := natstest.Start(t, natstest.Listen())
	nc, err := nats.Connect(s.URL(), nats.Timeout(10*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	nc.Close()
}
