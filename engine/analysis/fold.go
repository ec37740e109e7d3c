package analysis

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Fold brings a word into the form in which words are compared: full case folding and NFKC, so that case, full width, ligatures and the two
// spellings of accents do not matter. Accents stay. U+0307 after i goes (the folding of İ), while ı stays apart from i; the variation
// selectors that ask for text or emoji go as well.
func Fold(word string) string {
	if isASCII(word) {
		return lowerASCII(word)
	}
	// Folding what is decomposed first makes the result stable: NFKC can bring forth capitals (℡ is TEL) and marks in another order.
	folded := cases.Fold().String(norm.NFKD.String(word))
	folded = foldLeftovers.Replace(folded)
	return norm.NFKC.String(folded)
}

// foldLeftovers removes what full case folding leaves.
var foldLeftovers = strings.NewReplacer("i\u0307", "i", "\ufe0e", "", "\ufe0f", "")

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// lowerASCII changes capital ASCII letters and nothing else, so that offsets stay. It gives s itself where there are none.
func lowerASCII(s string) string {
	for i := range len(s) {
		if c := s[i]; 'A' <= c && c <= 'Z' {
			lowered := []byte(s)
			for ; i < len(lowered); i++ {
				if c := lowered[i]; 'A' <= c && c <= 'Z' {
					lowered[i] = c + ('a' - 'A')
				}
			}
			return string(lowered)
		}
	}
	return s
}
