package embedded

import (
	"fmt"
	"testing"
	"time"

	"github.com/jetseek/jetseek/coordinator/client"
	"github.com/jetseek/jetseek/subjects/wire"
)

// said gives what a report says of a member's one incarnation.
func said(t *testing.T, report []wire.Acknowledged, member string) wire.Acknowledged {
	t.Helper()
	var found []wire.Acknowledged
	for _, a := range report {
		if a.Member == member {
			found = append(found, a)
		}
	}
	if len(found) != 1 {
		t.Fatalf("the report names %s %d times: %+v", member, len(found), report)
	}
	return found[0]
}

// The report of a delete says of each member when it applied it, or when its lease had run out; of one that may still serve, until when at most.
func TestReportOfADelete(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := setStage(t, 1, 2)
		for _, id := range []string{"a", "b", "c"} {
			s.index(id, client.WriteOptions{})
		}
		remove := func(id string, timeout time.Duration) (*wire.WriteReply, time.Time) {
			began := time.Now()
			reply, err := s.Client().Delete(t.Context(), "default", id, client.WriteOptions{Timeout: timeout, Report: true})
			if err != nil {
				t.Fatal(err)
			}
			return reply, began
		}
		reply, began := remove("a", time.Minute)
		for _, member := range []string{"g0/n1", "g0/n2"} {
			if a := said(t, reply.Report, member); a.AckedAt == nil || a.AckedAt.Before(began) || a.AckedAt.After(time.Now()) || a.LeaseRanOut != nil || a.LeaseUntil != nil {
				t.Errorf("all are up, and of %s it says %+v", member, a)
			}
		}
		killed := time.Now()
		s.kill("g0/n2")
		reply, began = remove("b", 2*time.Second)
		if a := said(t, reply.Report, "g0/n2"); *reply.Verified || a.AckedAt != nil || a.LeaseRanOut != nil || a.LeaseUntil == nil ||
			a.LeaseUntil.Before(killed.Add(leaseRunsOut-4*time.Second)) || a.LeaseUntil.After(killed.Add(leaseRunsOut)) {
			t.Errorf("killed at %s, deleted at %s: %+v, of the dead %+v", killed, began, reply, a)
		}
		until := *said(t, reply.Report, "g0/n2").LeaseUntil
		reply, _ = remove("c", time.Minute)
		if a := said(t, reply.Report, "g0/n2"); !*reply.Verified || a.LeaseRanOut == nil || a.LeaseRanOut.After(time.Now()) || !a.LeaseRanOut.Equal(until) {
			t.Errorf("the lease ran until %s: %+v, of the dead %+v", until, reply, a)
		}
		if a := said(t, reply.Report, "g0/n1"); a.AckedAt == nil {
			t.Errorf("of the living member: %+v", a)
		}
		time.Sleep(5 * time.Second) // virtual: it is taken out of the table
		reply, _ = remove("a", time.Minute)
		if a := said(t, reply.Report, "g0/n2"); a != (wire.Acknowledged{Member: "g0/n2"}) {
			t.Errorf("a member without a lease: %+v", a)
		}
		bulk, err := s.Client().Bulk(t.Context(), "default", []byte("{\"_delete\":\"x\"}\n"), client.WriteOptions{Report: true})
		if err != nil || len(bulk.Report) != 1 || said(t, bulk.Report["g0"], "g0/n1").AckedAt == nil {
			t.Errorf("a bulk: %+v, %v", bulk, err)
		}
		if plain := s.index("d", client.WriteOptions{}); plain.Report != nil {
			t.Errorf("nobody asked for a report: %+v", plain.Report)
		}
	})
}

// A member that died without a word is taken out of the lease table when its lease has run out: a coordinator that started since, and cannot know when that was, does not wait for it.
func TestEvictionSparesNewCoordinators(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := setStage(t, 1, 2)
		s.index("a", client.WriteOptions{})
		s.kill("g0/n2")
		time.Sleep(leaseRunsOut + 2*time.Second) // virtual
		s.stopCoordinator()
		if err := s.startCoordinator(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := s.coordinator.AwaitMembers(t.Context(), []string{"g0/n1"}); err != nil {
			t.Fatal(err)
		}
		reply, took := s.remove("a")
		if reply.Verified == nil || !*reply.Verified || took > time.Second || fmt.Sprint(reply.Behind) != "[g0/n2]" {
			t.Errorf("the first delete of a new coordinator took %s: %+v", took, reply)
		}
		s.restart("g0/n2")
		s.index("b", client.WriteOptions{})
		if reply, took := s.remove("b"); !reply.OK || took > time.Second {
			t.Errorf("after it is back a delete took %s: %+v", took, reply)
		}
	})
}
