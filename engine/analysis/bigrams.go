package analysis

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Scripts written without spaces are indexed as overlapping pairs of characters, so that any part of a text finds it without a dictionary: a
// phrase of pairs is the part. A character is a letter with the marks behind it. A run of one character is a token by itself, and a query for one character
// asks for the pairs that begin or end with it.

// FirstUnspaced is the first character of Thai: no script without spaces has one below.
const FirstUnspaced = '\u0e00'

// isUnspaced tells whether a letter belongs to such a script. Their digits and signs do not count: digits are words by UAX 29.
func isUnspaced(r rune) bool {
	if r < FirstUnspaced {
		return false
	}
	if isHanOrKana(r) || r == 'ｰ' { // with the signs that lengthen a Kana vowel, which are of no script
		return true
	}
	if !unicode.In(r, unicode.L, unicode.Nl) {
		return false
	}
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
		unicode.Tai_Le, unicode.New_Tai_Lue, unicode.Tai_Tham, unicode.Tai_Viet, unicode.Ahom)
}

// extends tells whether a character belongs to the letter before it. Zero-width spaces do: some write them between words, some do not.
func extends(r rune) bool {
	const (
		zeroWidthNonJoiner, zeroWidthJoiner = '\u200c', '\u200d'
		halfVoiced, halfSemiVoiced          = '\uff9e', '\uff9f' // the voiced sound marks of half-width Katakana
	)
	switch {
	case isHanOrKana(r):
		return false
	case r == zeroWidthNonJoiner, r == zeroWidthJoiner, r == halfVoiced, r == halfSemiVoiced:
		return true
	}
	return unicode.Is(unicode.M, r) || isInvisible(r)
}

// unspacedRun gives the length of the run of such letters, with their marks, at the start of text.
func unspacedRun(text string) int {
	for i, r := range text {
		if !isUnspaced(r) && (i == 0 || !extends(r)) {
			return i
		}
	}
	return len(text)
}

// appendBigrams appends the pairs of characters of a run, which starts at byte offset of the whole text. form makes a term of a pair.
func appendBigrams(dst []Token, run string, offset, position int, form func(string) string) []Token {
	start, size := 0, characterLen(run)
	if size == len(run) {
		return append(dst, Token{Term: form(run), Position: position, Start: offset, End: offset + size})
	}
	for middle := size; middle < len(run); {
		end := middle + characterLen(run[middle:])
		dst = append(dst, Token{Term: form(run[start:end]), Position: position, Start: offset + start, End: offset + end})
		position++
		start, middle = middle, end
	}
	return dst
}

// characterLen gives the length of the letter at the start of a run, with its marks.
func characterLen(run string) int {
	_, first := utf8.DecodeRuneInString(run)
	for i, r := range run[first:] {
		if !extends(r) {
			return first + i
		}
	}
	return len(run)
}

// MakesPairs tells whether an analyzer gives pairs of characters where a script has no spaces.
func MakesPairs(a Analyzer) bool {
	for _, t := range a.Analyze(nil, "一一一") {
		if t.Position > 0 {
			return true
		}
	}
	return false
}

// IsCharacter tells whether a term is one character of a script without spaces.
func IsCharacter(term string) bool {
	r, _ := utf8.DecodeRuneInString(term)
	return isUnspaced(r) && characterLen(term) == len(term)
}

// BeginsWith tells whether the first character of a term is one for which [IsCharacter] holds.
func BeginsWith(term, character string) bool {
	return strings.HasPrefix(term, character) && characterLen(term) == len(character)
}

// EndsWith tells whether the last character of a term is one for which [IsCharacter] holds: it begins with a letter, so that none before it can hold a part of it.
func EndsWith(term, character string) bool { return strings.HasSuffix(term, character) }

// FirstCharacter gives the length of the first character of a text that is not empty, with its marks.
func FirstCharacter(text string) int { return characterLen(text) }

// LastCharacter gives the place where the last character of a text begins.
func LastCharacter(text string) int {
	for end := len(text); end > 0; {
		r, size := utf8.DecodeLastRuneInString(text[:end])
		if end -= size; !extends(r) {
			return end
		}
	}
	return 0
}
