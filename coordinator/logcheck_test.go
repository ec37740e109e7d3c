package coordinator

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects/wire"
)

// untilTaken writes until a write is taken.
func (c *cluster) untilTaken(by *Coordinator, within time.Duration) {
	c.t.Helper()
	for end := time.Now().Add(within); ; {
		_, err := c.index(by, "c", `{"id":"again"}`)
		if err == nil {
			return
		}
		if time.Now().After(end) {
			c.t.Fatalf("writes are not taken again within %s: %v", within, err)
		}
		time.Sleep(100 * time.Millisecond) // between two tries; the end is by the clock above, not by this
	}
}

func (c *cluster) members(by *Coordinator) wire.MembersBody {
	c.t.Helper()
	answer, err := by.handleMembers(c.t.Context(), "", nil)
	if err != nil {
		c.t.Fatal(err)
	}
	return answer.body.(wire.MembersBody)
}

// A log whose settings could lose writes is not written to, status says so, and when they are right again writes go on by themselves.
func TestLogSettingsStopWritesWhileTheyAreWrong(t *testing.T) {
	c := newCluster(t, 1)
	by := c.coordinator()
	c.create(by, "c")
	stream, err := by.js.Stream(t.Context(), by.names.Stream("g0"))
	if err != nil {
		t.Fatal(err)
	}
	right := stream.CachedInfo().Config
	wrong := right
	wrong.MaxAge = time.Hour
	if _, err := by.js.UpdateStream(t.Context(), wrong); err != nil {
		t.Fatal(err)
	}
	by.checkSettings(t.Context(), "g0") // as it does each minute
	_, err = c.index(by, "c", `{"id":"a"}`)
	if e := wire.FromError(err); err == nil || e.Code != fault.Unavailable || e.Reason != reasonLogSettings || e.Durable != wire.NotDurable || !strings.Contains(e.Message, "max age") {
		t.Errorf("a write to a log whose messages expire: %v", err)
	}
	if m := c.members(by); len(m.Alarms) != 1 || !strings.Contains(m.Alarms[0], "log of group g0") {
		t.Errorf("alarms %q", m.Alarms)
	}
	if _, err := by.js.UpdateStream(t.Context(), right); err != nil {
		t.Fatal(err)
	}
	c.untilTaken(by, 2*checkAgain)
	if m := c.members(by); len(m.Alarms) != 0 {
		t.Errorf("alarms %q after the settings are right again", m.Alarms)
	}
}

// An acknowledgement with a place that the log had given before makes the write's fate unknown and stops the others; when a member that serves has followed the log beyond what had
// been acknowledged, writes go on without a new coordinator.
func TestLogThatWasSetBackStopsWritesUntilItIsRestored(t *testing.T) {
	c := newCluster(t, 1)
	first := c.coordinator()
	c.create(first, "c")
	seq := c.mustIndex(first, "c", `{"id":"a"}`).Seq
	const lost = 50
	by := c.coordinator()
	by.packer("g0").seen = seq + lost // it has published nothing; as if the log had acknowledged so many more, and lost them: more than members write meanwhile
	_, err := c.index(by, "c", `{"id":"b"}`)
	// A member may report it before its acknowledgement has come: then it stands.
	if e := wire.FromError(err); err != nil && (e.Reason != reasonLogRewritten || e.Durable != wire.DurableUnknown) {
		t.Errorf("the write that was stored at a place given before: %v", err)
	}
	_, err = c.index(by, "c", `{"id":"c"}`)
	if e := wire.FromError(err); err == nil || e.Reason != reasonLogRewritten || e.Durable != wire.NotDurable {
		t.Errorf("the write after it: %v", err)
	}
	if m := c.members(by); len(m.Alarms) != 1 || !strings.Contains(m.Alarms[0], "NATS has lost what it had stored") {
		t.Errorf("alarms %q", m.Alarms)
	}
	other := c.coordinator()
	for range lost {
		if _, err := other.tell(t.Context(), "g0", wire.Op{Kind: wire.KindBarrier, IfVersion: wire.NoCondition}); err != nil {
			t.Fatal(err)
		}
	}
	c.untilTaken(by, time.Minute)
	if m := c.members(by); len(m.Alarms) != 0 {
		t.Errorf("alarms %q after the log is whole again", m.Alarms)
	}
}

// A log whose beginning was purged is an alarm, and is written to: members have applied what is gone. One whose stream is gone is not.
func TestLogThatLostMessages(t *testing.T) {
	c := newCluster(t, 1)
	by := c.coordinator()
	c.create(by, "c")
	seq := c.mustIndex(by, "c", `{"id":"a"}`).Seq
	stream, err := by.js.Stream(t.Context(), by.names.Stream("g0"))
	if err != nil {
		t.Fatal(err)
	}
	if err := stream.Purge(t.Context(), jetstream.WithPurgeSequence(seq)); err != nil {
		t.Fatal(err)
	}
	by.checkSettings(t.Context(), "g0") // as it does each minute
	if m := c.members(by); len(m.Alarms) != 1 || !strings.Contains(m.Alarms[0], fmt.Sprintf("begins at message %d", seq)) {
		t.Errorf("alarms %q, want that it begins at %d", m.Alarms, seq)
	}
	c.mustIndex(by, "c", `{"id":"b"}`)

	config := stream.CachedInfo().Config
	if err := by.js.DeleteStream(t.Context(), config.Name); err != nil {
		t.Fatal(err)
	}
	_, err = c.index(by, "c", `{"id":"c"}`)
	if e := wire.FromError(err); err == nil || e.Reason != reasonLogRefused || e.Durable != wire.NotDurable {
		t.Errorf("the first write to a stream that is gone: %v", err)
	}
	for range goneLooks { // as it does each second from then on
		by.checkSettings(t.Context(), "g0")
	}
	_, err = c.index(by, "c", `{"id":"c"}`)
	if e := wire.FromError(err); err == nil || e.Reason != reasonLogRewritten || e.Durable != wire.NotDurable {
		t.Errorf("a write to a stream that is known to be gone: %v", err)
	}
	if m := c.members(by); len(m.Alarms) != 1 || !strings.Contains(m.Alarms[0], "is gone") {
		t.Errorf("alarms %q, want that the stream is gone", m.Alarms)
	}
}

// How a server syncs is read from its monitoring; what cannot be read is unknown, with the reason.
func TestSyncIsReadFromTheMonitoring(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"always", `{"jetstream":{"config":{"sync_always":true,"sync_interval":120000000000}}}`, "always"},
		{"each two minutes", `{"jetstream":{"config":{"sync_interval":120000000000}}}`, "every 2m0s"},
		{"no JetStream", `{}`, "unknown: the server at URL has no JetStream"},
		{"no JSON", `<html>`, "unknown: read the server's monitoring: invalid character '<' looking for beginning of value"},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/varz" {
				http.NotFound(w, r)
				return
			}
			fmt.Fprint(w, c.body)
		}))
		state, err := readSync(context.Background(), server.URL)
		if err != nil {
			state.why = err.Error()
		}
		if got := strings.ReplaceAll(state.String(), server.URL, "URL"); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		checks := logChecks{sync: state}
		if wrong := checks.unsynced() != nil; wrong != (c.name == "each two minutes") {
			t.Errorf("%s: stops writes: %t", c.name, wrong)
		}
		server.Close()
	}
	if _, err := readSync(context.Background(), "http://127.0.0.1:1"); err == nil {
		t.Error("a monitoring that is not there was read")
	}
}
