package schema

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/jetseek/jetseek/engine/analysis"
	"github.com/jetseek/jetseek/engine/fault"
)

// Limits of the analyzers that a schema defines, beside those of package analysis.
const (
	// MaxAnalyzers is how many a schema defines.
	MaxAnalyzers = 64
	// MaxAnalyzersBytes is how long all of them are in canonical JSON: a schema travels with the log and stands in the records of the cluster.
	MaxAnalyzersBytes = 128 << 10
)

// Analyzer is an analyzer that a schema defines.
type Analyzer struct {
	Name       string
	Definition analysis.Definition
	chain      *analysis.Chain
}

// IndexAnalyzer gives what makes tokens of a text field's values. Their offsets are bytes of the value as the document's source has it, and cover whole words of it.
func (s *Schema) IndexAnalyzer(f *Field) (analysis.Analyzer, bool) {
	return s.AnalyzerByName(f.Analyzer)
}

// SearchAnalyzer gives what makes tokens of the words that a text field is asked for.
func (s *Schema) SearchAnalyzer(f *Field) (analysis.Analyzer, bool) {
	return s.AnalyzerByName(cmp.Or(f.SearchAnalyzer, f.Analyzer))
}

// AnalyzerByName gives an analyzer that the schema defines, or else one that every schema has.
func (s *Schema) AnalyzerByName(name string) (analysis.Analyzer, bool) {
	if i, defined := s.analyzerPlace(name); defined {
		return s.Analyzers[i].chain, true
	}
	return analysis.ByName(name)
}

func (s *Schema) analyzerPlace(name string) (int, bool) {
	return slices.BinarySearchFunc(s.Analyzers, name, func(a Analyzer, name string) int { return cmp.Compare(a.Name, name) })
}

// AnalyzerNames lists the analyzers that fields can name: those of every schema, then its own.
func (s *Schema) AnalyzerNames() []string {
	names := analysis.Names()
	for i := range s.Analyzers {
		names = append(names, s.Analyzers[i].Name)
	}
	return names
}

// sameAnalyzers tells whether both define the same.
func sameAnalyzers(a, b []Analyzer) bool {
	return slices.EqualFunc(a, b, func(x, y Analyzer) bool {
		return bytes.Equal(x.appendJSON(nil), y.appendJSON(nil))
	})
}

// checkAnalyzers holds the rules for analyzers: of those that are defined, and of fields that name them.
func (s *Schema) checkAnalyzers() error {
	size := 0
	for i := range s.Analyzers {
		size += len(s.Analyzers[i].appendJSON(nil))
	}
	if len(s.Analyzers) > MaxAnalyzers || size > MaxAnalyzersBytes {
		return fault.New(fault.LimitExceeded, "analyzers: %d of %d bytes in all; a schema defines at most %d of %d bytes", len(s.Analyzers), size, MaxAnalyzers, MaxAnalyzersBytes)
	}
	for i := range s.Fields {
		f := &s.Fields[i]
		for _, name := range []string{f.Analyzer, f.SearchAnalyzer} {
			if name == "" {
				continue
			}
			if _, known := s.AnalyzerByName(name); !known {
				return fault.New(fault.BadField, "field %s: unknown analyzer %s; there are %s", fault.Quote(f.Name), fault.Quote(name), strings.Join(s.AnalyzerNames(), ", "))
			}
		}
	}
	return nil
}
