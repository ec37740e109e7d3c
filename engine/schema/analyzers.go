package schema

import (
	"cmp"
	"strings"

	"github.com/jetseek/jetseek/engine/analysis"
	"github.com/jetseek/jetseek/engine/fault"
)

// IndexAnalyzer gives what makes tokens of a text field's values. Their offsets are bytes of the value as the document's source has it, and cover whole words of it.
func (s *Schema) IndexAnalyzer(f *Field) (analysis.Analyzer, bool) { return s.analyzer(f.Analyzer) }

// SearchAnalyzer gives what makes tokens of the words that a text field is asked for.
func (s *Schema) SearchAnalyzer(f *Field) (analysis.Analyzer, bool) {
	return s.analyzer(cmp.Or(f.SearchAnalyzer, f.Analyzer))
}

func (s *Schema) analyzer(name string) (analysis.Analyzer, bool) { return analysis.ByName(name) }

// checkAnalyzers refuses fields of analyzers that are not there.
func (s *Schema) checkAnalyzers() error {
	for i := range s.Fields {
		f := &s.Fields[i]
		for _, name := range []string{f.Analyzer, f.SearchAnalyzer} {
			if name == "" {
				continue
			}
			if _, known := s.analyzer(name); !known {
				return fault.New(fault.BadField, "field %s: unknown analyzer %s; there are %s", fault.Quote(f.Name), fault.Quote(name), strings.Join(analysis.Names(), ", "))
			}
		}
	}
	return nil
}
