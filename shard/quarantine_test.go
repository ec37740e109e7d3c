package shard

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jetseek/jetseek/engine"
	"github.com/jetseek/jetseek/subjects/wire"
)

// panics gives a member a hook that panics at each body with a text, so often.
func (a *actor) panics(text string, times int64) {
	var left atomic.Int64
	left.Store(times)
	before := func(op *engine.Op) {
		if bytes.Contains(op.Body, []byte(text)) && left.Add(-1) >= 0 {
			panic("at " + text)
		}
	}
	a.before.Store(&before)
}

// neighbours writes a message of three documents, of which the one in the middle is the n-th, and poison.
func (tr *troupe) neighbours(n int) uint64 {
	put := func(n int, text string) wire.Op {
		return wire.Op{Kind: wire.KindPut, Collection: 1, ID: fmt.Sprint("d", n), Slot: uint16(n), IfVersion: wire.NoCondition, Body: fmt.Appendf(nil, `{"text":"%s %d"}`, text, n)}
	}
	ops := []wire.Op{put(n+50, "good"), put(n, "poison"), put(n+51, "good")}
	return tr.write(tr.log, false, wire.Record{Ops: ops})
}

const always = 1 << 40

// An operation at which the engine of every member panics, outside what is decided in place, is set aside by all alike: its neighbours are there, what comes behind it is applied, a
// member that joins later does the same, and tried again it is applied.
func TestPoisonIsSetAsideByAll(t *testing.T) {
	tr := newTroupe(t, "n1", "n2")
	for n := range 10 {
		tr.document(n)
	}
	tr.agree(tr.document(10))
	for _, a := range tr.members {
		a.panics("poison", always)
	}
	bad := tr.neighbours(7)
	worse := tr.neighbours(7)
	tr.agree(tr.document(8))
	want := []engine.Quarantined{{Place: engine.Place{Seq: bad, Op: 1}, Kind: engine.OpPut, Collection: 1, ID: "d7", Slot: 7, Reason: "panic: at poison"},
		{Place: engine.Place{Seq: worse, Op: 1}, Kind: engine.OpPut, Collection: 1, ID: "d7", Slot: 7, Reason: "panic: at poison"}}
	check := func(a *actor, want []engine.Quarantined, text string) {
		t.Helper()
		snap := a.index.Snapshot()
		defer snap.Close()
		if got := snap.Quarantine(); len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
			t.Errorf("%s has set aside %+v", a.ID(), got)
		}
		for id, want := range map[string]string{"d7": text, "d57": "good 57", "d58": "good 58"} {
			if doc, _ := snap.Get(1, id); string(doc.Source) != `{"text":"`+want+`"}` {
				t.Errorf("%s has %s as %s", a.ID(), id, doc.Source)
			}
		}
	}
	tr.act("n3", t.TempDir()) // which could apply it
	tr.agree(tr.document(9))
	for _, a := range tr.members {
		check(a, want, "second 7")
	}
	for _, a := range tr.members {
		a.before.Store(nil)
	}
	op := wire.Op{Kind: wire.KindPut, Collection: 1, ID: "d7", Slot: 7, IfVersion: wire.NoCondition, Body: []byte(`{"text":"poison 7"}`)}
	tr.agree(tr.write(tr.log, false, wire.Record{Ops: []wire.Op{wire.Again(op, wire.Place{Seq: bad, Op: 1})}}))
	want[1].Superseded = true
	for _, a := range tr.members {
		check(a, want[1:], "poison 7")
	}
}

// A member that cannot apply what another has applied is the one at fault, and says so: it makes its index anew once. Where that helps it returns, where not it fails; the other goes on.
func TestOwnFaultIsNoPoison(t *testing.T) {
	tr := newTroupe(t, "n1", "n2")
	tr.document(1)
	faulty := tr.members["n2"]
	faulty.panics("first 2", 2) // in a batch, and alone
	tr.agree(tr.document(2))
	if state, _ := tr.members["n1"].State(); state != Serving || faulty.trial.anew == nil {
		t.Errorf("n1 is %s, and the index of n2 was made anew for %v", state, faulty.trial.anew)
	}
	faulty.panics("first 3", always)
	at := tr.document(3)
	faulty.fails(t)
	if _, reason := faulty.State(); !strings.HasPrefix(reason, "own_fault: ") || !strings.Contains(reason, fmt.Sprintf("%d/0", at)) || !strings.Contains(reason, "g0/n1") {
		t.Errorf("n2 failed: %s", reason)
	}
	delete(tr.members, "n2")
	tr.agree(tr.document(4))
	tr.act("n2", faulty.opts.Dir+"-next") // repaired
	tr.agree(tr.document(5))
	for _, a := range tr.members {
		if n := a.countQuarantined(); n > 0 {
			t.Errorf("%s has set aside %d operations", a.ID(), n)
		}
	}
}

