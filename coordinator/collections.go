package coordinator

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/outcome"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/schema"
	"github.com/jetseek/jetseek/subjects"
	"github.com/jetseek/jetseek/subjects/ops"
	"github.com/jetseek/jetseek/subjects/placement"
	"github.com/jetseek/jetseek/subjects/registry"
	"github.com/jetseek/jetseek/subjects/wire"
)

const (
	// defaultCollection is made by its first write.
	defaultCollection = ops.DefaultCollection
	// mostSchemaTries is how often a lost race for a collection's record is run again.
	mostSchemaTries = 16
	// reasonContention says that all tries were lost.
	reasonContention = "schema_contention"
)

// collection is a collection's record with its schema parsed.
type collection struct {
	*registry.Collection
	Incarnation schema.Incarnation
	Schema      *schema.Schema
}

// record is the schema as the log carries it.
func (c *collection) record() wire.SchemaRecord {
	return wire.SchemaRecord{Collection: c.Incarnation, Version: c.Version, Name: c.Name, Schema: c.Collection.Schema}
}

// schemaCache keeps the parsed schemas of the present versions: one a collection.
type schemaCache struct {
	mu sync.Mutex // guards at
	at map[string]*collection
}

// parse gives the record with its schema parsed.
func (s *schemaCache) parse(r *registry.Collection) (*collection, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.at[r.Name]; c != nil && c.Incarnation == schema.Incarnation(r.Incarnation) && c.Version == r.Version {
		return c, nil
	}
	parsed, err := schema.Parse(r.Schema)
	if err != nil {
		return nil, fmt.Errorf("the record of collection %s: %w", r.Name, err)
	}
	c := &collection{Collection: r, Incarnation: schema.Incarnation(r.Incarnation), Schema: parsed}
	if s.at == nil {
		s.at = make(map[string]*collection)
	}
	s.at[r.Name] = c
	return c, nil
}

func (s *schemaCache) forget(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.at, name)
}

// collection gives a collection as this coordinator knows it. Before it says that there is none, it reads the KV once.
func (c *Coordinator) collection(ctx context.Context, name string) (*collection, error) {
	r, ok := c.view.View().Collection(name)
	if !ok {
		if err := c.refresh(ctx, name); err != nil {
			return nil, err
		}
		if r, ok = c.view.View().Collection(name); !ok {
			c.schemas.forget(name)
			return nil, noCollection(name)
		}
	}
	return c.schemas.parse(r)
}

func noCollection(name string) error {
	return fault.New(fault.NoCollection, "there is no collection %s: create it with PUT /collections/%s", fault.Quote(name), name)
}

// refresh reads the map and, where one is named, a collection's record from the KV.
func (c *Coordinator) refresh(ctx context.Context, name string) error {
	_, err := c.view.RefreshMap(ctx)
	if err == nil && name != "" {
		_, err = c.view.RefreshCollection(ctx, name)
	}
	if err != nil {
		if ctx.Err() != nil {
			return fault.New(fault.Deadline, "the cluster's records could not be read in time")
		}
		return unavailable(reasonNoNATS, "the cluster's records cannot be read: %v", err)
	}
	return nil
}

// markNotDurable says of an unavailable write that it was not stored.
func markNotDurable(err error) error {
	if err == nil {
		return nil
	}
	e := wire.FromError(err)
	if e.Code == fault.Unavailable || e.Code == fault.Deadline || e.Code == fault.Overloaded {
		return notDurable(e)
	}
	return err
}

// create makes a collection, or brings one that is there to the schema; the first one brings the map to life. created is false when there was one.
func (c *Coordinator) create(ctx context.Context, name string, body []byte) (created bool, _ *collection, err error) {
	if err := subjects.ValidCollection(name); err != nil {
		return false, nil, err
	}
	if len(body) == 0 {
		body = []byte("{}")
	}
	parsed, err := schema.Parse(body)
	if err != nil {
		return false, nil, err
	}
	if err := c.birth(ctx); err != nil {
		return false, nil, err
	}
	canonical, err := parsed.MarshalJSON()
	if err != nil {
		return false, nil, fmt.Errorf("encode the schema: %w", err)
	}
	record := &registry.Collection{Name: name, Incarnation: registry.Incarnation(newIncarnation()), Version: 1, Schema: canonical, Declared: canonical}
	_, err = c.registry.CreateCollection(ctx, record)
	switch {
	case err == nil:
		created = true
	case !errors.Is(err, registry.ErrConflict):
		return false, nil, unavailable(reasonNoNATS, "the collection's record could not be written: %v", err)
	}
	coll, err := c.declare(ctx, name, parsed, canonical)
	return created, coll, err
}

