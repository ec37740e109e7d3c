package embedded

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/jetseek/jetseek/coordinator/client"
	"github.com/jetseek/jetseek/subjects/wire"
)

// traps stop what comes to members at the first message that holds a word.
type traps struct {
	mu     sync.Mutex // guards the fields below
	word   []byte     // nil: not set
	sprung chan string
	resume chan struct{}
}

// set waits for the next message that holds the word: sprung gives the member that it came to, which gets it when resume is closed.
func (t *traps) set(word string) (sprung <-chan string, resume chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.word, t.sprung, t.resume = []byte(word), make(chan string, 1), make(chan struct{})
	return t.sprung, t.resume
}

// meet gives what to wait for, if the bytes spring the trap.
func (t *traps) meet(member string, b []byte) <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.word == nil || !bytes.Contains(b, t.word) {
		return nil
	}
	t.word = nil
	t.sprung <- member
	return t.resume
}

// trapped is a member's connection with a trap in it.
type trapped struct {
	net.Conn
	traps  *traps
	member string
	once   sync.Once
	closed chan struct{}
}

func (t *traps) wrap(member string) wrapper {
	return func(c net.Conn) (net.Conn, error) {
		return &trapped{Conn: c, traps: t, member: member, closed: make(chan struct{})}, nil
	}
}

func (c *trapped) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if resume := c.traps.meet(c.member, b[:n]); resume != nil {
		select {
		case <-resume:
		case <-c.closed:
			return 0, net.ErrClosed
		}
	}
	return n, err
}

func (c *trapped) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Conn.Close()
}

// setTraps opens a system with a trap in the connections of every member, and the default collection.
func setTraps(t *testing.T, groups, members int) (*stage, *traps) {
	tr := &traps{}
	s := &stage{t: t, DB: open(t, Options{Groups: groups, Members: members, through: tr.wrap})}
	if _, err := s.Client().CreateCollection(t.Context(), "default", json.RawMessage(`{}`)); err != nil {
		t.Fatal(err)
	}
	return s, tr
}

// found is a search's answer that came later.
type found struct {
	reply *wire.SearchResponse
	err   error
}

func (s *stage) search(query string, budget time.Duration) <-chan found {
	body := wire.NewSearch(query)
	body.TimeoutMs, body.Limit, body.Profile = budget.Milliseconds(), 100, true
	answer := make(chan found, 1)
	go func() { // ends with its budget
		ctx, cancel := context.WithTimeout(context.Background(), budget+time.Second)
		defer cancel()
		reply, err := s.Client().Search(ctx, "default", body)
		answer <- found{reply, err}
	}()
	return answer
}

// A member that dies between two trips of a search costs a round: the answer comes from the other, whole and exact, and never under statistics of another
// snapshot.
func TestMemberDiesBetweenTheTrips(t *testing.T) {
	for _, trip := range []string{"search", "docs"} {
		t.Run(trip, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				s, tr := setTraps(t, 2, 2)
				for n := range 20 {
					s.index(fmt.Sprintf("id-%d", n), client.WriteOptions{})
				}
				sprung, _ := tr.set("." + trip + " ")
				answer := s.search("word", 5*time.Second)
				s.kill(<-sprung)
				got := <-answer
				if got.err != nil || !got.reply.Exact || got.reply.Partial || len(got.reply.Hits) != 20 || got.reply.Total.Value != 20 {
					t.Fatalf("%+v, %v", got.reply, got.err)
				}
				if got.reply.Shards.Retried != 1 {
					t.Errorf("retried: %d, want 1", got.reply.Shards.Retried)
				}
			})
		})
	}
}

// A pin that has expired when the next trip comes costs a round: the search is made anew at a newer snapshot, and finds what was written meanwhile.
func TestPinExpiresBetweenTheTrips(t *testing.T) {
	for _, trip := range []string{"search", "docs"} {
		t.Run(trip, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				s, tr := setTraps(t, 1, 1)
				for n := range 20 {
					s.index(fmt.Sprintf("id-%d", n), client.WriteOptions{})
				}
				sprung, resume := tr.set("." + trip + " ")
				answer := s.search("word", 30*time.Second)
				<-sprung
				s.index("late", client.WriteOptions{Wait: "none"})
				time.Sleep(7 * time.Second) // a lease shows the member what the log holds, and the pin expires
				close(resume)
				got := <-answer
				if got.err != nil || !got.reply.Exact || len(got.reply.Hits) != 21 || got.reply.Total.Value != 21 {
					t.Fatalf("%+v, %v", got.reply, got.err)
				}
				if rounds := got.reply.Profile.Rounds; rounds != 2 {
					t.Errorf("rounds: %d, want 2", rounds)
				}
			})
		})
	}
}

// A document that is deleted, and verified so, between the trips of a search that began before is not among its hits, which says so and stays exact.
func TestDeleteBetweenTheTrips(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s, tr := setTraps(t, 1, 1)
		for n := range 20 {
			s.index(fmt.Sprintf("id-%d", n), client.WriteOptions{})
		}
		sprung, resume := tr.set(".docs ")
		answer := s.search("word", 30*time.Second)
		<-sprung
		removed := make(chan error, 1)
		go func() { // ends with the request
			_, err := s.Client().Delete(context.Background(), "default", "id-7", client.WriteOptions{Timeout: 10 * time.Second})
			removed <- err
		}()
		time.Sleep(3500 * time.Millisecond) // a lease shows the member the delete
		close(resume)
		got := <-answer
		if err := <-removed; err != nil {
			t.Fatal(err)
		}
		if got.err != nil || !got.reply.Exact || len(got.reply.Hits) != 19 || got.reply.Total.Value != 20 || got.reply.ExactNote == "" {
			t.Fatalf("%+v, %v", got.reply, got.err)
		}
		for _, h := range got.reply.Hits {
			if h.ID == "id-7" {
				t.Error("the deleted document was served")
			}
		}
	})
}

// A member whose loop is held while it renews its leases is behind, by name, and serves nothing old: its new leases are not for its old snapshot. When it
// goes on it catches up.
func TestHeldMemberServesNothingOld(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := setStage(t, 1, 2)
		s.index("a", client.WriteOptions{})
		time.Sleep(10 * time.Second)
		release := s.holds["g0/n2"].stop()
		reply, took := s.remove("a")
		if reply.Verified == nil || !*reply.Verified || reply.OK || fmt.Sprint(reply.Behind) != "[g0/n2]" || took > leaseRunsOut {
			t.Errorf("the delete took %s: %+v", took, reply)
		}
		watched, stop := s.watch("a")
		time.Sleep(40 * time.Second)
		if got := <-s.search("word", time.Second); got.err != nil || !got.reply.Exact || got.reply.Total.Value != 0 {
			t.Errorf("a search beside the held member: %+v, %v", got.reply, got.err)
		}
		close(release)
		time.Sleep(10 * time.Second)
		stop()
		if n := watched(); n != 0 {
			t.Errorf("the deleted document was served %d times", n)
		}
		if reply := s.index("b", client.WriteOptions{}); !reply.OK {
			t.Errorf("after the member has caught up: %+v", reply)
		}
		s.sameDigests()
	})
}
