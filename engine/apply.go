package engine

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/jetseek/jetseek/engine/internal/segment"
	"github.com/jetseek/jetseek/engine/outcome"
	"github.com/jetseek/jetseek/engine/schema"
)

// applying is one run of Apply: the state under change, and the documents that are not in a segment yet.
type applying struct {
	index   *Index
	round   uint64
	state   state
	pending []*recent // of the collections that got documents, by incarnation
	reowned bool

	rest  []Message // the present one and those behind it
	taken int       // puts of the analyzer's batch that were applied, or passed over
	// singly is called before each operation, which is whole before the next begins; nil: batches are applied as they are.
	singly func(Place)
}

func (x *Index) begin(messages []Message) *applying {
	x.round++
	x.analyzer.begin()
	a := &applying{index: x, round: x.round, rest: messages, state: x.current.Load().state}
	a.state.collections = slices.Clone(a.state.collections)
	return a
}

// message applies one message.
func (a *applying) message(m *Message) ([]outcome.Outcome, error) {
	outcomes := make([]outcome.Outcome, len(m.Ops))
	changed := false
	for i := range m.Ops {
		if a.singly != nil {
			a.singly(Place{m.Seq, m.Ops[i].Place})
		}
		out, change, err := a.op(m, i)
		if err == nil && a.singly != nil {
			err = a.finish()
		}
		if err != nil {
			return nil, fmt.Errorf("operation %d: %w", i, err)
		}
		outcomes[i] = out
		changed = changed || change
	}
	a.state.seq, a.rest = m.Seq, a.rest[1:]
	if m.Attachment != nil {
		a.state.attachment = m.Attachment
	}
	if changed {
		a.state.contentSeq = m.Seq
	}
	return outcomes, nil
}

// op applies one operation: its outcome, and whether anything but the sequence changed.
func (a *applying) op(m *Message, i int) (outcome.Outcome, bool, error) {
	op := &m.Ops[i]
	if op.Kind == OpOwn {
		a.own(op)
		return verdict(outcome.Done), true, nil
	}
	if a.state.isDropped(op.Collection) {
		return verdict(outcome.NoCollection), false, nil
	}
	switch op.Kind {
	case OpSchema:
		return a.schema(op)
	case OpDropCollection:
		a.drop(op.Collection)
		return verdict(outcome.Done), true, nil
	case OpPut, OpDelete:
		if !a.state.owned.Has(op.Slot) {
			return verdict(outcome.WrongOwner), false, nil
		}
		if op.Again != nil {
			return a.again(m, i)
		}
		if op.Key != "" {
			return a.once(m, i)
		}
		return a.write(m, i)
	}
	return verdict(outcome.Rejected), false, nil
}

// write applies an operation on a document whose slot is owned.
func (a *applying) write(m *Message, i int) (outcome.Outcome, bool, error) {
	op := &m.Ops[i]
	if !a.index.holdsSlot(op) {
		return verdict(outcome.Rejected), false, nil
	}
	if op.Aside != "" {
		return a.setAside(m, op, op.Aside)
	}
	apply := a.put
	if op.Kind == OpDelete {
		apply = a.delete
	}
	out, changed, err := apply(m, i)
	switch out.Code {
	case outcome.Created, outcome.Updated, outcome.Deleted, outcome.NotFound:
		changed = a.state.quarantine.supersede(op.Collection, op.ID) || changed
	}
	return out, changed, err
}

// holdsSlot tells whether the index is to hold the documents of an operation's slot.
func (x *Index) holdsSlot(op *Op) bool {
	return x.options.Only == nil || x.options.Only.Has(op.Collection, op.Slot)
}

func verdict(code outcome.Code) outcome.Outcome { return outcome.Outcome{Code: code} }

func (a *applying) own(op *Op) {
	owned := &SlotSet{}
	if op.Slots != nil {
		*owned = *op.Slots
	}
	a.state.owned, a.state.epoch, a.reowned = owned, op.Epoch, true
}

