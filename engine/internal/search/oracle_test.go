package search_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/jetseek/jetseek/engine/analysis"
	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/internal/docset"
	"github.com/jetseek/jetseek/engine/internal/search"
	"github.com/jetseek/jetseek/engine/internal/segment"
	"github.com/jetseek/jetseek/engine/query"
)

// document is one of the oracle's, which evaluates queries on what it was told, not on what a segment holds.
type document struct {
	id    string
	words []string
	tag   string
	year  int64
	dead  bool
}

// corpus is documents and the segments that hold them.
type corpus struct {
	docs  []document
	views []search.View
}

// newCorpus makes documents of some words, of which few are frequent, with few lengths and frequencies, so that many score alike. Their ids are in no order.
func newCorpus(r *rand.Rand, docs, segments, words int, dead float64) *corpus {
	c := &corpus{}
	frequent := rand.NewZipf(r, 1.2, 3, uint64(words-1))
	for i := range docs {
		d := document{id: fmt.Sprintf("%06d", r.IntN(1000)*1000+i%1000), tag: fmt.Sprint(r.IntN(10)), year: int64(i/100 + r.IntN(7)), dead: r.Float64() < dead}
		for range 1 + r.IntN(3)*r.IntN(9) {
			d.words = append(d.words, fmt.Sprint("w", frequent.Uint64()))
		}
		if r.IntN(500) == 0 { // now and then a document that stands out
			d.words = append(d.words, slices.Repeat(d.words[:1], r.IntN(40))...)
		}
		c.docs = append(c.docs, d)
	}
	c.dedupe()
	ends := []int{0}
	for i := 1; i < segments; i++ {
		ends = append(ends, r.IntN(len(c.docs)))
	}
	slices.Sort(ends)
	for i, from := range append(ends, len(c.docs))[:len(ends)] {
		to := len(c.docs)
		if i+1 < len(ends) {
			to = ends[i+1]
		}
		if from < to {
			c.views = append(c.views, view(c.docs[from:to]))
		}
	}
	return c
}

// dedupe leaves one document of each id.
func (c *corpus) dedupe() {
	seen := map[string]bool{}
	c.docs = slices.DeleteFunc(c.docs, func(d document) bool {
		defer func() { seen[d.id] = true }()
		return seen[d.id]
	})
}

func view(docs []document) search.View {
	var b segment.Builder
	b.Reset(1)
	visible := docset.New(len(docs))
	alive := 0
	for i, d := range docs {
		b.Add(d.id, segment.HashID(d.id), segment.State{Version: 1}, []byte("{}"))
		tokens := make([]analysis.Token, len(d.words))
		for p, w := range d.words {
			tokens[p] = analysis.Token{Term: w, Position: p}
		}
		b.Text("body", tokens)
		b.Exact("tag", []string{d.tag})
		b.Ints("year", []int64{d.year})
		if !d.dead {
			visible.Add(uint32(i))
			alive++
		}
	}
	s, _, err := b.Cut(0, b.Docs())
	if err != nil {
		panic(err)
	}
	return search.View{Segment: s, Visible: visible, Docs: alive}
}

