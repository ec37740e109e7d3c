package embedded

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nats.go/micro"

	"github.com/jetseek/jetseek/coordinator"
	"github.com/jetseek/jetseek/coordinator/client"
	"github.com/jetseek/jetseek/embedded/natstest"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/shard"
	"github.com/jetseek/jetseek/subjects"
	"github.com/jetseek/jetseek/subjects/access"
	"github.com/jetseek/jetseek/subjects/wire"
)

// guarded is a NATS server that others run: it has exactly the users, permissions and streams of a plan.
type guarded struct {
	*natstest.Server
	t    *testing.T
	plan *access.Plan

	mu       sync.Mutex // guards refusals
	refusals map[string][]string
}

// operator is the user who runs the server, and makes the streams.
const operator = `{ user: operator, password: operator }`

func guard(t *testing.T, groups ...string) *guarded {
	t.Helper()
	plan, err := access.New(subjects.Names{}, access.Options{Groups: groups})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range plan.Roles {
		t.Setenv(strings.TrimPrefix(r.PasswordVariable(), "$"), "secret-of-"+r.Name)
	}
	configuration := strings.Replace(plan.Snippet(), "users = [", "users = [\n"+operator, 1)
	g := &guarded{Server: natstest.Start(t, natstest.Listen(), natstest.Users(t, configuration)), t: t, plan: plan, refusals: map[string][]string{}}

	js, err := jetstream.New(g.Conn(t, nats.UserInfo("operator", "operator")))
	if err != nil {
		t.Fatal(err)
	}
	printed, err := json.Marshal(plan)
	if err != nil {
		t.Fatal(err)
	}
	var read access.Plan
	if err := json.Unmarshal(printed, &read); err != nil {
		t.Fatal(err)
	}
	for _, config := range read.Streams {
		if _, err := js.CreateStream(t.Context(), config); err != nil {
			t.Fatalf("stream %s as the plan says it: %v", config.Name, err)
		}
	}
	return g
}

// as connects in a role, over the network.
func (g *guarded) as(role string) *nats.Conn {
	g.t.Helper()
	r := g.plan.Role(role)
	nc, err := nats.Connect(g.URL(), nats.UserInfo(role, "secret-of-"+role), nats.CustomInboxPrefix(r.Inbox),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			g.mu.Lock()
			defer g.mu.Unlock()
			g.refusals[role] = append(g.refusals[role], err.Error())
		}))
	if err != nil {
		g.t.Fatalf("connect as %s: %v", role, err)
	}
	g.t.Cleanup(nc.Close)
	return nc
}

func (g *guarded) refused(role string) []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.refusals[role])
}

// run runs a process until the test ends, before its connections are closed.
func (g *guarded) run(name string, run func(context.Context) error) {
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- run(ctx) }()
	g.t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			g.t.Errorf("%s: %v", name, err)
		}
	})
}

// start runs members and a coordinator that make no stream, and waits until they serve.
func (g *guarded) start(groups, nodes []string) {
	g.t.Helper()
	var ids []string
	for _, group := range groups {
		for _, node := range nodes {
			m, err := shard.New(shard.Options{Conn: g.as(access.Member), Group: group, Node: node, Dir: filepath.Join(g.t.TempDir(), "m"), Bind: true})
			if err != nil {
				g.t.Fatal(err)
			}
			g.run(m.ID(), m.Run)
			ids = append(ids, m.ID())
		}
	}
	c, err := coordinator.New(coordinator.Options{Conn: g.as(access.Coordinator), ExpectGroups: len(groups), Bind: true})
	if err != nil {
		g.t.Fatal(err)
	}
	ready := make(chan struct{})
	g.run("coordinator", func(ctx context.Context) error { return c.Run(ctx, func() { close(ready) }) })
	ctx, cancel := context.WithTimeout(g.t.Context(), 30*time.Second)
	defer cancel()
	select {
	case <-ready:
	case <-ctx.Done():
		g.t.Fatalf("the coordinator does not start; refused: %v, %v", g.refused(access.Coordinator), g.refused(access.Member))
	}
	if err := c.AwaitMembers(ctx, ids); err != nil {
		g.t.Fatalf("%v; refused: %v", err, g.refused(access.Member))
	}
}

