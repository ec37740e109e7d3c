package coordinator

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects/wire"
)

// ledger is what writers were told of their documents, by id.
type ledger struct {
	mu    sync.Mutex // guards what follows
	there map[string]uint64
	seqs  map[string]uint64 // by group, the highest that was acknowledged
	not   map[string]error  // certainly not stored
	open  int               // unknown
}

func (l *ledger) note(id string, r *wire.WriteReply, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var e *wire.Error
	switch {
	case err == nil:
		l.there[id] = r.Seq
		l.seqs[r.Group] = max(l.seqs[r.Group], r.Seq)
	case errors.As(err, &e) && e.Durable == wire.NotDurable:
		l.not[id] = err
	default:
		l.open++
	}
}

// The server is restarted under load, twice. Every acknowledged write is there, every write that was said not to be stored is not, each
// once, and members and coordinators go on by themselves and agree.
func TestServerRestartsUnderLoad(t *testing.T) {
	c := newCluster(t, 2)
	both := []*Coordinator{c.coordinator(), c.coordinator()}
	c.create(both[0], "c")
	l := &ledger{there: map[string]uint64{}, seqs: map[string]uint64{}, not: map[string]error{}}
	ctx, stop := context.WithCancel(t.Context())
	var writers sync.WaitGroup
	for w := range 4 {
		writers.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				id := fmt.Sprintf("%d-%d", w, n)
				by := both[(w+n)%2]
				if w == 3 {
					r, err := by.bulk(t.Context(), "c", fmt.Appendf(nil, `{"id":%q,"t":"word"}`, id), 1, writeParams{wait: waitApplied, timeout: 8 * time.Second, ifVersion: wire.NoCondition})
					if err == nil && r.Failed > 0 {
						e := wire.NewError(r.Errors[0].Code, "", "%s", r.Errors[0].Message)
						e.Durable = r.Errors[0].Durable
						err = e
					}
					reply := &wire.WriteReply{}
					if err == nil {
						for group, seq := range r.Seq {
							reply.Group, reply.Seq = group, seq
						}
					}
					l.note(id, reply, err)
					continue
				}
				r, err := by.index(t.Context(), "c", fmt.Appendf(nil, `{"id":%q,"t":"word"}`, id), writeParams{wait: waitApplied, timeout: 8 * time.Second, ifVersion: wire.NoCondition})
				lost := err == nil && r.Outcome == "" && r.Durable && !r.Visible // its reports were, and a commit record stands in for them
				if err == nil && !lost && (r.Outcome != "created" || r.Version != 1) {
					t.Errorf("%s was written twice: %+v", id, r)
				}
				l.note(id, r, err)
			}
		})
	}
	enough := func(n int) bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		return len(l.there) >= n
	}
	for n := range 2 {
		c.until("writes are acknowledged", func() bool { return enough(200 * (n + 1)) })
		c.server.Restart()
		back := time.Now()
		had := len(l.copyThere())
		c.until("a write is acknowledged after the restart", func() bool { return enough(had + 5) })
		t.Logf("restart %d: acknowledged again after %s", n, time.Since(back))
		if took := time.Since(back); took > 10*time.Second {
			t.Errorf("restart %d: the first writes after it took %s", n, took)
		}
	}
	stop()
	writers.Wait()
	t.Logf("%d there, %d not, %d unknown", len(l.there), len(l.not), l.open)
	for n, by := range both {
		for id := range l.there {
			if _, err := by.get(c.budget(), "c", id); err != nil {
				t.Errorf("coordinator %d: the acknowledged %s: %v", n, id, err)
			}
		}
		for id, said := range l.not {
			if doc, err := by.get(c.budget(), "c", id); fault.CodeOf(err) != fault.NotFound {
				t.Errorf("coordinator %d: %s is there (%+v, %v), and its writer was told: %v", n, id, doc, err, said)
			}
		}
	}
	if a, b := c.total(both[0], l.seqs), c.total(both[1], l.seqs); a != b || a < len(l.there) || a > len(l.there)+l.open {
		t.Errorf("%d and %d documents, %d were acknowledged and %d are unknown", a, b, len(l.there), l.open)
	}
	c.agree(both[0])
}

func (l *ledger) copyThere() map[string]uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := make(map[string]uint64, len(l.there))
	for id, seq := range l.there {
		all[id] = seq
	}
	return all
}

// total counts the documents by a search, which must be exact.
func (c *cluster) total(by *Coordinator, minSeq map[string]uint64) int {
	c.t.Helper()
	reply := c.search(by, "c", "word", 0, minSeq)
	return int(reply.Total.Value)
}

// until waits until a condition holds, looking at each watermark.
func (c *cluster) until(what string, holds func() bool) {
	c.t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(30 * time.Second)
	for !holds() {
		select {
		case <-tick.C:
		case <-limit:
			c.t.Fatalf("waited in vain: %s", what)
		}
	}
}

// agree waits until the members of every group are at the same content, and checks that their digests are equal.
func (c *cluster) agree(by *Coordinator) {
	c.t.Helper()
	for group := range c.gates {
		var marks map[string]heard
		c.until("the members of "+group+" are at the same content", func() bool {
			marks = by.tracker.marks(group)
			return len(marks) == 2 && marks[group+"/n1"].mark.ContentSeq == marks[group+"/n2"].mark.ContentSeq
		})
		if a, b := marks[group+"/n1"].mark, marks[group+"/n2"].mark; a.Digest != b.Digest || a.Documents != b.Documents {
			c.t.Errorf("group %s at %d: digests %x and %x, %d and %d documents", group, a.ContentSeq, a.Digest, b.Digest, a.Documents, b.Documents)
		}
	}
}
