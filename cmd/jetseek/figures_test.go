package main

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"
)

// The figures of a cluster of processes, each of which is an assertion as well. It is a minute of work, and is run by scripts/cluster-figures.
func TestFigures(t *testing.T) {
	if os.Getenv("JETSEEK_FIGURES") == "" {
		t.Skip("scripts/cluster-figures runs it")
	}
	c := startCluster(t)
	schema := `{"fields":{"text":{"type":"text"},"n":{"type":"long"}},"default_fields":["text"]}`
	if r := c.ask(0, "PUT", "/collections/default", schema); r.status != 201 {
		t.Fatalf("create: %d %s", r.status, r.body)
	}
	c.writeAll(t)
	c.writeWithoutAMember(t)
	c.loseAGroup(t)
}

func figure(format string, args ...any) { fmt.Printf("figure: "+format+"\n", args...) }

// writeAll: 3,000 documents through a coordinator, acknowledged by every member.
func (c *cluster) writeAll(t *testing.T) {
	r := c.ask(0, "POST", "/index/bulk?timeout_ms=30000", lines(0, 3000))
	w := decode[written](t, r, 200)
	if !w.OK || !w.Visible || w.Indexed != 3000 || w.Groups != 3 || w.Members != 6 || w.MembersOK != 6 || len(w.Behind) != 0 {
		t.Fatalf("bulk: %s", r.body)
	}
	figure("3000 documents in one bulk: indexed %d, acknowledged by %d of %d members, %s (%.0f a second)",
		w.Indexed, w.MembersOK, w.Members, r.took.Round(time.Millisecond), 3000/r.took.Seconds())
	s := decode[searched](t, c.ask(1, "GET", "/search?q=*&limit=0&track_total=true&timeout_ms=5000", ""), 200)
	if !s.Exact || s.Total.Value != 3000 || s.Shards.OK != 3 {
		t.Fatalf("search: %+v", s)
	}
	figure("the other coordinator finds %d, exact %t, from %d of %d groups", s.Total.Value, s.Exact, s.Shards.OK, s.Shards.Total)
}

// writeWithoutAMember: a node is away during 3,000 writes, is named in behind, and catches up with no command.
func (c *cluster) writeWithoutAMember(t *testing.T) {
	c.parts["n2"].kill()
	began := time.Now()
	var w written
	for from := 3000; from < 6000; from += 500 {
		r := c.ask(0, "POST", "/index/bulk?timeout_ms=30000", lines(from, from+500))
		w = decode[written](t, r, 200)
		if w.OK || !w.Durable || !w.Visible || w.Indexed != 500 || w.MembersOK != 4 || !slices.Equal(w.Behind, []string{"g1/n2", "g2/n2"}) {
			t.Fatalf("bulk without n2: %s", r.body)
		}
		if from == 3000 {
			figure("n2 killed with kill -9: the first bulk waits for its leases of %s to run out: visible after %s", testLease, time.Since(began).Round(time.Millisecond))
		}
	}
	figure("3000 documents without n2: indexed 3000, acknowledged by %d of %d members, behind %v, %s", w.MembersOK, w.Members, w.Behind, time.Since(began).Round(time.Millisecond))
	began = time.Now()
	c.startShard("n2", "g1,g2")
	await(t, time.Minute, "n2 has caught up", func() bool { return digestsAgree(t, c) })
	figure("n2 started again: all six members serve with equal digests %s later, with no command", time.Since(began).Round(time.Millisecond))
	r := c.ask(0, "POST", "/index/bulk?timeout_ms=30000", lines(6000, 6500))
	if w := decode[written](t, r, 200); !w.OK || w.MembersOK != 6 {
		t.Fatalf("bulk after n2 is back: %s", r.body)
	}
	figure("the next bulk is acknowledged by 6 of 6 members")
}

// loseAGroup: with both its members killed, answers are partial, say so, and lack exactly the group's documents.
func (c *cluster) loseAGroup(t *testing.T) {
	show := decode[struct {
		Documents uint64
		Groups    map[string]uint64
	}](t, c.ask(0, "GET", "/collections/default", ""), 200)
	for _, node := range []string{"n1", "n3"} { // g0 is on these two; g1 and g2 are on n2 as well
		c.parts[node].kill()
	}
	for door := range c.doors {
		r := c.ask(door, "GET", "/search?q=*&limit=3&track_total=true&timeout_ms=3000", "")
		s := decode[searched](t, r, 200)
		want := show.Documents - show.Groups["g0"]
		if s.Exact || !s.Partial || s.Total.Value != want || s.Shards.OK != 2 || s.Shards.Failed != 1 || !slices.Equal(s.Shards.FailedGroups, []string{"g0"}) {
			t.Fatalf("search without g0: %s, want a total of %d", r.body, want)
		}
		figure("both members of g0 killed, door %d: partial %t, exact %t, %d of %d groups, failed %v, total %d = %d - %d, coverage %.4f, %s",
			door+1, s.Partial, s.Exact, s.Shards.OK, s.Shards.Total, s.Shards.FailedGroups, s.Total.Value, show.Documents, show.Groups["g0"], s.Coverage.Documents, r.took.Round(time.Millisecond))
	}
	if r := c.ask(0, "GET", "/search?q=*&partial=fail", ""); r.status != 503 {
		t.Errorf("partial=fail: %d %s", r.status, r.body)
	}
	if r := c.ask(0, "GET", "/ready", ""); r.status != 503 || string(r.body) != `{"ready":false,"groups":{"g0":false,"g1":true,"g2":true}}`+"\n" {
		t.Errorf("/ready: %d %s", r.status, r.body)
	}
	began := time.Now()
	c.startShard("n1", "g0,g1")
	c.startShard("n3", "g2,g0")
	await(t, time.Minute, "whole again", func() bool {
		r := c.ask(1, "GET", "/search?q=*&limit=0&track_total=true&timeout_ms=3000", "")
		s := decode[searched](t, r, 200)
		return s.Exact && s.Total.Value == show.Documents
	})
	figure("both started again: exact with all %d documents %s later", show.Documents, time.Since(began).Round(time.Millisecond))
}
