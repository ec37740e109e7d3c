package embedded

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jetseek/jetseek/coordinator/client"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/shard"
	"github.com/jetseek/jetseek/subjects/wire"
)

// bubbleVariable names the test that a process runs in its bubble.
const bubbleVariable = "JETSEEK_TEST_BUBBLE"

// inBubble runs a test under virtual time, in a process of its own: nats.go keeps a pool of timers for the whole process, and a timer that was made in
// one bubble may not be used outside it.
func inBubble(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	if os.Getenv(bubbleVariable) == t.Name() {
		synctest.Test(t, test)
		return
	}
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+strings.ReplaceAll(t.Name(), "/", "$/^")+"$", "-test.timeout=3m")
	cmd.Env = append(os.Environ(), bubbleVariable+"="+t.Name())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("in its bubble: %v\n%s", err, out)
	}
}

// leaseRunsOut is what a write waits for a holder that is gone: L(1+3 %) + 0.2 s, from when its lease was heard of.
const leaseRunsOut = 15*time.Second + 450*time.Millisecond + 200*time.Millisecond

// stage is a system in a bubble, with a hand on every member, and on the coordinator's way to the logs.
type stage struct {
	*DB
	t     *testing.T
	links map[string]*link
	holds map[string]*hold

	outside    sync.Once
	natsClient *client.Client // as programs elsewhere have: its requests go over NATS
}

// hold stops a member's apply loop where it is.
type hold struct{ gate chan chan struct{} }

func newHold() *hold { return &hold{gate: make(chan chan struct{}, 1)} }

// stop makes the loop wait before its next batch, until the channel that it gives is closed.
func (h *hold) stop() chan struct{} {
	release := make(chan struct{})
	h.gate <- release
	return release
}

func (h *hold) beforeApply(uint64) {
	select {
	case release := <-h.gate:
		<-release
	default:
	}
}

func setStage(t *testing.T, groups, members int) *stage {
	s := &stage{t: t, links: map[string]*link{"coordinator/log": newLink()}, holds: map[string]*hold{}}
	for g := range groups {
		for n := range members {
			id := fmt.Sprintf("g%d/n%d", g, n+1)
			s.links[id], s.holds[id] = newLink(), newHold()
		}
	}
	s.DB = open(t, Options{
		Groups: groups, Members: members,
		through: func(id string) wrapper { return s.links[id].wrap },
		hooks:   func(id string) shard.Hooks { return shard.Hooks{BeforeApply: s.holds[id].beforeApply} },
	})
	if _, err := s.Client().CreateCollection(t.Context(), "default", json.RawMessage(`{}`)); err != nil { // and with it the map
		t.Fatal(err)
	}
	return s
}

// kill ends a member as a crash would.
func (s *stage) kill(id string) {
	s.t.Helper()
	r, err := s.running(id)
	if err != nil {
		s.t.Fatal(err)
	}
	r.kill()
}

// kill ends a member as a crash would: its connections are cut first, so that it can tell nobody.
func (r *running) kill() {
	r.disconnect()
	r.cancel()
	<-r.done
}

// restart starts a member again on its folder and waits until it serves.
func (s *stage) restart(id string) {
	s.t.Helper()
	group, node, _ := strings.Cut(id, "/")
	if _, err := s.startMember(group, node); err != nil {
		s.t.Fatal(err)
	}
	if err := s.awaitServing(s.t.Context(), id); err != nil {
		s.t.Fatal(err)
	}
}

func (s *stage) index(id string, o client.WriteOptions) *wire.WriteReply {
	s.t.Helper()
	reply, err := s.Client().Index(s.t.Context(), "default", fmt.Appendf(nil, `{"id":%q,"body":"word"}`, id), o)
	if err != nil {
		s.t.Fatalf("index %s: %v", id, err)
	}
	return reply
}

// remove deletes a document, and gives the virtual time that it took.
func (s *stage) remove(id string) (*wire.WriteReply, time.Duration) {
	s.t.Helper()
	began := time.Now()
	reply, err := s.Client().Delete(s.t.Context(), "default", id, client.WriteOptions{Timeout: time.Minute})
	if err != nil {
		s.t.Fatalf("delete %s: %v", id, err)
	}
	return reply, time.Since(began)
}