// declare brings a collection that is there to a declared schema, by compare-and-set on its record: what is added holds for the whole cluster, and travels to members
// with the next write to their group.
func (c *Coordinator) declare(ctx context.Context, name string, declared *schema.Schema, canonical []byte) (*collection, error) {
	for range mostSchemaTries {
		if err := c.refresh(ctx, name); err != nil {
			return nil, err
		}
		coll, err := c.collection(ctx, name)
		if err != nil {
			return nil, err
		}
		if string(coll.Declared) == string(canonical) || string(coll.Collection.Schema) == string(canonical) {
			return coll, nil
		}
		before, err := schema.Parse(coll.Declared)
		if err != nil {
			return nil, fmt.Errorf("the record of collection %s: %w", name, err)
		}
		changed, err := coll.Schema.Redeclare(before, declared)
		if err != nil {
			return nil, err
		}
		next := *coll.Collection
		next.Version++
		next.Declared = canonical
		if next.Schema, err = changed.MarshalJSON(); err != nil {
			return nil, fmt.Errorf("encode the schema: %w", err)
		}
		if _, err = c.registry.UpdateCollection(ctx, &next); err != nil && !errors.Is(err, registry.ErrConflict) {
			return nil, unavailable(reasonNoNATS, "the collection's record could not be written: %v", err)
		}
	}
	return nil, unavailable(reasonContention, "too many change the schema of collection %s at once: try again", name)
}

func newIncarnation() schema.Incarnation {
	var b [8]byte
	for {
		rand.Read(b[:])
		if n := binary.LittleEndian.Uint64(b[:]); n != 0 {
			return schema.Incarnation(n)
		}
	}
}

// draft is a document that somebody wants written.
type draft struct {
	body  []byte
	id    string // that the request gives beside the body
	hasID bool
	key   string // the request key; "": none
	line  bool   // it is a line of a bulk, which may have the key _if_version
}

// checked is a draft that was checked: what it asks for, with the id to write it under, or why it is refused.
type checked struct {
	line schema.BulkLine // of a draft that is no line: its id and body
	err  error
}

// writes tells whether it is a document to write.
func (r checked) writes() bool { return r.err == nil && !r.line.Delete }

// prepare checks drafts against the schema of a collection, and gives the collection to write those that stand to. Fields that they add are decided here,
// once for the whole cluster, by compare-and-set on the collection's record; a lost race is run again against the record that won. The default collection is
// made by its first write. What is refused changes nothing: when no draft stands, the collection may be one without a record.
func (c *Coordinator) prepare(ctx context.Context, name string, drafts []draft) ([]checked, *collection, error) {
	for range mostSchemaTries {
		coll, err := c.collection(ctx, name)
		if name == defaultCollection && fault.CodeOf(err) == fault.NoCollection {
			coll, err = unborn()
		}
		if err != nil {
			return nil, nil, markNotDurable(err)
		}
		results, grown, canonical := c.checkAll(coll, drafts)
		switch {
		case !slices.ContainsFunc(results, checked.writes):
			return results, coll, nil
		case coll.Collection == nil:
			if _, _, err := c.create(ctx, name, nil); err != nil && fault.CodeOf(err) != fault.Exists { // else another made it meanwhile, with a schema of its own
				return nil, nil, markNotDurable(err)
			}
			continue
		case grown == coll.Schema:
			return results, coll, nil
		}
		next := *coll.Collection
		next.Version++
		next.Schema = canonical
		_, err = c.registry.UpdateCollection(ctx, &next)
		if err != nil && !errors.Is(err, registry.ErrConflict) {
			return nil, nil, notDurable(unavailable(reasonNoNATS, "the collection's new fields could not be recorded: %v", err))
		}
		if err := c.refresh(ctx, name); err != nil {
			return nil, nil, markNotDurable(err)
		}
	}
	return nil, nil, notDurable(unavailable(reasonContention, "too many writers add fields to collection %s at once: try again", name))
}

