package service_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"

	"github.com/jetseek/jetseek/embedded/natstest"
	"github.com/jetseek/jetseek/subjects/service"
)

// ask asks discovery as nats micro does, with the subjects that package micro makes, and decodes into its types.
func ask[T any](t *testing.T, nc *nats.Conn, verb micro.Verb, name, id string) T {
	t.Helper()
	subject, err := micro.ControlSubject(verb, name, id)
	if err != nil {
		t.Fatal(err)
	}
	reply, err := nc.Request(subject, nil, 5*time.Second)
	if err != nil {
		t.Fatalf("%s: %v", subject, err)
	}
	var got T
	if err := json.Unmarshal(reply.Data, &got); err != nil {
		t.Fatalf("%s: %v in %s", subject, err, reply.Data)
	}
	return got
}

func TestDiscovery(t *testing.T) {
	s := natstest.Start(t)
	nc := s.Conn(t)
	var m service.Meter
	m.Observe(300*time.Microsecond, nil)
	m.Observe(700*time.Microsecond, errors.New("no such thing"))
	m.Observe(time.Minute, nil)
	known, err := service.Announce(nc, service.Config{Name: "jetseek", ID: "01", Description: "d", Metadata: map[string]string{"group": "g0"}, Endpoints: []service.Endpoint{
		{Name: "search", Subject: "jetseek.read.*.search", QueueGroup: "jetseek", Meter: &m}, {Name: "ping", Subject: "x.ping"},
	}}, func() any { return map[string]int{"lag": 3} })
	if err != nil {
		t.Fatal(err)
	}
	if err := nc.Flush(); err != nil { // the server knows the subscriptions before another connection asks
		t.Fatal(err)
	}
	asker := s.Conn(t)
	for _, who := range [][2]string{{"", ""}, {"jetseek", ""}, {"jetseek", "01"}} {
		ping := ask[micro.Ping](t, asker, micro.PingVerb, who[0], who[1])
		if ping.Name != "jetseek" || ping.ID != "01" || ping.Version != service.Version || ping.Type != micro.PingResponseType || ping.Metadata["group"] != "g0" {
			t.Errorf("PING %v: %+v", who, ping)
		}
		info := ask[micro.Info](t, asker, micro.InfoVerb, who[0], who[1])
		want := micro.EndpointInfo{Name: "search", Subject: "jetseek.read.*.search", QueueGroup: "jetseek"}
		if info.Type != micro.InfoResponseType || info.Description != "d" || len(info.Endpoints) != 2 || info.Endpoints[0].Subject != want.Subject || info.Endpoints[0].QueueGroup != want.QueueGroup {
			t.Errorf("INFO %v: %+v", who, info)
		}
		stats := ask[micro.Stats](t, asker, micro.StatsVerb, who[0], who[1])
		if stats.Type != micro.StatsResponseType || stats.Started.IsZero() || len(stats.Endpoints) != 2 {
			t.Fatalf("STATS %v: %+v", who, stats)
		}
		e := stats.Endpoints[0]
		if e.NumRequests != 3 || e.NumErrors != 1 || e.LastError != "no such thing" || e.ProcessingTime != time.Minute+time.Millisecond || e.AverageProcessingTime != (time.Minute+time.Millisecond)/3 {
			t.Errorf("STATS %v: %+v", who, e)
		}
		if want := `{"latency":[{"le_ms":0.5,"count":1},{"le_ms":1,"count":1},{"count":1}],"state":{"lag":3}}`; string(e.Data) != want {
			t.Errorf("data %s, want %s", e.Data, want)
		}
		if e := stats.Endpoints[1]; e.NumRequests != 0 || e.AverageProcessingTime != 0 {
			t.Errorf("an endpoint without a meter: %+v", e)
		}
	}
	known.End()
	known.End()
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	if _, err := asker.Request("$SRV.PING", nil, 5*time.Second); !errors.Is(err, nats.ErrNoResponders) {
		t.Errorf("after its end: %v", err)
	}
}

// No question of discovery can aim an answer into a log.
func TestDiscoveryAnswersInboxesOnly(t *testing.T) {
	s := natstest.Start(t)
	nc := s.Conn(t)
	if _, err := service.Announce(nc, service.Config{Name: "jetseek", ID: "01"}, nil); err != nil {
		t.Fatal(err)
	}
	log, err := nc.SubscribeSync("jetseek.log.g0")
	if err != nil {
		t.Fatal(err)
	}
	asker := s.Conn(t)
	for _, subject := range []string{"$SRV.PING", "$SRV.INFO.jetseek", "$SRV.STATS.jetseek.01"} {
		if err := asker.PublishRequest(subject, "jetseek.log.g0", nil); err != nil {
			t.Fatal(err)
		}
	}
	// The answer to this one comes behind all of theirs, were there any.
	for _, who := range [][2]string{{"", ""}, {"jetseek", ""}, {"jetseek", "01"}} {
		ask[micro.Ping](t, asker, micro.PingVerb, who[0], who[1])
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	if n, _, err := log.Pending(); err != nil || n != 0 {
		t.Errorf("%d answers in the log, %v", n, err)
	}
}
