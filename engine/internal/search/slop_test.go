package search_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/jetseek/jetseek/engine/internal/search"
	"github.com/jetseek/jetseek/engine/query"
)

// completions tries all ways to give each slot of a phrase a position of its own.
func completions(terms []string, n *query.TextPhrase) (tf int) {
	fits := func(k, at int) bool {
		if n.Prefix && k == len(n.Terms)-1 {
			return strings.HasPrefix(terms[at], n.Terms[k])
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
