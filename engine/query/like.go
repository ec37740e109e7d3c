package query

import (
	"cmp"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/jetseek/jetseek/engine/analysis"
	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/schema"
)

// This file finds documents like another one. What is said of a document by which of its words depends on how many documents have them, in all groups. So [Resolve] leaves
// a [LikeTerms]; its document is read, [LikeTerms.Candidates] gives words of it, whose statistics are asked with those of the query, and [LikeTerms.Choose] makes of them the
// query for the words that say most, which [Expand] puts in its place.

// Limits of like.
const (
	// MaxLikes bounds how many a search may have: each reads a document.
	MaxLikes = 16
	// MaxLikeTerms bounds the words that others are found by, and DefaultLikeTerms is how many without max_terms.
	MaxLikeTerms, DefaultLikeTerms = 256, 25
	// likeCandidates is of how many words the statistics are asked: those that the document has most often.
	likeCandidates = 1024
	// maxLikeBytes is how much of the document's texts is looked at.
	maxLikeBytes = 1 << 20
)

// Like matches documents that have words of another one.
type Like struct {
	ID        string
	Fields    []string // of text; nil: the default fields
	MaxTerms  int      // so many words that say most; at most [MaxLikeTerms]
	MinFreq   int      // words that the document has at least so often
	MinDF     int      // words that so many documents have
	MinShould string   // as minimum_should_match
	Include   bool     // the document itself may be found
	Boost     float64
}

func (*Like) node() {}

// LikeTerms is a [Like] whose words are not chosen yet. It is no leaf that can be executed.
type LikeTerms struct {
	*Like
	fields []*schema.Field
	boosts []float64 // of the leaves of each field
	scores bool
}

func (*LikeTerms) node() {}

// LikeTerm is a word of a document.
type LikeTerm struct {
	bm25.FieldTerm
	Freq int // occurrences in the document
}

// like resolves a form of JSON.
func (r *resolver) like(n *Like, c scope) (Node, error) {
	resolved := &LikeTerms{Like: n, scores: c.scores}
	fields := r.defaultFields()
	if n.Fields != nil {
		fields = fields[:0:0]
		for _, name := range n.Fields {
			f, known := r.schema.Lookup(name)
			if known && f.Type != schema.Text {
				return nil, fault.New(fault.BadField, "field %s is %s: like compares the words of text fields", fault.Quote(name), f.Type)
			}
			if known {
				fields = append(fields, f)
			}
		}
	}
	for _, f := range fields {
		if f.Type == schema.Text && !slices.Contains(resolved.fields, f) {
			resolved.fields = append(resolved.fields, f)
			resolved.boosts = append(resolved.boosts, c.times(f.Boost).leaf())
		}
	}
	return resolved, nil
}

// Likes lists those of resolved nodes, in order. It fails with limit_exceeded past [MaxLikes].
func Likes(nodes ...Node) ([]*LikeTerms, error) {
	var all []*LikeTerms
	for _, n := range nodes {
		walk(n, true, func(n Node, _ bool) {
			if n, ok := n.(*LikeTerms); ok {
				all = append(all, n)
			}
		})
	}
	if len(all) > MaxLikes {
		return nil, fault.New(fault.LimitExceeded, "a search has at most %d queries by like", MaxLikes)
	}
	return all, nil
}

// Candidates gives the words of the document with this source that may be chosen, those that it has most often first, then by field and term.
func (n *LikeTerms) Candidates(s *schema.Schema, source []byte) ([]LikeTerm, error) {
	doc, err := s.DecodeKnown(source)
	if err != nil {
		return nil, fmt.Errorf("decode document %s: %w", fault.Quote(n.ID), err)
	}
	counts := map[bm25.FieldTerm]int{}
	left := maxLikeBytes
	var tokens []analysis.Token
	for _, v := range doc.Values {
		analyzer, ok := s.IndexAnalyzer(v.Field)
		if !ok || !slices.ContainsFunc(n.fields, func(f *schema.Field) bool { return f.Name == v.Field.Name }) {
			continue
		}
		for _, text := range v.Strings {
			text = beginning(text, left)
			left -= len(text)
			tokens = analyzer.Analyze(tokens[:0], text)
			for i := range tokens {
				counts[bm25.FieldTerm{Field: v.Field.Name, Term: tokens[i].Term}]++
			}
		}
	}
	candidates := make([]LikeTerm, 0, len(counts))
	for t, freq := range counts {
		if freq >= n.MinFreq {
			candidates = append(candidates, LikeTerm{t, freq})
		}
	}
	slices.SortFunc(candidates, func(a, b LikeTerm) int {
		return cmp.Or(b.Freq-a.Freq, CompareFieldTerms(a.FieldTerm, b.FieldTerm))
	})
	return candidates[:min(len(candidates), likeCandidates)], nil
}

// beginning gives at most so many bytes of a text, whole characters.
func beginning(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}

// Choose makes the query for the words whose frequency in the document times idf is greatest, equal ones by field and term. stats are of all groups, for fields and terms that are ascending
// and have all of the candidates'.
func (n *LikeTerms) Choose(candidates []LikeTerm, fields []string, terms []bm25.FieldTerm, stats bm25.Stats) (Node, error) {
	type weighed struct {
		LikeTerm
		weight float64
	}
	var words []weighed
	for _, c := range candidates {
		field, known := slices.BinarySearch(fields, c.Field)
		term, asked := slices.BinarySearchFunc(terms, c.FieldTerm, CompareFieldTerms)
		if !known || !asked || stats.DF[term] < uint64(n.MinDF) {
			continue
		}
		words = append(words, weighed{c, float64(float64(c.Freq) * bm25.IDF(stats.Fields[field].Docs, stats.DF[term]))})
	}
	slices.SortFunc(words, func(a, b weighed) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), CompareFieldTerms(a.FieldTerm, b.FieldTerm))
	})
	words = words[:min(len(words), n.MaxTerms)]
	found := &Bool{}
	for _, w := range words {
		at := slices.IndexFunc(n.fields, func(f *schema.Field) bool { return f.Name == w.Field })
		found.Should = append(found.Should, &TextTerm{Field: w.Field, Term: w.Term, Boost: n.boosts[at], Leaf: -1})
	}
	needed, err := neededClauses(n.MinShould, len(words))
	if err != nil {
		return nil, err
	}
	if found.MinShould = max(needed, 1); len(words) == 0 {
		return &MatchNone{}, nil
	}
	if !n.Include {
		found.MustNot = []Node{&IDs{Values: []string{n.ID}}}
	}
	return simplify(found), nil
}
