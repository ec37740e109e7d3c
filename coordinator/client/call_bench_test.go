package client

import (
	"context"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/jetseek/jetseek/embedded/natstest"
	"github.com/jetseek/jetseek/subjects/wire"
)

// BenchmarkDo sets a call against the bare request of nats.go that it makes.
func BenchmarkDo(b *testing.B) {
	s := natstest.Start(b)
	nc := s.Conn(b)
	if _, err := nc.Subscribe("jetseek.>", func(m *nats.Msg) {
		_ = m.RespondMsg(&nats.Msg{Header: nats.Header{wire.HeaderStatus: {"200"}}, Data: []byte("{}")})
	}); err != nil {
		b.Fatal(err)
	}
	conn := s.Conn(b)
	c, err := New(conn, Options{})
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(b.Context(), 10*time.Minute)
	defer cancel()
	b.Run("bare", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := conn.RequestWithContext(ctx, "jetseek.read.books.get", []byte("{}")); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("call", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := c.Do(ctx, Request{Subject: "jetseek.read.books.get", Body: []byte("{}")}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