// unborn is the default collection before its first write: a schema, and no record.
func unborn() (*collection, error) {
	s, err := schema.Parse([]byte("{}"))
	return &collection{Schema: s}, err
}

// checkAll checks drafts, and gives the schema with all fields that those that stand add, and its canonical form; the same schema when they add none. A
// draft that does not fit what an earlier one added is refused like any other.
func (c *Coordinator) checkAll(coll *collection, drafts []draft) (results []checked, grown *schema.Schema, canonical []byte) {
	results, grown = make([]checked, len(drafts)), coll.Schema
	if coll.Collection != nil {
		canonical = coll.Collection.Schema
	}
	decoder := c.decoders.Get().(*schema.Decoder)
	defer c.decoders.Put(decoder)
	defer decoder.Release()
	for i := range drafts {
		line, added, err := check(coll.Incarnation, grown, &drafts[i], decoder)
		if err == nil && len(added) > 0 {
			var s *schema.Schema
			var text []byte
			if s, text, err = grow(grown, added); err == nil {
				grown, canonical = s, text
			}
		}
		results[i] = checked{line, err}
	}
	return results, grown, canonical
}

// check checks one draft. It gives what it asks for, with the id to write it under, and the fields that it adds.
func check(collection schema.Incarnation, s *schema.Schema, d *draft, decoder *schema.Decoder) (line schema.BulkLine, added []schema.Field, err error) {
	if len(d.body) > wire.MaxDocumentBytes {
		return line, nil, fault.New(fault.TooLarge, "a document of %d bytes: the limit is %d", len(d.body), wire.MaxDocumentBytes)
	}
	if d.line {
		line, added, err = decoder.DecodeLine(s, d.body)
	} else {
		var doc *schema.Document
		if doc, added, err = decoder.Decode(s, d.body); err == nil {
			line = schema.BulkLine{ID: doc.ID, IfVersion: wire.NoCondition, Body: d.body}
		}
	}
	if err == nil && !line.Delete {
		line.ID, err = chooseID(line.ID, d, collection)
	}
	return line, added, err
}

// grow gives the schema with fields that were added, and its canonical form.
func grow(s *schema.Schema, added []schema.Field) (*schema.Schema, []byte, error) {
	grown, err := s.With(added)
	if err != nil {
		return nil, nil, err
	}
	canonical, err := grown.MarshalJSON()
	if err != nil {
		return nil, nil, fmt.Errorf("encode the schema: %w", err)
	}
	return grown, canonical, nil
}

// recreated tells whether a write failed because its collection was dropped while there is another of the name by now, which this coordinator had not seen.
func (c *Coordinator) recreated(ctx context.Context, coll *collection, err error) bool {
	if fault.CodeOf(err) != fault.NoCollection || coll.Collection == nil || c.refresh(ctx, coll.Name) != nil {
		return false
	}
	now, ok := c.view.View().Collection(coll.Name)
	return ok && now.Incarnation != coll.Collection.Incarnation
}

