package main

import (
	"bufio"
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// kind is how the words of a query combine.
type kind string

const (
	anyOf  kind = "any" // at least one
	allOf  kind = "all"
	phrase kind = "phrase"
)

// question is one query, as all engines get it.
type question struct {
	class string
	kind  kind
	hits  int
	exact bool   // the total must be; else it may be any lower bound
	tag   string // documents of this tag only, unless ""
	words []string
}

// group is the line of the table of targets that a class belongs to: the part of its name before the point.
func group(class string) string {
	g, _, _ := strings.Cut(class, ".")
	return g
}

// The groups of classes. The five of words combined by OR hold the same words.
const (
	orTop10    = "or-top10"
	orTop100   = "or-top100"
	orExact    = "or-exact"
	orFiltered = "or-filtered"
	andTop10   = "and"
	phrases    = "phrase"
)

// draw makes the queries of a corpus, perClass of each class, by a fixed seed.
func draw(folder string, perClass int) ([]question, error) {
	s, err := newSource(folder)
	if err != nil {
		return nil, err
	}
	var qs []question
	for _, shape := range []struct {
		name string
		draw func() []string
	}{
		{"1", func() []string { return s.mixed(1) }}, {"2", func() []string { return s.mixed(2) }},
		{"3", func() []string { return s.mixed(3) }}, {"4", func() []string { return s.mixed(4) }},
		{"5", func() []string { return s.mixed(5) }}, {"2frequent", func() []string { return s.frequent(2) }},
		{"3frequent", func() []string { return s.frequent(3) }}, {"5frequent", func() []string { return s.frequent(5) }},
	} {
		for _, words := range distinct(perClass, shape.draw) {
			tag := "t" + strconv.Itoa(s.r.IntN(tags))
			qs = append(qs,
				question{orTop10 + "." + shape.name, anyOf, 10, false, "", words},
				question{orTop100 + "." + shape.name, anyOf, 100, false, "", words},
				question{orExact + "." + shape.name, anyOf, 10, true, "", words},
				question{orFiltered + "." + shape.name, anyOf, 10, false, tag, words})
			if shape.name != "1" && shape.name != "5frequent" {
				qs = append(qs, question{andTop10 + "." + shape.name, allOf, 10, false, "", words})
			}
		}
	}
	for _, shape := range []struct {
		name string
		draw func() []string
	}{
		{"2", func() []string { return s.phrase(2, false) }}, {"3", func() []string { return s.phrase(3, false) }},
		{"2frequent", func() []string { return s.phrase(2, true) }},
	} {
		for _, words := range distinct(perClass, shape.draw) {
			qs = append(qs, question{phrases + "." + shape.name, phrase, 10, false, "", words})
		}
	}
	slices.SortStableFunc(qs, func(a, b question) int { return cmp.Compare(classRank(a.class), classRank(b.class)) })
	return qs, nil
}

// classRank orders groups as the report shows them.
func classRank(class string) int {
	return slices.Index([]string{orTop10, orTop100, orExact, orFiltered, andTop10, phrases}, group(class))
}

// distinct draws until it has n lists that differ, or draws nothing new for long.
func distinct(n int, draw func() []string) [][]string {
	var lists [][]string
	seen := map[string]bool{}
	for tries := 0; len(lists) < n && tries < 1000*n; tries++ {
		words := draw()
		if key := strings.Join(words, " "); words != nil && !seen[key] {
			seen[key] = true
			lists = append(lists, words)
		}
	}
	return lists
}

// source is what queries are drawn from: the words of a corpus by frequency, and some of its documents.
type source struct {
	r      *rand.Rand
	byRank []string
	rank   map[string]int
	sample [][]string
}

// Ranks of words, from 0: those of frequent words, and those of all that mixed queries take.
const (
	frequentFrom, frequentTo = 3, 400
	mixedFrom, mixedTo       = 20, 50_000
	sampleDocs               = 20_000
)

func newSource(folder string) (*source, error) {
	s := &source{r: rand.New(rand.NewPCG(4, 2)), rank: map[string]int{}}
	df := map[string]*wordCount{}
	var seenOf []string
	for doc, err := range documents(folder) {
		if err != nil {
			return nil, err
		}
		keep := seenOf[:0]
		for word := range strings.FieldsSeq(string(doc.words)) {
			keep = append(keep, word)
		}
		seenOf = keep
		for _, word := range keep {
			c := df[word]
			if c == nil {
				c = &wordCount{last: -1}
				df[word] = c
			}
			if c.last != doc.number {
				c.last, c.docs = doc.number, c.docs+1
			}
		}
		// Algorithm R: every document is in the sample with the same chance.
		if len(s.sample) < sampleDocs {
			s.sample = append(s.sample, slices.Clone(keep))
		} else if at := s.r.IntN(doc.number + 1); at < sampleDocs {
			s.sample[at] = slices.Clone(keep)
		}
	}
	for word := range df {
		s.byRank = append(s.byRank, word)
	}
	slices.SortFunc(s.byRank, func(a, b string) int {
		return cmp.Or(cmp.Compare(df[b].docs, df[a].docs), cmp.Compare(a, b))
	})
	for i, word := range s.byRank {
		s.rank[word] = i
	}
	if len(s.byRank) < 2*frequentTo {
		return nil, fmt.Errorf("%s: only %d different words: at least %d are needed", folder, len(s.byRank), 2*frequentTo)
	}
	return s, nil
}

type wordCount struct{ last, docs int }

// mixed draws n words: half of them of one document, the others of all ranks.
func (s *source) mixed(n int) []string {
	doc := s.sample[s.r.IntN(len(s.sample))]
	var words []string
	for tries := 0; len(words) < n; tries++ {
		word := s.byRank[logUniform(s.r, mixedFrom, min(mixedTo, len(s.byRank)/2))]
		if len(words) < (n+1)/2 && tries < 100 {
			if len(doc) == 0 {
				return nil
			}
			word = doc[s.r.IntN(len(doc))]
			if rank := s.rank[word]; rank < mixedFrom || rank >= mixedTo {
				continue
			}
		}
		if !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	return words
}

// frequent draws n frequent words.
func (s *source) frequent(n int) []string {
	var words []string
	for len(words) < n {
		if word := s.byRank[logUniform(s.r, frequentFrom, frequentTo)]; !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	return words
}

// phrase draws n words that follow each other in a document; nil where they are not to the purpose.
func (s *source) phrase(n int, frequent bool) []string {
	doc := s.sample[s.r.IntN(len(s.sample))]
	if len(doc) < n {
		return nil
	}
	at := s.r.IntN(len(doc) - n + 1)
	words := doc[at : at+n]
	for i, word := range words {
		if frequent && s.rank[word] >= frequentTo || slices.Contains(words[:i], word) {
			return nil
		}
	}
	return words
}

func writeQuestions(w *bufio.Writer, qs []question) error {
	for _, q := range qs {
		total := "pruned"
		if q.exact {
			total = "exact"
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\t%s\n", q.class, q.kind, q.hits, total, q.tag, strings.Join(q.words, " "))
	}
	return nil // the writer keeps its error
}

func readQuestions(folder string) ([]question, error) {
	text, err := os.ReadFile(filepath.Join(folder, "queries"))
	if err != nil {
		return nil, err
	}
	var qs []question
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 6 {
			return nil, fmt.Errorf("queries, line %d: %d columns, want 6", len(qs)+1, len(f))
		}
		hits, err := strconv.Atoi(f[2])
		if err != nil {
			return nil, fmt.Errorf("queries, line %d: %w", len(qs)+1, err)
		}
		qs = append(qs, question{f[0], kind(f[1]), hits, f[3] == "exact", f[4], strings.Fields(f[5])})
	}
	return qs, nil
}
