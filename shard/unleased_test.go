package shard

import (
	"strings"
	"testing"

	"github.com/jetseek/jetseek/subjects"
)

// A member whose stream is taken away says so when its leases have run out, and that the data is kept.
func TestStreamThatIsTakenAway(t *testing.T) {
	th := newTheatre(t)
	m := th.start("n1")
	th.serving(m)
	names := subjects.Names{}
	if err := th.server.JetStream(t).DeleteStream(t.Context(), names.Stream("g0")); err != nil {
		t.Fatal(err)
	}
	th.becomes(m, Joining)
	if _, reason := m.State(); !strings.HasPrefix(reason, "log_rewritten: JETSEEK_g0 is gone") || !strings.Contains(reason, "keeps its data") {
		t.Errorf("reason %q", reason)
	}
}

// A member whose log takes no lease for as long as one lasts does not call itself serving, says why, and serves again when the log is back.
func TestMemberWithoutALease(t *testing.T) {
	th := newTheatre(t)
	m := th.start("n1")
	th.serving(m)
	th.server.Stop()
	th.becomes(m, Joining)
	if _, reason := m.State(); !strings.HasPrefix(reason, "no_lease: ") {
		t.Errorf("reason %q, want no_lease", reason)
	}
	th.server.Restart()
	th.becomes(m, Serving)
	if _, reason := m.State(); reason != "" {
		t.Errorf("it serves, with the reason %q", reason)
	}
}
