// Package schema says what a document is: the fields of a collection, their types and values, and how JSON becomes them. It may import packages
// analysis and fault.
package schema

import (
	"cmp"
	"slices"
	"strings"

	"github.com/jetseek/jetseek/engine/fault"
)

// Limits of a schema and of a document.
const (
	// MaxFields is how many fields a schema holds, with those that documents added.
	MaxFields = 1000
	// MaxBoost is the greatest boost of a field: with a greater one no word of it could be asked for, since weights are bounded.
	MaxBoost = 1 << 20
	// MaxNameBytes is the length of the longest dotted name of a field, in bytes.
	MaxNameBytes = 512
	// MaxDepth is how deep a document nests; it bounds the parts of a dotted name too.
	MaxDepth = 64
	// MaxExactBytes is the length of the longest exact value, in bytes: a longer keyword is refused, a longer dynamic string has no exact value.
	MaxExactBytes = 8 << 10
	// MaxIDBytes is the length of the longest id, in bytes.
	MaxIDBytes = 1024
	// MaxDims is the greatest number of dimensions of a vector.
	MaxDims = 4096
)

// Type is the type of a field. The numbers are part of the wire and segment formats.
type Type uint8

// The types of fields.
const (
	Text Type = iota + 1
	Keyword
	Long
	Double
	Date
	Bool
	Geo
	Vector
)

var typeNames = [...]string{Text: "text", Keyword: "keyword", Long: "long", Double: "double", Date: "date", Bool: "bool", Geo: "geo", Vector: "vector"}

// String gives the type's name as schemas write it, or "" for none.
func (t Type) String() string {
	if int(t) < len(typeNames) {
		return typeNames[t]
	}
	return ""
}

// typeByName gives the type of a name, or 0.
func typeByName(name string) Type {
	for t := Text; t <= Vector; t++ {
		if typeNames[t] == name {
			return t
		}
	}
	return 0
}

// Incarnation names one life of a collection: random, never zero, made when the collection is created. A dropped collection and its successor of
// the same name share nothing.
type Incarnation uint64

// Dynamic says what happens to a document's fields that the schema does not name.
type Dynamic uint8

const (
	// DynamicTrue adds them, typed by their JSON token.
	DynamicTrue Dynamic = iota
	// DynamicFalse stores them in the source without indexing them.
	DynamicFalse
	// DynamicStrict refuses the document.
	DynamicStrict
)

// Field is one field of a schema, after defaults.
type Field struct {
	Name           string
	Type           Type
	Analyzer       string  // text only; "standard" by default
	SearchAnalyzer string  // text only: of the words of queries, where it is another one; else ""
	Boost          float64 // 1 by default; finite, >= 0
	Exact          bool    // text only: the whole string is kept as an exact value too, for term, terms, ranges, facets and sort (dynamic strings)
	Dims           int     // vector only
	Similarity     string  // vector only: cosine, dot, l2
}

// HasExact tells whether a value of the field has an exact value beside its words, or instead of them: a keyword always, a string of an Exact text
// field when it is not longer than [MaxExactBytes].
func (f *Field) HasExact(value string) bool {
	return f.Type == Keyword || f.Type == Text && f.Exact && len(value) <= MaxExactBytes
}

// Schema says what the documents of a collection are. It is immutable once made.
type Schema struct {
	Fields        []Field    // by name ascending
	Analyzers     []Analyzer // that it defines, by name ascending
	Dynamic       Dynamic
	DefaultFields []string // as listed by the user; empty: all text fields by name ascending
}

// Lookup finds a field by its dotted name.
func (s *Schema) Lookup(name string) (*Field, bool) {
	i, found := slices.BinarySearchFunc(s.Fields, name, func(f Field, name string) int { return cmp.Compare(f.Name, name) })
	if !found {
		return nil, false
	}
	return &s.Fields[i], true
}

// Equal tells whether both say the same of documents.
func (s *Schema) Equal(o *Schema) bool {
	return slices.Equal(s.Fields, o.Fields) && s.Dynamic == o.Dynamic && slices.Equal(s.DefaultFields, o.DefaultFields) && sameAnalyzers(s.Analyzers, o.Analyzers)
}

// With gives a schema that has these fields too. It fails with bad_field when one has a name that cannot stand beside the others, or another
// type than the schema says, and with limit_exceeded when there would be too many. Fields that the schema has already change nothing.
func (s *Schema) With(fields []Field) (*Schema, error) {
	merged := slices.Clone(s.Fields)
	for _, f := range fields {
		if known, ok := s.Lookup(f.Name); ok {
			if known.Type != f.Type {
				return nil, fault.New(fault.BadField, "field %s is %s, not %s", fault.Quote(f.Name), known.Type, f.Type)
			}
			continue
		}
		merged = append(merged, f)
	}
	slices.SortFunc(merged, func(a, b Field) int { return cmp.Compare(a.Name, b.Name) })
	with := &Schema{Fields: merged, Analyzers: s.Analyzers, Dynamic: s.Dynamic, DefaultFields: s.DefaultFields}
	if err := with.check(); err != nil {
		return nil, err
	}
	return with, nil
}

// check holds the rules that concern fields together. Fields are sorted.
func (s *Schema) check() error {
	if len(s.Fields) > MaxFields {
		return fault.New(fault.LimitExceeded, "a schema holds at most %d fields", MaxFields)
	}
	for i := range s.Fields {
		name := s.Fields[i].Name
		if err := checkName(name); err != nil {
			return err
		}
		if i > 0 && s.Fields[i-1].Name == name {
			return fault.New(fault.BadField, "field %s stands twice", fault.Quote(name))
		}
		for dot := range name {
			if name[dot] != '.' {
				continue
			}
			if _, taken := s.Lookup(name[:dot]); taken {
				return fault.New(fault.BadField, "field %s cannot hold a value and be an object with the field %s",
					fault.Quote(name[:dot]), fault.Quote(name))
			}
		}
	}
	return nil
}

// checkName holds the rules for one name.
func checkName(name string) error {
	switch {
	case len(name) > MaxNameBytes:
		return fault.New(fault.LimitExceeded, "the name of field %s is longer than %d bytes", fault.Quote(name), MaxNameBytes)
	case strings.Count(name, ".") >= MaxDepth:
		return fault.New(fault.LimitExceeded, "the name of field %s has more than %d parts", fault.Quote(name), MaxDepth)
	case strings.HasPrefix(name, "_"):
		return fault.New(fault.BadField, "field %s: names that begin with _ are reserved", fault.Quote(name))
	case name == idKey:
		return fault.New(fault.BadField, `field "id" is the document's id and cannot be declared`)
	case name == "" || strings.HasPrefix(name, ".") || strings.HasSuffix(name, ".") || strings.Contains(name, ".."):
		return fault.New(fault.BadField, "field %s: a name and its parts between points must not be empty", fault.Quote(name))
	}
	return nil
}

// idKey is the key of a document's id, which is never a field.
const idKey = "id"

// Values are one field's values in one document, in the order of the source, nulls left out. Just one of the lists is filled, by the field's type.
type Values struct {
	Field   *Field
	Strings []string  // text, keyword
	Ints    []int64   // long, date (ns since the epoch), bool (0, 1)
	Floats  []float64 // double, and the halves of a place
}

// Document is a decoded document: its id as the body gives it ("" when it gives none), and the values of its indexed fields, by field name ascending. A place stands as
// the values of two fields, [LatName] and [LonName], which no schema has.
// Its strings may share memory with each other.
type Document struct {
	ID     string
	Values []Values
}
