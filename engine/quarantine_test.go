package engine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jetseek/jetseek/engine/analysis"
	"github.com/jetseek/jetseek/engine/outcome"
	"github.com/jetseek/jetseek/engine/schema"
)

// poisonous panics at one word, as a bug in analysis would.
type poisonous struct{ analysis.Analyzer }

func (p poisonous) Analyze(dst []analysis.Token, text string) []analysis.Token {
	if strings.Contains(text, "poison") {
		panic("poison")
	}
	return p.Analyzer.Analyze(dst, text)
}

// TestPanicIsQuarantined applies an operation at which analysis panics: it is rejected, all else goes on, and the digest tells the same by every batching.
func TestPanicIsQuarantined(t *testing.T) {
	text := &schema.Schema{Fields: []schema.Field{{Name: "a", Type: schema.Text, Analyzer: "standard", Boost: 1}}}
	put := func(id, body string) Op {
		return Op{Kind: OpPut, Collection: 1, ID: id, IfVersion: -1, Body: []byte(body)}
	}
	history := func(third string) []Message {
		return []Message{
			{Seq: 1, Ops: []Op{{Kind: OpOwn, Slots: AllSlots()}, {Kind: OpSchema, Collection: 1, Version: 1, Schema: text}}},
			{Seq: 2, Ops: []Op{put("x", `{"a":"fine"}`)}},
			{Seq: 3, Ops: []Op{put("x", third), put("y", `{"a":"after"}`)}},
		}
	}
	open := func() *Index {
		x, err := Open(Options{})
		if err != nil {
			t.Fatal(err)
		}
		x.analyzer.chain = func(s *schema.Schema, f *schema.Field) (analysis.Analyzer, bool) {
			a, ok := s.IndexAnalyzer(f)
			return poisonous{a}, ok
		}
		return x
	}
	digests := map[string]Digest{}
	for name, third := range map[string]string{"poison": `{"a":"poison"}`, "bad body": `{"a":7}`} {
		whole, apart := open(), open()
		out, err := whole.Apply(history(third))
		if err != nil {
			t.Fatal(err)
		}
		if got := out[2]; got[0].Code != outcome.Rejected || got[1].Code != outcome.Created {
			t.Fatalf("%s: outcomes %v", name, got)
		}
		for _, m := range history(third) {
			if _, err := apart.Apply([]Message{m}); err != nil {
				t.Fatal(err)
			}
		}
		s := whole.Snapshot()
		if doc, ok := s.Get(1, "x"); !ok || string(doc.Source) != `{"a":"fine"}` || doc.Version != 1 {
			t.Errorf("%s: x is %+v, want it as it was", name, doc)
		}
		digests[name] = s.Digest()
		if other := apart.Snapshot().Digest(); other != s.Digest() {
			t.Errorf("%s: digests %s and %s by another batching", name, s.Digest(), other)
		}
	}
	if digests["poison"] == digests["bad body"] {
		t.Error("the digest does not cover the quarantine")
	}
}

