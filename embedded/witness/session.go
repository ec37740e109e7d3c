package witness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jetseek/jetseek/coordinator/client"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects/placement"
	"github.com/jetseek/jetseek/subjects/wire"
)

// ownership remembers which group owns which id: nothing moves in a run.
type ownership struct {
	mu  sync.Mutex // guards what follows
	m   *placement.Map
	ids map[string]string
}

func (o *ownership) of(id string) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ids == nil {
		o.ids = make(map[string]string)
	}
	group, ok := o.ids[id]
	if !ok {
		group = o.m.Owner(placement.Slot(id)).Name
		o.ids[id] = group
	}
	return group
}

func (o *ownership) all() map[string]string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return maps.Clone(o.ids)
}

// session is a client that plays its program.
type session struct {
	w       *Witness
	number  int
	client  *client.Client
	values  atomic.Uint64
	seen    map[string]uint64 // id -> version, as this client last saw it
	reached map[string]uint64 // group -> sequence that this client has written or seen
}

// runProgram plays a program until ctx ends; what is under way then is played to its end.
func (w *Witness) runProgram(ctx context.Context, number int, c *client.Client, program []Step) {
	s := &session{w: w, number: number, client: c, seen: make(map[string]uint64), reached: make(map[string]uint64)}
	for _, step := range program {
		if !Pause(ctx, step.Pause) {
			return
		}
		s.play(context.WithoutCancel(ctx), step)
	}
}

func (s *session) play(ctx context.Context, step Step) {
	switch step.Kind {
	case StepPut, StepReplace:
		s.put(ctx, step)
	case StepDelete:
		s.remove(ctx, step)
	case StepBulk:
		s.bulk(ctx, step)
	case StepGet:
		s.get(ctx, step.ID)
	case StepSearch:
		s.search(ctx, nil)
	case StepSession:
		s.search(ctx, maps.Clone(s.reached))
	}
}

// begin makes an event that starts now.
func (s *session) begin(kind Kind, id string) Event {
	e := Event{Client: s.number, Kind: kind, ID: id, IfVersion: NoCondition, Start: s.w.rec.now()}
	if id != "" {
		e.Group = s.w.owner.of(id)
	}
	return e
}

func (s *session) end(events ...Event) {
	now := s.w.rec.now()
	for i := range events {
		events[i].End = now
		if e := &events[i]; e.Result == OK && e.Kind != Search {
			s.reached[e.Group] = max(s.reached[e.Group], e.Seq)
		}
	}
	s.w.rec.add(events...)
}

// next gives a value that nobody else writes.
func (s *session) next() uint64 { return uint64(s.number+1)<<32 | s.values.Add(1) }

func (s *session) put(ctx context.Context, step Step) {
	e := s.begin(Put, step.ID)
	e.Value = s.next()
	o := client.WriteOptions{Wait: step.Wait, Timeout: step.Timeout}
	if version, ok := s.seen[step.ID]; ok && step.Kind == StepReplace {
		o.IfVersion, e.IfVersion = &version, int64(version)
	}
	document, err := json.Marshal(body{step.ID, e.Value})
	if err != nil {
		panic(err) // two plain fields
	}
	reply, err := s.client.Index(ctx, collection, document, o)
	s.written(&e, reply, err)
}

func (s *session) remove(ctx context.Context, step Step) {
	e := s.begin(Delete, step.ID)
	reply, err := s.client.Delete(ctx, collection, step.ID, client.WriteOptions{Timeout: step.Timeout})
	s.written(&e, reply, err)
}

// written ends a single write.
func (s *session) written(e *Event, reply *wire.WriteReply, err error) {
	if reply == nil {
		e.Result, e.Error = resultOf(err), err.Error()
		s.end(*e)
		return
	}
	e.Result, e.Group, e.Seq, e.Outcome, e.Version, e.Visible = OK, reply.Group, reply.Seq, reply.Outcome, reply.Version, reply.Visible
	if e.Kind == Delete {
		e.Visible = reply.Verified != nil && *reply.Verified
		s.seen[e.ID] = 0
	} else {
		s.seen[e.ID] = reply.Version
	}
	s.end(*e)
}

