package embedded

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"

	"github.com/jetseek/jetseek/coordinator/client"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects/wire"
)

// discover asks all processes of a service, as nats micro does, and gives their n answers.
func discover[T any](t *testing.T, nc *nats.Conn, subject string, n int) []T {
	t.Helper()
	inbox := nc.NewInbox() // of its role
	sub, err := nc.SubscribeSync(inbox)
	if err != nil {
		t.Fatal(err)
	}
	if err := nc.PublishRequest(subject, inbox, nil); err != nil {
		t.Fatal(err)
	}
	var all []T
	for range n {
		m, err := sub.NextMsg(10 * time.Second)
		if err != nil {
			t.Fatalf("%s: %d of %d answers: %v", subject, len(all), n, err)
		}
		var one T
		if err := json.Unmarshal(m.Data, &one); err != nil {
			t.Fatalf("%s: %v", m.Data, err)
		}
		all = append(all, one)
	}
	if err := sub.Unsubscribe(); err != nil {
		t.Fatal(err)
	}
	return all
}

// What nats micro ls, info and stats show of a system of two groups of two: who there is, what it answers where, and how much it has answered.
func TestDiscovery(t *testing.T) {
	db := open(t, Options{Groups: 2, Members: 2})
	ctx, c, nc := t.Context(), db.Client(), db.Conn()
	for i := range 3 {
		if _, err := c.Index(ctx, "default", fmt.Appendf(nil, `{"id":"d%d","title":"red"}`, i), client.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	for range 5 {
		if _, err := c.Search(ctx, "default", wire.NewSearch("red")); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.SearchJSON(ctx, "default", []byte(`{"query":"("}`)); fault.CodeOf(err) != fault.BadQuery {
		t.Fatalf("a bad query: %v", err)
	}

	names := map[string]int{}
	for _, p := range discover[micro.Ping](t, nc, "$SRV.PING", 5) {
		names[p.Name]++
	}
	if names["jetseek"] != 1 || names["jetseek-shard"] != 4 {
		t.Errorf("services: %v", names)
	}

	info := discover[micro.Info](t, nc, "$SRV.INFO.jetseek", 1)[0]
	i := slices.IndexFunc(info.Endpoints, func(e micro.EndpointInfo) bool { return e.Name == "search" })
	if i < 0 || info.Endpoints[i].Subject != "jetseek.read.*.search" || info.Endpoints[i].QueueGroup != "jetseek" {
		t.Errorf("jetseek: %+v", info.Endpoints)
	}

	await(t, func() error { // a reply may come before it is counted
		searches := endpoint(t, discover[micro.Stats](t, nc, "$SRV.STATS.jetseek", 1)[0], "search")
		if searches.NumRequests != 6 || searches.NumErrors != 1 || searches.ProcessingTime <= 0 {
			return fmt.Errorf("searches: %+v", searches)
		}
		return nil
	})

	members := discover[micro.Stats](t, nc, "$SRV.STATS.jetseek-shard", 4)
	documents, asked := map[string]uint64{}, map[string]int{}
	for _, m := range members {
		search := endpoint(t, m, "search")
		var data struct {
			State struct {
				Group, Member, State    string
				Applied, Lag, Documents uint64
			}
		}
		if err := json.Unmarshal(search.Data, &data); err != nil {
			t.Fatal(err)
		}
		s := data.State
		if s.Member != m.Metadata["member"] || s.State != "serving" || s.Applied == 0 || search.QueueGroup != "" || search.Subject != "jetseek.group."+s.Group+"."+m.Metadata["node"]+".search" {
			t.Errorf("member %v: %+v of %+v", m.Metadata, s, search)
		}
		documents[s.Group] = max(documents[s.Group], s.Documents)
		asked[s.Group] += search.NumRequests
	}
	if documents["g0"]+documents["g1"] != 3 || asked["g0"] < 5 || asked["g1"] < 5 {
		t.Errorf("documents %v, searches %v", documents, asked)
	}
}

func endpoint(t *testing.T, s micro.Stats, name string) *micro.EndpointStats {
	t.Helper()
	for _, e := range s.Endpoints {
		if e.Name == name {
			return e
		}
	}
	t.Fatalf("%s has no endpoint %s", s.Name, name)
	return nil
}

// await tries until check is content, for ten seconds.
func await(t *testing.T, check func() error) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for {
		err := check()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
		select {
		case <-t.Context().Done():
			t.Fatal(errors.Join(err, t.Context().Err()))
		case <-time.After(10 * time.Millisecond):
		}
	}
}