// TestWorkersChangeNothing applies batches with schemas, ownership, conflicts and poison among them by one worker and by many: outcomes, digests and the bytes of
// all segments are the same.
func TestWorkersChangeNothing(t *testing.T) {
	schemaOf := func(version uint64) Op {
		s := &schema.Schema{Fields: []schema.Field{{Name: "a", Type: schema.Text, Analyzer: "standard", Boost: 1}}}
		if version > 1 {
			s.Fields = append(s.Fields, schema.Field{Name: "b", Type: schema.Keyword, Boost: 1})
		}
		return Op{Kind: OpSchema, Collection: 1, Version: version, Schema: s}
	}
	messages := []Message{{Seq: 1, Ops: []Op{{Kind: OpOwn, Slots: AllSlots()}, schemaOf(1)}}}
	some := &SlotSet{}
	some.AddRange(0, 40)
	for n := range 900 {
		op := Op{Kind: OpPut, Collection: 1, ID: fmt.Sprint(n % 700), Slot: uint16(n % 50), IfVersion: -1, Body: fmt.Appendf(nil, `{"a":"text %d","b":"%d"}`, n, n%7)}
		switch {
		case n == 300:
			op = schemaOf(2)
		case n == 500:
			op = Op{Kind: OpOwn, Slots: some}
		case n%97 == 0:
			op.Body = []byte(`{"a":"poison"}`)
		case n%61 == 0:
			op.Body = []byte(`{"a":`)
		case n%53 == 0:
			op.IfVersion = 1
		case n%31 == 0:
			op.Kind = OpDelete
		}
		if last := &messages[len(messages)-1]; n%37 != 0 {
			last.Ops = append(last.Ops, op)
		} else {
			messages = append(messages, Message{Seq: last.Seq + 1, Ops: []Op{op}})
		}
	}
	results := map[int]string{}
	for _, workers := range []int{1, 2, 8} {
		x, err := Open(Options{})
		if err != nil {
			t.Fatal(err)
		}
		x.analyzer.workers = workers
		x.analyzer.chain = func(s *schema.Schema, f *schema.Field) (analysis.Analyzer, bool) {
			standard, ok := s.IndexAnalyzer(f)
			return poisonous{standard}, ok
		}
		outcomes, err := x.Apply(messages)
		if err != nil {
			t.Fatal(err)
		}
		s := x.Snapshot()
		results[workers] = fmt.Sprint(outcomes, s.Digest())
		for _, p := range s.state.find(1).parts {
			results[workers] += string(p.seg.Bytes())
		}
		s.Close()
		if results[workers] != results[1] {
			t.Errorf("%d workers make something else than one", workers)
		}
	}
}

// quarantineIndex is an index with one collection of a text field, of which operations are set aside.
func quarantineIndex(t *testing.T, options Options) *Index {
	t.Helper()
	x, err := Open(options)
	if err != nil {
		t.Fatal(err)
	}
	text := &schema.Schema{Fields: []schema.Field{{Name: "a", Type: schema.Text, Analyzer: "standard", Boost: 1}}}
	if _, err := x.Apply([]Message{{Seq: 1, Ops: []Op{{Kind: OpOwn, Slots: AllSlots()}, {Kind: OpSchema, Collection: 1, Version: 1, Schema: text}}}}); err != nil {
		t.Fatal(err)
	}
	return x
}

