package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

// cluster is a real one on the loopback address: NATS, three shard processes, two coordinators. Each of three groups is on two nodes.
type cluster struct {
	t       *testing.T
	bin     string
	dir     string
	natsURL string
	parts   map[string]*osProcess
	doors   []string // base URLs of the coordinators
}

// testLease is short, so that a write after a member's death waits for little.
const testLease = "4s"

// osProcess is a process of the binary under test.
type osProcess struct {
	cmd  *exec.Cmd
	err  *screen
	done chan struct{} // closed when it has ended
}

// buildBinary builds the command as it is shipped.
func buildBinary(t *testing.T) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "jetseek")
	if out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return bin
}

func startCluster(t *testing.T) *cluster {
	t.Helper()
	c := &cluster{t: t, bin: buildBinary(t), dir: t.TempDir(), parts: map[string]*osProcess{}}
	c.startNATS("0")
	for node, groups := range map[string]string{"n1": "g0,g1", "n2": "g1,g2", "n3": "g2,g0"} {
		c.startShard(node, groups)
	}
	for _, name := range []string{"c1", "c2"} {
		p := c.run(name, "coordinator", "--nats", c.natsURL, "--http", "127.0.0.1:0", "--expect-groups", "3")
		c.doors = append(c.doors, "http://"+p.err.await(minute(t), t, `jetseek ready http=(\S+)`)[1])
	}
	for _, node := range []string{"n1", "n2", "n3"} {
		c.parts[node].err.await(minute(t), t, "jetseek ready nats=")
	}
	for door := range c.doors { // what members say of themselves is on its way to the coordinators
		took := await(t, 5*time.Second, "ready", func() bool { return c.ask(door, "GET", "/ready", "").status == 200 })
		t.Logf("door %d is ready %s after all processes", door, took.Round(time.Millisecond))
	}
	return c
}

// startNATS starts the server on a port; it is ready when this returns.
func (c *cluster) startNATS(port string) {
	c.t.Helper()
	p := c.run("nats", "nats", "--nats-port", port, "--data", filepath.Join(c.dir, "nats"))
	c.natsURL = p.err.await(minute(c.t), c.t, `jetseek ready nats=(\S+)`)[1]
}

func (c *cluster) startShard(node, groups string) {
	c.t.Helper()
	c.run(node, "shard", "--lease", testLease, "--nats", c.natsURL, "--node", node, "--groups", groups, "--data", filepath.Join(c.dir, "shard"))
}

// run starts a process, which ends with the test.
func (c *cluster) run(name string, args ...string) *osProcess {
	c.t.Helper()
	p := startProcess(c.t, c.bin, args...)
	c.parts[name] = p
	return p
}

func startProcess(t *testing.T, bin string, args ...string) *osProcess {
	t.Helper()
	p := &osProcess{cmd: exec.Command(bin, args...), err: &screen{}, done: make(chan struct{})}
	p.cmd.Stderr = p.err
	p.cmd.Env = append(os.Environ(), "NATS_URL=", "NATS_CONTEXT=", "NATS_CREDS=")
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { // ends with the process
		defer close(p.done)
		_ = p.cmd.Wait() // the state is in p.cmd
	}()
	t.Cleanup(func() { p.kill() })
	return p
}

// kill ends a process as a crash does.
func (p *osProcess) kill() {
	_ = p.cmd.Process.Kill() // it may have ended
	<-p.done
}

// end asks a process to end, and wants exit code 0.
func (p *osProcess) end(t *testing.T) {
	t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	p.ended(t)
}

// ended waits for a process that was asked to end, and wants exit code 0.
func (p *osProcess) ended(t *testing.T) {
	t.Helper()
	select {
	case <-p.done:
	case <-time.After(30 * time.Second):
		t.Fatalf("it does not end:\n%s", p.err)
	}
	if code := p.cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("exit code %d:\n%s", code, p.err)
	}
}

// reply is what a door answered.
type reply struct {
	status int
	body   []byte
	took   time.Duration
}

