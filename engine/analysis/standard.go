package analysis

import (
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
)

// standard takes the words of Unicode's segmentation (UAX 29) that hold a letter or a digit, folded ([Fold]); emoji sequences, each as one token; and
// of scripts written without spaces overlapping pairs of characters (see bigrams.go). Stop words are kept.
type standard struct{}

func (standard) Analyze(dst []Token, text string) []Token {
	return analyzeStandard(dst, text, asciiWord, true)
}

// unfolded takes the same tokens as standard, as they stand in the text.
type unfolded struct{}

func (unfolded) Analyze(dst []Token, text string) []Token {
	return analyzeStandard(dst, text, asciiWord, false)
}

// analyzeStandard walks over the text. next finds the end of an ASCII word that starts at a byte, or gives 0 where the full algorithm must decide;
// it is a parameter so that the test can prove the short way equal to never taking it.
func analyzeStandard(dst []Token, text string, next func(text string, start int) int, fold bool) []Token {
	lowered, form := text, cut
	if fold {
		lowered = lowerASCII(text) // same length; ASCII terms are cut out of it without a copy
		form = func(word string) string { return cut(Fold(word)) }
	}
	position := 0
	for i := 0; i < len(text); {
		if end := next(text, i); end > 0 {
			if hasASCIIAlphanumeric(text[i:end]) {
				dst = append(dst, Token{Term: cut(lowered[i:end]), Position: position, Start: i, End: end})
				position++
			}
			i = end
			continue
		}
		if r, size := utf8.DecodeRuneInString(text[i:]); isUnspaced(r) {
			end := i + unspacedRun(text[i:])
			before := len(dst)
			dst = appendBigrams(dst, text[i:end], i, position, form)
			position += len(dst) - before
			i = end
			continue
		} else if size == 0 {
			break
		}
		end := i + segment(text[i:])
		if start, stop, ok := wordIn(text[i:end]); ok {
			if term := form(text[i+start : i+stop]); term != "" { // a letter that shows nothing folds away
				dst = append(dst, Token{Term: term, Position: position, Start: i + start, End: i + stop})
				position++
			}
		}
		i = end
	}
	return dst
}

// segment gives the length of the first segment of text by UAX 29, ended before a character of a script without spaces inside it.
func segment(text string) int {
	segments := words.FromString(text)
	segments.Next()
	first := segments.Value()
	for i, r := range first {
		if i > 0 && isUnspaced(r) {
			return i
		}
	}
	return len(first)
}

// asciiWord decides, by the rules of UAX 29 for ASCII, where the segment that starts at a byte ends. It gives 0 where a character that is not ASCII
// could have a say.
func asciiWord(text string, start int) int {
	if text[start] >= utf8.RuneSelf {
		return 0
	}
	i := start + 1
	if !isWordByte(text[start]) {
		if i < len(text) && text[i] >= utf8.RuneSelf {
			return 0
		}
		return i
	}
	for ; i < len(text); i++ {
		c := text[i]
		if c >= utf8.RuneSelf {
			return 0
		}
		if isWordByte(c) {
			continue
		}
		if i+1 < len(text) && text[i+1] >= utf8.RuneSelf && (joinsLetters(c) || joinsDigits(c)) {
			return 0 // a mark or letter behind it decides
		}
		if i+1 == len(text) || !joins(text[i-1], c, text[i+1]) {
			break
		}
	}
	return i
}

// joins tells whether a byte between two others belongs to the word of both: an apostrophe between letters, a point between digits …
func joins(before, c, after byte) bool {
	return joinsLetters(c) && isASCIILetter(before) && isASCIILetter(after) ||
		joinsDigits(c) && isASCIIDigit(before) && isASCIIDigit(after)
}

func joinsLetters(c byte) bool  { return c == '\'' || c == '.' || c == ':' }
func joinsDigits(c byte) bool   { return c == '\'' || c == '.' || c == ',' || c == ';' }
func isASCIILetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isASCIIDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isWordByte(c byte) bool    { return isASCIILetter(c) || isASCIIDigit(c) || c == '_' }

func hasASCIIAlphanumeric(s string) bool {
	for i := range len(s) {
		if isASCIILetter(s[i]) || isASCIIDigit(s[i]) {
			return true
		}
	}
	return false
}