// TestSetAsideAndTriedAgain plays what may happen to an operation that the log sets aside: it changes nothing and is not looked at; tried again it does what it says, once, unless a later
// operation on its id was done.
func TestSetAsideAndTriedAgain(t *testing.T) {
	put := func(place uint32, id, text string) Op {
		return Op{Kind: OpPut, Collection: 1, ID: id, IfVersion: -1, Place: place, Body: []byte(`{"a":"` + text + `"}`)}
	}
	del := func(id string) Op { return Op{Kind: OpDelete, Collection: 1, ID: id, IfVersion: -1} }
	aside := func(op Op) Op { op.Aside = "kills"; return op }
	again := func(op Op) Op { op.Again = &Place{3, 1}; return op }
	bad := put(1, "x", "new")
	for _, c := range []struct {
		name  string
		then  []Op
		last  outcome.Code // of the last of them
		holds string       // x, in the end
		left  int          // in the quarantine
	}{
		{"left alone", nil, 0, "old", 1},
		{"tried again", []Op{again(bad)}, outcome.Updated, "new", 0},
		{"tried twice", []Op{again(bad), again(bad)}, outcome.NotFound, "new", 0},
		{"another id", []Op{again(put(0, "y", "new"))}, outcome.NotFound, "old", 1},
		{"a delete of it", []Op{again(del("x"))}, outcome.NotFound, "old", 1},
		{"written since", []Op{put(2, "x", "newer"), again(bad)}, outcome.VersionConflict, "newer", 0},
		{"deleted since", []Op{del("x"), again(bad)}, outcome.VersionConflict, "", 0},
		{"deleted twice since", []Op{del("x"), del("x"), again(bad)}, outcome.VersionConflict, "", 0},
		{"again set aside", []Op{aside(again(bad))}, outcome.Rejected, "old", 1},
		{"dropped", []Op{{Kind: OpDropCollection, Collection: 1}, again(bad)}, outcome.NoCollection, "", 0},
	} {
		digests := map[Digest]bool{}
		for _, singly := range []bool{false, true} {
			x := quarantineIndex(t, Options{BeforeOp: func(op *Op) {
				if op.Place == 1 && op.Again == nil {
					t.Errorf("%s: the operation that was set aside is looked at", c.name)
				}
			}})
			messages := []Message{{Seq: 2, Ops: []Op{put(0, "x", "old")}}, {Seq: 3, Ops: []Op{put(0, "n", "before"), aside(bad), put(2, "m", "after")}}}
			for i, op := range c.then {
				messages = append(messages, Message{Seq: uint64(4 + i), Ops: []Op{op}})
			}
			apply := x.Apply
			var named []Place
			if singly {
				apply = func(messages []Message) ([][]outcome.Outcome, error) {
					return x.ApplySingly(messages, func(p Place) { named = append(named, p) })
				}
			}
			outcomes, err := apply(messages)
			if err != nil {
				t.Fatal(c.name, err)
			}
			if got := outcomes[1]; got[0].Code != outcome.Created || got[1].Code != outcome.Rejected || got[2].Code != outcome.Created {
				t.Errorf("%s: outcomes of the message %v", c.name, got)
			}
			if got := outcomes[len(outcomes)-1][0].Code; c.then != nil && got != c.last {
				t.Errorf("%s: %s, want %s", c.name, got, c.last)
			}
			s := x.Snapshot()
			doc, ok := s.Get(1, "x")
			if want := `{"a":"` + c.holds + `"}`; ok != (c.holds != "") || ok && string(doc.Source) != want {
				t.Errorf("%s: x is %s", c.name, doc.Source)
			}
			if got := s.Quarantine(); len(got) != c.left || c.left == 1 && (got[0].ID != "x" || got[0].Reason != "kills") {
				t.Errorf("%s: in quarantine %+v", c.name, got)
			}
			if singly && (len(named) != 4+len(c.then) || named[2] != Place{3, 1}) {
				t.Errorf("%s: named %v", c.name, named)
			}
			if c.left == 0 && s.state.quarantine.sum != (Digest{}) {
				t.Errorf("%s: an empty quarantine has the digest %s", c.name, s.state.quarantine.sum)
			}
			digests[s.Digest()] = true
			s.Close()
			x.Close()
		}
		if len(digests) != 1 {
			t.Errorf("%s: applied singly there is another state", c.name)
		}
	}
}

// TestQuarantineIsBounded: what there is no room for is rejected and counts in the digest.
func TestQuarantineIsBounded(t *testing.T) {
	x := quarantineIndex(t, Options{})
	defer x.Close()
	m := Message{Seq: 2}
	for n := range uint32(KeptQuarantined + 2) {
		m.Ops = append(m.Ops, Op{Kind: OpDelete, Collection: 1, ID: fmt.Sprint(n), IfVersion: -1, Place: n, Aside: strings.Repeat("é", 500)})
	}
	if _, err := x.Apply([]Message{m}); err != nil {
		t.Fatal(err)
	}
	s := x.Snapshot()
	defer s.Close()
	var sum Digest
	for _, e := range s.Quarantine() {
		sum.add(e.digest())
	}
	if len(s.Quarantine()) != KeptQuarantined || len(s.Quarantine()[0].Reason) > reasonBytes || sum == s.state.quarantine.sum {
		t.Errorf("%d in quarantine", len(s.Quarantine()))
	}
	for n := KeptQuarantined; n < KeptQuarantined+2; n++ {
		sum.add((&Quarantined{Place: Place{2, uint32(n)}, Kind: OpDelete, Collection: 1, ID: fmt.Sprint(n)}).digest())
	}
	if sum != s.state.quarantine.sum {
		t.Error("what there was no room for is not in the digest")
	}
}
