package engine

import (
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
		x.analyzer.chain = func(name string) (analysis.Analyzer, bool) {
			a, ok := analysis.ByName(name)
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
