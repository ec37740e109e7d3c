// Package bm25 is the similarity: corpus statistics that add up over groups, the weights made of them, and the score of one posting in
// fixed point. It imports nothing of the project.
//
// Scores must have the same bits on every machine, for any number of groups, members, segments and merges. So each product that is added to
// something stands in an explicit float64 conversion, which forbids the compiler to fuse it, the logarithm is the package's own ([Ln]), and what
// one posting gives is truncated to an integer ([Part]), since sums of integers do not depend on their order.
package bm25

import (
	"fmt"
	"math"
	"math/bits"
)

// k1 = 1.2 and b = 0.75, as the float64 nearest to k1*(1-b) and k1*b: products at run time would differ in the last bit.
const (
	lengthFree  = 0.3
	lengthBound = 0.9
)

// unit is how many units one point of score has: scores are integers in units of 2^-32.
const unit = 1 << 32

// MaxWeight bounds what one query can score: a leaf's W, and a constant's boost, must not be above MaxWeight divided by the number of scoring
// leaves. A sum is then at most 2^53 units, which a float64 shows exactly.
const MaxWeight = 1 << 21

// FieldStats are the exact figures of one text field over live, owned documents.
type FieldStats struct {
	Docs     uint64 // documents that have at least one indexed token in the field (N)
	TotalLen uint64 // sum of their lengths in tokens
}

// FieldTerm names a term of a text field.
type FieldTerm struct {
	Field string
	Term  string
}

// Stats are the statistics of the fields and terms that a query needs, in the order in which they were asked for. Stats of
// several groups for the same question add up position by position.
type Stats struct {
	Fields []FieldStats
	DF     []uint64 // live, owned documents that hold the term
}

// Add adds the statistics of another group for the same question. It fails, and leaves s as it was, when o answers another question or a sum
// does not fit.
func (s *Stats) Add(o Stats) error {
	if len(o.Fields) != len(s.Fields) || len(o.DF) != len(s.DF) {
		return fmt.Errorf("statistics of %d fields and %d terms do not add to those of %d and %d",
			len(o.Fields), len(o.DF), len(s.Fields), len(s.DF))
	}
	for i, f := range o.Fields {
		if overflows(s.Fields[i].Docs, f.Docs) || overflows(s.Fields[i].TotalLen, f.TotalLen) {
			return fmt.Errorf("statistics of field %d overflow", i)
		}
	}
	for i, df := range o.DF {
		if overflows(s.DF[i], df) {
			return fmt.Errorf("document frequency of term %d overflows", i)
		}
	}
	for i, f := range o.Fields {
		s.Fields[i].Docs += f.Docs
		s.Fields[i].TotalLen += f.TotalLen
	}
	for i, df := range o.DF {
		s.DF[i] += df
	}
	return nil
}

func overflows(a, b uint64) bool {
	_, carry := bits.Add64(a, b, 0)
	return carry != 0
}

// Weight is what one scoring leaf needs: it is made once a query, by the coordinator, and its bits travel.
type Weight struct {
	W  float64 // boosts * idf
	C0 float64 // k1*(1-b) = 0.3
	C1 float64 // k1*b/avgdl = 0.9/avgdl; 0 when the field has no documents
}

// MakeWeight makes the weight of a leaf from the product of its boosts, its idf and its field's statistics. A phrase's idf is the sum of its terms'
// idf, in query order. Where the field has no documents the weight is never used, and W is 0.
func MakeWeight(boost, idf float64, field FieldStats) Weight {
	if field.Docs == 0 || field.TotalLen == 0 {
		return Weight{C0: lengthFree}
	}
	avgdl := float64(field.TotalLen) / float64(field.Docs)
	return Weight{W: float64(boost * idf), C0: lengthFree, C1: lengthBound / avgdl}
}

// Valid tells whether [Part] gives a score for the weight that cannot overflow: all three finite and not negative, W at most [MaxWeight].
func (w Weight) Valid() bool {
	within := func(x, limit float64) bool { return x >= 0 && x <= limit }
	return within(w.W, MaxWeight) && within(w.C0, math.MaxFloat64) && within(w.C1, math.MaxFloat64)
}

// IDF is ln(1 + (n - df + 0.5) / (df + 0.5)): n live documents have the field, df of them the term.
func IDF(n, df uint64) float64 {
	df = min(df, n)
	return Ln(1 + (float64(n-df)+0.5)/(float64(df)+0.5))
}

// Part is what a document gives to the score of a leaf with weight (w, c0, c1): the term stands tf times in a field of dl tokens. It is
// int64(2^32 * w * (tf / (tf + (c0 + c1*dl)))), truncated, in units of 2^-32, and rises with tf and falls with dl, so that it is its own bound.
func Part(w, c0, c1 float64, tf, dl uint32) int64 {
	if tf == 0 {
		return 0
	}
	f := float64(tf)
	share := f / (f + (c0 + float64(c1*float64(dl))))
	return int64(unit * float64(w*share))
}

// Units is the score of a clause that scores its boost, in units of 2^-32. The boost must be finite, not negative, and at most [MaxWeight].
func Units(boost float64) int64 {
	return int64(unit * boost)
}

// Shown is a score as people see it.
func Shown(units int64) float64 {
	return float64(units) / unit
}
