package witness

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jetseek/jetseek/subjects/wire"
)

const s = time.Second

// put and the others make events of hand-made histories.
func put(id string, value uint64, start, end time.Duration, seq, version uint64, visible bool) Event {
	e := Event{Kind: Put, ID: id, Value: value, IfVersion: NoCondition, Start: start, End: end, Result: OK, Group: "g0", Seq: seq, Version: version, Visible: visible}
	e.Outcome = "updated"
	if version == 1 {
		e.Outcome = "created"
	}
	return e
}

func del(id string, start, end time.Duration, seq, version uint64) Event {
	return Event{Kind: Delete, ID: id, IfVersion: NoCondition, Start: start, End: end, Result: OK, Group: "g0", Seq: seq, Version: version, Outcome: "deleted", Visible: true}
}

func get(id string, value, version uint64, start, end time.Duration) Event {
	return Event{Kind: Get, ID: id, Value: value, Version: version, Start: start, End: end, Result: OK, Group: "g0"}
}

func unknown(e Event) Event {
	e.Result, e.Seq, e.Outcome, e.Version, e.Visible = Unknown, 0, "", 0, false
	return e
}

func failed(e Event) Event {
	e = unknown(e)
	e.Result = Failed
	return e
}

func search(start time.Duration, seq map[string]uint64, documents ...Document) Event {
	return Event{Kind: Search, Start: start, End: start + 1, Result: OK,
		Answer: &Answer{Total: uint64(len(documents)), Relation: "eq", Exact: true, Seq: seq, Documents: documents}}
}

// logOf plays operations, one a message, of a group that owns everything.
func logOf(t *testing.T, group string, ops ...wire.Op) *Log {
	t.Helper()
	own := wire.Op{Kind: wire.KindOwn, IfVersion: NoCondition, Body: wire.AppendOwn(nil, &wire.Own{Epoch: 1, Ranges: []wire.SlotRange{{From: 0, To: 16383}}})}
	var messages []Message
	owner := make(map[string]string)
	for i, op := range append([]wire.Op{own}, ops...) {
		messages = append(messages, Message{uint64(i + 1), wire.AppendRecord(nil, &wire.Record{Ops: []wire.Op{op}})})
		if op.ID != "" {
			owner[op.ID] = group
		}
	}
	g, err := PlayGroup(group, messages)
	if err != nil {
		t.Fatal(err)
	}
	return &Log{Groups: map[string]*GroupLog{group: g}, Owner: owner}
}

func putOp(id, body string) wire.Op {
	return wire.Op{Kind: wire.KindPut, ID: id, IfVersion: NoCondition, Body: []byte(body)}
}

func delOp(id string) wire.Op { return wire.Op{Kind: wire.KindDelete, ID: id, IfVersion: NoCondition} }

// small is a log of four writes, at 2 to 5: a is 1, then 2, then gone; b is 3.
func small(t *testing.T) *Log {
	return logOf(t, "g0", putOp("a", `{"id":"a","value":1}`), putOp("a", `{"id":"a","value":2}`), delOp("a"), putOp("b", `{"id":"b","value":3}`))
}

func TestTheModelOfTheLog(t *testing.T) {
	condition := putOp("a", `{"id":"a","value":9}`)
	condition.IfVersion = 1
	log := logOf(t, "g0", putOp("a", `{"id":"a","value":1}`), putOp("a", `{"id":"a","value":2}`), condition, delOp("a"), delOp("a"), condition)
	var outcomes []string
	for _, w := range log.Groups["g0"].Writes {
		outcomes = append(outcomes, w.Outcome)
	}
	if want := []string{"created", "updated", "version_conflict", "deleted", "not_found", "version_conflict"}; !slices.Equal(outcomes, want) {
		t.Errorf("outcomes %v, want %v", outcomes, want)
	}
	g := log.Groups["g0"]
	for seq, want := range []uint64{0, 0, 1, 2, 2, 0, 0, 0} {
		if s := g.At("a", uint64(seq)); s.value != want {
			t.Errorf("after message %d a is %d, want %d", seq, s.value, want)
		}
	}
}

