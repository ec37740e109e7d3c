package ops_test

import (
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects"
	"github.com/jetseek/jetseek/subjects/ops"
	"github.com/jetseek/jetseek/subjects/wire"
)

// What the table says of every operation holds together: a subject of its own, a reply, a way over HTTP that no other takes, and parameters that can go
// where they are said to go.
func TestTableHoldsTogether(t *testing.T) {
	seen := map[string]bool{}
	once := func(what string) {
		if seen[what] {
			t.Errorf("%s stands twice", what)
		}
		seen[what] = true
	}
	for _, op := range ops.Table() {
		once(string(op.ID))
		if !slices.Contains([]ops.Plane{ops.Read, ops.Write, ops.Admin}, op.ID.Plane()) || op.ID.Name() == "" {
			t.Errorf("%s: plane %q, name %q", op.ID, op.ID.Plane(), op.ID.Name())
		}
		if op.About == "" || op.Reply == nil || op.ID.Budget() <= 0 {
			t.Errorf("%s: about %q, reply %v, budget %s", op.ID, op.About, op.Reply, op.ID.Budget())
		}
		if len(op.Routes) == 0 {
			t.Errorf("%s has no twin over HTTP", op.ID)
		}
		for _, r := range op.Routes {
			once(r.Method + " " + r.Path)
			checkRoute(t, &op, &r)
		}
	}
}

func checkRoute(t *testing.T, op *ops.Op, r *ops.Route) {
	where := r.Method + " " + r.Path
	if !slices.Contains([]string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete}, r.Method) || len(r.Status) == 0 {
		t.Errorf("%s: method, or statuses %v", where, r.Status)
	}
	if r.Method == http.MethodGet && (r.Body != ops.NoBody || op.ID.Changes()) {
		t.Errorf("%s: a GET with a body, or that changes something", where)
	}
	if strings.HasPrefix(r.Path, "/collections/{collection}/") != slices.ContainsFunc(r.Params, func(p ops.Param) bool { return p.To == ops.Collection && p.InPath }) {
		t.Errorf("%s: the collection does not come from the path", where)
	}
	names := map[string]bool{}
	for _, p := range r.Params {
		if names[p.Name] || p.About == "" || p.InPath != strings.Contains(r.Path, "{"+p.Name+"}") {
			t.Errorf("%s: parameter %s", where, p.Name)
		}
		names[p.Name] = true
		switch p.To {
		case ops.Field:
			if r.Body != ops.NoBody && r.Body != ops.SchemaBody {
				t.Errorf("%s: parameter %s would be a field of a body that is passed on as it is", where, p.Name)
			}
		case ops.Header:
			if !slices.Contains(op.Headers(), p.Key) {
				t.Errorf("%s: parameter %s becomes header %s, which the operation does not take", where, p.Name, p.Key)
			}
		case ops.Collection:
			if op.ID.Plane() == ops.Admin {
				t.Errorf("%s: a subject of the admin plane names no collection", where)
			}
		}
	}
}

// The subjects are those of the page of the API, written out here.
func TestSubjects(t *testing.T) {
	want := map[ops.ID]string{
		ops.Search: "jetseek.read.books.search", ops.Get: "jetseek.read.books.get", ops.Explain: "jetseek.read.books.explain",
		ops.Analyze: "jetseek.read.books.analyze", ops.Suggest: "jetseek.read.books.suggest",
		ops.Index: "jetseek.write.books.index", ops.Bulk: "jetseek.write.books.bulk", ops.Delete: "jetseek.write.books.delete",
		ops.CollectionsCreate: "jetseek.admin.collections.create", ops.CollectionsShow: "jetseek.admin.collections.show",
		ops.CollectionsList: "jetseek.admin.collections.list", ops.CollectionsDrop: "jetseek.admin.collections.drop",
		ops.Status: "jetseek.admin.status", ops.Members: "jetseek.admin.members", ops.Map: "jetseek.admin.map",
		ops.Ring: "jetseek.admin.ring", ops.Placement: "jetseek.admin.placement", ops.Plan: "jetseek.admin.plan",
		ops.Repair: "jetseek.admin.repair", ops.Quarantine: "jetseek.admin.quarantine", ops.Requeue: "jetseek.admin.requeue",
	}
	var names subjects.Names
	for id, subject := range want {
		if got := id.Subject(names, "books"); got != subject {
			t.Errorf("%s: %s, want %s", id, got, subject)
		}
		parsed, collection := id.Plane().Parse(names, subject)
		if parsed != id || (collection == "books") != (id.Plane() != ops.Admin) {
			t.Errorf("%s is parsed as %s of %q", subject, parsed, collection)
		}
	}
	for plane, all := range map[ops.Plane]string{ops.Read: "jetseek.read.*.*", ops.Write: "jetseek.write.*.*", ops.Admin: "jetseek.admin.>"} {
		if got := plane.All(names); got != all {
			t.Errorf("all of %s: %s, want %s", plane, got, all)
		}
	}
}

func TestEveryOperationStandsInTheProtocolTable(t *testing.T) {
	text, err := os.ReadFile("../doc.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, op := range ops.Table() {
		if !regexp.MustCompile(`[ :]` + regexp.QuoteMeta(op.ID.Name()) + `[,:\n]`).Match(text) {
			t.Errorf("subjects/doc.go does not name %s", op.ID)
		}
	}
}

func TestRoles(t *testing.T) {
	for _, op := range ops.Table() {
		plane := string(op.ID.Plane())
		for role, planes := range map[ops.Role]string{ops.Reader: "read", ops.Writer: "read write", ops.Administrator: "read write admin"} {
			if got, want := op.MayAsk(role), slices.Contains(strings.Fields(planes), plane); got != want {
				t.Errorf("%s may ask %s: %t", role, op.ID, got)
			}
		}
	}
}

func TestCheckHeaders(t *testing.T) {
	table := ops.Table()
	op := &table[slices.IndexFunc(table, func(o ops.Op) bool { return o.ID == ops.Delete })]
	for name, c := range map[string]struct {
		header map[string][]string
		word   string // "": taken
	}{
		"none":                 {nil, ""},
		"all of its own":       {map[string][]string{wire.HeaderWait: {"none"}, wire.HeaderTimeoutMs: {"5"}, wire.HeaderIfVersion: {"1"}, wire.HeaderBudgetMs: {"9"}}, ""},
		"of others":            {map[string][]string{"traceparent": {"a", "b"}, "Nats-Msg-Id": {"x"}}, ""},
		"misspelt":             {map[string][]string{"Jetseek-Wiat": {"none"}}, "Jetseek-Wiat"},
		"in another case":      {map[string][]string{"jetseek-wait": {"none"}}, "jetseek-wait"},
		"of another operation": {map[string][]string{wire.HeaderID: {"a"}}, wire.HeaderID},
		"twice":                {map[string][]string{wire.HeaderWait: {"none", "applied"}}, "2 times"},
		"the least of many, so that the answer is the same": {map[string][]string{"Jetseek-B": {""}, "Jetseek-A": {""}}, "Jetseek-A"},
	} {
		err := ops.CheckHeaders(c.header, op.Headers())
		if (err == nil) != (c.word == "") || err != nil && (fault.CodeOf(err) != fault.BadRequest || !strings.Contains(err.Error(), c.word)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