// drop ends a collection: through every group's log first, where it waits like a delete, then in the records.
func (c *Coordinator) drop(ctx context.Context, name string) (*wire.DropBody, error) {
	coll, err := c.collection(ctx, name)
	if err != nil {
		return nil, err
	}
	m, err := c.mapForWrite()
	if err != nil {
		return nil, err
	}
	deadline, _ := ctx.Deadline()
	writes := make(map[string]*write)
	for _, g := range m.Groups {
		w := newWrite(wire.Op{Kind: wire.KindDropCollection, Collection: coll.Incarnation, IfVersion: wire.NoCondition}, wire.SchemaRecord{}, deadline)
		if err := c.packer(g.Name).submit([]*write{w}); err != nil {
			return nil, err
		}
		writes[g.Name] = w
	}
	body := &wire.DropBody{OK: true, Name: name, Verified: true}
	for group, w := range writes {
		out, err := c.outcomeOf(ctx, group, w, waitApplied)
		if err != nil {
			return nil, err // said again, the call goes on where it was: dropping twice changes nothing
		}
		if out.Code != outcome.Done && out.Code != outcome.NoCollection {
			return nil, unavailable("internal", "group %s gave %s for a drop", group, out.Code)
		}
		select {
		case <-w.flight.visible:
		case <-ctx.Done():
			body.Verified = false
		}
		body.OK = body.OK && len(c.tracker.verdictOf(w.flight, c.declared(group)).behind) == 0
	}
	if err := c.removeRecord(ctx, coll); err != nil {
		return nil, unavailable(reasonNoNATS, "the collection's record could not be removed: %v: say it again", err)
	}
	c.schemas.forget(name)
	_, err = c.view.Wait(ctx, func(v *registry.View) bool {
		now, ok := v.Collection(name)
		return !ok || now.Incarnation != coll.Collection.Incarnation
	})
	if err != nil {
		body.OK = false // dropped, and this coordinator has not seen its own change of the records yet
	}
	return body, nil
}

// removeRecord removes the record of a dropped collection, at whatever version fields that were added meanwhile have brought it to. A record of another
// incarnation, or none, is left as it is.
func (c *Coordinator) removeRecord(ctx context.Context, coll *collection) error {
	record := coll.Collection
	for {
		err := c.registry.DropCollection(ctx, record)
		if !errors.Is(err, registry.ErrConflict) {
			return err
		}
		record, err = c.registry.Collection(ctx, coll.Name)
		if errors.Is(err, registry.ErrNotFound) || err == nil && record.Incarnation != coll.Collection.Incarnation {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// show gives a collection with its live documents counted in every group.
func (c *Coordinator) show(ctx context.Context, name string) (*wire.CollectionBody, error) {
	for round := 1; ; round++ {
		coll, err := c.collection(ctx, name)
		if err != nil {
			return nil, err
		}
		body, werr := c.count(ctx, coll)
		if werr == nil {
			return body, nil
		}
		stale := werr.Reason == wire.ReasonStaleMap || werr.Reason == wire.ReasonDropped
		if !stale || round == mostRounds || ctx.Err() != nil {
			return nil, werr
		}
		if err := c.refresh(ctx, name); err != nil {
			return nil, err
		}
	}
}

// count asks all groups how many documents of a collection they hold.
func (c *Coordinator) count(ctx context.Context, coll *collection) (*wire.CollectionBody, *wire.Error) {
	body := &wire.CollectionBody{Name: coll.Name, Schema: coll.Collection.Schema, Groups: map[string]uint64{}}
	m := c.view.View().Map
	if m == nil {
		return body, nil
	}
	t := &trip{op: wire.OpSearch}
	for _, g := range m.Groups {
		t.targets = append(t.targets, c.countTarget(coll, g, func(n uint64) {
			body.Groups[g.Name] = n
			body.Documents += n
		}))
	}
	c.scatter(ctx, t)
	for _, target := range t.targets {
		if target.err != nil {
			return nil, target.err
		}
	}
	return body, nil
}

// countTarget asks a group how many documents of a collection it holds.
func (c *Coordinator) countTarget(coll *collection, g placement.Group, count func(uint64)) *target {
	return &target{
		group: g.Name, members: c.membersOf(g.Name, 0),
		head: wire.Head{Collection: coll.Incarnation, SchemaVersion: coll.Version, Epoch: g.OwnEpoch},
		encode: func(h wire.Head) []byte {
			return wire.AppendSearchRequest(nil, &wire.SearchRequest{Head: h, Query: &query.MatchAll{Boost: 1}})
		},
		accept: func(data []byte) *wire.Error {
			reply, err := decodeReply(data, wire.DecodeSearchReply, func(r *wire.SearchReply) *wire.Frame { return &r.Frame })
			if err == nil {
				count(reply.Total)
			}
			return err
		},
	}
}
