package service

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"

	"github.com/jetseek/jetseek/subjects"
)

// Version is the version of the services' interface, by the rules of semantic versioning.
const Version = "0.1.0"

// Config says what a process is to the framework.
type Config struct {
	Name        string // of the service
	ID          string // of the process: one token of a subject
	Description string
	Metadata    map[string]string
	Endpoints   []Endpoint
}

// Endpoint is one operation of a service.
type Endpoint struct {
	Name       string // of A-Z, a-z, 0-9, - and _
	Subject    string
	QueueGroup string // "": none, every process is asked
	Metadata   map[string]string
	Meter      *Meter // what it has answered
}

// Service is a process that is known to the framework.
type Service struct {
	config  Config
	started time.Time
	state   func() any
	subs    []*nats.Subscription
}

// Announce begins to answer discovery, until [Service.End]. state gives what stands under "state" in the data of every endpoint's statistics, as JSON; nil:
// nothing. It is called from a NATS callback, and must return soon.
func Announce(conn *nats.Conn, c Config, state func() any) (*Service, error) {
	s := &Service{config: c, started: time.Now().UTC(), state: state}
	for _, who := range []string{"", "." + c.Name, "." + c.Name + "." + c.ID} {
		sub, err := conn.Subscribe(micro.APIPrefix+".*"+who, s.answer)
		if err != nil {
			s.End()
			return nil, fmt.Errorf("announce service %s: %w", c.Name, err)
		}
		s.subs = append(s.subs, sub)
	}
	return s, nil
}

// End makes the process unknown. A second call does nothing.
func (s *Service) End() {
	for _, sub := range s.subs {
		_ = sub.Unsubscribe() // a closed connection has ended it already
	}
	s.subs = nil
}

// answer answers one question of discovery, where it asks for an answer at an inbox.
func (s *Service) answer(msg *nats.Msg) {
	if !subjects.IsInbox(msg.Reply) {
		return
	}
	verb, _, _ := strings.Cut(strings.TrimPrefix(msg.Subject, micro.APIPrefix+"."), ".")
	var reply any
	switch verb {
	case micro.PingVerb.String():
		reply = micro.Ping{ServiceIdentity: s.identity(), Type: micro.PingResponseType}
	case micro.InfoVerb.String():
		reply = s.info()
	case micro.StatsVerb.String():
		reply = s.stats()
	default:
		return
	}
	if body, err := json.Marshal(reply); err == nil {
		_ = msg.Respond(body) // nobody is left to tell
	}
}

func (s *Service) identity() micro.ServiceIdentity {
	metadata := s.config.Metadata
	if metadata == nil {
		metadata = map[string]string{}
	}
	return micro.ServiceIdentity{Name: s.config.Name, ID: s.config.ID, Version: Version, Metadata: metadata}
}

func (s *Service) info() micro.Info {
	info := micro.Info{ServiceIdentity: s.identity(), Type: micro.InfoResponseType, Description: s.config.Description, Endpoints: []micro.EndpointInfo{}}
	for _, e := range s.config.Endpoints {
		info.Endpoints = append(info.Endpoints, micro.EndpointInfo{Name: e.Name, Subject: e.Subject, QueueGroup: e.QueueGroup, Metadata: e.Metadata})
	}
	return info
}

// Data is what an endpoint's statistics say beside those of the framework.
type Data struct {
	Latency []Bucket `json:"latency"`
	State   any      `json:"state,omitempty"`
}

func (s *Service) stats() micro.Stats {
	stats := micro.Stats{ServiceIdentity: s.identity(), Type: micro.StatsResponseType, Started: s.started, Endpoints: []*micro.EndpointStats{}}
	var state any
	if s.state != nil {
		state = s.state()
	}
	for _, e := range s.config.Endpoints {
		r := e.Meter.read()
		data, err := json.Marshal(Data{Latency: r.buckets, State: state})
		if err != nil {
			data = nil // a state that is no JSON costs no more than itself
		}
		es := &micro.EndpointStats{Name: e.Name, Subject: e.Subject, QueueGroup: e.QueueGroup, NumRequests: int(r.requests), NumErrors: int(r.errors),
			LastError: r.last, ProcessingTime: r.took, Data: data}
		if r.requests > 0 {
			es.AverageProcessingTime = r.took / time.Duration(r.requests)
		}
		stats.Endpoints = append(stats.Endpoints, es)
	}
	return stats
}
