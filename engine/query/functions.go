package query

import (
	"math"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/geo"
	"github.com/jetseek/jetseek/engine/query/factor"
	"github.com/jetseek/jetseek/engine/schema"
)

// Functions scores its child's matches by functions of their fields: the values of those that apply become one factor, which changes the child's score, as shown. Resolved
// only; it stands where scores are wanted. A value or score that is negative, not finite or above Limit makes the search fail ([ErrNoScore]).
type Functions struct {
	Child    Node // it scores nothing where Boost is [factor.Replace]
	List     []Function
	Mode     factor.Mode
	Boost    factor.Boost
	MaxBoost float64 // of the factor
	Limit    float64 // of the score, by the number of scoring clauses: see [MaxScore]
}

// Function is one function of [Functions].
type Function struct {
	Filter Node // applies to its matches; nil: to every document
	Weight float64
	Of     Measure // of a document's field; nil: 1
}

// Measure is what a [Function] makes of a field: a [ValueOf] or a [Nearness].
type Measure interface {
	// Of gives the number of a document: NaN or infinite where it has none. x is what the measure is of, unless the document has no value of the field.
	Of(x float64, has bool) float64
}

// ValueOf makes a number of the least value of a field of longs, doubles, bools (0 and 1) or dates (milliseconds since the epoch).
type ValueOf struct {
	Field    string
	Type     schema.Type
	Factor   float64
	Modifier factor.Modifier
	Missing  *float64 // the value of documents without one; nil: they have none
}

// Nearness makes a number from 0 to 1 of how near the values of a field lie to an origin. Documents without a value are at the origin.
type Nearness struct {
	Field  string
	Type   schema.Type // long, double, date or geo
	Origin float64     // of longs and doubles
	Time   int64       // of dates, in nanoseconds since the epoch
	Place  geo.Point   // of places
	Decay  factor.Decay
	Pick   factor.Pick
}

func (*Functions) node() {}

// MaxScore bounds the score of one function_score, divided by the number of scoring clauses of the query: the sum of all scores, in units of 2^-32, is then an int64.
const MaxScore = 1 << 30

// ErrNoScore is the error of a search in which a function_score gives a document no score. It names no document, so that it is the same whichever is met first.
func ErrNoScore() error {
	return fault.New(fault.BadQuery, "a function_score gives a document a score that is negative, not a finite number, or above %d divided by the number of scoring clauses: "+
		"say what stands for a value that is missing (missing), keep values out of a logarithm's negative range (log1p, ln1p), bound the factor (max_boost), or exclude such documents by a filter", MaxScore)
}

// Of gives the number of a document of which v is the least value.
func (m *ValueOf) Of(v float64, has bool) float64 {
	if !has {
		if m.Missing == nil {
			return math.NaN()
		}
		v = *m.Missing
	}
	return m.Modifier.Of(float64(v * m.Factor))
}

// Of gives the number of a document whose values lie so far behind the offset, as its Pick says.
func (m *Nearness) Of(behind float64, _ bool) float64 { return m.Decay.At(behind) }

// Sound tells whether a function or all of them gave a number that scores can be made of.
func Sound(x float64) bool { return x >= 0 && x <= math.MaxFloat64 }

// Score gives a score in place of the child's, both as shown, where the functions gave a factor; false where that is none.
func (n *Functions) Score(score, by float64) (float64, bool) {
	if !Sound(by) {
		return 0, false
	}
	score = n.Boost.Of(score, min(by, n.MaxBoost))
	return score, score >= 0 && score <= n.Limit
}

// Milliseconds gives a time in nanoseconds since the epoch in milliseconds; whole ones are exact.
func Milliseconds(ns int64) float64 { return float64(ns/1e6) + float64(ns%1e6)/1e6 }

// Number gives how far behind the offset a long or double lies.
func (m *Nearness) Number(v float64) float64 { return m.Decay.Behind(math.Abs(v - m.Origin)) }

// Date gives how far behind the offset a time lies, both in milliseconds; ns is nanoseconds since the epoch.
func (m *Nearness) Date(ns int64) float64 {
	apart := uint64(max(ns, m.Time)) - uint64(min(ns, m.Time))
	return m.Decay.Behind(float64(apart/1e6) + float64(apart%1e6)/1e6)
}

// Geo gives how far behind the offset a place lies, in metres.
func (m *Nearness) Geo(p geo.Point) float64 { return m.Decay.Behind(geo.Distance(m.Place, p)) }

// Judges tells whether what matches depends on scores.
func Judges(n Node) bool {
	judges := false
	walk(n, true, func(n Node, _ bool) {
		if _, ok := n.(*AtLeast); ok {
			judges = true
		}
	})
	return judges
}