// A whole system runs on a server of others with the users, permissions and streams of the plan and no more: every role can do its work, and not that of others.
func TestRolesOfThePlan(t *testing.T) {
	groups := []string{"g0", "g1"}
	g := guard(t, groups...)
	g.start(groups, []string{"n1", "n2"})
	clients := map[string]*client.Client{}
	conns := map[string]*nats.Conn{}
	for _, r := range g.plan.Roles {
		conns[r.Name] = g.as(r.Name)
	}
	for _, role := range []string{"reader", "writer", "admin"} {
		c, err := client.New(conns[role], client.Options{})
		if err != nil {
			t.Fatal(err)
		}
		clients[role] = c
	}
	reader, writer, admin := clients["reader"], clients["writer"], clients["admin"]
	do := func(what string, err error) {
		t.Helper()
		if err != nil {
			refused := ""
			for _, r := range g.plan.Roles {
				refused += fmt.Sprintf("; %s was refused %v", r.Name, g.refused(r.Name))
			}
			t.Fatalf("%s: %v%s", what, err, refused)
		}
	}

	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute) // for every call: a busy machine is slow, and this is about what is allowed
	defer cancel()
	_, err := admin.CreateCollection(ctx, "books", nil)
	do("create", err)
	for i := range 20 {
		_, err := writer.Index(ctx, "books", fmt.Appendf(nil, `{"id":"d%d","title":"red"}`, i), client.WriteOptions{})
		do("index", err)
	}
	bulk, err := writer.Bulk(ctx, "books", []byte("{\"id\":\"x\",\"title\":\"red\"}\n{\"id\":\"y\",\"title\":\"red\"}\n"), client.WriteOptions{})
	do("bulk", err)
	deleted, err := writer.Delete(ctx, "books", "d7", client.WriteOptions{})
	do("delete", err)
	if bulk.Indexed != 2 || deleted.Verified == nil || !*deleted.Verified {
		t.Errorf("bulk %+v, delete %+v", bulk, deleted)
	}
	large := fmt.Appendf(nil, `{"id":"large","title":"blue","text":"%s"}`, strings.Repeat("green ", 180_000)) // goes through the object store
	_, err = writer.Index(ctx, "books", large, client.WriteOptions{Timeout: 30 * time.Second})
	do("index what is larger than a message", err)
	read, err := reader.Get(ctx, "books", "large")
	do("get what is larger than a message", err)
	if len(read.Source) != len(large) {
		t.Errorf("%d bytes of %d came back", len(read.Source), len(large))
	}
	for role, c := range map[string]*client.Client{"reader": reader, "writer": writer, "admin": admin} {
		found, err := c.Search(ctx, "books", wire.NewSearch("red"))
		do(role+" searches", err)
		if found.Total.Value != 21 || !found.Exact {
			t.Errorf("%s finds %d, exact %t, want 21", role, found.Total.Value, found.Exact)
		}
	}
	_, err = reader.Get(ctx, "books", "x")
	do("get", err)
	members, err := admin.Members(ctx)
	do("members", err)
	if len(members) != 4 {
		t.Errorf("%d members", len(members))
	}
	if n := len(discover[micro.Ping](t, conns["admin"], "$SRV.PING", 5)); n != 5 {
		t.Errorf("%d services", n)
	}
	ping, err := conns["admin"].Request("jetseek.group.g0.n1.ping", nil, 5*time.Second)
	do("ping", err)
	if !json.Valid(ping.Data) {
		t.Errorf("ping: %s", ping.Data)
	}
	for _, r := range g.plan.Roles {
		if refused := g.refused(r.Name); len(refused) > 0 {
			t.Errorf("%s needs more than the plan allows: %v", r.Name, refused)
		}
	}

	g.mustSayForbidden(conns)
	g.mustRefuse(conns)
	found, err := reader.Search(ctx, "books", wire.NewSearch("red"))
	do("search after all that", err)
	if found.Total.Value != 21 {
		t.Errorf("after refused publishes %d documents are found, want 21", found.Total.Value)
	}
}

