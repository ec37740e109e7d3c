package bridge

import (
	"net/http/httptest"
	"testing"

	"github.com/jetseek/jetseek/coordinator/client"
	"github.com/jetseek/jetseek/embedded/natstest"
	"github.com/nats-io/nats.go"
)

// BenchmarkHandler measures what the bridge adds to a call: without sockets, before a coordinator that answers at once.
func BenchmarkHandler(b *testing.B) {
	s := natstest.Start(b)
	reply := success("200", "{}")
	if _, err := s.Conn(b).Subscribe("jetseek.>", func(m *nats.Msg) { _ = m.RespondMsg(reply(m)) }); err != nil {
		b.Fatal(err)
	}
	c, err := client.New(s.Conn(b), client.Options{})
	if err != nil {
		b.Fatal(err)
	}
	h := NewHandler(c, nil)
	b.ReportAllocs()
	for b.Loop() {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", "/collections/books/search?q=red&limit=3", nil))
		if w.Code != 200 {
			b.Fatal(w.Code, w.Body)
		}
	}
}
