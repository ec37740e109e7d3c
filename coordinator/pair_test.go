package coordinator

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/jetseek/jetseek/embedded/natstest"
	"github.com/jetseek/jetseek/engine"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/shard"
	"github.com/jetseek/jetseek/subjects/wire"
)

// cluster is members and coordinators over one server, each with connections of its own. Tests call a coordinator's methods, so that they choose which
// one answers.
type cluster struct {
	t      *testing.T
	nodes  []string // on which each group has a member
	server *natstest.Server
	gates  map[string]*gate // by group: of all its members' loops
	alter  sync.Map         // by member g0/n1: func([]engine.Message), which leads it astray
}

// gate stops the apply loops of a group while it is shut.
type gate struct {
	mu   sync.Mutex // guards open
	open chan struct{}
}

func newGate() *gate {
	g := &gate{open: make(chan struct{})}
	close(g.open)
	return g
}

func (g *gate) shut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.open = make(chan struct{})
}

func (g *gate) lift() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !isClosed(g.open) {
		close(g.open)
	}
}

func (g *gate) pass(uint64) {
	g.mu.Lock()
	open := g.open
	g.mu.Unlock()
	<-open
}

// newCluster starts groups of two members, and waits until all serve.
func newCluster(t *testing.T, groups int) *cluster {
	t.Helper()
	return newClusterOf(t, groups, "n1", "n2")
}

