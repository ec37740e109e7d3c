package subjects_test

import (
	"strings"
	"testing"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects"
)

func TestNamesAreThoseOfTheTable(t *testing.T) {
	var n subjects.Names
	acme, err := subjects.New("acme.search")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ got, want string }{
		{n.Prefix(), "jetseek"},
		{n.Read("books", "search"), "jetseek.read.books.search"},
		{n.Write("books", "index"), "jetseek.write.books.index"},
		{n.Admin("collections.list"), "jetseek.admin.collections.list"},
		{n.Member("g0", "n1", "ping"), "jetseek.group.g0.n1.ping"},
		{n.Any("g0", "search"), "jetseek.group.g0.any.search"},
		{n.Log("g0"), "jetseek.log.g0"},
		{n.LogOwn("g0"), "jetseek.log.g0.own"},
		{n.Tail("g0"), "jetseek.tail.g0"},
		{n.TailOwn("g0"), "jetseek.tail.g0.own"},
		{n.LogQuarantine("g0"), "jetseek.log.g0.quarantine"},
		{n.TailQuarantine("g0"), "jetseek.tail.g0.quarantine"},
		{n.Applied("g0"), "jetseek.event.group.g0.applied"},
		{n.AppliedAll(), "jetseek.event.group.*.applied"},
		{n.EventMap(), "jetseek.event.map"},
		{n.Stream("g0"), "JETSEEK_g0"},
		{n.Bucket(), "JETSEEK"},
		{n.ObjectBucket(), "JETSEEK"},
		{n.Inbox(0xabc), "_INBOX_JETSEEK.c.0000000000000abc"},
		{acme.Read("books", "get"), "acme.search.read.books.get"},
		{acme.Stream("g10"), "ACME_SEARCH_g10"},
		{acme.Bucket(), "ACME_SEARCH"},
		{acme.Inbox(1<<64 - 1), "_INBOX_ACME_SEARCH.c.ffffffffffffffff"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func TestPrefixes(t *testing.T) {
	for _, prefix := range []string{"jetseek", "a", "a.b.c", "x-1.y_2", strings.Repeat("a", 64)} {
		if n, err := subjects.New(prefix); err != nil || n.Prefix() != prefix {
			t.Errorf("%q: %v", prefix, err)
		}
	}
	for _, prefix := range []string{"", ".", "a.", ".a", "a..b", "A", "a b", "a.*", ">", "$KV", "é", strings.Repeat("a", 65)} {
		if _, err := subjects.New(prefix); err == nil {
			t.Errorf("%q was accepted", prefix)
		}
	}
}

func TestWhereRequestsAreAnswered(t *testing.T) {
	for reply, want := range map[string]bool{
		"_INBOX.abc":      true,
		"_R_.x":           true,
		"_INBOX_X.c.1":    true,
		"":                false,
		"_":               false,
		"jetseek.log.g0":  false,
		"$JS.API.INFO":    false,
		"a._INBOX":        false,
		"_INBOX.*":        false,
		"_INBOX.>":        false,
		"_INBOX..x":       false,
		"_INBOX.a b":      false,
		"_INBOX.a\r\nPUB": false,
	} {
		if got := subjects.IsInbox(reply); got != want {
			t.Errorf("IsInbox(%q) = %t", reply, got)
		}
	}
}

func TestCoordinatorInbox(t *testing.T) {
	var n subjects.Names
	inbox := n.Inbox(7)
	for reply, want := range map[string]bool{
		inbox:                                   true,
		subjects.ReportSubject(inbox):           true,
		inbox + ".1.2.3":                        true,
		inbox + ".>":                            false,
		inbox + ".":                             false,
		inbox + "0":                             false,
		"_INBOX_JETSEEK.c.":                     false,
		"_INBOX_JETSEEK.c.000000000000000":      false,
		"_INBOX_JETSEEK.c.000000000000000G.x":   false,
		"_INBOX_ACME.c.0000000000000007.report": false,
		"jetseek.log.g0":                        false,
	} {
		if got := n.IsCoordinatorInbox(reply); got != want {
			t.Errorf("IsCoordinatorInbox(%q) = %t", reply, got)
		}
	}
}

func TestReplySubjects(t *testing.T) {
	inbox := subjects.Names{}.Inbox(1)
	call := subjects.Call{ID: 0xbeef, Round: 2, Slot: 17}
	subject := subjects.ReplySubject(inbox, call)
	if want := "_INBOX_JETSEEK.c.0000000000000001.beef.2.17"; subject != want {
		t.Fatalf("got %q, want %q", subject, want)
	}
	if got, ok := subjects.ParseReply(inbox, subject); !ok || got != call {
		t.Fatalf("%q is %+v, %t", subject, got, ok)
	}
	for _, bad := range []string{"", inbox, inbox + ".1.2", inbox + ".1.2.3.4", inbox + ".x.2.3", inbox + ".1.-2.3", inbox + ".1.2.4294967296", "other.1.2.3"} {
		if got, ok := subjects.ParseReply(inbox, bad); ok {
			t.Errorf("%q is %+v", bad, got)
		}
	}
}

func TestNamesThatUsersChoose(t *testing.T) {
	long := strings.Repeat("a", 65)
	for _, c := range []struct {
		check func(string) error
		name  string
		ok    bool
	}{
		{subjects.ValidCollection, "books", true},
		{subjects.ValidCollection, "any", true},
		{subjects.ValidCollection, "a_b-9", true},
		{subjects.ValidCollection, long[:64], true},
		{subjects.ValidCollection, long, false},
		{subjects.ValidCollection, "", false},
		{subjects.ValidCollection, "a.b", false},
		{subjects.ValidCollection, "*", false},
		{subjects.ValidCollection, "Books", false},
		{subjects.ValidCollection, "é", false},
		{subjects.ValidCollection, "a\n", false},
		{subjects.ValidGroup, "g0", true},
		{subjects.ValidGroup, "eu-west", true},
		{subjects.ValidGroup, "g_0", false},
		{subjects.ValidGroup, long[:32], true},
		{subjects.ValidGroup, long[:33], false},
		{subjects.ValidNode, "n_1", true},
		{subjects.ValidNode, "any", false},
		{subjects.ValidNode, "map", false},
		{subjects.ValidNode, "member", false},
		{subjects.ValidNode, "all", false},
		{subjects.ValidNode, "n/1", false},
	} {
		err := c.check(c.name)
		if (err == nil) != c.ok || err != nil && fault.CodeOf(err) != fault.BadRequest {
			t.Errorf("%q: %v", c.name, err)
		}
	}
}

func TestMemberIDs(t *testing.T) {
	if g, n, ok := subjects.SplitMember(subjects.MemberID("g0", "n1")); !ok || g != "g0" || n != "n1" {
		t.Errorf("g0/n1 is %q, %q, %t", g, n, ok)
	}
	for _, id := range []string{"", "g0", "/n1", "g0/", "g0/n1/x", "g0/any", "g_0/n1"} {
		if _, _, ok := subjects.SplitMember(id); ok {
			t.Errorf("%q was accepted", id)
		}
	}
}
