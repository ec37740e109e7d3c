package schema

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/jetseek/jetseek/engine/analysis"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/schema/strictjson"
)

// ParseDefinition reads the definition of an analyzer as a schema has it. It fails with bad_request.
func ParseDefinition(text []byte) (*analysis.Chain, error) {
	r := strictjson.New(string(text), MaxDepth)
	a, err := parseAnalyzer(r, "analyzer")
	if err == nil {
		err = r.End()
	}
	if err != nil {
		return nil, badRequest(err)
	}
	return a.chain, nil
}

func parseAnalyzers(r *strictjson.Reader) ([]Analyzer, error) {
	var all []Analyzer
	err := eachKey(r, "schema: analyzers", func(name string) error {
		if len(all) == MaxAnalyzers {
			return fault.New(fault.LimitExceeded, "a schema defines at most %d analyzers", MaxAnalyzers)
		}
		where := "analyzers." + fault.Quote(name)
		if err := checkAnalyzerName(name); err != nil {
			return err
		}
		a, err := parseAnalyzer(r, where)
		a.Name = name
		all = append(all, a)
		return err
	})
	slices.SortFunc(all, func(a, b Analyzer) int { return cmp.Compare(a.Name, b.Name) })
	return all, err
}

// checkAnalyzerName refuses names that are taken or that could be confused.
func checkAnalyzerName(name string) error {
	const longest = 64
	plain := func(c rune) bool { return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '_' || c == '-' }
	if name == "" || len(name) > longest || strings.ContainsFunc(name, func(c rune) bool { return !plain(c) }) {
		return fault.New(fault.BadRequest, "schema: analyzers: a name is 1 to %d of a-z, 0-9, _ and -, not %s", longest, fault.Quote(name))
	}
	if _, taken := analysis.ByName(name); taken {
		return fault.New(fault.BadRequest, "schema: analyzers: every schema has an analyzer %s: choose another name", fault.Quote(name))
	}
	return nil
}

// parseAnalyzer reads a definition and makes its analyzer. where says in errors which one it is.
func parseAnalyzer(r *strictjson.Reader, where string) (a Analyzer, err error) {
	d := &a.Definition
	err = eachKey(r, where, func(key string) (err error) {
		switch key {
		case "char_filters":
			d.CharFilters, err = parseSteps(r, where+": "+key, parseCharFilter)
		case "tokenizer":
			if d.Tokenizer, err = r.String(); err != nil {
				return fault.New(fault.BadRequest, "%s: tokenizer must be a string", where)
			}
		case "filters":
			d.Filters, err = parseSteps(r, where+": "+key, parseFilter)
		default:
			err = fault.New(fault.BadRequest, "%s: unknown key %s", where, fault.Quote(key))
		}
		return err
	})
	if err != nil {
		return a, err
	}
	d.Tokenizer = cmp.Or(d.Tokenizer, "standard")
	if a.chain, err = analysis.New(*d); err != nil {
		return a, fault.New(fault.BadRequest, "%s: %s", where, err)
	}
	return a, nil
}

// parseSteps reads a list of filters of either kind. One without parameters can be its name alone.
func parseSteps[T any](r *strictjson.Reader, where string, step func(r *strictjson.Reader, where string) (T, error)) ([]T, error) {
	if r.Kind() != strictjson.Array {
		return nil, fault.New(fault.BadRequest, "%s must be a list", where)
	}
	if err := r.Enter(); err != nil {
		return nil, err
	}
	var all []T
	for {
		if more, err := r.More(); err != nil || !more {
			return all, err
		}
		if len(all) == analysis.MaxFilters {
			return nil, fault.New(fault.LimitExceeded, "%s: at most %d", where, analysis.MaxFilters)
		}
		made, err := step(r, where+"["+strconv.Itoa(len(all))+"]")
		if err != nil {
			return nil, err
		}
		all = append(all, made)
	}
}

func parseCharFilter(r *strictjson.Reader, where string) (f analysis.CharFilter, err error) {
	if r.Kind() == strictjson.String {
		f.Type, err = r.String()
		return f, err
	}
	return f, eachKey(r, where, func(key string) (err error) {
		switch key {
		case "type":
			f.Type, err = r.String()
		case "mappings":
			f.Mappings, err = parseEntries(r, where+": "+key)
		default:
			err = fault.New(fault.BadRequest, "%s: unknown key %s", where, fault.Quote(key))
		}
		return err
	})
}