// idOf gives the n-th id that a group owns.
func (s *stage) idOf(group string, n int) string {
	s.t.Helper()
	for i := 0; ; i++ {
		id := fmt.Sprintf("id-%d", i)
		p, err := s.Client().Placement(s.t.Context(), id)
		if err != nil {
			s.t.Fatal(err)
		}
		if p.Group == group {
			if n--; n < 0 {
				return id
			}
		}
	}
}

// A whole cluster under virtual time: the history and the queries of the shape test, with members that die and come back meanwhile.
func TestClusterInABubble(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := setStage(t, 3, 2)
		w := &world{t: t, rng: rand.New(rand.NewPCG(3, 9)), client: s.Client(), collections: map[string]refCollection{"books": {}, "other": {}}, vocabulary: 30}
		w.run(1, 10)
		for _, id := range []string{"g0/n1", "g2/n2", "g0/n2"} {
			s.kill(id)
			for range 5 {
				w.single(t.Context(), w.name())
				w.compare(t.Context(), w.name())
			}
			time.Sleep(time.Duration(w.rng.IntN(40)) * time.Second)
			w.bulk(t.Context(), "books", 40)
			s.restart(id)
			for range 10 {
				w.compare(t.Context(), w.name())
			}
		}
		s.sameDigests()
	})
}

// sameDigests waits until the members of every group are at the same content and checks that their digests are equal.
func (s *stage) sameDigests() {
	s.t.Helper()
	time.Sleep(time.Second) // virtual: every watermark is out
	members, err := s.Client().Members(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	digests := map[string]string{}
	for _, m := range members {
		key := fmt.Sprintf("%s at %d", m.Group, m.ContentSeq)
		if d, ok := digests[key]; ok && d != m.Digest {
			s.t.Errorf("%s: digest %s, another member has %s", m.Member, m.Digest, d)
		}
		digests[key] = m.Digest
	}
	if len(digests) != s.opts.Groups {
		s.t.Errorf("the members of a group are not at the same content: %+v", members)
	}
}

// A verified delete waits for a member whose link is cut and whose loop is held, and not longer than its lease lasts; when it wakes it serves nothing old.
func TestDeleteWaitsForAStoppedMember(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := setStage(t, 1, 2)
		s.index("a", client.WriteOptions{})
		s.index("b", client.WriteOptions{})
		time.Sleep(10 * time.Second)
		release := s.holds["g0/n2"].stop()
		s.links["g0/n2"].cut()
		reply, took := s.remove("a")
		if reply.Verified == nil || !*reply.Verified || reply.OK || fmt.Sprint(reply.Behind) != "[g0/n2]" {
			t.Errorf("the delete beside a stopped member: %+v", reply)
		}
		// Its newest lease was heard of between 0 and 3 s before the link was cut.
		if took < leaseRunsOut-4*time.Second || took > leaseRunsOut {
			t.Errorf("the delete took %s, want 12 to 15.65 s", took)
		}
		// The member has not applied the delete. Its link comes back first, then its loop: at no moment does anybody find the document.
		watched, stop := s.watch("a")
		s.links["g0/n2"].mend()
		time.Sleep(2 * time.Second)
		close(release)
		time.Sleep(20 * time.Second)
		stop()
		if n := watched(); n != 0 {
			t.Errorf("the deleted document was served %d times", n)
		}
		if reply, took := s.remove("b"); !reply.OK || took > time.Second {
			t.Errorf("after the member is back a delete took %s: %+v", took, reply)
		}
		s.sameDigests()
	})
}

// watch reads a document from both members all the time, past every coordinator, until stop; seen tells how often it was found.
func (s *stage) watch(id string) (seen func() int, stop func()) {
	ctx, cancel := context.WithCancel(s.t.Context())
	done := make(chan struct{})
	found := 0
	coll := s.incarnation("default")
	go func() { // ends with stop
		defer close(done)
		for ctx.Err() == nil {
			for _, node := range []string{"n1", "n2"} {
				request := wire.AppendGetRequest(nil, &wire.GetRequest{Head: wire.Head{Collection: coll, SchemaVersion: 1 << 30, Epoch: 1, BudgetMs: 500}, ID: id})
				try, end := context.WithTimeout(ctx, 500*time.Millisecond)
				msg, err := s.Conn().RequestWithContext(try, s.names.Member("g0", node, wire.OpGet), request)
				end()
				if err != nil {
					continue
				}
				if reply, err := wire.DecodeGetReply(msg.Data); err == nil && reply.Doc.Found {
					found++
				}
			}
			time.Sleep(50 * time.Millisecond)
		}
	}()
	return func() int { return found }, func() { cancel(); <-done }
}

// After a member's death one write waits for its lease, and those that follow do not.
func TestOneWriteWaitsAfterADeath(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := setStage(t, 2, 2)
		s.index(s.idOf("g0", 0), client.WriteOptions{})
		s.kill("g0/n1")
		for n := range 5 {
			began := time.Now()
			reply := s.index(s.idOf("g0", n), client.WriteOptions{Timeout: time.Minute})
			took := time.Since(began)
			if !reply.Visible || reply.OK || reply.MembersOK != 1 {
				t.Errorf("write %d beside a dead member: %+v", n, reply)
			}
			if n == 0 && (took < leaseRunsOut-4*time.Second || took > leaseRunsOut) {
				t.Errorf("the first write after a death took %s, want 12 to 15.65 s", took)
			}
			if n > 0 && took > 100*time.Millisecond {
				t.Errorf("write %d after a death took %s", n, took)
			}
		}
		if began := time.Now(); !s.index(s.idOf("g1", 0), client.WriteOptions{}).OK || time.Since(began) > 100*time.Millisecond {
			t.Error("a write to the other group waited")
		}
	})
}

// A write whose budget ends before the dead member's lease is durable and says that it is not visible yet.
func TestShortBudgetBesideADeadMember(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := setStage(t, 1, 2)
		s.index("a", client.WriteOptions{})
		s.kill("g0/n2")
		reply := s.index("b", client.WriteOptions{Timeout: 2 * time.Second})
		if !reply.Durable || reply.Visible || reply.OK || reply.Outcome != "created" || fmt.Sprint(reply.Behind) != "[g0/n2]" {
			t.Errorf("%+v", reply)
		}
	})
}

// A restart of all frees the incarnations of before at once: no write waits for leases of the dead.
func TestRestartOfAllFreesTheOldLeases(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := setStage(t, 1, 2)
		s.index("a", client.WriteOptions{})
		s.kill("g0/n1")
		s.kill("g0/n2")
		s.restart("g0/n1")
		s.restart("g0/n2")
		if reply, took := s.remove("a"); !reply.OK || reply.Verified == nil || !*reply.Verified || took > time.Second {
			t.Errorf("the delete took %s: %+v", took, reply)
		}
	})
}

// A member that ends in order gives its leases back: the next write does not wait for it.
func TestOrderlyEndReleasesLeases(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := setStage(t, 1, 2)
		s.index("a", client.WriteOptions{})
		r, err := s.running("g0/n1")
		if err != nil {
			t.Fatal(err)
		}
		r.stop()
		if reply, took := s.remove("a"); !*reply.Verified || took > time.Second {
			t.Errorf("the delete took %s: %+v", took, reply)
		}
	})
}

