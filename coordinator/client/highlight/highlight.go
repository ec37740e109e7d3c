// Package highlight shows where in a text the words of a query stand. It may import package query and analysis.
package highlight

import (
	"strings"
	"unicode/utf8"

	"github.com/jetseek/jetseek/engine/analysis"
	"github.com/jetseek/jetseek/engine/query"
)

// Piece is a run of text, and whether a word of the query is in it.
type Piece struct {
	Text   string
	Marked bool
}

// markedBytes is how much of one text is looked at for words of the query.
const markedBytes = 64 << 10

// Highlighter marks the words of a query in texts, by the standard analysis. It shows where to look and decides nothing: which documents
// match is the answer's to say.
type Highlighter struct {
	analyzer analysis.Analyzer
	terms    map[string]map[string]bool // by field that the query names, "" for none
}

// New makes the highlighter of a query of the syntax of q; one that does not parse marks nothing.
func New(q string) *Highlighter {
	standard, _ := analysis.ByName("standard")
	h := &Highlighter{analyzer: standard, terms: map[string]map[string]bool{}}
	if tree, err := query.Parse(q, query.Options{Lenient: true}); err == nil {
		h.collect(tree)
	}
	return h
}

// collect takes the words that a document may match by; what is excluded is not looked for.
func (h *Highlighter) collect(n query.Node) {
	switch n := n.(type) {
	case *query.Bool:
		for _, clauses := range [][]query.Node{n.Must, n.Should, n.Filter} {
			for _, c := range clauses {
				h.collect(c)
			}
		}
	case *query.Word:
		h.add(n.Field, n.Text)
	case *query.Phrase:
		h.add(n.Field, n.Text)
	}
}

func (h *Highlighter) add(field, text string) {
	if h.terms[field] == nil {
		h.terms[field] = map[string]bool{}
	}
	for _, t := range h.analyzer.Analyze(nil, text) {
		h.terms[field][t.Term] = true
	}
}

// Mark cuts the text of a field into pieces. Together they are the text.
func (h *Highlighter) Mark(field, text string) []Piece {
	head, rest := Cut(text, markedBytes)
	var pieces []Piece
	done := 0
	for _, t := range h.analyzer.Analyze(nil, head) {
		if t.Start < done || !h.terms[""][t.Term] && !h.terms[field][t.Term] {
			continue
		}
		if t.Start > done {
			pieces = append(pieces, Piece{Text: head[done:t.Start]})
		}
		pieces = append(pieces, Piece{Text: head[t.Start:t.End], Marked: true})
		done = t.End
	}
	if tail := head[done:] + rest; tail != "" {
		pieces = append(pieces, Piece{Text: tail})
	}
	return pieces
}

// Excerpt gives about size bytes of a text, from a little before its first marked word on, and whether a word was marked at all.
func (h *Highlighter) Excerpt(field, text string, size int) (pieces []Piece, marked bool) {
	from := 0
	for _, p := range h.Mark(field, text) {
		if p.Marked {
			marked = true
			break
		}
		from += len(p.Text)
	}
	if !marked || from < size/2 {
		from = 0
	} else {
		from = wordAt(text, from-size/4)
	}
	body, rest := Cut(text[from:], size)
	if rest != "" {
		if space := strings.LastIndexAny(body, " \n\t"); space > size/2 {
			body = body[:space]
		}
		body += " …"
	}
	if from > 0 {
		body = "… " + body
	}
	return h.Mark(field, body), marked
}

// wordAt gives the beginning of the first word at or after a place; the place itself, on a character, when none is near.
func wordAt(text string, at int) int {
	for !utf8.RuneStart(text[at]) {
		at++
	}
	if space := strings.IndexAny(text[at:min(len(text), at+40)], " \n\t"); space >= 0 {
		return at + space + 1
	}
	return at
}

// Cut cuts a text at a character, after at most size bytes.
func Cut(text string, size int) (head, rest string) {
	if len(text) <= size {
		return text, ""
	}
	for size > 0 && !utf8.RuneStart(text[size]) {
		size--
	}
	return text[:size], text[size:]
}
