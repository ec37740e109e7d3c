// Package bm25 is the similarity: corpus statistics that add up over groups, the weights made of them, and the score of one posting in
// fixed point. It imports nothing of the project.
package bm25

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

// Weight is what one scoring leaf needs: it is made once a query, by the coordinator, and its bits travel.
type Weight struct {
	W  float64 // boosts * idf
	C0 float64 // k1*(1-b) = 0.3
	C1 float64 // k1*b/avgdl = 0.9/avgdl; 0 when the field has no documents
}
