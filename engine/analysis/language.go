package analysis

import (
	"slices"
	"strings"

	"github.com/jetseek/jetseek/engine/analysis/snowball"
)

// language takes the tokens of standard, without stop words, whose places stay empty, and brought to their stem by the Snowball algorithm of the language (of May 2026, see scripts/snowball).
// English words lose a possessive 's first, French, Italian and Catalan ones the elided word before their apostrophe (l'avion).
type language struct {
	name   string
	stem   func(*snowball.Env) bool
	isStop func(folded string) bool
}

// languageByName gives the analyzer of a language, nil where there is none.
func languageByName(name string) *language {
	i, found := slices.BinarySearchFunc(languages[:], name, func(l language, name string) int { return strings.Compare(l.name, name) })
	if !found {
		return nil
	}
	return &languages[i]
}

func (l *language) Analyze(dst []Token, text string) []Token {
	kept := len(dst)
	dst = standard{}.Analyze(dst, text)
	var env snowball.Env
	for _, token := range dst[kept:] {
		term := l.bare(token.Term)
		if l.isStop(term) {
			continue
		}
		token.Term = l.stemmed(&env, term)
		dst[kept] = token
		kept++
	}
	clear(dst[kept:]) // what was taken out must not hold on to a text
	return dst[:kept]
}

// stemmed gives the stem of a folded word, or the word where nothing would be left.
func (l *language) stemmed(env *snowball.Env, word string) string {
	if stem := env.Stem(word, l.stem); stem != "" {
		return cut(stem)
	}
	return word
}

// bare takes off a folded word what the language writes on to it, and makes its apostrophes the ASCII one, which the algorithms know.
func (l *language) bare(word string) string {
	const typographic, plain = "’", "'"
	if strings.Contains(word, typographic) {
		word = strings.ReplaceAll(word, typographic, plain)
	}
	switch l.name {
	case "english", "porter":
		if stem, found := strings.CutSuffix(word, "'s"); found && stem != "" {
			return stem
		}
	case "french", "italian", "catalan":
		if before, rest, found := strings.Cut(word, plain); found && rest != "" && isElided(l.name, before) {
			return rest
		}
	}
	return word
}

// isElided tells whether a word is one that stands before an apostrophe without its vowel.
func isElided(language, word string) bool {
	switch language {
	case "french":
		return slices.Contains([]string{"c", "d", "j", "l", "m", "n", "s", "t", "z", "qu", "jusqu", "lorsqu", "puisqu", "quoiqu"}, word)
	case "italian":
		return slices.Contains([]string{"c", "d", "l", "m", "s", "t", "v", "un", "gl", "agl", "all", "coll", "dagl", "dall", "degl", "dell", "negl", "nell", "pell", "sugl", "sull"}, word)
	}
	return slices.Contains([]string{"d", "l", "m", "n", "s", "t"}, word)
}

// isEnglishStopWord tells whether a word is in the list that search users know from Lucene: 33 words that say nothing of what a text is about. Snowball's for English has
// 174, which lose more phrases.
func isEnglishStopWord(word string) bool {
	switch word {
	case "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it", "no", "not",
		"of", "on", "or", "such", "that", "the", "their", "then", "there", "these", "they", "this", "to", "was", "will", "with":
		return true
	}
	return false
}