// ask makes one HTTP request, which must have an answer.
func (c *cluster) ask(door int, method, path, body string) reply {
	c.t.Helper()
	r, err := c.try(door, method, path, body)
	if err != nil {
		c.t.Fatalf("%s %s: %v", method, path, err)
	}
	return r
}

// try makes one HTTP request; any goroutine may.
func (c *cluster) try(door int, method, path, body string) (reply, error) {
	ctx, cancel := context.WithTimeout(c.t.Context(), 40*time.Second)
	defer cancel()
	began := time.Now()
	r, err := http.NewRequestWithContext(ctx, method, c.doors[door]+path, strings.NewReader(body))
	if err != nil {
		return reply{}, err
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return reply{}, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return reply{resp.StatusCode, text, time.Since(began)}, err
}

// decode reads a reply that must have a status.
func decode[T any](t *testing.T, r reply, status int) T {
	t.Helper()
	var out T
	if r.status != status {
		t.Fatalf("status %d, want %d: %s", r.status, status, r.body)
	}
	if err := json.Unmarshal(r.body, &out); err != nil {
		t.Fatalf("%v: %s", err, r.body)
	}
	return out
}

// searched is what the tests look at in an answer.
type searched struct {
	Exact   bool
	Partial bool
	Total   struct {
		Value    uint64
		Relation string
	}
	Shards struct {
		Total, OK, Failed int
		FailedGroups      []string `json:"failed_groups"`
	}
	Coverage struct {
		Documents float64
		Seq       map[string]uint64
	}
}

// written is what the tests look at in the reply to a bulk.
type written struct {
	OK, Durable, Visible bool
	Indexed, Failed      int
	Groups, Members      int
	MembersOK            int `json:"members_ok"`
	Behind               []string
	Seq                  map[string]uint64
	Errors               []json.RawMessage
}

// lasting is an answer without what may differ between two answers to one question: times, sequences, and how it was come by.
func lasting(t *testing.T, body []byte) string {
	t.Helper()
	var whole map[string]json.RawMessage
	var shards, coverage map[string]json.RawMessage
	for _, step := range []struct {
		from json.RawMessage
		to   *map[string]json.RawMessage
		key  string
	}{{body, &whole, ""}, {nil, &shards, "shards"}, {nil, &coverage, "coverage"}} {
		if step.key != "" {
			step.from = whole[step.key]
		}
		if err := json.Unmarshal(step.from, step.to); err != nil {
			t.Fatalf("%v: %s", err, body)
		}
	}
	for _, key := range []string{"took_ms", "cached", "shards", "coverage"} {
		delete(whole, key)
	}
	delete(shards, "hedged")
	delete(shards, "retried")
	delete(coverage, "seq")
	text, err := json.Marshal([]any{whole, shards, coverage})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// lines makes a bulk of documents from..to-1: ids "d7", and words of which each document has another mixture.
func lines(from, to int) string {
	var b bytes.Buffer
	words := []string{"river", "stone", "light", "wind", "salt"}
	for i := from; i < to; i++ {
		fmt.Fprintf(&b, `{"id":"d%d","n":%d,"text":"%s %s %s"}`+"\n", i, i, words[i%5], words[i/5%5], strings.Repeat(words[i/25%5]+" ", i%7))
	}
	return b.String()
}

// connect opens a NATS connection of the test.
func (c *cluster) connect() *nats.Conn {
	c.t.Helper()
	nc, err := nats.Connect(c.natsURL, nats.MaxReconnects(-1), nats.ReconnectWait(20*time.Millisecond))
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(nc.Close)
	return nc
}

// await asks until a condition holds, at most so long.
func await(t *testing.T, within time.Duration, what string, holds func() bool) time.Duration {
	t.Helper()
	began := time.Now()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		if time.Since(began) > within {
			t.Fatalf("%s: not within %s", what, within)
		}
		<-tick.C
	}
	return time.Since(began)
}
