package query

import (
	"github.com/jetseek/jetseek/engine/geo"
	"github.com/jetseek/jetseek/engine/query/factor"
)

// This file holds the surface nodes: what a user wrote, before a schema gives it a meaning. Every Boost is 1 where the user says nothing.

// Value is a value as a user wrote it, not yet of a field's type.
type Value struct {
	Kind ValueKind
	Text string // the word, the string, the number's digits, or true or false
}

// ValueKind says how a value was written. Values are never coerced between types; only a bare word takes the type of its field.
type ValueKind uint8

// The kinds of values.
const (
	WordValue   ValueKind = iota // q: takes the field's type
	StringValue                  // a JSON string
	NumberValue                  // a JSON number
	BoolValue                    // a JSON true or false
)

// Word is a bare word of q. Against text it is the phrase of its tokens, against other types the value itself. Field "" stands for the default fields.
type Word struct {
	Field   string
	Text    string // without escapes
	Boost   float64
	Pos     int  // byte offset in q
	Lenient bool // what does not fit the field matches nothing instead of being an error
}

// Phrase is a quoted phrase of q, match_phrase or match_phrase_prefix. Against other types than text it is the value itself.
type Phrase struct {
	Field   string
	Text    string
	Slop    int
	Prefix  bool // the last word is a prefix
	Boost   float64
	Pos     int // negative: from JSON
	Lenient bool
}

// Match is the JSON match: the words of a text, joined by OR or AND.
type Match struct {
	Field     string
	Value     Value
	And       bool
	MinShould string // minimum_should_match, "" for none
	Fuzziness string // "0", "1", "2" or "AUTO"
	Boost     float64
}

// MultiMatch is a match over several fields, scored by the best of them (with Tie times the others) or by their sum.
type MultiMatch struct {
	Fields    []BoostedField // empty: the default fields
	Value     Value
	Most      bool // most_fields, else best_fields
	And       bool
	MinShould string
	Fuzziness string
	Tie       float64
	Boost     float64
}

// BoostedField is a field with a boost of its own, as in title^2.
type BoostedField struct {
	Name  string
	Boost float64
}

// Term matches one exact value: a term of a text field as it is indexed, any other field's value.
type Term struct {
	Field string
	Value Value
	Boost float64
}

// Terms matches any of several exact values, for a constant score.
type Terms struct {
	Field  string
	Values []Value
	Boost  float64
}

// Range matches values between two ends, nil for an open one.
type Range struct {
	Field        string
	Lo, Hi       *Value
	IncLo, IncHi bool
	Boost        float64
	Pos          int // negative: from JSON
	Lenient      bool
}

// Exists matches documents that have the field.
type Exists struct {
	Field string
	Boost float64
}

// Prefix matches terms that begin with a text.
type Prefix struct {
	Field   string
	Text    string
	Boost   float64
	Pos     int // byte offset in q; negative: from JSON
	Lenient bool
}

// Wildcard matches terms by a pattern in which * stands for any characters, ? for one, and \ takes the meaning off the next.
type Wildcard struct {
	Field   string
	Pattern string
	Boost   float64
	Pos     int
	Lenient bool
}

// Regexp matches whole terms by an expression in RE2 syntax.
type Regexp struct {
	Field   string
	Pattern string
	Boost   float64
	Pos     int
	Lenient bool
}

// Fuzzy matches terms at most some edits away.
type Fuzzy struct {
	Field         string
	Text          string
	Fuzziness     string // "0", "1", "2" or "AUTO"
	PrefixLength  int    // characters at the beginning that must agree
	MaxExpansions int    // 0: the limit
	Boost         float64
	Pos           int
	Lenient       bool
}

// GeoDistance matches places within a distance of a point.
type GeoDistance struct {
	Field    string
	Lat, Lon float64 // degrees
	Metres   float64
	Boost    float64
}

// GeoBox matches places within a box, which may cross the 180th meridian.
type GeoBox struct {
	Field                    string
	Top, Left, Bottom, Right float64 // degrees
	Boost                    float64
}

// FunctionScore changes the score of a query by functions.
type FunctionScore struct {
	Query     Node
	Functions []ScoreFunction
	ScoreMode factor.Mode
	BoostMode factor.Boost
	MaxBoost  float64
	MinScore  *float64
	Boost     float64 // of the query, before the functions
}

// ScoreFunction is one function; of Value and Near at most one is there.
type ScoreFunction struct {
	Filter Node // nil: every document
	Weight float64
	Value  *FieldValue
	Near   *DecayFrom
}

// FieldValue is a field_value_factor.
type FieldValue struct {
	Field    string
	Factor   float64
	Modifier factor.Modifier
	Missing  *float64
}

// DecayFrom is a gauss, exp or linear.
type DecayFrom struct {
	Field         string
	Shape         factor.Shape
	Origin        Value
	Place         *geo.Point // the origin in a geo field
	Scale, Offset Value      // of the field's type: a number, a time as "10d", a length as "5km"
	Decay         float64
	Pick          factor.Pick
}

func (*Word) node()          {}
func (*Phrase) node()        {}
func (*Match) node()         {}
func (*MultiMatch) node()    {}
func (*Term) node()          {}
func (*Terms) node()         {}
func (*Range) node()         {}
func (*Exists) node()        {}
func (*Prefix) node()        {}
func (*Wildcard) node()      {}
func (*Regexp) node()        {}
func (*Fuzzy) node()         {}
func (*GeoDistance) node()   {}
func (*GeoBox) node()        {}
func (*FunctionScore) node() {}