// mustSayForbidden asks what the server refuses through the client: it says so, instead of a time that ran out.
func (g *guarded) mustSayForbidden(conns map[string]*nats.Conn) {
	g.t.Helper()
	r := g.plan.Role("reader")
	elsewhere, err := nats.Connect(g.URL(), nats.UserInfo("reader", "secret-of-reader"), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	if err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(elsewhere.Close)
	for what, c := range map[string]struct {
		conn *nats.Conn
		ask  func(context.Context, *client.Client) error
		word string
	}{
		"a reader that writes": {conns["reader"], func(ctx context.Context, c *client.Client) error {
			_, err := c.Index(ctx, "books", []byte(`{}`), client.WriteOptions{})
			return err
		}, "jetseek.write.books.index"},
		"a reader without the inbox " + r.Inbox: {elsewhere, func(ctx context.Context, c *client.Client) error {
			_, err := c.Get(ctx, "books", "x")
			return err
		}, "inbox"},
	} {
		cl, err := client.New(c.conn, client.Options{})
		if err != nil {
			g.t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(g.t.Context(), time.Second)
		err = c.ask(ctx, cl)
		cancel()
		if fault.CodeOf(err) != fault.Forbidden || !strings.Contains(err.Error(), c.word) {
			g.t.Errorf("%s: %v", what, err)
		}
	}
}

// mustRefuse tries, in every role, what is not its own.
func (g *guarded) mustRefuse(conns map[string]*nats.Conn) {
	g.t.Helper()
	outsider := []string{
		"$O.JETSEEK_DOCUMENTS.C.x", "$O.JETSEEK_DOCUMENTS.M.x", // what logs refer to is the coordinators' alone
		"jetseek.log.g0", "jetseek.log.g0.own", "jetseek.tail.g0", "jetseek.tail.g0.own", "jetseek.event.group.g0.applied", "jetseek.event.map",
		"$KV.JETSEEK.map", "$KV.JETSEEK.collections.books", "$KV.JETSEEK.members.g0.n1", "_INBOX_JETSEEK.reader.x", "_INBOX_JETSEEK.c.0000000000000001.report",
		"$JS.API.STREAM.CREATE.X", "$JS.API.STREAM.UPDATE.JETSEEK_g0", "$JS.API.STREAM.DELETE.JETSEEK_g0", "$JS.API.STREAM.PURGE.JETSEEK_g0",
		"$JS.API.STREAM.PURGE.OBJ_JETSEEK", "$JS.API.STREAM.MSG.DELETE.JETSEEK_g0", "$JS.API.CONSUMER.CREATE.JETSEEK_g0.x", "$JS.API.CONSUMER.MSG.NEXT.JETSEEK_g0.x",
		"other.subject",
	}
	process := []string{
		"jetseek.tail.g0", "jetseek.tail.g0.own", "jetseek.read.books.search", "jetseek.write.books.index", "jetseek.admin.collections.drop",
		"$JS.API.STREAM.CREATE.X", "$JS.API.STREAM.UPDATE.JETSEEK_g0", "$JS.API.STREAM.DELETE.JETSEEK_g0", "$JS.API.STREAM.PURGE.JETSEEK_g0",
		"$JS.API.STREAM.PURGE.KV_JETSEEK", "$JS.API.STREAM.MSG.DELETE.JETSEEK_g0", "other.subject",
	}
	publish := map[string][]string{
		"reader":      append([]string{"jetseek.write.books.index", "jetseek.write.books.delete", "jetseek.admin.members", "jetseek.group.g0.n1.search", "$O.JETSEEK.C.x", "$SRV.PING"}, outsider...),
		"writer":      append([]string{"jetseek.admin.collections.drop", "jetseek.admin.members", "jetseek.group.g0.n1.search", "$SRV.PING"}, outsider...),
		"admin":       outsider,
		"coordinator": append([]string{"jetseek.log.g9", "jetseek.event.group.g0.applied", "$KV.JETSEEK.members.g0.n1"}, process...),
		"member":      append([]string{"jetseek.log.g0.own", "jetseek.log.g9", "jetseek.group.g0.n1.search", "$KV.JETSEEK.collections.books", "$KV.JETSEEK.members.g9.n1", "jetseek.event.group.g9.applied", "$O.JETSEEK.C.x", "$O.JETSEEK_DOCUMENTS.C.x"}, process...),
	}
	foreign := []string{">", "_INBOX.>", "jetseek.log.g0", "jetseek.>"}
	subscribe := map[string][]string{
		"reader":      append([]string{"_INBOX_JETSEEK.writer.>", "_INBOX_JETSEEK.c.>", "jetseek.read.*.search", "jetseek.tail.g0", "$KV.JETSEEK.>", "jetseek.event.map"}, foreign...),
		"writer":      append([]string{"_INBOX_JETSEEK.reader.>", "jetseek.write.*.index", "jetseek.tail.g0"}, foreign...),
		"admin":       append([]string{"_INBOX_JETSEEK.reader.>", "jetseek.admin.>", "jetseek.tail.g0"}, foreign...),
		"coordinator": append([]string{"_INBOX_JETSEEK.reader.>", "jetseek.group.g0.n1.search", "jetseek.tail.g0"}, foreign...),
		"member":      append([]string{"_INBOX_JETSEEK.c.>", "jetseek.read.*.*", "jetseek.tail.g9", "jetseek.group.g9.n1.*"}, foreign...),
	}
	for role, conn := range conns {
		for _, subject := range publish[role] {
			if err := conn.Publish(subject, nil); err != nil {
				g.t.Fatal(err)
			}
		}
		for _, subject := range subscribe[role] {
			if _, err := conn.Subscribe(subject, func(*nats.Msg) {}); err != nil {
				g.t.Fatal(err)
			}
		}
		if err := conn.Flush(); err != nil {
			g.t.Fatal(err)
		}
		await(g.t, func() error {
			all := strings.ToLower(strings.Join(g.refused(role), "\n"))
			for what, list := range map[string][]string{"publish to": publish[role], "subscription to": subscribe[role]} {
				for _, subject := range list {
					if !strings.Contains(all, what+` "`+strings.ToLower(subject)+`"`) {
						return fmt.Errorf("%s: %s %s was not refused", role, what, subject)
					}
				}
			}
			return nil
		})
	}
}
