package witness

import (
	"encoding/json"
	"fmt"
	"slices"
	"sort"

	"github.com/jetseek/jetseek/subjects/wire"
)

// Log is what the groups' streams hold, played through a model: the truth that answers are compared with.
type Log struct {
	Groups map[string]*GroupLog
	Owner  map[string]string // id -> group, of every id that was written
}

// GroupLog is one stream.
type GroupLog struct {
	Last   uint64
	Writes []LogWrite
	states map[string][]state // by id: its states, by sequence
	asides asides
}

// LogWrite is a put or delete in the log with what the model makes of it. One that is Again was written before, and is tried a second time.
type LogWrite struct {
	Group   string
	Seq     uint64
	Again   bool
	Kind    Kind
	ID      string
	Value   uint64
	Outcome string
	Version uint64 // as replies have it
}

// state is how a document stands from a sequence on; value 0: absent.
type state struct {
	seq     uint64
	value   uint64
	version uint64
}

// Message is one message of a stream.
type Message struct {
	Seq  uint64
	Data []byte
}

// body is what clients write.
type body struct {
	ID    string `json:"id"`
	Value uint64 `json:"value"`
}

// PlayGroup plays the messages of one group, in order.
func PlayGroup(group string, messages []Message) (*GroupLog, error) {
	g := &GroupLog{states: make(map[string][]state), asides: newAsides()}
	owned := make(map[uint16]bool)
	records := make([]*wire.Record, len(messages))
	for i, m := range messages {
		if m.Seq != g.Last+1 {
			return nil, fmt.Errorf("the stream of %s jumps from %d to %d", group, g.Last, m.Seq)
		}
		g.Last = m.Seq
		var err error
		if records[i], err = wire.DecodeRecord(m.Data); err == nil {
			err = g.asides.learn(m.Seq, records[i])
		}
		if err != nil {
			return nil, fmt.Errorf("message %d of %s: %w", m.Seq, group, err)
		}
	}
	for n, m := range messages {
		record := records[n]
		for i := range record.Ops {
			op := &record.Ops[i]
			switch op.Kind {
			case wire.KindOwn:
				own, err := wire.DecodeOwn(op.Body)
				if err != nil {
					return nil, fmt.Errorf("message %d of %s: %w", m.Seq, group, err)
				}
				for _, r := range own.Ranges {
					for slot := int(r.From); slot <= int(r.To); slot++ {
						owned[uint16(slot)] = true
					}
				}
			case wire.KindPut, wire.KindDelete, wire.KindRequeue:
				w, err := g.write(wire.Place{Seq: m.Seq, Op: uint32(i)}, op, owned[op.Slot])
				if err != nil {
					return nil, fmt.Errorf("message %d of %s: %w", m.Seq, group, err)
				}
				w.Group = group
				g.Writes = append(g.Writes, w)
			}
		}
	}
	return g, nil
}

// write plays one operation.
func (g *GroupLog) write(at wire.Place, op *wire.Op, owned bool) (LogWrite, error) {
	w := LogWrite{Seq: at.Seq, Again: op.Kind == wire.KindRequeue, Kind: Put, ID: op.ID}
	if op.Kind == wire.KindDelete || w.Again && len(op.Body) == 0 {
		w.Kind = Delete
	} else {
		var b body
		if err := json.Unmarshal(op.Body, &b); err != nil {
			return w, err
		}
		w.Value = b.Value
	}
	switch {
	case !owned:
		w.Outcome = "wrong_owner"
		return w, nil
	case w.Again:
		first, err := wire.ParsePlace(op.RequestKey)
		if err != nil {
			return w, err
		}
		if w.Outcome = g.asides.take(first); w.Outcome != "" {
			return w, nil
		}
	}
	if g.asides.named[at] {
		w.Outcome = "rejected"
		g.asides.put(Aside{Place: at, ID: op.ID, Value: w.Value})
		return w, nil
	}
	g.decide(&w, op.IfVersion)
	if w.Outcome != "version_conflict" {
		g.asides.supersede(op.ID)
	}
	return w, nil
}

// decide gives a write that is done its outcome, and its document the state that it makes.
func (g *GroupLog) decide(w *LogWrite, ifVersion int64) {
	now := g.At(w.ID, w.Seq)
	switch {
	case ifVersion >= 0 && uint64(ifVersion) != now.version:
		w.Outcome, w.Version = "version_conflict", now.version
	case w.Kind == Delete && now.value == 0:
		w.Outcome = "not_found"
	case w.Kind == Delete:
		w.Outcome, w.Version = "deleted", now.version
		g.states[w.ID] = append(g.states[w.ID], state{seq: w.Seq})
	case now.value == 0:
		w.Outcome, w.Version = "created", 1
		g.states[w.ID] = append(g.states[w.ID], state{w.Seq, w.Value, 1})
	default:
		w.Outcome, w.Version = "updated", now.version+1
		g.states[w.ID] = append(g.states[w.ID], state{w.Seq, w.Value, w.Version})
	}
}

// At gives how a document stands after the message at seq.
func (g *GroupLog) At(id string, seq uint64) state {
	all := g.states[id]
	n := sort.Search(len(all), func(i int) bool { return all[i].seq > seq })
	if n == 0 {
		return state{}
	}
	return all[n-1]
}

// deletedAfter tells whether a document was deleted behind seq.
func (g *GroupLog) deletedAfter(id string, seq uint64) bool {
	return slices.ContainsFunc(g.states[id], func(s state) bool { return s.seq > seq && s.value == 0 })
}

// LiveAt gives the documents after the message at seq: id -> value.
func (g *GroupLog) LiveAt(seq uint64) map[string]uint64 {
	live := make(map[string]uint64)
	for id := range g.states {
		if s := g.At(id, seq); s.value != 0 {
			live[id] = s.value
		}
	}
	return live
}
