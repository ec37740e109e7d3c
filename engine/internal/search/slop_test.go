package search_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/internal/search"
	"github.com/jetseek/jetseek/engine/query"
)

// completions tries all ways to give each slot of a phrase a position of its own.
func completions(terms []string, n *query.TextPhrase) (tf int) {
	fits := func(k, at int) bool {
		switch last := len(n.Terms) - 1; {
		case (n.Prefix || n.CutLast) && k == last:
			return strings.HasPrefix(terms[at], n.Terms[k])
		case n.CutFirst && k == 0:
			return strings.HasSuffix(terms[at], n.Terms[k])
		}
		return terms[at] == n.Terms[k]
	}
	var try func(k, least, most int, taken []int) bool
	try = func(k, least, most int, taken []int) bool {
		if most-least > n.Slop {
			return false
		}
		if k == len(n.Terms) {
			return true
		}
		for at := range terms {
			if place := at - n.Offsets[k]; fits(k, at) && !slices.Contains(taken, at) && try(k+1, min(least, place), max(most, place), append(taken, at)) {
				return true
			}
		}
		return false
	}
	for at := range terms {
		if fits(0, at) && try(1, at, at, []int{at}) {
			tf++
		}
	}
	return tf
}

// TestLoosePhrasesAreBruteForce holds phrases with slops, repeated words and prefixes against all ways to complete them.
func TestLoosePhrasesAreBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 13))
	for _, words := range []int{2, 4, 12} {
		c := newCorpus(r, 600, 2, words, 0.1)
		for i := range c.docs { // all ways of a long document are too many
			c.docs[i].words = c.docs[i].words[:min(len(c.docs[i].words), 14)]
		}
		c.views = []search.View{view(c.docs[:250]), view(c.docs[250:])}
		for range 120 {
			a := &asker{r: r, words: words}
			p := &query.TextPhrase{Field: "body", Slop: r.IntN(5), Leaf: a.leaf()}
			at := 0
			for range 2 + r.IntN(3) {
				p.Terms, p.Offsets = append(p.Terms, fmt.Sprint("w", r.IntN(words))), append(p.Offsets, at)
				at += 1 + r.IntN(2)*r.IntN(2)
			}
			if p.Prefix = r.IntN(3) == 0; p.Prefix {
				p.Terms[len(p.Terms)-1] = []string{"w", "w1", "x"}[r.IntN(3)]
			}
			request := &search.Request{Query: p, Limit: 20, Weights: a.weights}
			check(t, c, request, fmt.Sprintf("%q at %v, slop %d, prefix %v", p.Terms, p.Offsets, p.Slop, p.Prefix))
		}
	}
}

// TestCutPhrasesAreBruteForce holds phrases whose ends are one character of a pair, and single characters, against all ways to complete them, over pairs and words.
func TestCutPhrasesAreBruteForce(t *testing.T) {
	terms := []string{"国内", "7", "内国", "go", "国国", "内", "の国", "国", "のの", "内の"}
	r := rand.New(rand.NewPCG(6, 30))
	c := newCorpus(r, 600, 2, len(terms), 0.1)
	for i := range c.docs {
		words := c.docs[i].words[:min(len(c.docs[i].words), 14)]
		for k, w := range words {
			words[k] = terms[int(w[1]-'0')]
		}
		c.docs[i].words = words
	}
	c.views = []search.View{view(c.docs[:250]), view(c.docs[250:])}
	matched := 0
	for range 300 {
		a := &asker{r: r}
		n := &query.TextPhrase{Field: "body", Leaf: a.leaf()}
		for k := range 2 + r.IntN(3) {
			n.Terms, n.Offsets = append(n.Terms, terms[r.IntN(len(terms))]), append(n.Offsets, k)
		}
		character := func() string { return []string{"国", "内", "の", "東"}[r.IntN(4)] }
		if n.CutLast = r.IntN(3) > 0; n.CutLast {
			n.Terms[len(n.Terms)-1] = character()
		}
		if n.CutFirst = !n.CutLast || r.IntN(2) == 0; n.CutFirst {
			n.Terms[0] = character()
		} else {
			n.Slop = r.IntN(2) * r.IntN(4)
		}
		if n.CutLast && r.IntN(3) == 0 {
			n.Prefix, n.CutLast = true, false
		}
		if n.CutFirst && (n.CutLast || n.Prefix) && len(n.Terms) == 2 {
			n.Leaf = -1 // nothing in it has an idf
		}
		var phrase query.Node = n
		if n.Leaf < 0 {
			phrase = &query.ConstantScore{Child: n, Boost: 3}
		}
		asked := []query.Node{phrase, &query.TermPattern{Field: "body", Kind: query.CharacterPattern, Text: character(), Boost: 2}}
		for _, q := range []query.Node{phrase, asked[1], &query.Bool{Should: asked, MinShould: 1}, &query.DisMax{Children: asked, Tie: 0.5}} {
			request := &search.Request{Query: q, Limit: 20, Weights: a.weights}
			check(t, c, request, fmt.Sprintf("%s, slop %d", describe(q), n.Slop))
		}
		total, _ := c.find(&search.Request{Query: phrase, Weights: a.weights})
		matched += int(total)
	}
	if matched < 300 {
		t.Errorf("%d documents match 300 phrases: the test does not test much", matched)
	}
}

// A prefix at the end of a phrase stands for as many terms as there are, more than are looked up once for all windows.
func TestPhraseOfManyPrefixedTerms(t *testing.T) {
	docs := make([]document, 20_000)
	for i := range docs {
		docs[i] = document{id: fmt.Sprintf("%05d", i), words: []string{"go", fmt.Sprintf("t%05d", i)}}
	}
	views := []search.View{view(docs)}
	for prefix, want := range map[string]uint64{"t": 20_000, "t01": 1000, "t19999": 1, "x": 0} {
		n := &query.TextPhrase{Field: "body", Terms: []string{"go", prefix}, Offsets: []int{0, 1}, Prefix: true, Leaf: 0}
		got, err := search.Run(t.Context(), views, &search.Request{Query: n, Weights: []bm25.Weight{{W: 1}}})
		if err != nil || got.Total != want {
			t.Errorf("%s: %d documents, want %d, %v", prefix, got.Total, want, err)
		}
	}
}
