package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// buildPoisoned builds the command with documents in it that make the engine panic, or its process end, when they are applied.
func buildPoisoned(t *testing.T) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "jetseek-poisoned")
	if out, err := exec.Command("go", "build", "-tags", "poison", "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build -tags poison: %v\n%s", err, out)
	}
	return bin
}

// setAside is what the test looks at in the list of what is set aside.
type setAside struct {
	Operations []struct {
		Group      string
		Seq        uint64
		Operation  uint32
		ID         string
		Collection string
		Superseded bool
	}
	Unanswered []string
}

// Documents at which the software of both members panics, dies, overflows its stack or never ends, in a cluster of real processes: each process ends at most twice of one, the group goes on, all else is as it
// was; both list the same, and when they run software that can apply it, it is tried again and is there.
func TestPoisonedDocuments(t *testing.T) {
	c := &cluster{t: t, bin: buildPoisoned(t), dir: t.TempDir(), parts: map[string]*osProcess{}}
	c.startNATS("0")
	c.startShard("n1", "g0")
	c.startShard("n2", "g0")
	p := c.run("c1", "coordinator", "--nats", c.natsURL, "--http", "127.0.0.1:0", "--expect-groups", "1")
	door := "http://" + p.err.await(minute(t), t, `jetseek ready http=(\S+)`)[1]
	c.doors = []string{door, door}
	serve := func() {
		t.Helper()
		await(t, 60*time.Second, "both members serve", func() bool {
			serving := 0
			for _, m := range c.members(t) {
				if m.State == "serving" {
					serving++
				}
			}
			return serving == 2
		})
	}
	serve()
	write := func(id, text string) reply {
		return c.ask(0, "POST", "/index?timeout_ms=30000", fmt.Sprintf(`{"id":%q,"text":%q}`, id, text))
	}
	found := func(word string, want uint64) {
		t.Helper()
		await(t, 20*time.Second, word+" is searched", func() bool { return c.ask(0, "GET", "/search?timeout_ms=5000&q="+word, "").status == 200 }) // the members take leases again
		if s := decode[searched](t, c.ask(0, "GET", "/search?timeout_ms=5000&q="+word, ""), 200); !s.Exact || s.Total.Value != want {
			t.Errorf("%s: %+v, want %d", word, s, want)
		}
	}
	if r := write("a", "good"); r.status != 201 {
		t.Fatalf("write: %d %s", r.status, r.body)
	}
	if r := write("b", "poison-panic"); r.status != 400 {
		t.Errorf("a document at which the software panics: %d %s", r.status, r.body)
	}
	if r := write("c", "good"); r.status != 201 {
		t.Errorf("write: %d %s", r.status, r.body)
	}
	found("good", 2)
	deadly := []string{"poison-exit", "poison-recursion", "poison-endless"}
	for i, text := range deadly {
		deaths := c.outlive(t, func() {
			if r := c.ask(0, "POST", "/index?wait=durable&timeout_ms=20000", fmt.Sprintf(`{"id":"d%d","text":%q}`, i, text)); r.status != 202 {
				t.Errorf("%s is stored: %d %s", text, r.status, r.body)
			}
		}, func() bool { return len(c.setAside(t).Operations) == i+2 })
		for node, n := range deaths {
			if n < 1 || n > 2 {
				t.Errorf("%s: %s ended %d times", text, node, n)
			}
		}
		serve()
		if r := write(fmt.Sprint("e", i), "good"); r.status != 201 {
			t.Errorf("write: %d %s", r.status, r.body)
		}
		found("good", uint64(3+i))
	}
	list := c.setAside(t).Operations
	if len(list) != 1+len(deadly) || list[0].ID != "b" || list[1].ID != "d0" || list[2].ID != "d1" || list[3].ID != "d2" || list[0].Collection != "default" || list[0].Superseded {
		t.Errorf("set aside: %+v", list)
	}
	members := c.members(t)
	if len(members) != 2 || members[0].Digest != members[1].Digest {
		t.Errorf("members %+v", members)
	}
	c.bin = buildBinary(t)
	for _, node := range []string{"n1", "n2"} {
		c.parts[node].end(t)
		c.startShard(node, "g0")
	}
	serve()
	found("good", uint64(2+len(deadly)))
	for _, o := range list {
		out, err := exec.Command(c.bin, "requeue", "--url", c.doors[0], o.Group, fmt.Sprintf("%d/%d", o.Seq, o.Operation)).CombinedOutput()
		if err != nil {
			t.Errorf("requeue of %s: %v %s", o.ID, err, out)
		}
	}
	found("poison", uint64(1+len(deadly)))
	if left := c.setAside(t).Operations; len(left) > 0 {
		t.Errorf("still set aside: %+v", left)
	}
}

func (c *cluster) setAside(t *testing.T) setAside {
	t.Helper()
	return decode[setAside](t, c.ask(0, "GET", "/_quarantine", ""), 200)
}

// outlive does something while shard processes are started again whenever they end, until a condition holds, and tells how often each had ended.
func (c *cluster) outlive(t *testing.T, do func(), until func() bool) map[string]int {
	t.Helper()
	done := make(chan struct{})
	go func() { // ends with do
		defer close(done)
		do()
	}()
	deaths := map[string]int{"n1": 0, "n2": 0}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("deaths %v\nn1: %s\nn2: %s", deaths, c.parts["n1"].err, c.parts["n2"].err)
		}
	})
	took := await(t, 150*time.Second, "it is set aside", func() bool {
		for node := range deaths {
			select {
			case <-c.parts[node].done:
				deaths[node]++
				c.startShard(node, "g0")
			default:
			}
		}
		return until()
	})
	<-done
	t.Logf("set aside after %s, by processes that ended: %v", took.Round(time.Millisecond), deaths)
	return deaths
}