// asideLog is a log in which the put of 2 stands at 3 and is set aside at 4; behind it a is 3, and what was set aside is tried again. b is set aside at 5, and tried again.
func asideLog(t *testing.T) *Log {
	t.Helper()
	aside := func(seq uint64) wire.Op {
		return wire.Op{Kind: wire.KindQuarantine, IfVersion: NoCondition, Body: wire.AppendQuarantine(nil, &wire.Quarantine{Place: wire.Place{Seq: seq}, Member: "g0/n1", Reason: "panic"})}
	}
	two, five := putOp("a", `{"id":"a","value":2}`), putOp("b", `{"id":"b","value":5}`)
	return logOf(t, "g0", putOp("a", `{"id":"a","value":1}`), two, aside(3), five, aside(5), putOp("a", `{"id":"a","value":3}`),
		wire.Again(two, wire.Place{Seq: 3}), wire.Again(five, wire.Place{Seq: 5}), wire.Again(five, wire.Place{Seq: 5}))
}

func TestTheModelSetsAside(t *testing.T) {
	g := asideLog(t).Groups["g0"]
	var outcomes []string
	for _, w := range g.Writes {
		outcomes = append(outcomes, w.Outcome)
	}
	if want := []string{"created", "rejected", "rejected", "updated", "version_conflict", "created", "not_found"}; !slices.Equal(outcomes, want) {
		t.Errorf("outcomes %v, want %v", outcomes, want)
	}
	if a, b := g.At("a", 6), g.At("b", 8); a.value != 1 || b.value != 0 || g.At("a", 10).value != 3 || g.At("b", 10).value != 5 {
		t.Errorf("while they are set aside a is %+v and b %+v", a, b)
	}
}

func TestCheckQuarantine(t *testing.T) {
	log := asideLog(t)
	poison := func(value uint64) bool { return value == 2 || value == 5 }
	tried := func(at, seq uint64, id, outcome string) Requeued {
		return Requeued{Group: "g0", Aside: Aside{Place: wire.Place{Seq: at}, ID: id}, Reply: &wire.RequeueBody{Seq: seq, Outcome: outcome}}
	}
	a, b := tried(3, 8, "a", "superseded"), tried(5, 9, "b", "created")
	for name, c := range map[string]struct {
		tried  []Requeued
		left   []wire.QuarantinedBody
		poison func(uint64) bool
		word   string
	}{
		"all right":               {[]Requeued{a, b}, nil, poison, ""},
		"it could be applied":     {[]Requeued{a, b}, nil, func(v uint64) bool { return v == 2 }, "could be applied"},
		"there was no poison":     {[]Requeued{a, b}, nil, nil, "could be applied"},
		"members do not have it":  {[]Requeued{a}, nil, poison, "by no member"},
		"a member alone has it":   {[]Requeued{a, b, tried(2, 8, "a", "created")}, nil, poison, "by a member alone"},
		"another outcome":         {[]Requeued{a, tried(5, 9, "b", "updated")}, nil, poison, "the log has created"},
		"the log does not say so": {[]Requeued{a, tried(5, 11, "b", "created")}, nil, poison, "does not stand in the log"},
		"still there":             {[]Requeued{a, b}, []wire.QuarantinedBody{{Group: "g0", Seq: 5}}, poison, "still listed"},
	} {
		found := CheckQuarantine(c.tried, c.left, log, c.poison)
		if c.word == "" && len(found) > 0 || c.word != "" && (len(found) == 0 || !strings.Contains(found[0].Text, c.word)) {
			t.Errorf("%s: %v", name, found)
		}
	}
	durable := put("b", 5, 0, s, 5, 0, false)
	durable.Outcome = ""
	visible := durable
	visible.Visible = true
	expect(t, []judged{
		{"durable, and set aside later", History{durable}, ""},
		{"said to be visible, and set aside", History{visible}, "the log has it as"},
		{"said to be created, and set aside", History{put("b", 5, 0, s, 5, 1, false)}, "the log has it as"},
	}, func(h History) []Violation { return CheckAcknowledged(h, log, nil) })
	if h := (History{durable, visible}).withoutAsides(log); h[0].Result != Unknown || h[1].Result != OK {
		t.Errorf("%+v", h)
	}
}

