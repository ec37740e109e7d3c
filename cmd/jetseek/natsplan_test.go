package main

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/jetseek/jetseek/embedded/natstest"
)

// planned runs nats-plan and gives what it prints and its exit code.
func planned(t *testing.T, args ...string) (out, err string, code int) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = program{stdout: &stdout, stderr: &stderr}.run(t.Context(), append([]string{"jetseek", "nats-plan"}, args...))
	return stdout.String(), stderr.String(), code
}

// A nats-server takes the snippet as its configuration, and its streams from the JSON.
func TestNATSPlan(t *testing.T) {
	for _, role := range []string{"READER", "WRITER", "ADMIN", "COORDINATOR", "MEMBER"} {
		t.Setenv("JETSEEK_"+role+"_PASSWORD", "secret")
	}
	snippet, _, code := planned(t, "--groups", "g0,g7", "--node", "n1", "--prefix", "acme.search")
	if code != 0 {
		t.Fatal(snippet)
	}
	natstest.Start(t, natstest.Users(t, snippet))
	for _, want := range []string{"user: reader,", "user: member,", `"acme.search.read.*.*"`, `"acme.search.group.g7.n1.*"`, `"$KV.ACME_SEARCH.members.g0.n1"`} {
		if !strings.Contains(snippet, want) {
			t.Errorf("the snippet has no %s:\n%s", want, snippet)
		}
	}
	if strings.Contains(snippet, "secret") {
		t.Error("the snippet holds a password")
	}

	printed, _, code := planned(t, "--groups", "g0", "--json")
	var plan struct {
		Streams []jetstream.StreamConfig
		Roles   []struct {
			Name, InboxPrefix  string
			Publish, Subscribe []string
		}
	}
	if err := json.Unmarshal([]byte(printed), &plan); err != nil || code != 0 {
		t.Fatalf("%d %v: %s", code, err, printed)
	}
	js := natstest.Start(t).JetStream(t)
	var names []string
	for _, s := range plan.Streams {
		names = append(names, s.Name)
		if _, err := js.CreateStream(t.Context(), s); err != nil {
			t.Errorf("stream %s: %v", s.Name, err)
		}
	}
	if want := []string{"JETSEEK_g0", "KV_JETSEEK", "OBJ_JETSEEK", "OBJ_JETSEEK_DOCUMENTS"}; !slices.Equal(names, want) {
		t.Errorf("streams %v, want %v", names, want)
	}
	if len(plan.Roles) != 5 || !slices.Equal(plan.Roles[0].Publish, []string{"jetseek.read.*.*"}) {
		t.Errorf("roles %+v", plan.Roles)
	}
}

func TestNATSPlanRefuses(t *testing.T) {
	for _, args := range [][]string{{"--groups", "g_0"}, {"--groups", ""}, {"--node", "any"}, {"--prefix", "a b"}, {"--replicas", "2"}, {"--replicas", "x"}, {"more"}} {
		if out, said, code := planned(t, args...); code != exitUsage || out != "" || said == "" {
			t.Errorf("%v: code %d, %q, %q", args, code, out, said)
		}
	}
}
