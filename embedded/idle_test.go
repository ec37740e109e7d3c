package embedded

import (
	"context"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/jetseek/jetseek/coordinator/client"
	"github.com/jetseek/jetseek/subjects/wire"
)

// lastOf is how many messages the log of a group has had.
func (s *stage) lastOf(group string) uint64 {
	s.t.Helper()
	js, err := jetstream.New(s.Conn())
	if err != nil {
		s.t.Fatal(err)
	}
	stream, err := js.Stream(s.t.Context(), s.names.Stream(group))
	if err != nil {
		s.t.Fatal(err)
	}
	return stream.CachedInfo().State.LastSeq
}

// A group that nobody asks or writes to writes nothing to its log, and no write waits for its members; the next request or write is served as ever.
func TestIdleGroupIsQuiet(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := setStage(t, 2, 2)
		for _, id := range []string{"a", "b", "c", "d", "e", "f"} {
			s.index(id, client.WriteOptions{})
		}
		before := s.lastOf("g0")
		time.Sleep(30 * time.Second) // virtual, as all below
		// Two members, a lease every 3 s.
		if n := s.lastOf("g0") - before; n < 18 || n > 22 {
			t.Errorf("%d messages in half a minute of a group in use", n)
		}
		time.Sleep(2 * time.Minute) // virtual
		idle := s.lastOf("g0")
		time.Sleep(10 * time.Minute) // virtual
		if n := s.lastOf("g0") - idle; n != 0 {
			t.Errorf("%d messages in ten minutes of an idle group", n)
		}
		began := time.Now()
		found, err := s.Client().Search(t.Context(), "default", wire.NewSearch("word"))
		if err != nil || !found.Exact || found.Total.Value != 6 {
			t.Errorf("the first search after the sleep: %+v, %v", found, err)
		}
		if took := time.Since(began); took > 100*time.Millisecond {
			t.Errorf("the first search after the sleep took %s", took)
		}
		if n := s.lastOf("g0") - idle; n != 1 {
			t.Errorf("a search wakes the one member that it asks: %d messages", n)
		}
		time.Sleep(10 * time.Minute) // virtual
		reply, took := s.remove("a")
		if !*reply.Verified || took > 100*time.Millisecond { // nobody holds a lease, so that one member is enough; the other is told of as behind
			t.Errorf("a delete in an idle group took %s: %+v", took, reply)
		}
		request := wire.NewSearch("word")
		request.MinSeq = map[string]uint64{reply.Group: reply.Seq}
		if found, err := s.Client().Search(t.Context(), "default", request); err != nil || !found.Exact || found.Total.Value != 5 {
			t.Errorf("with min_seq of that delete: %+v, %v", found, err)
		}
		// A member that dies in its sleep holds nothing: no write waits for it.
		time.Sleep(10 * time.Minute) // virtual
		s.kill("g0/n2")
		s.kill("g1/n2")
		if reply, took := s.remove("b"); !*reply.Verified || took > 600*time.Millisecond {
			t.Errorf("a delete beside a member that died in its sleep took %s: %+v", took, reply)
		}
		s.restart("g0/n2")
		s.restart("g1/n2")
		s.index("g", client.WriteOptions{})
		s.sameDigests()
	})
}

// A sleeping member that is cut off takes no lease and serves nothing, and those who ask it go to another.
func TestSleeperThatIsCutOffServesNothing(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := setStage(t, 1, 2)
		s.index("a", client.WriteOptions{})
		time.Sleep(5 * time.Minute) // virtual
		s.links["g0/n2"].cut()
		for range 4 {
			request := wire.NewSearch("word")
			request.TimeoutMs = 2000
			if found, err := s.Client().Search(t.Context(), "default", request); err != nil || !found.Exact || found.Total.Value != 1 {
				t.Errorf("%+v, %v", found, err)
			}
		}
		if reply, took := s.remove("a"); !*reply.Verified || took > time.Second {
			t.Errorf("the delete took %s: %+v", took, reply)
		}
		watched, stop := s.watch("a")
		s.links["g0/n2"].mend()
		time.Sleep(20 * time.Second) // virtual
		stop()
		if n := watched(); n != 0 {
			t.Errorf("the deleted document was served %d times", n)
		}
	})
}

// Auditors do not wake a sleeper: it refuses them.
func TestAuditorsLetMembersSleep(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := setStage(t, 1, 1)
		s.index("a", client.WriteOptions{})
		s.remove("a")
		time.Sleep(5 * time.Minute) // virtual
		idle := s.lastOf("g0")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		ask := wire.AppendHasRequest(nil, &wire.HasRequest{Head: wire.Head{Collection: s.incarnation("default"), SchemaVersion: 1 << 30, Epoch: 1, BudgetMs: 900},
			Deleted: []wire.Deletion{{ID: "a", Seq: 9}}})
		msg, err := s.Conn().RequestWithContext(ctx, s.names.Member("g0", "n1", wire.OpHas), ask)
		if err != nil {
			t.Fatal(err)
		}
		if e, err := wire.DecodeError(msg.Data); err != nil || e.Reason != wire.ReasonNotServing {
			t.Errorf("%x: %+v, %v", msg.Data, e, err)
		}
		time.Sleep(time.Minute) // virtual
		if n := s.lastOf("g0") - idle; n != 0 {
			t.Errorf("%d messages while only auditors ask", n)
		}
	})
}
