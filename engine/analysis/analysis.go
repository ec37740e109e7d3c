// Package analysis turns text into tokens: what a text field indexes and what a query's words are matched by. It may import packages
// snowball and stopwords.
//
// The analyzers are pure functions of the text, and safe for concurrent use. What they give for a text must never change under the same name:
// indexes hold it.
package analysis

import "unicode/utf8"

// MaxTermBytes is the length of the longest term, in bytes of UTF-8. Longer ones are cut at a character, the same way when indexed and when asked for.
const MaxTermBytes = 255

// PositionGap is how many positions lie between the last token of one value of an array and the first of the next, so that no phrase runs
// from one into the other. Whoever indexes several values adds it.
const PositionGap = 100

// Token is one term of a text and its place.
type Token struct {
	Term       string // may share memory with the text
	Position   int    // counts every token from 0; a removed stop word leaves its gap
	Start, End int    // bytes of the text that the token came from
}

// Analyzer turns a text into tokens.
type Analyzer interface {
	// Analyze appends the tokens of text to dst, by ascending position.
	Analyze(dst []Token, text string) []Token
}

// ByName gives the analyzer of that name, if there is one.
func ByName(name string) (Analyzer, bool) {
	switch name {
	case "standard":
		return standard{}, true
	case "simple":
		return simple{}, true
	case "whitespace":
		return whitespace{}, true
	case "keyword":
		return keyword{}, true
	}
	if l := languageByName(name); l != nil {
		return l, true
	}
	return nil, false
}

// Names lists the analyzers that [ByName] knows.
func Names() []string {
	names := []string{"standard", "simple", "whitespace", "keyword"}
	for i := range languages {
		names = append(names, languages[i].name)
	}
	return names
}

// cut shortens a term to [MaxTermBytes] at a character.
func cut(term string) string {
	if len(term) <= MaxTermBytes {
		return term
	}
	end := MaxTermBytes
	for end > MaxTermBytes-utf8.UTFMax && !utf8.RuneStart(term[end]) {
		end--
	}
	return term[:end]
}
