package analysis

import (
	"strings"

	"github.com/blevesearch/snowballstem"
	stemmer "github.com/blevesearch/snowballstem/english"
)

// english takes the tokens of standard, without a possessive 's, without stop words, whose places stay empty, and brought to their stem by the
// English stemmer of Snowball 2 ("Porter 2").
type english struct{}

func (english) Analyze(dst []Token, text string) []Token {
	kept := len(dst)
	dst = standard{}.Analyze(dst, text)
	for _, token := range dst[kept:] {
		term := withoutPossessive(token.Term)
		if isEnglishStopWord(term) {
			continue
		}
		token.Term = stemEnglish(term)
		dst[kept] = token
		kept++
	}
	clear(dst[kept:]) // what was taken out must not hold on to a text
	return dst[:kept]
}

// withoutPossessive takes a folded word's 's off and makes its other apostrophes the ASCII one, which the stemmer knows.
func withoutPossessive(word string) string {
	const typographic, plain = "’", "'"
	if strings.Contains(word, typographic) {
		word = strings.ReplaceAll(word, typographic, plain)
	}
	if stem, found := strings.CutSuffix(word, "'s"); found && stem != "" {
		return stem
	}
	return word
}

// isEnglishStopWord tells whether a word is in the list that search users know from Lucene: 33 words that say nothing of what a text is about.
func isEnglishStopWord(word string) bool {
	switch word {
	case "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it", "no", "not",
		"of", "on", "or", "such", "that", "the", "their", "then", "there", "these", "they", "this", "to", "was", "will", "with":
		return true
	}
	return false
}

// stemEnglish gives the stem of a folded word; what has no letters of English stays as it is.
func stemEnglish(word string) string {
	const shortest = 3 // the algorithm leaves shorter words alone
	if len(word) < shortest {
		return word
	}
	env := snowballstem.NewEnv(word)
	stemmer.Stem(env)
	if stem := env.Current(); stem != "" {
		return stem
	}
	return word
}
