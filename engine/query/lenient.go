package query

import (
	"strings"
	"unicode"
)

// lenientWords takes text that is not well written as its words: signs and operators are dropped, and the words joined by the default operator.
func lenientWords(q string, opts Options, field string, b *budget) (Node, error) {
	isSign := func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`+-!(){}[]^"~*?:\/&|<>=`, r) }
	var words []clause
	for at := 0; at < len(q); {
		start := at + strings.IndexFunc(q[at:], func(r rune) bool { return !isSign(r) })
		if start < at {
			break
		}
		end := len(q)
		if size := strings.IndexFunc(q[start:], isSign); size >= 0 {
			end = start + size
		}
		at = end
		word := q[start:end]
		if word == "AND" || word == "OR" || word == "NOT" {
			continue
		}
		if err := b.clause(start); err != nil {
			return nil, err
		}
		words = append(words, clause{node: &Word{Field: field, Text: word, Boost: 1, Pos: start, Lenient: true}})
	}
	if len(words) == 0 {
		return &MatchNone{}, nil
	}
	return join(words, opts.DefaultOperatorAnd), nil
}
