package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

var questions = []string{"river", "river AND stone", "+salt -wind light", `"river stone"`, "n:[40 TO 90] AND light", "*", "text:wind OR id:d7"}

// What a cluster of real processes keeps while they are killed. One cluster serves all parts, in this order: starting one takes longer than a part.
func TestClusterOutlivesItsProcesses(t *testing.T) {
	c := startCluster(t)
	const docs = 600
	schema := `{"fields":{"text":{"type":"text"},"n":{"type":"long"}},"default_fields":["text"]}`
	if r := c.ask(0, "PUT", "/collections/default", schema); r.status != 201 {
		t.Fatalf("create: %d %s", r.status, r.body)
	}
	if w := decode[written](t, c.ask(0, "POST", "/index/bulk?timeout_ms=20000", lines(0, docs)), 200); !w.OK || w.Indexed != docs || w.MembersOK != 6 {
		t.Fatalf("bulk: %+v", w)
	}
	before := map[string]string{}
	t.Run("both doors answer the same", func(t *testing.T) {
		for _, q := range questions {
			first, second := c.search(t, 0, q), c.search(t, 1, q)
			if !first.exact || first.text != second.text {
				t.Errorf("%s:\n%s\n%s", q, first.text, second.text)
			}
			before[q] = first.text
		}
	})
	t.Run("a shard process killed", func(t *testing.T) { c.killOneShard(t, before) })
	t.Run("a shard process restarted under load", func(t *testing.T) { c.restartUnderLoad(t, docs) })
	t.Run("NATS killed and restarted", func(t *testing.T) { c.killNATS(t) })
	t.Run("a coordinator killed in a bulk", func(t *testing.T) { c.killCoordinatorInBulk(t) })
	t.Run("every process ends when told", func(t *testing.T) {
		for _, name := range []string{"c1", "c2", "n1", "n2", "n3", "nats"} {
			c.parts[name].end(t)
		}
	})
}

// answer is a search's, as far as it must be the same from any door at any time.
type answer struct {
	text  string
	exact bool
}

func (c *cluster) search(t *testing.T, door int, q string) answer {
	t.Helper()
	r := c.ask(door, "GET", "/search?limit=20&track_total=true&timeout_ms=5000&q="+url.QueryEscape(q), "")
	s := decode[searched](t, r, 200)
	return answer{lasting(t, r.body), s.Exact && !s.Partial}
}

// killOneShard: the very next query is exact, and every answer is what it was.
func (c *cluster) killOneShard(t *testing.T, before map[string]string) {
	c.parts["n2"].kill()
	for door := range c.doors {
		for _, q := range questions {
			if got := c.search(t, door, q); !got.exact || got.text != before[q] {
				t.Errorf("door %d, %s: exact %t\n%s\nwas\n%s", door, q, got.exact, got.text, before[q])
			}
		}
	}
	await(t, 6*time.Second, "the dead are called down", func() bool {
		down := 0
		for _, m := range c.members(t) {
			if m.State == "down" {
				down++
			}
		}
		return down == 2
	})
}

