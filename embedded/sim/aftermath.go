package sim

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// readLog reads all streams.
func (w *World) readLog(ctx context.Context) (*Log, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	js, err := jetstream.New(w.conn)
	if err != nil {
		return nil, err
	}
	log := &Log{Groups: make(map[string]*GroupLog)}
	for n := range w.plan.Groups {
		group := fmt.Sprintf("g%d", n)
		messages, err := readStream(ctx, js, w.names.Stream(group))
		if err != nil {
			return nil, fmt.Errorf("read the log of %s: %w", group, err)
		}
		if log.Groups[group], err = PlayGroup(group, messages); err != nil {
			return nil, err
		}
	}
	return log, nil
}

func readStream(ctx context.Context, js jetstream.JetStream, name string) ([]Message, error) {
	stream, err := js.Stream(ctx, name)
	if err != nil {
		return nil, err
	}
	last := stream.CachedInfo().State.LastSeq
	consumer, err := stream.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{DeliverPolicy: jetstream.DeliverAllPolicy})
	if err != nil {
		return nil, err
	}
	read, err := consumer.Messages()
	if err != nil {
		return nil, err
	}
	defer read.Stop()
	var all []Message
	for len(all) == 0 || all[len(all)-1].Seq < last {
		m, err := read.Next(jetstream.NextContext(ctx))
		if err != nil {
			return nil, err
		}
		meta, err := m.Metadata()
		if err != nil {
			return nil, err
		}
		all = append(all, Message{meta.Sequence.Stream, m.Data()})
	}
	return all, nil
}

// readAll reads every document from every member.
func (w *World) readAll(ctx context.Context, log *Log) History {
	var all History
	for _, id := range slices.Sorted(maps.Keys(log.Owner)) {
		for _, m := range w.members {
			if group, _, _ := strings.Cut(m.id, "/"); group == log.Owner[id] {
				all = append(all, w.readInTheEnd(ctx, m.id, id))
			}
		}
	}
	return all
}

// readInTheEnd reads one document from one member, which may have to renew its lease first.
func (w *World) readInTheEnd(ctx context.Context, member, id string) (e Event) {
	ctx, cancel := context.WithTimeout(ctx, settleTimeout)
	defer cancel()
	_ = retry(ctx, func() error { // the event tells
		if e = w.readAt(ctx, clients+len(w.members), member, id); e.Result != OK {
			return errors.New(e.Error)
		}
		return nil
	})
	return e
}

// memberStates asks a coordinator for what it knows of all members.
func (w *World) memberStates(ctx context.Context) ([]MemberState, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	members, err := w.clients[0].Members(ctx)
	if err != nil {
		return nil, err
	}
	if len(members) != len(w.members) {
		return nil, fmt.Errorf("%d members are declared, %d run", len(members), len(w.members))
	}
	states := make([]MemberState, len(members))
	for i, m := range members {
		states[i] = MemberState{Member: m.Member, Group: m.Group, State: m.State, Reason: m.Reason, ContentSeq: m.ContentSeq, Digest: m.Digest, Documents: m.Documents}
	}
	return states, nil
}
