package embedded

import (
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/jetseek/jetseek/coordinator/client"
	"github.com/jetseek/jetseek/subjects/wire"
)

// The auditor asks every member for what was deleted, and finds nothing; a document that was written again is no finding. A member that answers with one of before its delete is
// counted, and /_members raises an alarm that names it.
func TestAuditorAsksForDeletedDocuments(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := setStage(t, 1, 2)
		for _, id := range []string{"a", "b"} {
			s.index(id, client.WriteOptions{})
			s.remove(id)
		}
		s.index("b", client.WriteOptions{}) // again
		s.kill("g0/n2")
		time.Sleep(30 * time.Second) // virtual
		if n := s.coordinator.DeletedServed(); n != 0 {
			t.Fatalf("%d findings where all is well", n)
		}
		cluster, err := s.Client().Cluster(t.Context())
		if err != nil || len(cluster.Alarms) != 0 {
			t.Errorf("alarms where all is well: %+v, %v", cluster, err)
		}
		asked := make(chan *wire.HasRequest, 64)
		impostor, err := s.Conn().Subscribe(s.names.Member("g0", "n2", wire.OpHas), func(m *nats.Msg) {
			q, err := wire.DecodeHasRequest(m.Data)
			if err != nil {
				t.Error(err)
				return
			}
			reply := wire.HasReply{Frame: q.Reply(), Births: make([]uint64, len(q.Deleted))}
			for i, d := range q.Deleted {
				if d.ID == "a" {
					reply.Births[i] = 3 // before its delete
				}
			}
			select {
			case asked <- q:
			default:
			}
			_ = m.Respond(wire.AppendHasReply(nil, &reply))
		})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = impostor.Unsubscribe() }()
		time.Sleep(5 * time.Second) // virtual
		if q := <-asked; len(q.Deleted) != 2 || q.Deleted[0].Outlived(0) || !q.Deleted[0].Outlived(1) {
			t.Errorf("a member was asked for %+v", q.Deleted)
		}
		if n := s.coordinator.DeletedServed(); n == 0 || n > 6 {
			t.Errorf("%d findings in 5 s, one a second", n)
		}
		cluster, err = s.Client().Cluster(t.Context())
		if err != nil || len(cluster.Alarms) != 1 || !strings.Contains(cluster.Alarms[0], "member g0/n2 ") || cluster.Members[1].Outlived == 0 || cluster.Members[0].Outlived != 0 {
			t.Errorf("%+v, %v", cluster, err)
		}
	})
}
