package witness

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/jetseek/jetseek/subjects/wire"
)

// Times of the reading in the end.
const (
	logTimeout    = 3 * time.Minute  // of all streams
	readTimeout   = 30 * time.Second // of one try to read one
	finalTimeout  = 90 * time.Second // of one document at one member, which may have to renew its lease first
	statesTimeout = 10 * time.Second
)

// Evidence is what a run left.
type Evidence struct {
	History History
	Final   History // every document from every member
	Log     *Log
	Members []MemberState
	Tried   []Requeued             // what was set aside in the end, tried again
	Left    []wire.QuarantinedBody // what was still set aside then
}

// Gather tries again what is set aside, when all was mended, and reads what is left.
func (w *Witness) Gather(ctx context.Context) (*Evidence, error) {
	e := &Evidence{History: w.rec.history()}
	var err error
	if e.Tried, e.Left, err = w.requeueAll(ctx); err != nil {
		return e, err
	}
	if e.Log, err = w.readLog(ctx); err != nil {
		return e, err
	}
	e.Log.Owner = w.owner.all()
	e.Final = w.readAll(ctx, e.Log)
	settle, cancel := context.WithTimeout(ctx, finalTimeout) // the record of a member may have run out while NATS was away, and is there again a moment later
	defer cancel()
	_ = w.Settle(settle) // the states tell
	e.Members, err = w.memberStates(ctx)
	return e, err
}

// readLog reads all streams.
func (w *Witness) readLog(ctx context.Context) (*Log, error) {
	ctx, cancel := context.WithTimeout(ctx, logTimeout)
	defer cancel()
	js, err := jetstream.New(w.o.Conn)
	if err != nil {
		return nil, err
	}
	log := &Log{Groups: make(map[string]*GroupLog)}
	for _, group := range w.o.Groups {
		var messages []Message
		if err := Retry(ctx, func() (err error) {
			messages, err = readStream(ctx, js, w.o.Names.Stream(group))
			return err
		}); err != nil {
			return nil, fmt.Errorf("read the log of %s: %w", group, err)
		}
		if log.Groups[group], err = PlayGroup(group, messages); err != nil {
			return nil, err
		}
	}
	return log, nil
}

func readStream(ctx context.Context, js jetstream.JetStream, name string) ([]Message, error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
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
func (w *Witness) readAll(ctx context.Context, log *Log) History {
	var all History
	for _, id := range slices.Sorted(maps.Keys(log.Owner)) {
		for _, member := range w.o.Members {
			if group, _, _ := strings.Cut(member, "/"); group == log.Owner[id] {
				all = append(all, w.readInTheEnd(ctx, member, id))
			}
		}
	}
	return all
}

// readInTheEnd reads one document from one member.
func (w *Witness) readInTheEnd(ctx context.Context, member, id string) (e Event) {
	ctx, cancel := context.WithTimeout(ctx, finalTimeout)
	defer cancel()
	_ = Retry(ctx, func() error { // the event tells
		if e = w.readAt(ctx, len(w.o.Clients)+len(w.o.Members), member, id); e.Result != OK {
			return errors.New(e.Error)
		}
		return nil
	})
	return e
}

// memberStates asks a coordinator for what it knows of all members.
func (w *Witness) memberStates(ctx context.Context) ([]MemberState, error) {
	ctx, cancel := context.WithTimeout(ctx, statesTimeout)
	defer cancel()
	members, err := w.o.Clients[0].Members(ctx)
	if err != nil {
		return nil, err
	}
	if len(members) != len(w.o.Members) {
		return nil, fmt.Errorf("%d members are declared, %d run", len(members), len(w.o.Members))
	}
	states := make([]MemberState, len(members))
	for i, m := range members {
		states[i] = MemberState{Member: m.Member, Group: m.Group, State: m.State, Reason: m.Reason, ContentSeq: m.ContentSeq, Digest: m.Digest, Documents: m.Documents}
	}
	return states, nil
}
