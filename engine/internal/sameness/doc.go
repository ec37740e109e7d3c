// Package sameness shows that answers have the same bits everywhere. It applies a generated history to an index, laid out in one way or another, asks it
// generated queries, and hashes ids, scores, sort keys and totals: hashes must be equal, whatever the layout, the compiler's settings and the processor. It
// imports packages engine and vfs and the vocabulary; only tests and their programs use it.
package sameness