// newClusterOf starts groups of the given members.
func newClusterOf(t *testing.T, groups int, nodes ...string) *cluster {
	t.Helper()
	c := &cluster{t: t, nodes: nodes, server: natstest.Start(t), gates: map[string]*gate{}}
	var members []*shard.Member
	for g := range groups {
		group := fmt.Sprintf("g%d", g)
		c.gates[group] = newGate()
		for _, node := range nodes {
			m, err := shard.New(shard.Options{Conn: c.conn(), LogConn: c.conn(), Group: group, Node: node, Dir: t.TempDir(),
				Hooks: shard.Hooks{BeforeApply: c.gates[group].pass, Alter: func(messages []engine.Message) {
					if alter, ok := c.alter.Load(group + "/" + node); ok {
						alter.(func([]engine.Message))(messages)
					}
				}}})
			if err != nil {
				t.Fatal(err)
			}
			c.run(m.Run)
			members = append(members, m)
		}
	}
	for _, m := range members {
		if err := m.AwaitServing(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

func (c *cluster) conn() *nats.Conn { return c.server.Conn(c.t, nats.ReconnectBufSize(-1)) }

// run runs a part until the test ends.
func (c *cluster) run(part func(context.Context) error) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- part(ctx) }()
	c.t.Cleanup(func() {
		for _, g := range c.gates {
			g.lift()
		}
		cancel()
		if err := <-done; err != nil {
			c.t.Errorf("a part has failed: %v", err)
		}
	})
}

// coordinator starts a coordinator that expects all groups, and waits until it knows that they serve.
func (c *cluster) coordinator() *Coordinator {
	c.t.Helper()
	return c.coordinatorWith(nil)
}

// coordinatorWith starts one that signs with keys.
func (c *cluster) coordinatorWith(keys *wire.Keys) *Coordinator {
	c.t.Helper()
	made, err := New(Options{Conn: c.conn(), LogConn: c.conn(), ExpectGroups: len(c.gates), Keys: keys})
	if err != nil {
		c.t.Fatal(err)
	}
	ready := make(chan struct{})
	c.run(func(ctx context.Context) error { return made.Run(ctx, func() { close(ready) }) })
	<-ready
	var ids []string
	for group := range c.gates {
		for _, node := range c.nodes {
			ids = append(ids, group+"/"+node)
		}
	}
	if err := made.AwaitMembers(c.t.Context(), ids); err != nil {
		c.t.Fatal(err)
	}
	return made
}

// blind starts a coordinator whose view does not follow the records: it knows what it has read, until it reads again.
func (c *cluster) blind() *Coordinator {
	c.t.Helper()
	made, err := New(Options{Conn: c.conn(), LogConn: c.conn()})
	if err != nil {
		c.t.Fatal(err)
	}
	if err := made.tryConnect(c.t.Context()); err != nil {
		c.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var parts sync.WaitGroup
	made.ended = ctx
	made.spawn = func(f func() error) { parts.Go(func() { _ = f() }) }
	marks, err := made.conn.Subscribe(made.names.AppliedAll(), made.takeWatermark)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() {
		_ = marks.Unsubscribe()
		cancel()
		parts.Wait()
		made.mux.close()
	})
	return made
}

func (c *cluster) create(by *Coordinator, name string) {
	c.t.Helper()
	if _, _, err := by.create(c.budget(), name, nil); err != nil {
		c.t.Fatal(err)
	}
}

func (c *cluster) budget() context.Context {
	ctx, cancel := context.WithTimeout(c.t.Context(), 20*time.Second)
	c.t.Cleanup(cancel)
	return ctx
}

func params(wait string) writeParams {
	return writeParams{wait: wait, timeout: 20 * time.Second, ifVersion: wire.NoCondition}
}

func (c *cluster) index(by *Coordinator, name, body string) (*wire.WriteReply, error) {
	return by.index(c.t.Context(), name, []byte(body), params(waitApplied))
}

func (c *cluster) mustIndex(by *Coordinator, name, body string) *wire.WriteReply {
	c.t.Helper()
	reply, err := c.index(by, name, body)
	if err != nil {
		c.t.Fatalf("index %s: %v", body, err)
	}
	return reply
}

// search asks for an exact answer.
func (c *cluster) search(by *Coordinator, name, query string, limit int, minSeq map[string]uint64) *wire.SearchResponse {
	c.t.Helper()
	request := map[string]any{"query": query, "limit": limit, "timeout_ms": 10_000, "track_total": true}
	if minSeq != nil {
		request["min_seq"] = minSeq
	}
	body, err := json.Marshal(request)
	if err != nil {
		c.t.Fatal(err)
	}
	reply, err := by.search(c.t.Context(), name, body)
	if err != nil {
		c.t.Fatalf("search %s: %v", query, err)
	}
	if !reply.Exact {
		c.t.Errorf("search %s is not exact: %s %+v", query, reply.ExactNote, reply.Shards)
	}
	return reply
}

// ids gives the ids and scores that a search finds, in order.
func (c *cluster) ids(by *Coordinator, name, query string, minSeq map[string]uint64) string {
	c.t.Helper()
	reply := c.search(by, name, query, 100, minSeq)
	if reply.Total.Value != uint64(len(reply.Hits)) {
		c.t.Errorf("search %s: %d hits of %d", query, len(reply.Hits), reply.Total.Value)
	}
	var ids []string
	for _, h := range reply.Hits {
		ids = append(ids, fmt.Sprintf("%s:%v", h.ID, *h.Score))
	}
	return strings.Join(ids, " ")
}

// Of coordinators that make the first collection at once one makes the map, each group's ownership stands in its log once, and all make one collection.
func TestMapIsBornOnce(t *testing.T) {
	c := newCluster(t, 2)
	all := []*Coordinator{c.coordinator(), c.coordinator(), c.coordinator()}
	var started sync.WaitGroup
	for n, by := range all {
		started.Go(func() { c.mustIndex(by, defaultCollection, fmt.Sprintf(`{"id":"a%d","t":"word"}`, n)) })
	}
	started.Wait()
	stored, err := all[0].registry.Collection(t.Context(), defaultCollection)
	if err != nil {
		t.Fatal(err)
	}
	want := c.ids(all[0], defaultCollection, "word", nil)
	if len(strings.Fields(want)) != 3 {
		t.Errorf("found %s, want three documents", want)
	}
	for n, by := range all {
		v := by.view.View()
		coll, ok := v.Collection(defaultCollection)
		if v.Map == nil || v.Map.Epoch != 1 || !ok || coll.Incarnation != stored.Incarnation {
			t.Errorf("coordinator %d: map %v, collection %v", n, v.Map, coll)
		}
		if got := c.ids(by, defaultCollection, "word", nil); got != want {
			t.Errorf("coordinator %d found %s, the first found %s", n, got, want)
		}
	}
	for group := range c.gates {
		stream, err := all[0].js.Stream(t.Context(), all[0].names.Stream(group))
		if err != nil {
			t.Fatal(err)
		}
		info, err := stream.Info(t.Context(), jetstream.WithSubjectFilter(all[0].names.LogOwn(group)))
		if err != nil {
			t.Fatal(err)
		}
		if n := info.State.Subjects[all[0].names.LogOwn(group)]; n != 1 {
			t.Errorf("group %s has %d ownership entries, want 1", group, n)
		}
	}
}

// When documents give one new field different types at once, one wins and the others are bad_field, at every coordinator, now and later.
func TestOneTypeOfAFieldWins(t *testing.T) {
	c := newCluster(t, 1)
	both := []*Coordinator{c.coordinator(), c.coordinator()}
	c.create(both[0], "c")
	values := []string{`"word"`, `7`}
	for round := range 10 {
		bodies := make([]string, len(both))
		errs := make([]error, len(both))
		var writers sync.WaitGroup
		for n, by := range both {
			bodies[n] = fmt.Sprintf(`{"id":"%d-%d","f%d":%s}`, round, n, round, values[n])
			writers.Go(func() { _, errs[n] = c.index(by, "c", bodies[n]) })
		}
		writers.Wait()
		lost := 0
		for n, err := range errs {
			if err == nil {
				continue
			}
			lost++
			if fault.CodeOf(err) != fault.BadField {
				t.Errorf("round %d, writer %d: %v", round, n, err)
			}
			for _, by := range both {
				if _, err := c.index(by, "c", bodies[n]); fault.CodeOf(err) != fault.BadField {
					t.Errorf("round %d, said again: %v", round, err)
				}
			}
		}
		if lost != 1 {
			t.Errorf("round %d: %d of 2 lost: %v", round, lost, errs)
		}
	}
	if a, b := c.ids(both[0], "c", "*", nil), c.ids(both[1], "c", "*", nil); a != b || len(strings.Fields(a)) != 10 {
		t.Errorf("found %q and %q", a, b)
	}
}

// A write through one coordinator is read through another by its sequence, even while the members lag by more than a moment.
func TestReadYourWritesThroughAnother(t *testing.T) {
	c := newCluster(t, 2)
	writer, reader := c.coordinator(), c.coordinator()
	c.create(writer, "c")
	for n := range 5 {
		id := fmt.Sprint("a", n)
		group := c.mustIndex(writer, "c", fmt.Sprintf(`{"id":%q,"t":"before"}`, id)).Group
		c.gates[group].shut()
		// The members are held: the write is stored, and nobody has applied it.
		if _, err := writer.index(t.Context(), "c", fmt.Appendf(nil, `{"id":%q,"t":"after%d"}`, id, n), params(waitNone)); err != nil {
			t.Fatal(err)
		}
		seq := c.stored(writer, group)
		time.AfterFunc(600*time.Millisecond, c.gates[group].lift)
		if got := c.ids(reader, "c", fmt.Sprint("after", n), map[string]uint64{group: seq}); !strings.HasPrefix(got, id+":") {
			t.Errorf("read %q, want %s", got, id)
		}
	}
}

// stored waits until the one message that a coordinator has on its way to a group is in the log, and gives its sequence.
func (c *cluster) stored(by *Coordinator, group string) uint64 {
	c.t.Helper()
	for c.t.Context().Err() == nil {
		by.tracker.mu.Lock()
		for _, f := range by.tracker.group(group).flights {
			if f.seq != 0 {
				by.tracker.mu.Unlock()
				return f.seq
			}
		}
		by.tracker.mu.Unlock()
		runtime.Gosched()
	}
	return 0
}

// A drop takes the record away whatever fields documents add meanwhile.
func TestDropBesideGrowth(t *testing.T) {
	c := newCluster(t, 1)
	dropper, writer := c.coordinator(), c.coordinator()
	c.create(dropper, "c")
	c.mustIndex(writer, "c", `{"id":"a","t":"word"}`)
	c.gates["g0"].shut()
	dropped := make(chan error, 1)
	go func() { // the test waits for it
		_, err := dropper.drop(c.budget(), "c")
		dropped <- err
	}()
	c.stored(dropper, "g0")
	if _, err := writer.index(t.Context(), "c", []byte(`{"id":"b","other":1}`), params(waitNone)); err != nil {
		t.Fatal(err)
	}
	c.gates["g0"].lift()
	if err := <-dropped; err != nil {
		t.Fatal(err)
	}
	if r, err := dropper.registry.Collection(t.Context(), "c"); err == nil {
		t.Fatalf("the record of the dropped collection stands: %+v", r)
	}
	c.create(writer, "c")
	if got := c.ids(dropper, "c", "*", nil); got != "" {
		t.Errorf("the new collection holds %s", got)
	}
}

// A coordinator that has not heard of changes of the records answers as one that has: it reads them when a member or a log says so.
func TestCoordinatorWithOldRecords(t *testing.T) {
	c := newCluster(t, 2)
	knows, blind := c.coordinator(), c.blind()
	c.create(knows, "c")
	c.mustIndex(knows, "c", `{"id":"a","t":"word"}`)
	if got, want := c.ids(blind, "c", "word", nil), c.ids(knows, "c", "word", nil); got != want {
		t.Fatalf("found %q, want %q", got, want)
	}
	check := func(when string, want uint64) {
		t.Helper()
		if body, err := blind.show(c.budget(), "c"); err != nil || body.Documents != want {
			t.Errorf("%s: show gives %+v, %v; want %d documents", when, body, err, want)
		}
	}
	// A field that it has not heard of.
	c.mustIndex(knows, "c", `{"id":"b","n":1}`)
	check("after a new field", 2)
	c.mustIndex(knows, "c", `{"id":"b","m":1}`)
	if _, err := blind.get(c.budget(), "c", "b"); err != nil {
		t.Errorf("get after a new field: %v", err)
	}
	if _, err := c.index(blind, "c", `{"id":"d","n":"no number"}`); fault.CodeOf(err) != fault.BadField {
		t.Errorf("a document against the newer schema: %v", err)
	}
	// Dropped and made anew, with another schema, before each kind of request.
	anew := func() {
		t.Helper()
		if _, err := knows.drop(c.budget(), "c"); err != nil {
			t.Fatal(err)
		}
		c.create(knows, "c")
		c.mustIndex(knows, "c", `{"id":"n","n":"now a word"}`)
	}
	anew()
	check("after it was made anew", 1)
	anew()
	if got := c.ids(blind, "c", "now", nil); !strings.HasPrefix(got, "n:") {
		t.Errorf("search after it was made anew: %q", got)
	}
	anew()
	if doc, err := blind.get(c.budget(), "c", "n"); err != nil || string(doc.Source) != `{"id":"n","n":"now a word"}` {
		t.Errorf("get after it was made anew: %+v, %v", doc, err)
	}
	anew()
	if r, err := c.index(blind, "c", `{"id":"x","n":"words"}`); err != nil || r.Outcome != "created" {
		t.Errorf("index after it was made anew: %+v, %v", r, err)
	}
	anew()
	if r, err := blind.remove(t.Context(), "c", "n", params(waitApplied)); err != nil || r.Outcome != "deleted" {
		t.Errorf("delete after it was made anew: %+v, %v", r, err)
	}
	anew()
	body := "{\"id\":\"x\",\"n\":\"words\"}\n{\"_delete\":\"n\"}\nbroken\n{\"id\":\"y\",\"other\":1}\n"
	if r, err := blind.bulk(t.Context(), "c", []byte(body), 1, params(waitApplied)); err != nil || r.Indexed != 2 || r.Deleted != 1 || r.Failed != 1 || !r.Visible {
		t.Errorf("bulk after it was made anew: %+v, %v", r, err)
	}
	check("after the bulk", 2)
	if _, err := knows.drop(c.budget(), "c"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.index(blind, "c", `{"id":"z"}`); fault.CodeOf(err) != fault.NoCollection {
		t.Errorf("a write to a dropped collection: %v", err)
	}
	if _, err := blind.search(t.Context(), "c", []byte(`{}`)); fault.CodeOf(err) != fault.NoCollection {
		t.Errorf("a search of a dropped collection: %v", err)
	}
}

// What is refused changes nothing: no collection is made, no field is added.
func TestRefusedWritesChangeNothing(t *testing.T) {
	c := newCluster(t, 1)
	by := c.coordinator()
	for _, body := range []string{"", "broken", `{"id":1.5}`, `{"a":1,"a":2}`, `{"_x":1}`} {
		if _, err := c.index(by, defaultCollection, body); err == nil {
			t.Errorf("%s was taken", body)
		}
		if r, err := by.bulk(t.Context(), defaultCollection, []byte("{\"_delete\":\"a\"}\n"+body+"\n"), 1, params(waitApplied)); err != nil || r.Indexed+r.Deleted+r.NotFound != 0 {
			t.Errorf("a bulk of %s and a delete: %+v, %v", body, r, err)
		}
	}
	if v, err := by.view.RefreshCollection(t.Context(), defaultCollection); err != nil || len(v.Collections) != 0 || v.Map != nil {
		t.Fatalf("refused writes made %+v", v)
	}
	c.create(by, "c")
	p := params(waitApplied)
	p.id, p.hasID = "b", true
	if _, err := by.index(t.Context(), "c", []byte(`{"id":"a","f1":1}`), p); fault.CodeOf(err) != fault.BadRequest {
		t.Errorf("two ids: %v", err)
	}
	p.id = strings.Repeat("x", 2000)
	if _, err := by.index(t.Context(), "c", []byte(`{"f2":1}`), p); fault.CodeOf(err) != fault.BadDocument {
		t.Errorf("a long id: %v", err)
	}
	if _, err := by.index(t.Context(), "c", fmt.Appendf(nil, `{"id":"a","f3":%q}`, strings.Repeat("x", wire.MaxDocumentBytes)), params(waitApplied)); fault.CodeOf(err) != fault.TooLarge {
		t.Errorf("a large document: %v", err)
	}
	if _, err := by.index(t.Context(), "c", []byte(`{"f4":1,"f5":[1,"x"]}`), params(waitApplied)); fault.CodeOf(err) != fault.BadField {
		t.Errorf("a document that contradicts itself: %v", err)
	}
	record, err := by.registry.Collection(t.Context(), "c")
	if err != nil || record.Version != 1 {
		t.Errorf("refused writes have changed the schema: %s, %v", record.Schema, err)
	}
}

// A coordinator that stops answers what came to it; what comes after goes to another.
func TestStoppingCoordinatorLosesNoRequest(t *testing.T) {
	c := newCluster(t, 1)
	stays := c.coordinator()
	c.create(stays, "c")
	client := c.conn()
	for range 3 {
		leaves, err := New(Options{Conn: c.conn(), LogConn: c.conn()})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		ready, ended := make(chan struct{}), make(chan error, 1)
		go func() { ended <- leaves.Run(ctx, func() { close(ready) }) }() // ends with stop
		<-ready
		var askers sync.WaitGroup
		for asker := range 8 {
			askers.Go(func() {
				for n := range 60 {
					if asker == 0 && n == 20 {
						stop()
					}
					if _, err := client.Request("jetseek.read.c.search", []byte(`{"timeout_ms":3000}`), 5*time.Second); err != nil {
						t.Errorf("request %d: %v", n, err)
					}
				}
			})
		}
		askers.Wait()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}
