package registry_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/jetseek/jetseek/embedded/natstest"
	"github.com/jetseek/jetseek/engine/schema"
	"github.com/jetseek/jetseek/subjects"
	"github.com/jetseek/jetseek/subjects/placement"
	"github.com/jetseek/jetseek/subjects/registry"
	"github.com/jetseek/jetseek/subjects/wire"
)

func openStore(t *testing.T, s *natstest.Server) *registry.Store {
	t.Helper()
	store, err := registry.Open(t.Context(), s.JetStream(t), subjects.Names{}, registry.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// follow runs a follower until the test ends.
func follow(t *testing.T, store *registry.Store, hooks registry.Hooks) *registry.Follower {
	t.Helper()
	f := registry.NewFollower(store, hooks)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- f.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("run: %v", err)
		}
	})
	return f
}

func wait(t *testing.T, f *registry.Follower, what string, holds func(*registry.View) bool) *registry.View {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	v, err := f.Wait(ctx, holds)
	if err != nil {
		t.Fatalf("waiting for %s: %v; the view is %+v", what, err, f.View())
	}
	return v
}

func aMap(t *testing.T) *placement.Map {
	t.Helper()
	m, err := placement.NewMap(placement.Ring, placement.DefaultVnodes, []placement.Group{
		{Name: "g0", Generation: 1, Members: []string{"g0/n1"}}, {Name: "g1", Generation: 1, Members: []string{"g1/n1"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func aCollection(name string, incarnation registry.Incarnation) *registry.Collection {
	return &registry.Collection{Name: name, Incarnation: incarnation, Version: 1, Schema: json.RawMessage(`{}`), Declared: json.RawMessage(`{}`)}
}

func TestOneOfManyCreatesTheMap(t *testing.T) {
	s := natstest.Start(t)
	store := openStore(t, s)
	if _, _, err := store.Map(t.Context()); !errors.Is(err, registry.ErrNotFound) {
		t.Fatalf("before its birth: %v", err)
	}
	m := aMap(t)
	var wg sync.WaitGroup
	results := make([]error, 8)
	for i := range results {
		wg.Go(func() { _, results[i] = store.CreateMap(t.Context(), m) })
	}
	wg.Wait()
	won := 0
	for _, err := range results {
		switch {
		case err == nil:
			won++
		case !errors.Is(err, registry.ErrConflict):
			t.Error(err)
		}
	}
	got, revision, err := store.Map(t.Context())
	if won != 1 || err != nil || !reflect.DeepEqual(got, m) {
		t.Fatalf("%d created it; %v", won, err)
	}
	next, _ := m.WithMember("g0/n2")
	newer, err := store.UpdateMap(t.Context(), next, revision)
	if err != nil || newer <= revision {
		t.Fatalf("revision %d after %d, %v", newer, revision, err)
	}
	if _, err := store.UpdateMap(t.Context(), next, revision); !errors.Is(err, registry.ErrConflict) {
		t.Errorf("an update of what was replaced: %v", err)
	}
}

func TestCollectionsComeAndGo(t *testing.T) {
	s := natstest.Start(t)
	store := openStore(t, s)
	c := aCollection("books", 7)
	revision, err := store.CreateCollection(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.CreateCollection(t.Context(), aCollection("books", 8)); !errors.Is(err, registry.ErrConflict) {
		t.Errorf("created twice: %v", err)
	}
	c.Revision, c.Version = revision, 2
	if c.Revision, err = store.UpdateCollection(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	got, err := store.Collection(t.Context(), "books")
	if err != nil || !reflect.DeepEqual(got, c) {
		t.Errorf("got %+v, %v, want %+v", got, err, c)
	}
	stale := *c
	stale.Revision = revision
	if err := store.DropCollection(t.Context(), &stale); !errors.Is(err, registry.ErrConflict) {
		t.Errorf("dropped what has changed: %v", err)
	}
	if err := store.DropCollection(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Collection(t.Context(), "books"); !errors.Is(err, registry.ErrNotFound) {
		t.Errorf("after the drop: %v", err)
	}
	if _, err := store.CreateCollection(t.Context(), aCollection("books", 9)); err != nil {
		t.Errorf("its successor: %v", err)
	}
}

func TestFollowersSeeEverything(t *testing.T) {
	s := natstest.Start(t)
	store := openStore(t, s)
	if _, err := store.CreateMap(t.Context(), aMap(t)); err != nil {
		t.Fatal(err)
	}
	f := follow(t, openStore(t, s), registry.Hooks{Fault: func(err error) { t.Error(err) }})
	v := wait(t, f, "what was there", func(v *registry.View) bool { return v.Synced })
	if v.Map == nil || v.Map.Epoch != 1 || v.MapRevision != 1 {
		t.Fatalf("the map is %+v of revision %d", v.Map, v.MapRevision)
	}
	for i, name := range []string{"zebra", "apple", "mango"} {
		if _, err := store.CreateCollection(t.Context(), aCollection(name, registry.Incarnation(i+1))); err != nil {
			t.Fatal(err)
		}
	}
	for _, id := range [][2]string{{"g10", "n1"}, {"g2", "n2"}, {"g2", "n1"}} {
		if err := store.PutMember(t.Context(), &registry.Member{Group: id[0], Node: id[1], Incarnation: 1 << 63, Log: wire.UUID{1}, Generation: 1, State: "serving"}); err != nil {
			t.Fatal(err)
		}
	}
	v = wait(t, f, "collections and members", func(v *registry.View) bool { return len(v.Collections) == 3 && len(v.Members) == 3 })
	var order []string
	for _, c := range v.Collections {
		order = append(order, c.Name)
	}
	for _, m := range v.Members {
		order = append(order, m.ID())
	}
	if want := "[apple mango zebra g2/n1 g2/n2 g10/n1]"; fmt.Sprint(order) != want {
		t.Errorf("got %v, want %s", order, want)
	}
	if c, ok := v.Incarnation(schema.Incarnation(2)); !ok || c.Name != "apple" {
		t.Errorf("incarnation 2 is %+v", c)
	}
	if m, ok := v.Member("g2/n2"); !ok || m.Incarnation != 1<<63 || m.Log != (wire.UUID{1}) || len(v.MembersOf("g2")) != 2 || len(v.MembersOf("g3")) != 0 {
		t.Errorf("g2/n2 is %+v", m)
	}
	c, _ := v.Collection("apple")
	if err := store.DropCollection(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if err := store.DeleteMember(t.Context(), "g10", "n1"); err != nil {
		t.Fatal(err)
	}
	later := wait(t, f, "the end of some", func(v *registry.View) bool { return len(v.Collections) == 2 && len(v.Members) == 2 })
	if _, ok := later.Collection("apple"); ok {
		t.Error("apple is still there")
	}
	if _, ok := v.Collection("apple"); !ok {
		t.Error("a view has changed")
	}
}

// A member that stops putting its record is gone when the time of the last one has passed: the key must expire, and the follower must see it.
func TestMembersExpire(t *testing.T) {
	s := natstest.Start(t)
	js := s.JetStream(t)
	store := openStore(t, s)
	f := follow(t, store, registry.Hooks{Fault: func(err error) { t.Error(err) }})
	for _, node := range []string{"n1", "n2"} {
		if err := store.PutMember(t.Context(), &registry.Member{Group: "g0", Node: node}); err != nil {
			t.Fatal(err)
		}
	}
	wait(t, f, "two members", func(v *registry.View) bool { return len(v.Members) == 2 })
	msg, err := directGet(t, js, "members.g0.n1")
	if err != nil || msg.Header.Get("Nats-TTL") != "10s" {
		t.Fatalf("the record has the headers %v, %v", msg.Header, err)
	}
	// the same record as n1 would have put it 9 s ago
	if _, err := js.Publish(t.Context(), "$KV.JETSEEK.members.g0.n1", []byte(`{"group":"g0","node":"n1"}`), jetstream.WithMsgTTL(time.Second)); err != nil {
		t.Fatal(err)
	}
	v := wait(t, f, "one member", func(v *registry.View) bool { return len(v.Members) == 1 })
	if v.Members[0].Node != "n2" {
		t.Errorf("%s is left", v.Members[0].ID())
	}
}

func directGet(t *testing.T, js jetstream.JetStream, key string) (*jetstream.RawStreamMsg, error) {
	t.Helper()
	stream, err := js.Stream(t.Context(), "KV_JETSEEK")
	if err != nil {
		t.Fatal(err)
	}
	return stream.GetLastMsgForSubject(t.Context(), "$KV.JETSEEK."+key)
}

func TestFollowersSurviveARestartOfTheServer(t *testing.T) {
	s := natstest.Start(t)
	store := openStore(t, s)
	if _, err := store.CreateCollection(t.Context(), aCollection("before", 1)); err != nil {
		t.Fatal(err)
	}
	f := follow(t, openStore(t, s), registry.Hooks{})
	wait(t, f, "the first", func(v *registry.View) bool { return len(v.Collections) == 1 })
	s.Restart()
	began := time.Now()
	for { // the store's connection comes back when it comes back
		_, err := store.CreateCollection(t.Context(), aCollection("after", 2))
		if err == nil || errors.Is(err, registry.ErrConflict) {
			break
		}
	}
	wait(t, f, "the second", func(v *registry.View) bool { _, ok := v.Collection("after"); return ok })
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("the follower was %s behind", took)
	} else {
		t.Logf("seen %s after the restart", took)
	}
}

// A follower must end at once though the server is gone.
func TestFollowersEndWithoutAServer(t *testing.T) {
	s := natstest.Start(t)
	f := registry.NewFollower(openStore(t, s), registry.Hooks{})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- f.Run(ctx) }()
	wait(t, f, "the start", func(v *registry.View) bool { return v.Synced })
	s.Stop()
	cancel()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(5 * time.Second):
		t.Fatal("still running")
	}
}

// What the view has is never replaced by something older, and never taken out because one read does not find it.
func TestRefreshing(t *testing.T) {
	s := natstest.Start(t)
	store := openStore(t, s)
	f := registry.NewFollower(store, registry.Hooks{}) // not running: only refreshes fill it
	if v, err := f.RefreshMap(t.Context()); err != nil || v.Map != nil {
		t.Fatalf("%+v, %v", v, err)
	}
	if v, err := f.RefreshCollection(t.Context(), "books"); err != nil || len(v.Collections) != 0 {
		t.Fatalf("%+v, %v", v, err)
	}
	if _, err := store.CreateMap(t.Context(), aMap(t)); err != nil {
		t.Fatal(err)
	}
	revision, err := store.CreateCollection(t.Context(), aCollection("books", 1))
	if err != nil {
		t.Fatal(err)
	}
	changed := f.Changed()
	if v, err := f.RefreshMap(t.Context()); err != nil || v.Map == nil {
		t.Fatalf("%+v, %v", v, err)
	}
	select {
	case <-changed:
	default:
		t.Error("nobody was told")
	}
	v, err := f.RefreshCollection(t.Context(), "books")
	if err != nil || len(v.Collections) != 1 || v.Collections[0].Revision != revision {
		t.Fatalf("%+v, %v", v, err)
	}
	if again, err := f.RefreshCollection(t.Context(), "books"); err != nil || again != v {
		t.Errorf("another view of the same: %v", err)
	}
	if err := store.DropCollection(t.Context(), v.Collections[0]); err != nil {
		t.Fatal(err)
	}
	if v, err := f.RefreshCollection(t.Context(), "books"); err != nil || len(v.Collections) != 1 {
		t.Errorf("a read took a collection out: %+v, %v", v, err)
	}
}

func TestRecordsThatDoNotDecode(t *testing.T) {
	s := natstest.Start(t)
	js := s.JetStream(t)
	store := openStore(t, s)
	if _, err := store.CreateCollection(t.Context(), aCollection("books", 1)); err != nil {
		t.Fatal(err)
	}
	faults := make(chan error, 8)
	f := follow(t, store, registry.Hooks{Fault: func(err error) { faults <- err }})
	wait(t, f, "books", func(v *registry.View) bool { return len(v.Collections) == 1 })
	for _, key := range []string{"collections.books", "collections.other", "map", "members.g0.n1"} {
		if _, err := js.Publish(t.Context(), "$KV.JETSEEK."+key, []byte(`{"name":"nonsense"}`)); err != nil {
			t.Fatal(err)
		}
		select {
		case err := <-faults:
			t.Log(err)
		case <-time.After(10 * time.Second):
			t.Fatalf("nobody was told of %s", key)
		}
	}
	if _, err := store.CreateCollection(t.Context(), aCollection("later", 2)); err != nil {
		t.Fatal(err)
	}
	v := wait(t, f, "later", func(v *registry.View) bool { _, ok := v.Collection("later"); return ok })
	if c, ok := v.Collection("books"); !ok || c.Incarnation != 1 || v.Map != nil || len(v.Members) != 0 {
		t.Errorf("the view is %+v", v)
	}
}

// A bucket that was lost and made anew starts its revisions again; what was in the old one is gone.
func TestBucketsThatAreMadeAnew(t *testing.T) {
	s := natstest.Start(t)
	js := s.JetStream(t)
	store := openStore(t, s)
	for i := range 5 {
		if _, err := store.CreateCollection(t.Context(), aCollection(fmt.Sprintf("old%d", i), registry.Incarnation(i+1))); err != nil {
			t.Fatal(err)
		}
	}
	f := follow(t, store, registry.Hooks{})
	wait(t, f, "the old ones", func(v *registry.View) bool { return len(v.Collections) == 5 })
	if err := js.DeleteKeyValue(t.Context(), "JETSEEK"); err != nil {
		t.Fatal(err)
	}
	if _, err := openStore(t, s).CreateCollection(t.Context(), aCollection("new", 9)); err != nil {
		t.Fatal(err)
	}
	wait(t, f, "the new one alone", func(v *registry.View) bool {
		_, ok := v.Collection("new")
		return ok && len(v.Collections) == 1
	})
}

func TestTwoProcessesOpenTheBucketAtOnce(t *testing.T) {
	s := natstest.Start(t)
	var wg sync.WaitGroup
	for range 4 {
		js := s.JetStream(t)
		wg.Go(func() {
			if _, err := registry.Open(t.Context(), js, subjects.Names{}, registry.Options{}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func TestIncarnationsAsText(t *testing.T) {
	b, err := json.Marshal(registry.Incarnation(0xabc))
	if err != nil || string(b) != `"0000000000000abc"` {
		t.Errorf("%s, %v", b, err)
	}
	var i registry.Incarnation
	if err := json.Unmarshal(b, &i); err != nil || i != 0xabc {
		t.Errorf("%d, %v", i, err)
	}
	for _, bad := range []string{`"abc"`, `"00000000000000000"`, `7`, `"000000000000000g"`} {
		if json.Unmarshal([]byte(bad), &i) == nil {
			t.Errorf("%s was accepted", bad)
		}
	}
}