func parseFilter(r *strictjson.Reader, where string) (f analysis.Filter, err error) {
	var given []string
	if r.Kind() == strictjson.String {
		f.Type, err = r.String()
	} else {
		err = eachKey(r, where, func(key string) (err error) {
			given = append(given, key)
			switch key {
			case "type":
				f.Type, err = r.String()
			case "language":
				f.Language, err = r.String()
			case "words":
				f.Words, err = parseEntries(r, where+": "+key)
			case "rules":
				f.Rules, err = parseEntries(r, where+": "+key)
			case "min":
				f.Min, err = parseCount(r, where+": "+key)
			case "max":
				f.Max, err = parseCount(r, where+": "+key)
			default:
				err = fault.New(fault.BadRequest, "%s: unknown key %s", where, fault.Quote(key))
			}
			return err
		})
	}
	if err != nil {
		return f, err
	}
	return f, completeFilter(&f, given, where)
}

// completeFilter refuses parameters that mean nothing for the kind, and applies defaults.
func completeFilter(f *analysis.Filter, given []string, where string) error {
	takes := map[string][]string{
		analysis.Stop: {"language", "words"}, analysis.Stemmer: {"language"}, analysis.Synonyms: {"rules"},
		analysis.Length: {"min", "max"}, analysis.EdgeNGram: {"min", "max"},
	}
	for _, key := range given {
		if key != "type" && slices.Contains(analysis.FilterTypes(), f.Type) && !slices.Contains(takes[f.Type], key) {
			return fault.New(fault.BadRequest, "%s: %s means nothing for type %s", where, key, f.Type)
		}
	}
	switch {
	case f.Type == analysis.Stemmer, f.Type == analysis.Stop && f.Words == nil:
		f.Language = cmp.Or(f.Language, "english")
	case f.Type == analysis.Length && !slices.Contains(given, "max"):
		f.Max = analysis.MaxLength
	}
	return nil
}

// parseEntries reads a list of strings.
func parseEntries(r *strictjson.Reader, where string) ([]string, error) {
	if r.Kind() != strictjson.Array {
		return nil, fault.New(fault.BadRequest, "%s must be a list of strings", where)
	}
	if err := r.Enter(); err != nil {
		return nil, err
	}
	entries := []string{}
	for {
		more, err := r.More()
		switch {
		case err != nil || !more:
			return entries, err
		case r.Kind() != strictjson.String:
			return nil, fault.New(fault.BadRequest, "%s must be a list of strings", where)
		case len(entries) == analysis.MaxEntries:
			return nil, fault.New(fault.LimitExceeded, "%s: at most %d", where, analysis.MaxEntries)
		}
		entry, err := r.String()
		if err != nil {
			return nil, err
		}
		entries = append(entries, entry)
	}
}

func parseCount(r *strictjson.Reader, where string) (int, error) {
	token, err := r.Number()
	if err != nil {
		return 0, fault.New(fault.BadRequest, "%s must be a number", where)
	}
	n, err := strconv.Atoi(token)
	if err != nil || n < 0 {
		return 0, fault.New(fault.BadRequest, "%s must be a whole number that is not negative", where)
	}
	return n, nil
}

// appendJSON appends the name and the canonical definition.
func (a *Analyzer) appendJSON(b []byte) []byte {
	b = append(appendString(b, a.Name), `:{`...)
	if len(a.Definition.CharFilters) > 0 {
		b = append(b, `"char_filters":[`...)
		for i, f := range a.Definition.CharFilters {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendString(append(b, `{"type":`...), f.Type)
			b = append(appendEntries(b, "mappings", f.Mappings), '}')
		}
		b = append(b, `],`...)
	}
	b = appendString(append(b, `"tokenizer":`...), a.Definition.Tokenizer)
	if len(a.Definition.Filters) > 0 {
		b = append(b, `,"filters":[`...)
		for i := range a.Definition.Filters {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendFilter(b, &a.Definition.Filters[i])
		}
		b = append(b, ']')
	}
	return append(b, '}')
}

func appendFilter(b []byte, f *analysis.Filter) []byte {
	b = appendString(append(b, `{"type":`...), f.Type)
	if f.Language != "" {
		b = appendString(append(b, `,"language":`...), f.Language)
	}
	b = appendEntries(b, "words", f.Words)
	b = appendEntries(b, "rules", f.Rules)
	if f.Type == analysis.Length || f.Type == analysis.EdgeNGram {
		b = strconv.AppendInt(append(b, `,"min":`...), int64(f.Min), 10)
		b = strconv.AppendInt(append(b, `,"max":`...), int64(f.Max), 10)
	}
	return append(b, '}')
}

func appendEntries(b []byte, key string, entries []string) []byte {
	if entries == nil {
		return b
	}
	b = append(appendString(append(b, ','), key), `:[`...)
	for i, entry := range entries {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(b, entry)
	}
	return append(b, ']')
}
