package schema

import "github.com/jetseek/jetseek/engine/fault"

// Redeclare gives the schema of a collection that was declared as before, has grown to s by its documents, and is declared as next now. Fields and analyzers may be
// added, and what concerns queries alone may change: boosts, search analyzers, default fields, analyzers that no field is indexed by; so may dynamic, for documents
// that are written from now on. What has been indexed must stay as it is: anything else fails with exists, and names what is in the way. Documents that are there
// lack a field that is added until they are written again, even if their source has it.
func (s *Schema) Redeclare(before, next *Schema) (*Schema, error) {
	for i := range before.Fields {
		if name := before.Fields[i].Name; !next.has(name) {
			return nil, fault.New(fault.Exists, "the collection exists with another schema: field %s is missing; fields can be added, not taken away", fault.Quote(name))
		}
	}
	var grown []Field
	for i := range s.Fields {
		old := &s.Fields[i]
		now, stays := next.Lookup(old.Name)
		switch {
		case !stays:
			grown = append(grown, *old)
		case !old.indexedAs(now):
			return nil, fault.New(fault.Exists, "the collection exists with another schema: field %s is %s, and documents are indexed by that; only its boost and search_analyzer can change",
				fault.Quote(old.Name), old.appendJSON(nil))
		}
		if at, own := s.analyzerPlace(old.Analyzer); own {
			now, stays := next.analyzerPlace(old.Analyzer)
			if !stays || !sameAnalyzers(s.Analyzers[at:at+1], next.Analyzers[now:now+1]) {
				return nil, fault.New(fault.Exists, "the collection exists with another schema: field %s is indexed by analyzer %s, which cannot change", fault.Quote(old.Name), fault.Quote(old.Analyzer))
			}
		}
	}
	return next.With(grown)
}

func (s *Schema) has(name string) bool {
	_, ok := s.Lookup(name)
	return ok
}

// indexedAs tells whether a value is indexed the same under both.
func (f *Field) indexedAs(o *Field) bool {
	same := *o
	same.Boost, same.SearchAnalyzer = f.Boost, f.SearchAnalyzer
	return *f == same
}
