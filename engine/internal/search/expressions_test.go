package search_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jetseek/jetseek/engine/analysis"
	"github.com/jetseek/jetseek/engine/internal/docset"
	"github.com/jetseek/jetseek/engine/internal/search"
	"github.com/jetseek/jetseek/engine/internal/segment"
	"github.com/jetseek/jetseek/engine/query"
)

// likenesses keeps what [likeness] made: an oracle asks for every document.
var likenesses sync.Map

// likeness says by package regexp what a pattern matches.
func likeness(n *query.TermPattern) *regexp.Regexp {
	if like, ok := likenesses.Load(*n); ok {
		return like.(*regexp.Regexp)
	}
	text := n.Text
	switch n.Kind {
	case query.PrefixPattern:
		text = regexp.QuoteMeta(text) + "(?s:.*)"
	case query.WildcardPattern:
		text = strings.NewReplacer(`\*`, "(?s:.*)", `\?`, "(?s:.)").Replace(regexp.QuoteMeta(text))
	case query.CharacterPattern:
		text = text + ".*|.*" + text
	}
	like := regexp.MustCompile(`\A(?:` + text + `)\z`)
	likenesses.Store(*n, like)
	return like
}

// pattern makes a random one, over words or tags.
func (a *asker) pattern() *query.TermPattern {
	n := &query.TermPattern{Field: "body", Kind: query.PatternKind(1 + a.r.IntN(3)), Boost: float64(a.r.IntN(4))}
	if a.r.IntN(4) == 0 {
		n.Field, n.Exact = "tag", true
	}
	n.Text = strings.TrimPrefix(a.word(), map[bool]string{true: "w"}[n.Exact])
	switch n.Kind {
	case query.WildcardPattern:
		n.Text = []string{n.Text + "*", "*" + n.Text[1:], n.Text + "?", "?*", "*1*" + n.Text, n.Text}[a.r.IntN(6)]
	case query.RegexpPattern:
		n.Text = []string{n.Text + "[0-4]?", ".*" + n.Text[len(n.Text)-1:], "(" + n.Text + "|w1.*)", ".", `w?\d+`}[a.r.IntN(5)]
	}
	return n
}

func TestManyTermsAreLikeAPattern(t *testing.T) {
	c := newWide(t, 20_000)
	for text, want := range map[string]int{"term01": 1000, "term01234": 1, "term1": 10_000, "x": 0, "": 20_000} {
		got := c.run(t, &query.TermPattern{Field: "body", Kind: query.PrefixPattern, Text: text, Boost: 2})
		if int(got.Total) != want {
			t.Errorf("prefix %q: %d documents, want %d", text, got.Total, want)
		}
		got = c.run(t, &query.TermPattern{Field: "body", Kind: query.WildcardPattern, Text: text + "*"})
		if int(got.Total) != want {
			t.Errorf("wildcard %q*: %d documents, want %d", text, got.Total, want)
		}
	}
	if got := c.run(t, &query.TermPattern{Field: "body", Kind: query.RegexpPattern, Text: "term(0.{3}|1[2-4].*)7"}); got.Total != 1000+3*100 {
		t.Errorf("expression: %d documents", got.Total)
	}
}

// wide is a segment with one term in each document.
type wide struct{ views []search.View }

func newWide(t testing.TB, docs int) *wide {
	t.Helper()
	var b segment.Builder
	b.Reset(1)
	for i := range docs {
		id := fmt.Sprintf("%06d", i)
		b.Add(id, segment.HashID(id), segment.State{Version: 1}, []byte("{}"))
		b.Text("body", []analysis.Token{{Term: fmt.Sprintf("term%05d", i)}})
	}
	s, _, err := b.Cut(0, b.Docs())
	if err != nil {
		t.Fatal(err)
	}
	return &wide{[]search.View{{Segment: s, Visible: docset.Full(docs), Docs: docs}}}
}

func (w *wide) run(t testing.TB, n query.Node) search.Result {
	t.Helper()
	got, err := search.Run(context.Background(), w.views, &search.Request{Query: n, Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestHostilePatternsEndWithTheContext asks what takes long, and holds the search to its deadline.
func TestHostilePatternsEndWithTheContext(t *testing.T) {
	w := newWide(t, 20_000)
	var clauses []query.Node
	for i := range 1000 {
		clauses = append(clauses, &query.TermPattern{Field: "body", Kind: query.RegexpPattern, Text: fmt.Sprintf("(.*%d){20}", i%10), Boost: 1})
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_, err := search.Run(ctx, w.views, &search.Request{Query: &query.Bool{Should: clauses, MinShould: 1}, Limit: 10})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a search of a thousand expressions ends with %v", err)
	}
	if late := time.Since(deadline(ctx)); late > 5*time.Second {
		t.Errorf("the search ended %v after its deadline", late)
	}
}

func deadline(ctx context.Context) time.Time {
	at, _ := ctx.Deadline()
	return at
}

// BenchmarkPatterns measures patterns over 20,000 terms of one document each.
func BenchmarkPatterns(b *testing.B) {
	w := newWide(b, 20_000)
	for name, n := range map[string]*query.TermPattern{
		"prefix of all": {Kind: query.PrefixPattern, Text: "t"}, "prefix of 10": {Kind: query.PrefixPattern, Text: "term0123"},
		"suffix": {Kind: query.WildcardPattern, Text: "*7"}, "inner": {Kind: query.WildcardPattern, Text: "*m*3*4*"}, "expression": {Kind: query.RegexpPattern, Text: "term[0-4].*7"},
	} {
		n.Field = "body"
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				w.run(b, n)
			}
		})
	}
}

// BenchmarkCutPhrase measures a phrase that begins with the end of a pair, in 100,000 documents of 40 random ideographs, every tenth with a word behind them.
func BenchmarkCutPhrase(b *testing.B) {
	const docs = 100_000
	r := rand.New(rand.NewPCG(9, 9))
	var builder segment.Builder
	builder.Reset(1)
	for i := range docs {
		id := fmt.Sprintf("%06d", i)
		builder.Add(id, segment.HashID(id), segment.State{Version: 1}, nil)
		var tokens []analysis.Token
		before := '一' + r.Int32N(2000)
		for k := range 40 {
			next := '一' + r.Int32N(2000)
			tokens = append(tokens, analysis.Token{Term: string([]rune{before, next}), Position: k})
			before = next
		}
		if i%10 == 0 {
			tokens = append(tokens, analysis.Token{Term: "7", Position: 40})
		}
		builder.Text("body", tokens)
	}
	s, _, err := builder.Cut(0, builder.Docs())
	if err != nil {
		b.Fatal(err)
	}
	w := &wide{[]search.View{{Segment: s, Visible: docset.Full(docs), Docs: docs}}}
	n := &query.ConstantScore{Child: &query.TextPhrase{Field: "body", Terms: []string{"一", "7"}, Offsets: []int{0, 1}, CutFirst: true, Leaf: -1}, Boost: 1}
	if got := w.run(b, n); got.Total == 0 {
		b.Fatal("nothing is found")
	}
	for b.Loop() {
		w.run(b, n)
	}
}