// With a whole group gone a search answers from the others and says so; writes to it fail with what is known of them.
func TestGroupGone(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := setStage(t, 3, 2)
		counts := map[string]uint64{}
		for n := range 60 {
			counts[s.index(fmt.Sprintf("id-%d", n), client.WriteOptions{}).Group]++
		}
		s.kill("g1/n1")
		s.kill("g1/n2")
		reply, err := s.Client().Search(t.Context(), "default", wire.NewSearch("word"))
		if err != nil {
			t.Fatal(err)
		}
		if !reply.Partial || reply.Exact || reply.ExactNote == "" || fmt.Sprint(reply.Shards.FailedGroups) != "[g1]" || reply.Shards.OK != 2 ||
			reply.Total.Value != counts["g0"]+counts["g2"] || reply.Coverage.Documents >= 1 || len(reply.Coverage.Seq) != 2 {
			t.Errorf("%+v, documents %v", reply, counts)
		}
		whole := wire.NewSearch("word")
		whole.Partial = "fail"
		if _, err := s.Client().Search(t.Context(), "default", whole); err == nil || !strings.Contains(err.Error(), "unavailable") {
			t.Errorf("partial=fail: %v", err)
		}
		lost := s.idOf("g1", 0)
		if _, err := s.Client().Get(t.Context(), "default", lost); err == nil || !strings.Contains(err.Error(), "unavailable") {
			t.Errorf("get from a group that is gone: %v", err)
		}
		stored, err := s.Client().Index(t.Context(), "default", fmt.Appendf(nil, `{"id":%q}`, lost), client.WriteOptions{Timeout: time.Second})
		if err != nil || !stored.Durable || stored.Visible || stored.Outcome != "" || stored.OK {
			t.Errorf("write to a group that is gone: %+v, %v", stored, err)
		}
		bulk, err := s.Client().Bulk(t.Context(), "default", fmt.Appendf(nil, "{\"id\":%q}\n{\"id\":%q}\n", lost, s.idOf("g0", 0)), client.WriteOptions{Timeout: time.Minute})
		if err != nil || bulk.Failed != 1 || bulk.Indexed != 1 || bulk.OK || !bulk.Visible || bulk.Errors[0].Line != 1 || bulk.Errors[0].Code != fault.Unavailable || bulk.Errors[0].Durable != wire.IsDurable {
			t.Errorf("bulk: %+v, %v", bulk, err)
		}
		s.restart("g1/n1")
		if reply, err := s.Client().Search(t.Context(), "default", wire.NewSearch("*")); err != nil || !reply.Exact || reply.Total.Value != 60 {
			t.Errorf("after one member is back: %+v, %v", reply, err)
		}
	})
}

// A query meets a dead member and is answered by the other within its budget, exact.
func TestFailoverWithinTheBudget(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := setStage(t, 1, 2)
		s.index("a", client.WriteOptions{})
		s.links["g0/n1"].cut() // silent, and not known to be gone: no server says that nobody listens
		for range 6 {
			began := time.Now()
			reply, err := s.Client().Search(t.Context(), "default", wire.NewSearch("word"))
			if err != nil || !reply.Exact || reply.Total.Value != 1 {
				t.Fatalf("%+v, %v", reply, err)
			}
			if took := time.Since(began); took >= time.Second {
				t.Errorf("a search beside a silent member took %s", took)
			}
		}
		s.links["g0/n1"].mend()
		time.Sleep(10 * time.Second)
	})
}

// Two collections of one name, one after the other, share nothing.
func TestDroppedCollectionLeavesNothing(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := setStage(t, 2, 2)
		ctx := t.Context()
		for round := range 3 {
			if _, err := s.Client().CreateCollection(ctx, "c", json.RawMessage(`{"fields":{"n":{"type":"long"}}}`)); err != nil {
				t.Fatal(err)
			}
			reply, err := s.Client().Search(ctx, "c", wire.NewSearch("*"))
			if err != nil || reply.Total.Value != 0 {
				t.Fatalf("round %d: %+v, %v", round, reply, err)
			}
			for n := range 10 {
				if _, err := s.Client().Index(ctx, "c", fmt.Appendf(nil, `{"id":"%d","n":%d}`, n, n), client.WriteOptions{}); err != nil {
					t.Fatal(err)
				}
			}
			dropped, err := s.Client().DropCollection(ctx, "c")
			if err != nil || !dropped.OK || !dropped.Verified {
				t.Fatalf("drop: %+v, %v", dropped, err)
			}
			if _, err := s.Client().Search(ctx, "c", wire.NewSearch("*")); err == nil || !strings.Contains(err.Error(), "no_collection") {
				t.Fatalf("after the drop: %v", err)
			}
		}
	})
}