// restartUnderLoad: while documents are written, a member that comes back answers nothing before it has all that was acknowledged as visible.
func (c *cluster) restartUnderLoad(t *testing.T, from int) {
	nc := c.connect()
	var mu sync.Mutex // guards seen
	seen := map[string]uint64{}
	acknowledged := func(group string) uint64 {
		mu.Lock()
		defer mu.Unlock()
		return seen[group]
	}
	var stop atomic.Bool
	var bulks atomic.Int64
	var load sync.WaitGroup
	load.Go(func() { // ends with stop
		for at := from; !stop.Load(); at += 50 {
			r, err := c.try(0, "POST", "/index/bulk?timeout_ms=30000", lines(at, at+50))
			var w written
			if err != nil || json.Unmarshal(r.body, &w) != nil || !w.Visible || w.Indexed != 50 {
				t.Errorf("bulk: %v %d %s", err, r.status, r.body)
				return
			}
			mu.Lock()
			for g, seq := range w.Seq {
				seen[g] = max(seen[g], seq)
			}
			mu.Unlock()
			bulks.Add(1)
		}
	})
	await(t, 30*time.Second, "writes flow without the dead one", func() bool { return bulks.Load() >= 10 })
	c.startShard("n2", "g1,g2")
	refused := 0
	for _, group := range []string{"g1", "g2"} {
		await(t, 30*time.Second, group+"/n2 serves", func() bool {
			floor := acknowledged(group)
			m, err := nc.Request("jetseek.group."+group+".n2.search", []byte(`{"collection":"default","query":"*","limit":1}`), 5*time.Second)
			if err != nil || m.Header.Get("Nats-Service-Error-Code") != "" {
				refused++
				return false
			}
			var reply struct{ Seq uint64 }
			if err := json.Unmarshal(m.Data, &reply); err != nil || reply.Seq < floor {
				t.Errorf("%s/n2 answers at %d when %d was visible: %s", group, reply.Seq, floor, m.Data)
			}
			return true
		})
	}
	c.parts["n2"].err.await(minute(t), t, "jetseek ready")
	stop.Store(true)
	load.Wait()
	t.Logf("%d bulks of 50 in all", bulks.Load())
	if refused == 0 {
		t.Error("it served at once: nothing was seen of its catching up")
	}
	await(t, 10*time.Second, "all digests are equal", func() bool { return digestsAgree(t, c) })
}

// listed is what the tests look at of a member.
type listed struct {
	Member, Group, State, Digest string
	ContentSeq                   uint64 `json:"content_seq"`
}

func (c *cluster) members(t *testing.T) []listed {
	t.Helper()
	return decode[struct{ Members []listed }](t, c.ask(1, "GET", "/_members", ""), 200).Members
}

// digestsAgree tells whether the members of each group hold the same content.
func digestsAgree(t *testing.T, c *cluster) bool {
	t.Helper()
	list := c.members(t)
	of := map[string]string{}
	for _, m := range list {
		content := fmt.Sprint(m.ContentSeq, m.Digest)
		if m.State != "serving" || of[m.Group] != "" && of[m.Group] != content {
			return false
		}
		of[m.Group] = content
	}
	return len(list) == 6
}

// killNATS: every door says 503 within a second, whatever is asked, and all is whole within three seconds after the server is back on its store: when
// members still hold leases, and when all have run out.
func (c *cluster) killNATS(t *testing.T) {
	before := map[string]string{}
	for _, q := range questions {
		before[q] = c.search(t, 0, q).text
	}
	u, err := url.Parse(c.natsURL)
	if err != nil {
		t.Fatal(err)
	}
	lease, err := time.ParseDuration(testLease)
	if err != nil {
		t.Fatal(err)
	}
	for _, away := range []time.Duration{0, lease + time.Second} {
		c.parts["nats"].kill()
		killed := time.Now()
		c.refuseAll(t)
		await(t, time.Minute, "time passes", func() bool { return time.Since(killed) >= away && c.ask(0, "GET", "/search", "").status == 503 })
		c.startNATS(u.Port())
		whole := await(t, 3*time.Second, "whole again", func() bool { return c.isWhole(t, before) })
		t.Logf("NATS was away for %s: whole %s after it was back", time.Since(killed).Round(time.Millisecond), whole.Round(time.Millisecond))
	}
}

// refuseAll asks all kinds of things of every door, which has no NATS.
func (c *cluster) refuseAll(t *testing.T) {
	t.Helper()
	for door := range c.doors {
		for _, call := range [][3]string{
			{"GET", "/search?q=river", ""}, {"POST", "/index", `{"id":"x"}`}, {"GET", "/doc?id=d1", ""}, {"GET", "/_members", ""}, {"GET", "/ready", ""},
			{"DELETE", "/index?id=d1", ""}, {"POST", "/index/bulk", lines(0, 3)}, {"GET", "/collections", ""},
		} {
			if r := c.ask(door, call[0], call[1], call[2]); r.status != http.StatusServiceUnavailable || r.took > time.Second {
				t.Errorf("door %d, %s %s without NATS: %d after %s: %s", door, call[0], call[1], r.status, r.took, r.body)
			}
		}
	}
}

