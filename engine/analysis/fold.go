package analysis

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Fold brings a word into the form in which words are compared: full case folding and NFKC, so that case, full width, ligatures and the two
// spellings of accents do not matter. Accents stay. U+0307 after i goes (the folding of İ), while ı stays apart from i. What nobody sees goes as well, soft hyphens
// and variation selectors among it ([isInvisible]), and the apostrophes of typography are the one of keyboards.
func Fold(word string) string {
	switch {
	case isASCII(word):
		return lowerASCII(word)
	case strings.IndexFunc(word, foldsApart) < 0:
		return strings.Map(unicode.ToLower, word) // word itself where nothing changes
	}
	return foldFully(word)
}

// foldFully folds any text. To fold what is decomposed first makes the result stable: NFKC can bring forth capitals (℡ is TEL) and marks in another order.
func foldFully(word string) string {
	folded := cases.Fold().String(norm.NFKD.String(word))
	var last rune
	folded = strings.Map(func(r rune) rune {
		const dotAbove, quote, modifier = '\u0307', '\u2019', '\u02bc'
		switch {
		case isInvisible(r) || r == dotAbove && last == 'i':
			return -1
		case r == quote || r == modifier:
			r = '\''
		case 'ꭰ' <= r && r <= 'ꮿ': // Cherokee folds to its capitals, which the library turns round
			r += 'Ꭰ' - 'ꭰ'
		case 'ᏸ' <= r && r <= 'ᏽ':
			r += 'Ᏸ' - 'ᏸ'
		}
		last = r
		return r
	}, folded)
	return norm.NFKC.String(folded)
}

// isInvisible tells whether a character has the property Default_Ignorable_Code_Point of Unicode: it shows nothing, and asks only for another form, direction or place to
// break. Joiners are left out, which tell words of Persian and Indic scripts apart and hold emoji together, and so are tags, which tell flags apart.
func isInvisible(r rune) bool {
	const (
		shortest              = '\u00ad' // the soft hyphen, the first of them
		nonJoiner, joiner     = '\u200c', '\u200d'
		firstTag, lastTag     = '\U000e0020', '\U000e007f'
		firstNote, lastNote   = '\ufff9', '\ufffb' // of interlinear annotations, and the controls of Egyptian below, are format characters that show
		firstGlyph, lastGlyph = '\U00013430', '\U0001345f'
	)
	switch {
	case r < shortest, r == nonJoiner, r == joiner, firstTag <= r && r <= lastTag, firstNote <= r && r <= lastNote, firstGlyph <= r && r <= lastGlyph:
		return false
	}
	return unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) || unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

// foldsApart tells whether a character needs [foldFully]. The others fold to their small letter, whatever stands beside them: the letters of most texts.
func foldsApart(r rune) bool {
	switch {
	case r < utf8.RuneSelf:
		return false
	case 'À' <= r && r <= 'ž': // Latin with accents
		return r == 'ß' || r == 'İ' || r == 'ŉ' || 'Ĳ' <= r && r <= 'ĳ' || 'Ŀ' <= r && r <= 'ŀ'
	case 'Ά' <= r && r <= 'ώ': // Greek
		return r == '\u0387' || r == 'ΐ' || r == 'ΰ' || r == 'ς'
	case 'Ѐ' <= r && r <= 'ԯ': // Cyrillic, but for its combining marks
		return 0x483 <= r && r <= 0x489
	case isHanOrKana(r), '가' <= r && r <= '힣':
		return false
	}
	return true
}

// isHanOrKana tells whether a character is one of the common ideographs, or a full letter of Hiragana or Katakana.
func isHanOrKana(r rune) bool {
	return '一' <= r && r <= '\u9fff' || 'ぁ' <= r && r <= 'ゖ' || 'ァ' <= r && r <= 'ー' && r != '・'
}

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
