package shard

import (
	"strings"
	"testing"

	"github.com/jetseek/jetseek/subjects"
	"github.com/jetseek/jetseek/subjects/wire"
)

// What is not genuine is passed over at its place, by members that run and by those that replay, and counted; what is stands. A log without a signature counts as signed
// from the first record that verifies on; a member without a key stops there.
func TestRecordsThatAreNotGenuine(t *testing.T) {
	keys, err := wire.ParseKeys([]byte(strings.Repeat("5c", 32)))
	if err != nil {
		t.Fatal(err)
	}
	others, err := wire.ParseKeys([]byte(strings.Repeat("77", 32)))
	if err != nil {
		t.Fatal(err)
	}
	th := newTheatre(t)
	m := th.startWith("n1", nil) // it begins the log without a key
	th.serving(m)
	m.end()
	m = th.startWith("n1", keys)
	th.serving(m)
	js := th.server.JetStream(t)
	last := uint64(0)
	send := func(log wire.UUID, by *wire.Keys, flip bool) {
		t.Helper()
		body := wire.AppendRelease(nil, &wire.Release{Member: m.ID(), Incarnation: m.incarnation}) // takes the member's lease out of the table, if it is heeded
		b := by.Sign(wire.AppendRecord(nil, &wire.Record{Header: wire.Header{Log: log}, Ops: []wire.Op{{Kind: wire.KindRelease, IfVersion: wire.NoCondition, Body: body}}}))
		if flip {
			b[len(b)-1] ^= 1
		}
		ack, err := js.Publish(t.Context(), subjects.Names{}.Log("g0"), b)
		if err != nil {
			t.Fatal(err)
		}
		last = ack.Sequence
	}
	send(m.log, nil, false)
	send(m.log, others, false)
	send(wire.UUID{3}, keys, false)
	send(m.log, keys, true) // its checksum is wrong: no record at all
	if !m.awaitApplied(t.Context(), last) {
		t.Fatal("not applied")
	}
	replay := th.startWith("n2", keys)
	th.serving(replay)
	for _, one := range []life{m, replay} {
		if got := one.refused.Load(); got != 3 {
			t.Errorf("member %s has refused %d records, want 3", one.ID(), got)
		}
		table, _ := one.progress.watch()
		found := false
		for _, e := range table {
			found = found || e.Incarnation == m.incarnation
		}
		if !found {
			t.Errorf("member %s has heeded a release that was not genuine", one.ID())
		}
	}
	th.failsWith(th.startWith("n3", nil), "the log is signed", "--cluster-key")
	th.failsWith(th.startWith("n4", others), "other_keys: member g0/n", "--cluster-key")
	for _, one := range []life{m, replay} {
		one.end()
	}
	th.failsWith(th.startWith("n5", nil), "message ", "--cluster-key") // nobody is there to tell it
}

// A log that begins with a signed message says by itself that a member has other keys: the log is not to blame, and the data not in the way.
func TestMemberWithOtherKeys(t *testing.T) {
	th := newTheatre(t)
	keys := map[string]*wire.Keys{}
	for name, file := range map[string]string{"own": strings.Repeat("5c", 32), "other": strings.Repeat("77", 32), "both": strings.Repeat("77", 32) + "\n" + strings.Repeat("5c", 32)} {
		var err error
		if keys[name], err = wire.ParseKeys([]byte(file)); err != nil {
			t.Fatal(err)
		}
	}
	m := th.startWith("n1", keys["own"])
	th.serving(m)
	m.end()
	m = th.startWith("n1", keys["other"])
	th.failsWith(m, "other_keys: the log's first message", "it keeps its data")
	m.end()
	th.serving(th.startWith("n1", keys["both"]))
}