func (a *applying) schema(op *Op) (outcome.Outcome, bool, error) {
	if op.Schema == nil {
		return verdict(outcome.Rejected), false, nil
	}
	c := a.collection(op.Collection)
	if c != nil && c.version >= op.Version {
		return verdict(outcome.Done), false, nil
	}
	canonical, err := json.Marshal(op.Schema)
	if err != nil {
		return outcome.Outcome{}, false, fmt.Errorf("schema of %s: %w", op.Name, err)
	}
	if c == nil {
		c = &collection{round: a.round, incarnation: op.Collection}
		i, _ := a.state.place(op.Collection)
		a.state.collections = slices.Insert(a.state.collections, i, c)
	}
	c.name, c.version, c.schema, c.canonical = op.Name, op.Version, op.Schema, canonical
	return verdict(outcome.Done), true, nil
}

func (a *applying) drop(c schema.Incarnation) {
	if i, ok := a.state.place(c); ok {
		a.state.collections = slices.Delete(a.state.collections, i, i+1)
	}
	a.state.quarantine.drop(c)
	i, _ := slices.BinarySearch(a.state.dropped, c)
	a.state.dropped = slices.Insert(slices.Clone(a.state.dropped), i, c)
	a.pending = slices.DeleteFunc(a.pending, func(r *recent) bool {
		if r.collection == c {
			a.index.forget(r)
		}
		return r.collection == c
	})
}

// collection gives a collection for changing it, nil when there is none.
func (a *applying) collection(id schema.Incarnation) *collection {
	i, ok := a.state.place(id)
	if !ok {
		return nil
	}
	c := a.state.collections[i]
	if c.round != a.round {
		mine := *c
		mine.round, mine.parts = a.round, slices.Clone(c.parts)
		c = &mine
		a.state.collections[i] = c
	}
	return c
}

// recentOf gives the new documents of a collection, among those that came before them.
func (a *applying) recentOf(c schema.Incarnation) *recent {
	i, ok := slices.BinarySearchFunc(a.pending, c, func(r *recent, want schema.Incarnation) int { return cmp.Compare(r.collection, want) })
	if !ok {
		a.pending = slices.Insert(a.pending, i, a.index.takeRecent(c))
	}
	return a.pending[i]
}

// standing is a live document: in a part, or among the new ones.
type standing struct {
	found   bool
	pending bool
	part    int
	doc     uint32
	state   segment.State
}

func (a *applying) find(c *collection, id string, hash uint64) standing {
	r := a.recentOf(c.incarnation)
	if doc, ok := r.ids[id]; ok {
		return standing{found: true, pending: true, doc: doc, state: r.builder.State(doc)}
	}
	for i := len(c.parts) - 1; i >= 0; i-- {
		part := c.parts[i]
		if doc, ok := part.seg.Find(id, hash); ok && part.live.Has(doc) {
			return standing{found: true, part: i, doc: doc, state: part.seg.State(doc)}
		}
	}
	return standing{}
}

// conflicts tells whether an operation's condition fails: 0 wants no document, N wants version N.
func (op *Op) conflicts(old *standing) bool {
	return op.IfVersion >= 0 && uint64(op.IfVersion) != old.state.Version
}

func (a *applying) delete(m *Message, i int) (outcome.Outcome, bool, error) {
	op := &m.Ops[i]
	if a.index.options.BeforeOp != nil {
		a.index.options.BeforeOp(op)
	}
	c := a.collection(op.Collection)
	if c == nil {
		if op.IfVersion > 0 {
			return verdict(outcome.VersionConflict), false, nil
		}
		return verdict(outcome.NotFound), false, nil
	}
	old := a.find(c, op.ID, segment.HashID(op.ID))
	switch {
	case op.conflicts(&old):
		return outcome.Outcome{Code: outcome.VersionConflict, Version: old.state.Version}, false, nil
	case !old.found:
		return verdict(outcome.NotFound), false, nil
	}
	a.remove(c, op.ID, old)
	return outcome.Outcome{Code: outcome.Deleted, Version: old.state.Version}, true, nil
}

