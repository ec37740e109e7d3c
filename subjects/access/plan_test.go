package access_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/jetseek/jetseek/subjects"
	"github.com/jetseek/jetseek/subjects/access"
	"github.com/jetseek/jetseek/subjects/ops"
)

// matches tells whether a permission covers a subject without wildcards, by the rules of NATS.
func matches(permission, subject string) bool {
	p, s := strings.Split(permission, "."), strings.Split(subject, ".")
	for i, token := range p {
		if token == ">" {
			return len(s) > i
		}
		if i >= len(s) || token != "*" && token != s[i] {
			return false
		}
	}
	return len(p) == len(s)
}

func allows(permissions []string, subject string) bool {
	return slices.ContainsFunc(permissions, func(p string) bool { return matches(p, subject) })
}

// Every operation of the table may be asked by the roles that may ask it and by no other, and coordinators can answer all.
func TestPermissionsFollowTheTable(t *testing.T) {
	names, err := subjects.New("acme.search")
	if err != nil {
		t.Fatal(err)
	}
	plan, err := access.New(names, access.Options{Groups: []string{"g0"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, op := range ops.Table() {
		subject := op.ID.Subject(names, "books")
		for _, role := range ops.Roles() {
			if got := allows(plan.Role(string(role)).Publish, subject); got != op.MayAsk(role) {
				t.Errorf("%s may publish %s: %t", role, subject, got)
			}
		}
		for _, process := range []string{access.Coordinator, access.Member} {
			r := plan.Role(process)
			if allows(r.Publish, subject) || allows(r.Subscribe, subject) != (process == access.Coordinator) {
				t.Errorf("%s: publishes %s %t, subscribes to it %t", process, subject, allows(r.Publish, subject), allows(r.Subscribe, subject))
			}
		}
	}
}

func TestPlanOfOneNode(t *testing.T) {
	plan, err := access.New(subjects.Names{}, access.Options{Groups: []string{"g0", "g2"}, Node: "n1", Replicas: 3})
	if err != nil {
		t.Fatal(err)
	}
	m := plan.Role(access.Member)
	for subject, want := range map[string]bool{"jetseek.group.g0.n1.search": true, "jetseek.group.g2.any.search": true, "jetseek.group.g0.n2.search": false, "jetseek.group.g1.n1.search": false} {
		if allows(m.Subscribe, subject) != want {
			t.Errorf("node n1 subscribes to %s: %t", subject, !want)
		}
	}
	for subject, want := range map[string]bool{"$KV.JETSEEK.members.g0.n1": true, "$KV.JETSEEK.members.g0.n2": false, "jetseek.log.g2": true, "jetseek.log.g1": false} {
		if allows(m.Publish, subject) != want {
			t.Errorf("node n1 publishes %s: %t", subject, !want)
		}
	}
	var streams []string
	for _, s := range plan.Streams {
		streams = append(streams, s.Name)
		if s.Replicas != 3 {
			t.Errorf("%s has %d replicas", s.Name, s.Replicas)
		}
	}
	if want := []string{"JETSEEK_g0", "JETSEEK_g2", "KV_JETSEEK", "OBJ_JETSEEK", "OBJ_JETSEEK_DOCUMENTS"}; !slices.Equal(streams, want) {
		t.Errorf("streams %v, want %v", streams, want)
	}
	for _, o := range []access.Options{{Groups: []string{"g_0"}}, {Groups: []string{"g0"}, Node: "any"}} {
		if _, err := access.New(subjects.Names{}, o); err == nil {
			t.Errorf("%+v was taken", o)
		}
	}
}
