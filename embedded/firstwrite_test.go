package embedded

import (
	"testing"
	"time"

	"github.com/jetseek/jetseek/coordinator/client"
	"github.com/jetseek/jetseek/subjects/wire"
)

// A write that is refused leaves nothing behind, also where it would have made its collection or new fields, and no map.
func TestRefusedFirstWrites(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := &stage{t: t, DB: open(t, Options{Groups: 1, Members: 2})}
		bad := []string{`{"id":"a"`, `{"id":"a","n":1e400}`, `{"id":true}`, `{"_x":1}`, ``}
		for _, body := range bad {
			if got := s.overNATS(request{op: "write.default.index", body: body}, time.Second); got.status != 400 {
				t.Errorf("%s: %d %s", body, got.status, got.body)
			}
		}
		list, err := s.Client().Collections(t.Context())
		if err != nil || len(list) != 0 {
			t.Errorf("after refused writes there are collections %+v, %v", list, err)
		}
		s.expect(refused{"the map", request{op: "admin.map", http: "GET /_map"}, 503, "unavailable", "no_map", "", -1})
		s.index("a", client.WriteOptions{})
		before := s.state("default/a")
		for _, body := range append(bad, `{"id":"a","new":{"field":1},"body":2}`) {
			if got := s.overNATS(request{op: "write.default.index", body: body}, time.Second); got.status != 400 {
				t.Errorf("%s: %d %s", body, got.status, got.body)
			}
		}
		other := request{op: "write.default.index", headers: map[string]string{wire.HeaderID: "b"}, body: `{"id":"a","new":1}`}
		if got := s.overNATS(other, time.Second); got.status != 400 {
			t.Errorf("two ids: %d %s", got.status, got.body)
		}
		s.unchanged(before, "default/a")
	})
}