func (a *applying) put(m *Message, i int) (outcome.Outcome, bool, error) {
	op := &m.Ops[i]
	c := a.collection(op.Collection)
	if c == nil || !op.acceptable() {
		return verdict(outcome.Rejected), false, nil
	}
	p := a.prepared(op, i)
	old := a.find(c, op.ID, p.hash)
	if op.conflicts(&old) {
		return outcome.Outcome{Code: outcome.VersionConflict, Version: old.state.Version}, false, nil
	}
	if p.err != nil {
		var broken *panicError
		if errors.As(p.err, &broken) {
			return a.setAside(m, op, broken.Error())
		}
		return verdict(outcome.Rejected), false, nil
	}
	if a.index.options.BeforeOp != nil {
		a.index.options.BeforeOp(op)
	}
	st := segment.State{Version: 1, Log: m.Log, Seq: m.Seq, Index: uint32(i), Slot: op.Slot, Content: p.content}
	out := outcome.Outcome{Code: outcome.Created, Version: 1}
	if old.found {
		a.remove(c, op.ID, old)
		st.Version, st.Log, st.Seq, st.Index = old.state.Version+1, old.state.Log, old.state.Seq, old.state.Index
		out = outcome.Outcome{Code: outcome.Updated, Version: st.Version}
	}
	return out, true, a.add(c, p, st)
}

// prepared gives a put that is acceptable, decoded and analysed, as are the puts behind it for which the same schemas hold for certain.
func (a *applying) prepared(op *Op, index int) *prepared {
	x := &a.index.analyzer
	for ; a.taken < len(x.batch); a.taken++ {
		if x.batch[a.taken].op == op {
			a.taken++
			return &x.batch[a.taken-1]
		}
	}
	x.begin()
	a.plan(index)
	x.prepare()
	a.taken = 1
	return &x.batch[0]
}

// plan gives the analyzer the puts from an operation of the present message on, up to one that may change schemas or ownership.
func (a *applying) plan(index int) {
	x, bytes := &a.index.analyzer, 0
	for i := range a.rest {
		ops := a.rest[i].Ops
		if i == 0 {
			ops = ops[index:]
		}
		for j := range ops {
			op := &ops[j]
			if op.Kind != OpPut && op.Kind != OpDelete || len(x.batch) == batchPuts || bytes >= batchBytes || a.singly != nil && len(x.batch) == 1 {
				return
			}
			if c := a.state.find(op.Collection); op.Kind == OpPut && op.Aside == "" && c != nil && op.acceptable() && a.state.owned.Has(op.Slot) && a.index.holdsSlot(op) {
				x.plan(op, c.schema)
				bytes += len(op.Body)
			}
		}
	}
}

// acceptable tells whether a put keeps to the limits.
func (op *Op) acceptable() bool {
	return op.ID != "" && len(op.ID) <= MaxIDBytes && len(op.Body) <= MaxSourceBytes
}

// add makes a document one of the new ones of its collection.
func (a *applying) add(c *collection, p *prepared, st segment.State) error {
	r := a.recentOf(c.incarnation)
	r.ids[p.op.ID] = r.builder.Add(p.op.ID, p.hash, st, p.op.Body)
	a.index.analyzer.add(r.builder, p)
	item := documentDigest([]byte(p.op.ID), st.Version, st.Content)
	digest, docs := c.slots.at(st.Slot, a.round)
	digest.add(item)
	*docs++
	c.documents.add(item)
	if r.builder.Bytes() >= batchSourceBytes {
		return a.flush(c, r)
	}
	return nil
}

// remove takes a live document out.
func (a *applying) remove(c *collection, id string, old standing) {
	if old.pending {
		r := a.recentOf(c.incarnation)
		r.builder.Remove(old.doc)
		delete(r.ids, id)
	} else {
		c.parts[old.part] = c.parts[old.part].mutable(a.round)
		c.parts[old.part].kill(old.doc)
	}
	item := documentDigest([]byte(id), old.state.Version, old.state.Content)
	digest, docs := c.slots.at(old.state.Slot, a.round)
	digest.sub(item)
	*docs--
	c.documents.sub(item)
}

// finish makes segments of what is pending, and merges small ones.
func (a *applying) finish() error {
	a.index.analyzer.begin()
	for _, r := range a.pending {
		if err := a.flush(a.collection(r.collection), r); err != nil {
			return err
		}
		a.index.restRecent(r)
	}
	a.pending = nil
	for i := range a.state.collections {
		if a.reowned {
			a.reown(a.collection(a.state.collections[i].incarnation))
		}
		if c := a.state.collections[i]; c.round == a.round {
			if err := a.index.mergeInline(c, a.state.owned); err != nil {
				return fmt.Errorf("merge: %w", err)
			}
		}
	}
	return nil
}

// reown works out anew which documents are visible.
func (a *applying) reown(c *collection) {
	for i, p := range c.parts {
		c.parts[i] = p.mutable(a.round)
		c.parts[i].see(a.state.owned)
	}
}
