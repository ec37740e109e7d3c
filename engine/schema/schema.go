package schema

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
	Name       string
	Type       Type
	Analyzer   string  // text only; "standard" by default
	Boost      float64 // 1 by default; finite, >= 0
	Exact      bool    // text only: the whole string is kept as an exact value too, for term, terms, ranges, facets and sort (dynamic strings)
	Dims       int     // vector only
	Similarity string  // vector only: cosine, dot, l2
}

// Schema says what the documents of a collection are. It is immutable once made.
type Schema struct {
	Fields        []Field // by name ascending
	Dynamic       Dynamic
	DefaultFields []string // as listed by the user; empty: all text fields by name ascending
}

// Values are one field's values in one document, in the order of the source, nulls left out. Just one of the lists is filled, by the field's type.
type Values struct {
	Field   *Field
	Strings []string  // text, keyword
	Ints    []int64   // long, date (ns since the epoch), bool (0, 1)
	Floats  []float64 // double
}

// Document is a decoded document: its id as the body gives it ("" when it gives none), and the values of its indexed fields, by field name ascending.
type Document struct {
	ID     string
	Values []Values
}
