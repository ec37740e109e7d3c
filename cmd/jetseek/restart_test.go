package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestKilledAfterAFlush: a system that is killed after it has written files opens these, replays no more than the rest, and holds what it held: both members
// the same.
func TestKilledAfterAFlush(t *testing.T) {
	c := &cluster{t: t, bin: buildBinary(t), dir: t.TempDir(), parts: map[string]*osProcess{}}
	start := func() *osProcess {
		p := c.run("serve", "serve", "--http", "127.0.0.1:0", "--groups", "1", "--index-memory", "1", "--log-level", "info", "--data", filepath.Join(c.dir, "data"))
		door := "http://" + p.err.await(minute(t), t, `jetseek ready http=(\S+)`)[1]
		c.doors = []string{door, door}
		return p
	}
	p := start()
	if r := c.ask(0, "PUT", "/collections/default", `{"fields":{"text":{"type":"text"}},"default_fields":["text"]}`); r.status != 201 {
		t.Fatalf("create: %d %s", r.status, r.body)
	}
	flushed := regexp.MustCompile(`(?m)^jetseek_engine_flushed_sequence\{.*\} (\S+)$`)
	await(t, time.Minute, "both members have flushed", func() bool {
		var docs strings.Builder
		for n := range 300 {
			fmt.Fprintf(&docs, `{"text":"%s"}`+"\n", strings.Repeat(fmt.Sprintf("word%d ", n), 100))
		}
		if w := decode[written](t, c.ask(0, "POST", "/index/bulk?timeout_ms=20000", docs.String()), 200); !w.OK {
			t.Fatalf("bulk: %+v", w)
		}
		shown := flushed.FindAllSubmatch(c.ask(0, "GET", "/metrics", "").body, -1)
		if len(shown) != 2 {
			t.Fatalf("%d members show what they have flushed", len(shown))
		}
		for _, s := range shown {
			if string(s[1]) == "0" {
				return false
			}
		}
		return true
	})
	before := c.members(t)
	p.kill()
	p = start()
	opened := regexp.MustCompile(`opened the index.* seq=(\d+)`).FindAllStringSubmatch(p.err.String(), -1)
	if len(opened) != 2 {
		t.Fatalf("%d members opened an index:\n%s", len(opened), p.err)
	}
	for _, o := range opened {
		if seq, err := strconv.Atoi(o[1]); err != nil || seq < 2 {
			t.Errorf("opened at %s", o[1])
		}
	}
	for i, m := range c.members(t) {
		if m.Digest != before[i].Digest || m.Digest != before[0].Digest || m.ContentSeq != before[i].ContentSeq {
			t.Errorf("%+v, before %+v", m, before[i])
		}
	}
	p.end(t)
}