// judged is a history with the violations that a checker must find in it: 0, or at least one that contains the word.
type judged struct {
	name    string
	history History
	word    string
}

func expect(t *testing.T, cases []judged, check func(h History) []Violation) {
	t.Helper()
	for _, c := range cases {
		found := check(c.history)
		switch {
		case c.word == "" && len(found) > 0:
			t.Errorf("%s: %v", c.name, found)
		case c.word != "" && !slices.ContainsFunc(found, func(v Violation) bool { return strings.Contains(v.Text, c.word) }):
			t.Errorf("%s: want a violation with %q, found %v", c.name, c.word, found)
		}
	}
}

func TestCheckAcknowledged(t *testing.T) {
	log := small(t)
	good := History{put("a", 1, 0, s, 2, 1, true), put("a", 2, s, 2*s, 3, 2, true), del("a", 2*s, 3*s, 4, 2), put("b", 3, 3*s, 4*s, 5, 1, true)}
	with := func(e Event) History { return append(slices.Clone(good), e) }
	expect(t, []judged{
		{"what the log holds", good, ""},
		{"an acknowledged put that is not there", with(put("c", 7, 4*s, 5*s, 6, 1, true)), "lost"},
		{"an acknowledged delete that is not there", with(del("b", 4*s, 5*s, 6, 1)), "lost"},
		{"another outcome", History{put("a", 1, 0, s, 2, 3, true)}, "the log has it as"},
		{"another sequence", History{put("a", 1, 0, s, 3, 1, true)}, "the log has it as"},
		{"an unknown one that is not there", with(unknown(put("c", 7, 4*s, 5*s, 0, 0, false))), ""},
		{"an unknown one that is there", History{unknown(put("a", 1, 0, s, 0, 0, false))}, ""},
		{"a failed one that is not there", with(failed(put("c", 7, 4*s, 5*s, 0, 0, false))), ""},
		{"a failed one that is there", History{failed(put("a", 1, 0, s, 0, 0, false))}, "certainly not stored"},
	}, func(h History) []Violation { return CheckAcknowledged(h, log, nil) })
	if n := Lost(with(put("c", 7, 4*s, 5*s, 6, 1, true)), log); n != 1 {
		t.Errorf("%d lost, want 1", n)
	}
	twice := logOf(t, "g0", putOp("a", `{"id":"a","value":1}`), putOp("a", `{"id":"a","value":1}`))
	if found := CheckAcknowledged(History{put("a", 1, 0, s, 2, 1, true)}, twice, nil); len(found) != 1 || !strings.Contains(found[0].Text, "2 times") {
		t.Errorf("one write stored twice: %v", found)
	}
	b := get("b", 3, 1, 9*s, 9*s)
	absent := get("b", 0, 0, 9*s, 9*s)
	if found := CheckAcknowledged(good, log, History{b, get("a", 0, 0, 9*s, 9*s)}); len(found) != 0 {
		t.Errorf("the right end: %v", found)
	}
	if found := CheckAcknowledged(good, log, History{absent}); len(found) != 1 {
		t.Errorf("a document that is not there in the end: %v", found)
	}
}

