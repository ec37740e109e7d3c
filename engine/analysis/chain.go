package analysis

// Chain is an analyzer that a user defined: char filters, a tokenizer, filters. It is immutable, and made by [New].
//
// What it gives for a document leaves synonyms out: they are for queries ([Expand]).
type Chain struct {
	chars     []charFilter
	tokenizer Analyzer
	filters   []filter
	synonyms  *synonyms // nil: none
	behind    int       // how many filters come before the synonyms
	expands   bool      // several tokens can stand in one place
	folds     bool      // capitals do not count
	unaccents bool      // nor accents
}

// charFilter changes a text, and tells where it did.
type charFilter func(text string) (changed string, where edits)

// filter changes tokens[from:], and gives all of them.
type filter func(tokens []Token, from int) []Token

// Analyze appends the tokens of a document's text to dst.
func (c *Chain) Analyze(dst []Token, text string) []Token {
	from := len(dst)
	dst = c.cut(dst, text)
	for _, f := range c.filters {
		dst = f(dst, from)
	}
	if c.expands {
		dst = distinct(dst, from)
	}
	return dst
}

// cut appends the tokens of a text before any filter. Their offsets are bytes of the text, not of what the char filters made of it.
func (c *Chain) cut(dst []Token, text string) []Token {
	from := len(dst)
	if len(c.chars) == 0 {
		return c.tokenizer.Analyze(dst, text)
	}
	where := make([]edits, len(c.chars))
	for i, f := range c.chars {
		text, where[i] = f(text)
	}
	dst = c.tokenizer.Analyze(dst, text)
	for i := from; i < len(dst); i++ {
		for j := len(where) - 1; j >= 0; j-- {
			dst[i].Start, dst[i].End = where[j].start(dst[i].Start), where[j].end(dst[i].End)
		}
	}
	return dst
}

// distinct removes tokens that stand twice in one place.
func distinct(tokens []Token, from int) []Token {
	kept, first := from, from // first of those that are kept in the present place
	for _, t := range tokens[from:] {
		if first < kept && tokens[first].Position != t.Position {
			first = kept
		}
		twice := false
		for _, before := range tokens[first:kept] {
			twice = twice || before.Term == t.Term
		}
		if !twice {
			tokens[kept] = t
			kept++
		}
	}
	clear(tokens[kept:])
	return tokens[:kept]
}

// Normalize brings a part of a word, as of a prefix or wildcard, into the form in which an analyzer's terms are written, without cutting or stemming it.
func Normalize(a Analyzer, part string) string {
	folds, unaccents := true, false
	switch a := a.(type) {
	case whitespace, keyword:
		folds = false
	case *Chain:
		folds, unaccents = a.folds, a.unaccents
	}
	if folds {
		part = Fold(part)
	}
	if unaccents {
		part = WithoutAccents(part)
	}
	return part
}
