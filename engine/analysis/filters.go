package analysis

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/jetseek/jetseek/engine/analysis/snowball"
)

// eachTerm is the filter that changes every term; one that becomes empty is removed.
func eachTerm(change func(string) string) filter {
	return func(tokens []Token, from int) []Token {
		kept := from
		for _, t := range tokens[from:] {
			if t.Term = cut(change(t.Term)); t.Term != "" {
				tokens[kept] = t
				kept++
			}
		}
		clear(tokens[kept:])
		return tokens[:kept]
	}
}

// keep is the filter that keeps some tokens.
func keep(wanted func(*Token) bool) filter {
	return func(tokens []Token, from int) []Token {
		kept := from
		for i := from; i < len(tokens); i++ {
			if wanted(&tokens[i]) {
				tokens[kept] = tokens[i]
				kept++
			}
		}
		clear(tokens[kept:])
		return tokens[:kept]
	}
}

func lengthWithin(least, most int) func(*Token) bool {
	return func(t *Token) bool {
		n := utf8.RuneCountInString(t.Term)
		return least <= n && n <= most
	}
}

// filter brings words to their stem.
func (l *language) filter() filter {
	return func(tokens []Token, from int) []Token {
		var env snowball.Env
		for i := from; i < len(tokens); i++ {
			tokens[i].Term = l.stemmed(&env, l.bare(tokens[i].Term))
		}
		return tokens
	}
}

// prefixes is the filter that gives, instead of a token, its prefixes of so many characters, each with the place and the offsets of the whole; a shorter token goes.
func prefixes(least, most int) filter {
	return func(tokens []Token, from int) []Token {
		whole := append([]Token(nil), tokens[from:]...)
		tokens = tokens[:from]
		for _, t := range whole {
			characters := 0
			for end := 0; end < len(t.Term) && characters < most; {
				_, size := utf8.DecodeRuneInString(t.Term[end:])
				end += size
				if characters++; characters >= least {
					prefix := t
					prefix.Term = t.Term[:end]
					tokens = append(tokens, prefix)
				}
			}
		}
		return tokens
	}
}

// WithoutAccents takes the marks off Latin and Greek letters, and writes the Latin letters that have none to take off (ø, ß, æ) in ASCII. Marks of other scripts are part of
// their words.
func WithoutAccents(term string) string {
	if isASCII(term) {
		return term
	}
	var b strings.Builder
	marksGo := false
	for _, r := range norm.NFD.String(term) {
		if unicode.Is(unicode.Mn, r) {
			if !marksGo {
				b.WriteRune(r)
			}
			continue
		}
		marksGo = unicode.In(r, unicode.Latin, unicode.Greek)
		if plain := plainLatin(r); plain != "" {
			b.WriteString(plain)
		} else {
			b.WriteRune(r)
		}
	}
	return norm.NFC.String(b.String())
}

// plainLatin gives the ASCII letters for a Latin one that is no letter with a mark, "" for all else.
func plainLatin(r rune) string {
	switch r {
	case 'ß':
		return "ss"
	case 'ẞ':
		return "SS"
	case 'æ':
		return "ae"
	case 'Æ':
		return "AE"
	case 'œ':
		return "oe"
	case 'Œ':
		return "OE"
	case 'ø':
		return "o"
	case 'Ø':
		return "O"
	case 'đ', 'ð':
		return "d"
	case 'Đ', 'Ð':
		return "D"
	case 'þ':
		return "th"
	case 'Þ':
		return "TH"
	case 'ł':
		return "l"
	case 'Ł':
		return "L"
	case 'ħ':
		return "h"
	case 'Ħ':
		return "H"
	case 'ŧ':
		return "t"
	case 'Ŧ':
		return "T"
	case 'ŋ':
		return "n"
	case 'Ŋ':
		return "N"
	case 'ı':
		return "i"
	}
	return ""
}
