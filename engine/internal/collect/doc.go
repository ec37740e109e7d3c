// Package collect computes the partial results of aggregations over a segment's columns. It may import packages agg, query, schema, docset and segment; what it needs of searching it
// is given.
//
// Documents of a bucket are a list of numbers, or all of a segment; each bucket aggregation divides such a list by a counting sort, and goes on with the parts. Memory is
// counted before it is taken. What a segment says is merged with what others say as groups are, by package agg.
package collect
