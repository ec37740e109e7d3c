package analysis

import (
	"fmt"
	"slices"
	"strings"
)

// Limits of the analyzers that users define.
const (
	// MaxFilters is how many filters of either kind an analyzer has.
	MaxFilters = 32
	// MaxEntries is how many entries a list of words, mappings or synonyms has.
	MaxEntries = 4096
	// MaxEntryBytes is the length of the longest entry, in bytes.
	MaxEntryBytes = 1024
	// MaxGram is the length of the longest prefix that an edge_ngram filter makes, in characters.
	MaxGram = 32
	// MaxLength is the greatest length that a length filter speaks of, in characters.
	MaxLength = MaxTermBytes
	// MaxSynonymWords is how many words a spelling has among synonyms.
	MaxSynonymWords = 16
)

// Definition says what an analyzer does with a text: char filters in order, the tokenizer, filters in order.
type Definition struct {
	CharFilters []CharFilter
	Tokenizer   string // standard, letter, whitespace or keyword: as the analyzers of these names cut (letter: simple), without folding; "": standard
	Filters     []Filter
}

// The kinds of char filters, which change the text before it is cut.
const (
	HTMLStrip = "html_strip" // takes tags, comments, scripts and styles away, and gives the characters that entities stand for
	Mapping   = "mapping"    // replaces strings, the longest first
)

// CharFilter changes the text before it is cut.
type CharFilter struct {
	Type     string
	Mappings []string // mapping: "from => to", spaces around both do not count
}

// The kinds of filters, which change tokens. One that removes a token leaves its place empty.
const (
	Lowercase    = "lowercase"     // folds ([Fold]), as standard does
	ASCIIFolding = "ascii_folding" // takes accents off Latin and Greek letters
	Stop         = "stop"          // removes stop words
	Stemmer      = "stemmer"       // brings words to their stem
	Length       = "length"        // keeps terms of some lengths
	EdgeNGram    = "edge_ngram"    // makes the prefixes of a word, all in its place
	Synonyms     = "synonyms"      // lets queries ask for other spellings too, see [Step]
)

// Filter changes tokens.
type Filter struct {
	Type     string
	Language string   // stop, stemmer: one of those that are analyzers
	Words    []string // stop, instead of a language
	Rules    []string // synonyms: "a, b c, d" or "a, b => c, d e"
	Min, Max int      // length, edge_ngram: characters
}

// CharFilterTypes lists the kinds of char filters.
func CharFilterTypes() []string { return []string{HTMLStrip, Mapping} }

// Tokenizers lists the tokenizers.
func Tokenizers() []string { return []string{"standard", "letter", "whitespace", "keyword"} }

// FilterTypes lists the kinds of filters.
func FilterTypes() []string {
	return []string{Lowercase, ASCIIFolding, Stop, Stemmer, Length, EdgeNGram, Synonyms}
}

// New makes the analyzer of a definition. Its error says which key of the definition is wrong, and why.
func New(d Definition) (*Chain, error) {
	c := &Chain{}
	if len(d.CharFilters) > MaxFilters || len(d.Filters) > MaxFilters {
		return nil, fmt.Errorf("char_filters and filters: at most %d of each", MaxFilters)
	}
	for i, f := range d.CharFilters {
		made, err := newCharFilter(f)
		if err != nil {
			return nil, fmt.Errorf("char_filters[%d]: %w", i, err)
		}
		c.chars = append(c.chars, made)
	}
	filters := d.Filters
	switch d.Tokenizer {
	case "", "standard":
		c.tokenizer = unfolded{}
		if len(filters) > 0 && filters[0].Type == Lowercase { // the same, and quicker
			c.tokenizer, c.folds = standard{}, true
		}
	case "letter":
		c.tokenizer = letters{}
	case "whitespace":
		c.tokenizer = whitespace{}
	case "keyword":
		c.tokenizer = keyword{}
	default:
		return nil, fmt.Errorf("tokenizer: there are %s, not %q", strings.Join(Tokenizers(), ", "), d.Tokenizer)
	}
	for i, f := range filters {
		if err := c.add(f, i == 0 && c.folds); err != nil {
			return nil, fmt.Errorf("filters[%d]: %w", i, err)
		}
	}
	return c, nil
}

// add appends a filter; done says that the tokenizer has done what it does.
func (c *Chain) add(f Filter, done bool) error {
	var made filter
	switch f.Type {
	case Lowercase:
		if c.folds = true; done {
			return nil
		}
		made = eachTerm(Fold)
	case ASCIIFolding:
		c.unaccents = true
		made = eachTerm(WithoutAccents)
	case Stop:
		isStop, err := c.stopWords(f)
		if err != nil {
			return err
		}
		made = keep(func(t *Token) bool { return !isStop(t.Term) })
	case Stemmer:
		l := languageByName(f.Language)
		if l == nil {
			return fmt.Errorf("language: there is no stemmer of %q", f.Language)
		}
		made = l.filter()
	case Length:
		if f.Min < 0 || f.Max < f.Min || f.Max > MaxLength {
			return fmt.Errorf("min and max: 0 <= min <= max <= %d", MaxLength)
		}
		made = keep(lengthWithin(f.Min, f.Max))
	case EdgeNGram:
		if f.Min < 1 || f.Max < f.Min || f.Max > MaxGram {
			return fmt.Errorf("min and max: 1 <= min <= max <= %d", MaxGram)
		}
		c.expands = true
		made = prefixes(f.Min, f.Max)
	case Synonyms:
		if c.synonyms != nil {
			return fmt.Errorf("an analyzer has one filter of synonyms")
		}
		synonyms, err := c.newSynonyms(f.Rules)
		if err != nil {
			return err
		}
		c.synonyms, c.behind = synonyms, len(c.filters)
		return nil
	default:
		return fmt.Errorf("type: there are %s, not %q", strings.Join(FilterTypes(), ", "), f.Type)
	}
	c.filters = append(c.filters, made)
	return nil
}

// stopWords gives the list of a stop filter. Its words are those that come out of the filters before it.
func (c *Chain) stopWords(f Filter) (func(string) bool, error) {
	if (f.Language == "") == (f.Words == nil) {
		return nil, fmt.Errorf("a stop filter has a language or words")
	}
	if f.Language != "" {
		l := languageByName(f.Language)
		if l == nil {
			return nil, fmt.Errorf("language: there are no stop words of %q", f.Language)
		}
		return func(term string) bool { return l.isStop(l.bare(term)) }, nil
	}
	if err := checkEntries("words", f.Words); err != nil {
		return nil, err
	}
	list := map[string]bool{}
	for _, word := range f.Words {
		for _, t := range c.Analyze(nil, word) {
			list[t.Term] = true
		}
	}
	return func(term string) bool { return list[term] }, nil
}

// checkEntries holds the limits of a list.
func checkEntries(key string, entries []string) error {
	if len(entries) == 0 || len(entries) > MaxEntries {
		return fmt.Errorf("%s: a list of 1 to %d, not of %d", key, MaxEntries, len(entries))
	}
	if i := slices.IndexFunc(entries, func(s string) bool { return len(s) > MaxEntryBytes }); i >= 0 {
		return fmt.Errorf("%s[%d]: longer than %d bytes", key, i, MaxEntryBytes)
	}
	return nil
}