// killCoordinatorInBulk: of a bulk without ids, whose coordinator dies when the first part of it is stored, the other coordinator does the rest, and says which lines had been
// decided before.
func (c *cluster) killCoordinatorInBulk(t *testing.T) {
	const docs = 60_000 // more than a message: its parts leave one after the other
	if r := c.ask(1, "PUT", "/collections/noids", `{"fields":{"text":{"type":"text"},"n":{"type":"long"}}}`); r.status != 201 {
		t.Fatalf("create: %d %s", r.status, r.body)
	}
	stored := make(chan struct{}, 1)
	sub, err := c.connect().Subscribe("jetseek.tail.*", func(m *nats.Msg) {
		if len(m.Data) > 10_000 {
			select {
			case stored <- struct{}{}:
			default:
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = sub.Unsubscribe() }() // its connection ends with the test
	const path = "/collections/noids/index/bulk?request_id=once&timeout_ms=30000"
	body := regexp.MustCompile(`"id":"[^"]*",`).ReplaceAllString(lines(0, docs), "")
	broken := make(chan error, 1)
	go func() { // ends with the coordinator
		r, err := c.try(0, "POST", path, body)
		if err == nil {
			err = fmt.Errorf("answered: %d %s", r.status, r.body)
		}
		broken <- err
	}()
	select {
	case <-stored:
	case <-minute(t).Done():
		t.Fatal("nothing of it is stored")
	}
	c.parts["c1"].kill()
	t.Logf("the first try ends with %v", <-broken)
	type repeated struct {
		Indexed, Failed, Repeated int
		RepeatedLines             []struct{ From, To int } `json:"repeated_lines"`
	}
	w := decode[repeated](t, c.ask(1, "POST", path, body), 200)
	named := 0
	for _, r := range w.RepeatedLines {
		named += r.To - r.From + 1
	}
	t.Logf("%d of %d lines had been decided before", w.Repeated, docs)
	if w.Indexed != docs || w.Failed != 0 || w.Repeated == 0 || w.Repeated == docs || named != w.Repeated {
		t.Errorf("the second try: %d indexed, %d failed, %d repeated, %d named", w.Indexed, w.Failed, w.Repeated, named)
	}
	again := decode[repeated](t, c.ask(1, "POST", path, body), 200)
	if again.Repeated != docs || len(again.RepeatedLines) != 1 {
		t.Errorf("the third: %d repeated, in %v", again.Repeated, again.RepeatedLines)
	}
	found := c.ask(1, "GET", "/collections/noids/search?q=*&limit=0&track_total=true&timeout_ms=10000", "")
	if !strings.Contains(string(found.body), fmt.Sprintf(`"total":{"value":%d,"relation":"eq"}`, docs)) {
		t.Errorf("want %d documents: %s", docs, found.body)
	}
	door, err := url.Parse(c.doors[0])
	if err != nil {
		t.Fatal(err)
	}
	c.run("c1", "coordinator", "--nats", c.natsURL, "--http", door.Host, "--expect-groups", "3").err.await(minute(t), t, "jetseek ready http=")
}

// isWhole tells whether every door is ready, answers as before, and takes writes.
func (c *cluster) isWhole(t *testing.T, before map[string]string) bool {
	t.Helper()
	for door := range c.doors {
		if c.ask(door, "GET", "/ready", "").status != 200 {
			return false
		}
		for _, q := range questions {
			r := c.ask(door, "GET", "/search?limit=20&track_total=true&q="+url.QueryEscape(q), "")
			if r.status != 200 || lasting(t, r.body) != before[q] {
				return false
			}
		}
		if r := c.ask(door, "POST", "/index?timeout_ms=2000", `{"id":"d1","n":1,"text":"stone river river "}`); r.status != 200 {
			t.Logf("door %d does not write yet: %d %s", door, r.status, r.body)
			return false
		}
	}
	return true
}