func TestCheckDeletes(t *testing.T) {
	owner := map[string]string{"a": "g0"}
	base := History{put("a", 1, 0, s, 2, 1, true), del("a", 2*s, 3*s, 3, 1)}
	with := func(e ...Event) History { return append(slices.Clone(base), e...) }
	unverified := del("a", 2*s, 3*s, 3, 1)
	unverified.Visible = false
	expect(t, []judged{
		{"absent afterwards", with(get("a", 0, 0, 4*s, 5*s)), ""},
		{"a read that began before the end", with(get("a", 1, 1, 2900*time.Millisecond, 5*s)), ""},
		{"a read behind it", with(get("a", 1, 1, 4*s, 5*s)), "value 1"},
		{"a search behind it", with(search(4*s, map[string]uint64{"g0": 3}, Document{"a", 1})), "value 1"},
		{"written again", with(put("a", 2, 3*s, 4*s, 4, 1, true), get("a", 2, 1, 5*s, 6*s)), ""},
		{"an unknown put before it that may land later", History{unknown(put("a", 1, 0, s, 0, 0, false)), base[1], get("a", 1, 1, 5*s, 6*s)}, ""},
		{"not verified", History{base[0], unverified, get("a", 1, 1, 5*s, 6*s)}, ""},
	}, func(h History) []Violation { found, _ := CheckDeletes(h, owner); return found })
	if _, looked := CheckDeletes(with(get("a", 0, 0, 4*s, 5*s), get("a", 0, 0, s, 5*s)), owner); looked != 1 {
		t.Errorf("looked at %d reads behind a delete, want 1", looked)
	}
}

func TestCheckRegisters(t *testing.T) {
	owner := map[string]string{"a": "g0"}
	two := History{put("a", 1, 0, s, 2, 1, true), put("a", 2, 2*s, 6*s, 3, 2, true)}
	with := func(e ...Event) History { return append(slices.Clone(two), e...) }
	late := put("a", 2, 2*s, 3*s, 3, 2, false)
	expect(t, []judged{
		{"the last value", with(get("a", 2, 2, 7*s, 8*s)), ""},
		{"an old value after a visible write", with(get("a", 1, 1, 7*s, 8*s)), "no register"},
		{"nothing after a visible write", with(get("a", 0, 0, 7*s, 8*s)), "no register"},
		{"new, then old at another member, while the write is not visible", with(get("a", 2, 2, 3*s, 4*s), get("a", 1, 1, 4*s, 5*s)), ""},
		{"old after a write that was acknowledged before it was visible", History{two[0], late, get("a", 1, 1, 4*s, 5*s)}, ""},
		{"new before an earlier write is known to be visible, old after it", History{put("a", 1, 0, 9*s, 2, 1, true), late, get("a", 2, 2, 4*s, 5*s), get("a", 1, 1, 10*s, 11*s)}, ""},
		{"a value before it was written", with(get("a", 2, 2, s/2, s)), "no register"},
		{"a value that nobody wrote", with(get("a", 9, 2, 7*s, 8*s)), "no register"},
		{"two first versions", History{put("a", 1, 0, s, 2, 1, true), put("a", 2, 2*s, 3*s, 3, 1, true)}, "no register"},
		{"an unknown write that took effect", History{two[0], unknown(put("a", 5, s, 2*s, 0, 0, false)), get("a", 5, 2, 9*s, 9*s)}, ""},
		{"an unknown write that took none", History{two[0], unknown(put("a", 5, s, 2*s, 0, 0, false)), get("a", 1, 1, 9*s, 9*s)}, ""},
		{"an unknown write that comes and goes", History{two[0], unknown(put("a", 5, s, 2*s, 0, 0, false)), get("a", 5, 2, 3*s, 3*s), put("a", 6, 4*s, 5*s, 3, 2, true)}, "no register"},
		{"deleted and found", with(del("a", 7*s, 8*s, 4, 2), get("a", 2, 2, 9*s, 9*s)), "no register"},
	}, func(h History) []Violation { found, _ := CheckRegisters(h, owner, 100); return found })
}

