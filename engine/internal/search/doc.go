// Package search finds the best documents of some segments: resolved queries become iterators over documents with scores, whose matches are counted and
// kept in a bounded heap by the total order. It imports the vocabulary (query, bm25, schema, fault), docset and segment.
//
// A [scorer] stands on a document and goes forward. Leaves walk postings ([postings.Iterator]), columns or sets; boolean nodes combine them, the
// rarest first. Scores are integers (package bm25), so their sums do not depend on the order of evaluation. Evaluation is exhaustive: every match is
// counted; a collector that knows its worst candidate, and the bounds that postings hold, are what pruning will need.
//
// Work is counted in steps of leaves; every [checkSteps] of them, less than a millisecond, the context is asked, and when it has ended all leaves
// end at once.
package search
