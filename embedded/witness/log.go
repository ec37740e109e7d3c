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
}

// LogWrite is a put or delete in the log with what the model makes of it.
type LogWrite struct {
	Group   string
	Seq     uint64
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
	g := &GroupLog{states: make(map[string][]state)}
	owned := make(map[uint16]bool)
	for _, m := range messages {
		if m.Seq != g.Last+1 {
			return nil, fmt.Errorf("the stream of %s jumps from %d to %d", group, g.Last, m.Seq)
		}
		g.Last = m.Seq
		record, err := wire.DecodeRecord(m.Data)
		if err != nil {
			return nil, fmt.Errorf("message %d of %s: %w", m.Seq, group, err)
		}
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
			case wire.KindPut, wire.KindDelete:
				w, err := g.write(m.Seq, op, owned[op.Slot])
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
func (g *GroupLog) write(seq uint64, op *wire.Op, owned bool) (LogWrite, error) {
	w := LogWrite{Seq: seq, Kind: Put, ID: op.ID}
	now := g.At(op.ID, seq)
	conflict := op.IfVersion >= 0 && uint64(op.IfVersion) != now.version
	if op.Kind == wire.KindDelete {
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
	case conflict:
		w.Outcome, w.Version = "version_conflict", now.version
	case w.Kind == Delete && now.value == 0:
		w.Outcome = "not_found"
	case w.Kind == Delete:
		w.Outcome, w.Version = "deleted", now.version
		g.states[op.ID] = append(g.states[op.ID], state{seq: seq})
	case now.value == 0:
		w.Outcome, w.Version = "created", 1
		g.states[op.ID] = append(g.states[op.ID], state{seq, w.Value, 1})
	default:
		w.Outcome, w.Version = "updated", now.version+1
		g.states[op.ID] = append(g.states[op.ID], state{seq, w.Value, w.Version})
	}
	return w, nil
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