func TestCheckSessions(t *testing.T) {
	asked := func(answered uint64) History {
		e := search(s, map[string]uint64{"g0": answered})
		e.MinSeq = map[string]uint64{"g0": 5, "g1": 9} // g1 is missing from the answer, which coverage judges
		return History{e}
	}
	expect(t, []judged{{"older", asked(4), "asked for 5"}, {"as asked", asked(5), ""}, {"newer", asked(6), ""}}, CheckSessions)
}

func TestCheckCoverage(t *testing.T) {
	log := small(t)
	log.Groups["g1"] = logOf(t, "g1", putOp("c", `{"id":"c","value":4}`)).Groups["g1"]
	log.Owner["c"] = "g1"
	whole := map[string]uint64{"g0": 5, "g1": 2}
	b, c := Document{"b", 3}, Document{"c", 4}
	part := func(change func(a *Answer)) History {
		e := search(9*s, map[string]uint64{"g0": 5}, b)
		e.Answer.Exact, e.Answer.Partial, e.Answer.Relation, e.Answer.Missing = false, true, "gte", []string{"g1"}
		change(e.Answer)
		return History{e}
	}
	left := search(9*s, map[string]uint64{"g0": 3, "g1": 2}, c)
	left.Answer.Total, left.Answer.Left = 2, true
	silent := search(9*s, map[string]uint64{"g0": 3, "g1": 2}, c)
	silent.Answer.Total = 2
	expect(t, []judged{
		{"whole", History{search(9*s, whole, b, c)}, ""},
		{"at an older sequence", History{search(9*s, map[string]uint64{"g0": 3, "g1": 2}, Document{"a", 2}, c)}, ""},
		{"a document too few", History{search(9*s, whole, b)}, "total is 1"},
		{"an old value", History{search(9*s, map[string]uint64{"g0": 3, "g1": 2}, Document{"a", 1}, c)}, "has value 1"},
		{"labelled", part(func(*Answer) {}), ""},
		{"without the label", part(func(a *Answer) { a.Partial = false }), "partial false"},
		{"called exact", part(func(a *Answer) { a.Exact = true }), "exact true"},
		{"with an exact total", part(func(a *Answer) { a.Relation = "eq" }), "said to be exact"},
		{"without the name", part(func(a *Answer) { a.Missing = nil }), "names []"},
		{"deleted meanwhile, and said so", History{left}, ""},
		{"deleted meanwhile, without a word", History{silent}, "is not in the answer"},
		{"older than what was visible", History{put("b", 3, 0, 5*s, 5, 1, true), search(6*s, map[string]uint64{"g0": 4, "g1": 2}, c)}, "5 was visible before"},
		{"older than what became visible meanwhile", History{put("b", 3, 0, 5*s, 5, 1, true), search(4*s, map[string]uint64{"g0": 4, "g1": 2}, c)}, ""},
	}, func(h History) []Violation { return CheckCoverage(h, log) })
}

func TestCheckDigests(t *testing.T) {
	log := small(t)
	one := MemberState{Member: "g0/n1", Group: "g0", State: "serving", ContentSeq: 5, Digest: "x", Documents: 1}
	for _, c := range []struct {
		name   string
		change func(m *MemberState)
		want   int
	}{
		{"equal", func(*MemberState) {}, 0},
		{"another digest", func(m *MemberState) { m.Digest = "y" }, 1},
		{"behind", func(m *MemberState) { m.ContentSeq = 4 }, 1},
		{"fewer documents", func(m *MemberState) { m.Documents = 0 }, 1},
		{"failed", func(m *MemberState) { m.State = "failed" }, 1},
	} {
		other := one
		other.Member = "g0/n2"
		c.change(&other)
		if found := CheckDigests([]MemberState{one, other}, log); len(found) != c.want {
			t.Errorf("%s: %v", c.name, found)
		}
	}
}