// match evaluates a query on a document.
func (d *document) match(n query.Node, weights []bm25.Weight) (bool, int64) {
	part := func(leaf, tf int) (bool, int64) {
		if tf == 0 || leaf < 0 {
			return tf > 0, 0
		}
		w := weights[leaf]
		return true, bm25.Part(w.W, w.C0, w.C1, uint32(tf), uint32(len(d.words)))
	}
	switch n := n.(type) {
	case *query.TextTerm:
		tf := 0
		for _, w := range d.words {
			if w == n.Term {
				tf++
			}
		}
		return part(n.Leaf, tf)
	case *query.TextPhrase:
		if n.Slop > 0 || n.Prefix || n.CutFirst || n.CutLast || n.Offsets[len(n.Offsets)-1] >= len(n.Terms) {
			return part(n.Leaf, completions(d.words, n))
		}
		tf := 0
		for p := range d.words {
			if p+len(n.Terms) <= len(d.words) && slices.Equal(d.words[p:p+len(n.Terms)], n.Terms) {
				tf++
			}
		}
		return part(n.Leaf, tf)
	case *query.TermPattern:
		like := likeness(n)
		if n.Exact {
			return like.MatchString(d.tag), bm25.Units(n.Boost)
		}
		return slices.ContainsFunc(d.words, like.MatchString), bm25.Units(n.Boost)
	case *query.KeywordSet:
		return slices.Contains(n.Values, d.tag), bm25.Units(n.Boost)
	case *query.ConstantScore:
		ok, _ := d.match(n.Child, weights)
		return ok, bm25.Units(n.Boost)
	case *query.LongRange:
		return n.Lo <= d.year && d.year <= n.Hi, bm25.Units(n.Boost)
	case *query.DisMax:
		var shown []float64
		for _, child := range n.Children {
			if ok, s := d.match(child, weights); ok {
				shown = append(shown, bm25.Shown(s))
			}
		}
		if len(shown) == 0 {
			return false, 0
		}
		best, others := slices.Index(shown, slices.Max(shown)), 0.0
		for i, s := range shown {
			if i != best {
				others += s
			}
		}
		return true, bm25.Units(shown[best] + float64(n.Tie*others))
	case *query.Bool:
		score, matched := int64(0), 0
		for _, clause := range n.Must {
			ok, s := d.match(clause, weights)
			if score += s; !ok {
				return false, 0
			}
		}
		for _, clause := range n.Filter {
			if ok, _ := d.match(clause, nil); !ok {
				return false, 0
			}
		}
		for _, clause := range n.MustNot {
			if ok, _ := d.match(clause, nil); ok {
				return false, 0
			}
		}
		for _, clause := range n.Should {
			if ok, s := d.match(clause, weights); ok {
				score += s
				matched++
			}
		}
		return matched >= n.MinShould, score
	}
	panic(fmt.Sprintf("the oracle knows no %T", n))
}

// find evaluates a request on all documents.
func (c *corpus) find(r *search.Request) (total uint64, best []query.Candidate) {
	for i := range c.docs {
		d := &c.docs[i]
		ok, score := d.match(r.Query, r.Weights)
		for _, f := range r.Filters {
			passes, _ := d.match(f, nil)
			ok = ok && passes
		}
		if d.dead || !ok {
			continue
		}
		total++
		candidate := query.Candidate{ID: d.id, Score: score}
		for _, k := range r.Sort {
			candidate.Keys = append(candidate.Keys, map[query.SortBy]query.Key{
				query.ByScore: {Kind: query.KeyInt, Int: score}, query.ByID: {Kind: query.KeyString, Str: d.id},
				query.ByField: {Kind: query.KeyInt, Int: d.year},
			}[k.By])
		}
		best = append(best, candidate)
	}
	slices.SortFunc(best, func(a, b query.Candidate) int { return query.CompareKeys(r.Sort, &a, &b) })
	return total, best[:min(r.Limit, len(best))]
}

// describe tells of a query in a failure.
func describe(n query.Node) string {
	list := func(name string, nodes []query.Node) string {
		if len(nodes) == 0 {
			return ""
		}
		parts := make([]string, len(nodes))
		for i, n := range nodes {
			parts[i] = describe(n)
		}
		return name + "(" + strings.Join(parts, " ") + ")"
	}
	switch n := n.(type) {
	case *query.TextTerm:
		return n.Term
	case *query.TextPhrase:
		return fmt.Sprintf("%q", strings.Join(n.Terms, " "))
	case *query.ConstantScore:
		return "constant " + describe(n.Child)
	case *query.Bool:
		return fmt.Sprintf("bool[%s%s%s%s %d]", list("must", n.Must), list("should", n.Should), list("filter", n.Filter), list("not", n.MustNot), n.MinShould)
	}
	return fmt.Sprintf("%+v", n)
}
