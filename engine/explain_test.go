package engine_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/jetseek/jetseek/engine"
	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/schema"
)

// Of random queries and documents every part of a score is what its operation makes of its details, after a journey as JSON too, and the whole is the score of a model
// that shares no code with the engine.
func TestExplanationsAddUp(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			explainAll(t, generator{rand.New(rand.NewPCG(seed, 11))})
		})
	}
}

func explainAll(t *testing.T, g generator) {
	m, x := newModel(), &indexUnderTest{name: "small batches", size: 5, options: engine.Options{InlineMergeBytes: 1}}
	x.open(t)
	for _, msg := range g.history(120) {
		x.feed(t, g, msg, m.apply(msg))
	}
	x.flush(t)
	s := x.Snapshot()
	defer s.Close()
	matched, folded := 0, map[bm25.Op]int{}
	for range 60 {
		c := schema.Incarnation(1 + g.IntN(3))
		var leaves []query.Node
		n := g.node(3, &leaves, true)
		for _, l := range leaves {
			switch l := l.(type) {
			case *query.TextTerm:
				l.Boost = float64(1+g.IntN(9)) / 3
			case *query.TextPhrase:
				l.Boost = float64(1+g.IntN(9)) / 3
			}
		}
		r := engine.ExplainRequest{Collection: c, Query: n}
		asked := query.Leaves(n)
		r.Fields, r.Terms = query.Question(asked)
		r.Stats = m.stats(c, r.Fields, r.Terms)
		weights, err := query.Weigh(asked, r.Fields, r.Terms, r.Stats)
		if err != nil {
			t.Fatal(err)
		}
		there := map[string]bool{}
		for _, d := range m.visible(c) {
			there[d.id] = true
			want, units := d.eval(n, weights)
			r.ID = d.id
			got, ok, err := s.Explain(t.Context(), r)
			if err != nil || !ok {
				t.Fatalf("%s of %d: %t, %v", d.id, c, ok, err)
			}
			score := 0.0
			if want {
				score = float64(units) / modelUnit
				matched++
			}
			if got.Matched != want || !sameBits(got.Explanation.Value, score) {
				t.Fatalf("%s\n%s: matched %t with %v, want %t with %v", dump(n), d.id, got.Matched, got.Explanation.Value, want, score)
			}
			sent, err := json.Marshal(got.Explanation)
			if err != nil {
				t.Fatal(err)
			}
			var read bm25.Explanation
			if err := json.Unmarshal(sent, &read); err != nil {
				t.Fatal(err)
			}
			checkFold(t, &read, folded)
		}
		for i := range 60 {
			if r.ID = fmt.Sprintf("id%d", i); there[r.ID] {
				continue
			}
			if _, ok, err := s.Explain(t.Context(), r); ok || err != nil {
				t.Fatalf("%s is not there, and explained: %t, %v", r.ID, ok, err)
			}
		}
	}
	if matched == 0 || folded[bm25.OpLn] == 0 || folded[bm25.OpMax] == 0 || folded[bm25.OpFixed] == 0 || folded[bm25.OpMin] == 0 || folded[bm25.OpQuotient] == 0 {
		t.Errorf("%d matches and the operations %v prove little", matched, folded)
	}
}

// checkFold folds every node anew from its details, and counts its operations.
func checkFold(t *testing.T, e *bm25.Explanation, folded map[bm25.Op]int) {
	t.Helper()
	folded[e.Op]++
	if e.Details == nil || (len(e.Details) == 0) != (e.Op == bm25.OpConstant) || e.Description == "" {
		t.Fatalf("%+v", e)
	}
	if e.Op == bm25.OpConstant {
		return
	}
	value := e.Details[0].Value
	for _, d := range e.Details[1:] {
		switch e.Op {
		case "sum":
			value += d.Value
		case "product":
			value = float64(value * d.Value)
		case "quotient":
			value /= d.Value
		case "max":
			if d.Value > value {
				value = d.Value
			}
		case "min":
			if d.Value < value {
				value = d.Value
			}
		default:
			t.Fatalf("%s of %d details", e.Op, len(e.Details))
		}
	}
	switch e.Op {
	case "fixed":
		value = float64(int64(modelUnit*value)) / modelUnit
	case "ln":
		value = bm25.Ln(value)
	}
	if !sameBits(value, e.Value) {
		t.Fatalf("%s: %s of its details is %v, not %v", e.Description, e.Op, value, e.Value)
	}
	for i := range e.Details {
		checkFold(t, &e.Details[i], folded)
	}
}

func sameBits(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }
