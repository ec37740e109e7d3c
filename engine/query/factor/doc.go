// Package factor is the arithmetic of function_score: what a function makes of a document's value, how the values of several functions become one factor, and how that
// changes a score. Names and formulas are Elasticsearch's. It imports bm25 alone.
//
// All results have the same bits on every machine: exponential and logarithms are the project's own ([Exp], [Log10], bm25.Ln), square roots are rounded correctly everywhere,
// and each product that is added to something stands in an explicit float64 conversion, which forbids the compiler to fuse it. Nothing here fails: what has no
// value is NaN or infinite, and the caller refuses it.
package factor
