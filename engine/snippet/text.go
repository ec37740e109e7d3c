package snippet

import (
	"cmp"
	"slices"
	"sort"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"

	"github.com/jetseek/jetseek/engine/analysis"
)

// text is one value of a field.
type text struct {
	value   string
	tokens  []token
	matches []match // by their beginning
}

// match is a part of a value that a word of the query matched.
type match struct {
	start, end int // bytes
	at, chars  int // the same in characters: where it begins, how many it has; set by count
	word       int
}

// split gives the values with the tokens of each.
func split(values []string, tokens []token) []text {
	texts := make([]text, len(values))
	for i, v := range values {
		n := sort.Search(len(tokens), func(k int) bool { return tokens[k].value > i })
		texts[i] = text{value: v, tokens: tokens[:n:n]}
		tokens = tokens[n:]
	}
	return texts
}

// match finds what the query matched: words, or without any the exact value.
func (t *text) match(f *clauses) {
	add := func(start, end, word int) {
		if word != none && start < end {
			t.matches = append(t.matches, match{start: start, end: end, word: word})
		}
	}
	for i := range t.tokens {
		k := &t.tokens[i]
		add(k.Start, k.End, k.word)
		if k.first != none || k.last != none {
			add(k.Start, k.Start+analysis.FirstCharacter(t.value[k.Start:k.End]), k.first)
			add(k.Start+analysis.LastCharacter(t.value[k.Start:k.End]), k.End, k.last)
		}
	}
	slices.SortStableFunc(t.matches, func(a, b match) int { return cmp.Compare(a.start, b.start) })
	t.matches = slices.Compact(t.matches) // two pairs share each character
	if len(t.matches) == 0 && t.value != "" && f.field.HasExact(t.value) {
		if word := f.valueWord(t.value); word != none {
			t.matches = []match{{end: len(t.value), word: word}}
		}
	}
}

// count counts the characters of matches and of what lies before them.
func (t *text) count() {
	at, from := 0, 0
	for i := range t.matches {
		m := &t.matches[i]
		at += utf8.RuneCountInString(t.value[from:m.start])
		m.at, m.chars = at, utf8.RuneCountInString(t.value[m.start:m.end])
		from = m.start
	}
}

// longer tells whether the value has more characters than n.
func (t *text) longer(n int) bool {
	return len(t.value) > n && t.forward(0, len(t.value), n) < len(t.value)
}

// forward gives the place n characters behind a byte, or limit where that comes first.
func (t *text) forward(from, limit, n int) int {
	for ; n > 0 && from < limit; n-- {
		_, size := utf8.DecodeRuneInString(t.value[from:])
		from += size
	}
	return min(from, limit)
}

// back gives the place n characters before a byte, or limit where that comes first.
func (t *text) back(from, limit, n int) int {
	for ; n > 0 && from > limit; n-- {
		_, size := utf8.DecodeLastRuneInString(t.value[:from])
		from -= size
	}
	return max(from, limit)
}

// wordFrom gives the first place not before a byte where a word begins; the value's beginning and end count too.
func (t *text) wordFrom(from int) int {
	if from == 0 {
		return 0
	}
	i := sort.Search(len(t.tokens), func(i int) bool { return t.tokens[i].Start >= from })
	if i == len(t.tokens) {
		return len(t.value)
	}
	return t.tokens[i].Start
}

// wordUpTo gives the last place not behind a byte where a word ends; the value's beginning and end count too.
func (t *text) wordUpTo(to int) int {
	if to == len(t.value) {
		return to
	}
	i := sort.Search(len(t.tokens), func(i int) bool { return t.tokens[i].Start >= to })
	for i--; i >= 0; i-- {
		if t.tokens[i].End <= to {
			return t.tokens[i].End
		}
	}
	return 0
}

// cutWord gives the end of the first n characters behind a byte, at a grapheme, of which there is at least one.
func (t *text) cutWord(from, n int) int {
	end := from
	for g := graphemes.FromString(t.value[from:]); g.Next(); {
		if n -= utf8.RuneCountInString(g.Value()); n < 0 && end > from {
			break
		}
		end += len(g.Value())
	}
	return end
}

// neighbours tells whether what lies between two matches is only blanks, or one sign of punctuation.
func neighbours(between string) bool {
	if r, size := utf8.DecodeRuneInString(between); size == len(between) && unicode.IsPunct(r) {
		return true
	}
	for _, r := range between {
		if !unicode.IsSpace(r) {
			return false
		}
	}
	return true
}
