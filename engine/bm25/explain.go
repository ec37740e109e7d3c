package bm25

// Op says how an [Explanation]'s value comes from the values of its details, in order.
type Op string

// The operations. Each goes over the details from left to right in float64, rounding after every step.
const (
	OpSum      Op = "sum"
	OpProduct  Op = "product"
	OpQuotient Op = "quotient" // the first divided by the others
	OpMax      Op = "max"
	OpMin      Op = "min"
	OpLn       Op = "ln"       // [Ln] of the only detail
	OpFixed    Op = "fixed"    // the only detail, truncated to units of 2^-32
	OpConstant Op = "constant" // no details
)

// Explanation is a number with what it was made of: Op over the values of Details gives Value, bit for bit.
type Explanation struct {
	Value       float64       `json:"value"`
	Description string        `json:"description"`
	Op          Op            `json:"op"`
	Details     []Explanation `json:"details"` // never nil
}

// Constant is a number that is made of no others.
func Constant(value float64, description string) Explanation {
	return Explanation{Value: value, Description: description, Op: OpConstant, Details: []Explanation{}}
}

// Sum adds up at least one number.
func Sum(description string, details ...Explanation) Explanation {
	return fold(OpSum, description, details, func(a, b float64) float64 { return a + b })
}

// Product multiplies at least one number.
func Product(description string, details ...Explanation) Explanation {
	return fold(OpProduct, description, details, func(a, b float64) float64 { return float64(a * b) })
}

// Quotient divides one number by another.
func Quotient(description string, dividend, divisor Explanation) Explanation {
	return fold(OpQuotient, description, []Explanation{dividend, divisor}, func(a, b float64) float64 { return a / b })
}

// Max is the greatest of at least one number.
func Max(description string, details ...Explanation) Explanation {
	return fold(OpMax, description, details, func(a, b float64) float64 { return max(a, b) })
}

// Min is the least of at least one number.
func Min(description string, details ...Explanation) Explanation {
	return fold(OpMin, description, details, func(a, b float64) float64 { return min(a, b) })
}

// LnOf is the logarithm of a number.
func LnOf(description string, of Explanation) Explanation {
	return Explanation{Value: Ln(of.Value), Description: description, Op: OpLn, Details: []Explanation{of}}
}

// Fixed truncates a number, as scores are.
func Fixed(description string, of Explanation) Explanation {
	return Explanation{Value: Shown(Units(of.Value)), Description: description, Op: OpFixed, Details: []Explanation{of}}
}

func fold(op Op, description string, details []Explanation, step func(a, b float64) float64) Explanation {
	value := details[0].Value
	for _, d := range details[1:] {
		value = step(value, d.Value)
	}
	return Explanation{Value: value, Description: description, Op: op, Details: details}
}

// LeafFigures are the numbers behind the score of a leaf that matches.
type LeafFigures struct {
	Boost  float64    // the product of its boosts
	Terms  []string   // of a phrase all, in order
	DF     []uint64   // of each term
	Field  FieldStats // at least one document
	TF, DL uint32     // how often it stands in the document's field, and how long that is
}

// ExplainPart takes apart what [Part] gives under the weight that [MakeWeight] makes of the same figures.
func ExplainPart(description string, f LeafFigures) Explanation {
	n := Constant(float64(f.Field.Docs), "N: documents that have the field")
	idf := explainIDF(n, f.Terms[0], min(f.DF[0], f.Field.Docs))
	if len(f.Terms) > 1 {
		all := []Explanation{idf}
		for i, term := range f.Terms[1:] {
			all = append(all, explainIDF(n, term, min(f.DF[i+1], f.Field.Docs)))
		}
		idf = Sum("idf of the phrase: the sum of its terms'", all...)
	}
	w := Product("w: boost and idf", Constant(f.Boost, "boost: the product of all boosts, the field's own last"), idf)
	avgdl := Quotient("avgdl: average length of the field", Constant(float64(f.Field.TotalLen), "length of the field in all documents, in tokens"), n)
	c1 := Quotient("c1: k1*b/avgdl", Constant(lengthBound, "k1*b, with k1 = 1.2 and b = 0.75"), avgdl)
	length := Product("c1*dl", c1, Constant(float64(f.DL), "dl: length of the field in this document, in tokens"))
	tf := Constant(float64(f.TF), "tf: occurrences in this document")
	against := Sum("tf and what it is held against", tf, Sum("c0 + c1*dl", Constant(lengthFree, "c0: k1*(1-b)"), length))
	return Fixed(description, Product("w times the share of tf", w, Quotient("tf / (tf + c0 + c1*dl)", tf, against)))
}

func explainIDF(n Explanation, term string, df uint64) Explanation {
	half := Constant(0.5, "so that nothing is divided by 0")
	with := Constant(float64(df), "df: documents that hold the term")
	without := Sum("N - df + 0.5", n, Constant(0-with.Value, "-df"), half)
	ratio := Sum("1 + (N - df + 0.5) / (df + 0.5)", Constant(1, "so that no term weighs less than 0"), Quotient("documents without the term by those with it", without, Sum("df + 0.5", with, half)))
	return LnOf("idf of "+term, ratio)
}
