package analysis

import (
	"unicode"
	"unicode/utf8"
)

// simple takes runs of letters, folded.
type simple struct{}

func (simple) Analyze(dst []Token, text string) []Token {
	return appendRuns(dst, text, isLetter, func(run string) string { return cut(Fold(run)) })
}

// letters takes the same runs as simple, as they stand in the text.
type letters struct{}

func (letters) Analyze(dst []Token, text string) []Token { return appendRuns(dst, text, isLetter, cut) }

// isLetter tells whether a character is a letter or a mark on one.
func isLetter(r rune) bool { return unicode.IsLetter(r) || unicode.Is(unicode.M, r) }

// whitespace takes what stands between Unicode spaces, as it is.
type whitespace struct{}

func (whitespace) Analyze(dst []Token, text string) []Token {
	notSpace := func(r rune) bool { return !unicode.IsSpace(r) }
	return appendRuns(dst, text, notSpace, cut)
}

// keyword takes the whole text as one term, as it is; an empty text has none.
type keyword struct{}

func (keyword) Analyze(dst []Token, text string) []Token {
	if text == "" {
		return dst
	}
	return append(dst, Token{Term: cut(text), End: len(text)})
}

// appendRuns appends a token for each longest run of characters that belong.
func appendRuns(dst []Token, text string, belongs func(rune) bool, term func(string) string) []Token {
	position, start := 0, -1
	for i := 0; i <= len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		inside := i < len(text) && belongs(r)
		switch {
		case inside && start < 0:
			start = i
		case !inside && start >= 0:
			if t := term(text[start:i]); t != "" { // marks alone can fold away
				dst = append(dst, Token{Term: t, Position: position, Start: start, End: i})
				position++
			}
			start = -1
		}
		i += max(size, 1)
	}
	return dst
}
