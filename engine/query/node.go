package query

import (
	"github.com/jetseek/jetseek/engine/geo"
	"github.com/jetseek/jetseek/engine/schema"
)

// Node is one node of a query. There are two layers in one tree type. What a user wrote (surface nodes: [Match], [Phrase], [Term] …) knows
// names and text; [Resolve] turns it, with a schema, into leaves that a member can execute without knowing a schema: [TextTerm],
// [TextPhrase], [KeywordSet], [LongRange] …. [Bool], [DisMax], [ConstantScore], [MatchAll] and [MatchNone] stand in both.
type Node interface{ node() }

// MatchAll matches every document with a constant score.
type MatchAll struct{ Boost float64 }

// MatchNone matches nothing.
type MatchNone struct{}

// Bool combines clauses. A document matches when it matches all of Must and Filter, none of MustNot, and at least MinShould of Should. Its score is
// the sum of its matching Must and Should clauses. Boosts of an enclosing clause are pushed into the leaves by Resolve, and Resolve sets
// MinShould (in a surface node it is what the user said, in MinShouldText).
type Bool struct {
	Must, Should, MustNot, Filter []Node
	MinShould                     int
	MinShouldText                 string  // surface only: "", "2", "-1", "75%"
	Boost                         float64 // surface only
}

// DisMax scores the best child plus Tie times the sum of the others, in order, in float64 from the children's values as shown.
type DisMax struct {
	Children []Node
	Tie      float64
	Boost    float64 // surface only
}

// ConstantScore gives every match of Child the score Boost.
type ConstantScore struct {
	Child Node
	Boost float64
}

// Scaled scores its child's score, as shown, times Factor, truncated. Resolved only.
type Scaled struct {
	Child  Node
	Factor float64 // from 0 to 1
}

// AtLeast matches the matches of Child that score Score or more, and scores as it. Resolved only; it stands where scores are wanted, never in a filter.
type AtLeast struct {
	Child Node
	Score float64 // as shown
}

// ---- resolved leaves ----

// TextTerm matches documents that hold an analysed term in a text field. It is a scoring leaf: unless it stands in a filter it has a
// [bm25.Weight] at index Leaf of the request's weights; in a filter Leaf is -1.
type TextTerm struct {
	Field string
	Term  string
	Boost float64 // product of all boosts from the outermost inwards, the field's own last
	Leaf  int
}

// TextPhrase matches documents in which the terms stand at the given relative positions (Offsets[0] is 0) of one field, with a slop. A scoring
// leaf with one weight (idf: the sum of its terms' idf in order); tf is the number of positions from which it completes. With a slop s it completes when there are distinct
// positions p(k) with max(p(k) - Offsets[k]) - min(p(k) - Offsets[k]) <= s.
type TextPhrase struct {
	Field   string
	Terms   []string // one at least that stands for itself, unless both ends stand for others: that has no idf, and is no scoring leaf
	Offsets []int
	Slop    int
	Prefix  bool // the last of Terms stands for all that begin with it, and adds nothing to idf
	// CutFirst and CutLast say that the first or last of Terms is one character of a script without spaces, cut out of what may be a pair in a document: it stands for all
	// terms that end (CutFirst, without a slop) or begin (CutLast, without Prefix) with it, and adds nothing to idf.
	CutFirst, CutLast bool
	Boost             float64
	Leaf              int
}

// Sound tells whether the parts of a phrase fit together.
func (n *TextPhrase) Sound() bool {
	open := n.CutFirst && n.Leaf < 0 && len(n.Terms) == 2
	return (open || len(n.whole()) > 0) && len(n.Offsets) == len(n.Terms) && !(n.CutFirst && n.Slop > 0) && !(n.CutLast && n.Prefix)
}

// KeywordSet matches documents any of whose exact values in the field is one of Values (sorted by bytes, distinct). Constant score.
type KeywordSet struct {
	Field  string
	Values []string
	Boost  float64
}

// KeywordRange matches by exact values between the ends, by bytes; an absent end is nil.
type KeywordRange struct {
	Field        string
	Lo, Hi       *string
	IncLo, IncHi bool
	Boost        float64
}

// LongRange matches documents with a value v of a long, date or bool column (false 0, true 1), Lo <= v <= Hi. Empty when Lo > Hi.
type LongRange struct {
	Field  string
	Lo, Hi int64
	Boost  float64
}

// LongSet matches documents with a value among Values (sorted, distinct) of a long, date or bool column.
type LongSet struct {
	Field  string
	Values []int64
	Boost  float64
}

// DoubleRange matches documents with a value v of a double column between the ends; infinite ends are open.
type DoubleRange struct {
	Field        string
	Lo, Hi       float64
	IncLo, IncHi bool
	Boost        float64
}

// DoubleSet matches documents with a value among Values (sorted, distinct) of a double column.
type DoubleSet struct {
	Field  string
	Values []float64
	Boost  float64
}

// FieldExists matches documents that have the field: at least one indexed token of a text field, at least one value of any other.
type FieldExists struct {
	Field string
	Type  schema.Type
	Boost float64
}

// IDs matches the documents with these ids (sorted by bytes, distinct).
type IDs struct {
	Values []string
	Boost  float64
}

// Near matches documents whose place in the geo field is at most so many metres from a point ([geo.Distance]). Constant score.
type Near struct {
	Field  string
	Point  geo.Point
	Metres float64
	Boost  float64
}

func (*MatchAll) node()      {}
func (*MatchNone) node()     {}
func (*Bool) node()          {}
func (*DisMax) node()        {}
func (*ConstantScore) node() {}
func (*Scaled) node()        {}
func (*AtLeast) node()       {}
func (*TextTerm) node()      {}
func (*TextPhrase) node()    {}
func (*KeywordSet) node()    {}
func (*KeywordRange) node()  {}
func (*LongRange) node()     {}
func (*LongSet) node()       {}
func (*DoubleRange) node()   {}
func (*DoubleSet) node()     {}
func (*FieldExists) node()   {}
func (*IDs) node()           {}
func (*Near) node()          {}
