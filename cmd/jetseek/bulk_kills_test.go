package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/jetseek/jetseek/subjects/wire"
)

// Whatever dies in the middle of a bulk, of real processes by SIGKILL, the same command run again ends with the file's documents, each once; and where a coordinator dies under single writes, a second one
// goes on and has all that was acknowledged.
func TestWritesOutliveEveryKill(t *testing.T) {
	c := &cluster{t: t, bin: buildBinary(t), dir: t.TempDir(), parts: map[string]*osProcess{}}
	c.startNATS("0")
	c.startShard("n1", "g0,g1")
	c.startShard("n2", "g0,g1")
	for _, name := range []string{"c1", "c2"} {
		c.doors = append(c.doors, c.startDoor(name, "127.0.0.1:0"))
	}
	for door := range c.doors {
		await(t, 30*time.Second, "ready", func() bool { return c.ask(door, "GET", "/ready", "").status == 200 })
	}
	for _, name := range []string{"file", "singles"} {
		if r := c.ask(0, "PUT", "/collections/"+name, `{"fields":{"text":{"type":"text"},"n":{"type":"long"}}}`); r.status != 201 {
			t.Fatalf("create: %d %s", r.status, r.body)
		}
	}
	t.Run("a bulk", func(t *testing.T) { c.killAllInBulk(t) })
	t.Run("single writes", func(t *testing.T) { c.killCoordinatorInWrites(t) })
}

// startDoor starts a coordinator at an address, and gives its base URL when it is ready.
func (c *cluster) startDoor(name, address string) string {
	c.t.Helper()
	p := c.run(name, "coordinator", "--nats", c.natsURL, "--http", address, "--expect-groups", "2")
	return "http://" + p.err.await(minute(c.t), c.t, `jetseek ready http=(\S+)`)[1]
}

// startAgain starts a process of the cluster where it was.
func (c *cluster) startAgain(t *testing.T, name string) {
	t.Helper()
	switch name {
	case "nats":
		c.startNATS(c.natsURL[strings.LastIndex(c.natsURL, ":")+1:])
	case "n1", "n2":
		c.startShard(name, "g0,g1")
	case "c1":
		door, err := url.Parse(c.doors[0])
		if err != nil {
			t.Fatal(err)
		}
		c.startDoor(name, door.Host)
	}
}

// killAllInBulk lets every kind of process die while a file is indexed, each time when a part of a bulk is stored. Every other document has an id: written twice it would have version 2, and one
// without would be there twice.
func (c *cluster) killAllInBulk(t *testing.T) {
	const docs = 9000
	var text strings.Builder
	for i, line := range strings.SplitAfter(lines(0, docs), "\n") {
		if i%2 == 1 {
			line = strings.Replace(line, fmt.Sprintf(`"id":"d%d",`, i), "", 1)
		}
		text.WriteString(line)
	}
	file := filepath.Join(c.dir, "documents")
	write(t, file, text.String())
	var stored atomic.Int64
	sub, err := c.connect().Subscribe("jetseek.tail.*", func(m *nats.Msg) {
		if record, err := wire.DecodeRecord(m.Data); err == nil {
			for _, op := range record.Ops {
				if op.Kind == wire.KindPut {
					stored.Add(1)
				}
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = sub.Unsubscribe() }() // its connection ends with the test
	began, runs := time.Now(), 0
	var run *osProcess
	again := func() {
		if runs++; runs > 12 {
			t.Fatalf("it does not come to an end:\n%s", run.err)
		}
		run = startProcess(t, c.bin, "index", "--url", c.doors[0], "-c", "file", "--state-dir", filepath.Join(c.dir, "states"), file)
	}
	again()
	ended := func() bool {
		select {
		case <-run.done:
			return true
		default:
			return false
		}
	}
	for i, victim := range []string{"index", "n1", "c1", "index", "nats", "n2"} {
		until := int64((i + 1) * docs / 8)
		await(t, 40*time.Second, "the bulk goes on", func() bool {
			if ended() {
				if run.cmd.ProcessState.ExitCode() == 0 {
					t.Fatalf("it has ended before %s was killed", victim)
				}
				again()
			}
			return stored.Load() >= until
		})
		if victim == "index" {
			run.kill()
			continue // found ended, it is run again
		}
		c.parts[victim].kill()
		c.startAgain(t, victim)
		t.Logf("%s was killed after %d stored documents and is back %s after the beginning", victim, until, time.Since(began).Round(time.Millisecond))
	}
	await(t, 60*time.Second, "the file is indexed", func() bool {
		if ended() && run.cmd.ProcessState.ExitCode() != 0 {
			again()
		}
		return ended() && run.cmd.ProcessState.ExitCode() == 0
	})
	t.Logf("%d documents in %d runs, %s", docs, runs, time.Since(began).Round(time.Millisecond))
	if runs < 3 {
		t.Errorf("the command ran %d times, and was killed twice", runs)
	}
	await(t, 20*time.Second, "a search is whole", func() bool {
		s, err := c.try(0, "GET", "/collections/file/search?q=*&limit=0&track_total=true&timeout_ms=5000", "")
		return err == nil && s.status == 200 && strings.Contains(string(s.body), fmt.Sprintf(`"total":{"value":%d,"relation":"eq"}`, docs))
	})
	c.areOnce(t, "file", docs/2, func(i int) string { return fmt.Sprintf("d%d", 2*i) })
}

// areOnce wants documents to be there in version 1.
func (c *cluster) areOnce(t *testing.T, collection string, count int, id func(i int) string) {
	t.Helper()
	const readers = 8
	var parts sync.WaitGroup
	for first := range readers {
		parts.Go(func() {
			for i := first; i < count; i += readers {
				r, err := c.try(i%len(c.doors), "GET", "/collections/"+collection+"/doc?id="+id(i), "")
				var doc struct{ Version uint64 }
				if err == nil {
					err = json.Unmarshal(r.body, &doc)
				}
				if err != nil || r.status != http.StatusOK || doc.Version != 1 {
					t.Errorf("%s: %d %s %v", id(i), r.status, r.body, err)
					return
				}
			}
		})
	}
	parts.Wait()
}

// killCoordinatorInWrites lets a coordinator die under writers, each of which sends what got no answer to the other one, under the same request id.
func (c *cluster) killCoordinatorInWrites(t *testing.T) {
	const writers, each = 8, 60
	var acked, moved atomic.Int64
	var parts sync.WaitGroup
	id := func(i int) string { return fmt.Sprintf("s%d", i) }
	for w := range writers {
		parts.Go(func() {
			door := 0
			for n := range each {
				path := fmt.Sprintf("/collections/singles/index?timeout_ms=20000&request_id=r%d-%d", w, n)
				body := fmt.Sprintf(`{"id":%q,"n":%d}`, id(w*each+n), n)
				r, err := c.try(door, "POST", path, body)
				if err != nil || r.status >= 500 {
					door = 1
					moved.Add(1)
					r, err = c.try(door, "POST", path, body)
				}
				if err != nil || r.status != http.StatusCreated {
					t.Errorf("write %d of %d: %d %s %v", n, w, r.status, r.body, err)
					return
				}
				acked.Add(1)
			}
		})
	}
	await(t, 30*time.Second, "a quarter is written", func() bool { return acked.Load() >= writers*each/4 })
	c.parts["c1"].kill()
	parts.Wait()
	t.Logf("%d writes were sent again to the other coordinator", moved.Load())
	if moved.Load() == 0 {
		t.Error("nobody was writing when it was killed")
	}
	c.startAgain(t, "c1")
	c.areOnce(t, "singles", writers*each, id)
}