// resultOf tells what an error says about a write.
func resultOf(err error) Result {
	var e *wire.Error
	if errors.As(err, &e) && e.Durable == wire.NotDurable {
		return Failed
	}
	return Unknown
}

func (s *session) bulk(ctx context.Context, step Step) {
	var lines []byte
	var events []Event
	for _, id := range append([]string{step.ID}, step.More...) {
		if id, ok := strings.CutPrefix(id, "-"); ok {
			events = append(events, s.begin(Delete, id))
			lines = fmt.Appendf(lines, "{\"_delete\":%q}\n", id)
			continue
		}
		e := s.begin(Put, id)
		e.Value = s.next()
		events = append(events, e)
		lines = fmt.Appendf(lines, "{\"id\":%q,\"value\":%d}\n", id, e.Value)
	}
	reply, err := s.client.Bulk(ctx, collection, lines, client.WriteOptions{Wait: step.Wait, Timeout: step.Timeout})
	for i := range events {
		e := &events[i]
		delete(s.seen, e.ID)
		if err != nil {
			e.Result, e.Error = resultOf(err), err.Error()
			continue
		}
		e.Result, e.Seq, e.Visible = OK, reply.Seq[e.Group], reply.Visible
		for _, failed := range reply.Errors {
			if failed.Line == i+1 {
				e.Result, e.Seq, e.Visible, e.Error = Unknown, 0, false, failed.Message
				if failed.Durable == wire.NotDurable {
					e.Result = Failed
				}
			}
		}
	}
	s.end(events...)
}

func (s *session) get(ctx context.Context, id string) {
	e := s.begin(Get, id)
	reply, err := s.client.Get(ctx, collection, id)
	var refused *wire.Error
	switch {
	case err == nil:
		e.Result, e.Seq, e.Version, e.Value = OK, reply.Seq, reply.Version, valueOf(reply.Source)
		s.seen[id] = reply.Version
	case errors.As(err, &refused) && refused.Code == fault.NotFound:
		e.Result = OK
		s.seen[id] = 0
	default:
		e.Result, e.Error = Failed, err.Error()
	}
	s.end(e)
}

// valueOf gives what a document says; 0 never stands in one.
func valueOf(source []byte) uint64 {
	var b body
	if err := json.Unmarshal(source, &b); err != nil {
		return ^uint64(0) // nobody wrote it: whoever checks sees it
	}
	return b.Value
}

// searchLimit is above the number of documents that a run makes.
const searchLimit = 2000

// search asks for everything, by a query that needs statistics or one that does not.
func (s *session) search(ctx context.Context, minSeq map[string]uint64) {
	e := s.begin(Search, "")
	e.MinSeq = minSeq
	request := wire.NewSearch("*")
	request.Limit, request.MinSeq, request.TimeoutMs = searchLimit, minSeq, (2 * time.Second).Milliseconds()
	reply, err := s.client.Search(ctx, collection, request)
	if err != nil {
		e.Result, e.Error = Failed, err.Error()
		s.end(e)
		return
	}
	e.Result = OK
	e.Answer = &Answer{
		Total: reply.Total.Value, Relation: reply.Total.Relation, Exact: reply.Exact, Partial: reply.Partial, Seq: reply.Coverage.Seq, Missing: reply.Shards.FailedGroups,
		Left: reply.Exact && reply.ExactNote != "" || reply.Partial && uint64(len(reply.Hits)) < reply.Total.Value,
	}
	for _, hit := range reply.Hits {
		e.Answer.Documents = append(e.Answer.Documents, Document{hit.ID, valueOf(hit.Source)})
	}
	for group, seq := range reply.Coverage.Seq {
		s.reached[group] = max(s.reached[group], seq)
	}
	s.end(e)
}
