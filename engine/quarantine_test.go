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