// A member that has set aside in place what the other could apply is told from the other, though its digests alone say no more than that they differ.
func TestSetAsideByOneAlone(t *testing.T) {
	tr := newTroupe(t, "n1", "n2")
	tr.document(1)
	alone := tr.members["n2"]
	alter := func(messages []engine.Message) { // whenever it applies the message: a replay proves it wrong again and again
		for i := range messages {
			if ops := messages[i].Ops; len(ops) == 3 && ops[0].ID == "d2" {
				ops[1].Aside = "panic: in analysis"
			}
		}
	}
	alone.alter.Store(&alter)
	want := wire.Place{Seq: tr.document(2), Op: 1}
	for began := time.Now(); ; {
		if at, is := tr.members["n1"].alone(t.Context(), "g0/n2"); is {
			t.Fatalf("n1 is said to be alone with %s", at)
		}
		if at, is := alone.alone(t.Context(), "g0/n1"); is {
			if at != want {
				t.Errorf("n2 is alone with %s, want %s", at, want)
			}
			return
		}
		if time.Since(began) > 20*time.Second {
			t.Fatal("nothing is noticed")
		}
		time.Sleep(10 * time.Millisecond) // between two tries
	}
}

func (a *actor) fails(t *testing.T) {
	t.Helper()
	limit := time.NewTimer(20 * time.Second)
	defer limit.Stop()
	for {
		state, changed := a.status.watch()
		if state == Failed {
			return
		}
		select {
		case <-changed:
		case <-limit.C:
			t.Fatalf("%s is %s", a.ID(), state)
		}
	}
}

// wordPut is a put of a document of one word.
func wordPut(id string) wire.Op {
	return wire.Op{Kind: wire.KindPut, Collection: 1, ID: id, IfVersion: wire.NoCondition, Body: []byte(`{"text":"word"}`)}
}

// A process that died twice of an operation leaves it to the next one, which does not try it again; software of another version does.
func TestDeathAtAnOperation(t *testing.T) {
	for _, c := range []struct {
		version string
		left    func(seq uint64) attempt
		aside   int
	}{
		{"1", func(seq uint64) attempt { return attempt{from: seq, to: seq, singly: true, op: 1} }, 1},
		{"2", func(seq uint64) attempt { return attempt{from: seq, to: seq, singly: true, op: 1} }, 0},
		{"1", func(seq uint64) attempt { return attempt{from: seq, to: seq + 3} }, 0},
		{"1", func(seq uint64) attempt { return attempt{} }, 0},
	} {
		g, first, dir := newGroup(t)
		g.put(first.log, 0, 5)
		if err := first.stop(); err != nil {
			t.Fatal(err)
		}
		bad := g.write(first.log, false, wire.Record{Ops: []wire.Op{wordPut("a"), wordPut("b"), wordPut("c")}})
		f := &folder{dir: dir}
		if _, err := f.openApplying("1"); err != nil {
			t.Fatal(err)
		}
		f.note(c.left(bad))
		if err := f.closeApplying(); err != nil {
			t.Fatal(err)
		}
		next, err := g.startWith(Options{Node: "n1", Dir: dir, Version: c.version})
		if err != nil {
			t.Fatal(err)
		}
		snap := next.await(t, g.put(first.log, 5, 6))
		_, hasB := snap.Get(1, "b")
		_, hasC := snap.Get(1, "c")
		if got := snap.Quarantine(); len(got) != c.aside || hasB != (c.aside == 0) || !hasC {
			t.Errorf("version %s, %+v: set aside %+v, has b %v, c %v", c.version, c.left(bad), got, hasB, hasC)
		}
		snap.Close()
	}
}

// TestDecide: an operation is set aside only when everybody says that he cannot apply it.
func TestDecide(t *testing.T) {
	at := wire.Place{Seq: 17, Op: 3}
	for name, c := range map[string]struct {
		others []peer
		want   decision
		who    string
	}{
		"alone":                     {nil, setAside, ""},
		"the others cannot either":  {[]peer{{id: "b", known: true, applied: 16, stuck: "17/3"}, {id: "c", known: true, applied: 3, failed: true}}, setAside, ""},
		"one has applied it":        {[]peer{{id: "b", known: true, applied: 16, stuck: "17/3"}, {id: "c", known: true, applied: 17}}, ownFault, "c"},
		"one is not there yet":      {[]peer{{id: "b", known: true, applied: 16}, {id: "c", known: true, applied: 16, stuck: "17/3"}}, undecided, "b"},
		"one is at another":         {[]peer{{id: "b", known: true, applied: 16, stuck: "17/2"}}, undecided, "b"},
		"one is away":               {[]peer{{id: "b"}}, undecided, "b"},
		"one is away, one has":      {[]peer{{id: "b"}, {id: "c", known: true, applied: 20}}, ownFault, "c"},
		"one failed behind it":      {[]peer{{id: "b", known: true, failed: true, applied: 18}}, ownFault, "b"},
		"of another log is nothing": {[]peer{{id: "b", applied: 99}}, undecided, "b"},
	} {
		if got, who := decide(at, c.others); got != c.want || who != c.who {
			t.Errorf("%s: %d %q, want %d %q", name, got, who, c.want, c.who)
		}
	}
}

func FuzzAttempt(f *testing.F) {
	f.Add(attempt{from: 3, to: 9}.append(nil, "1"))
	f.Add(attempt{from: 3, to: 9, singly: true, op: 7, anew: true}.append(nil, "1"))
	f.Add([]byte("nothing"))
	f.Fuzz(func(t *testing.T, b []byte) {
		a := decodeAttempt(b, "1")
		if a == (attempt{}) {
			return
		}
		if again := a.append(nil, "1"); a != decodeAttempt(again, "1") || a.singly && !bytes.Equal(again[:24], b[:24]) {
			t.Errorf("%x is %+v, which is %x", b, a, again)
		}
		if other := decodeAttempt(b, "2"); other.singly && a.singly {
			t.Errorf("%x blames an operation in two versions", b)
		}
	})
}
