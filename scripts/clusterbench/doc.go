// Clusterbench compares three groups with one over the same documents, on one machine, through the same coordinator's code and the same bus: whether answers are identical, and what
// they take. scripts/bench-cluster runs it.
//
// The corpus is Debian's package descriptions and the queries beside them where they are found, else documents and queries made from a fixed seed; both are frozen. Two systems run in this process, of one
// group and of three, each with its own embedded NATS. A sample is a pair, or three: the same query by each way, one after the other, in an order that turns, so that a noisy machine is
// noisy for all. What is printed are medians, and the median of the ratios within the pairs.
//
//	same        of how many answers ids, scores, totals, sort values, aggregations and facets are the same, byte for byte
//	exact       three groups, global statistics: time, and by which paths (one trip, asked first, repeated)
//	local       three groups, each under its own statistics
//	one group   the same documents in one group
//	writes      exact again, while documents are written at a rate
//
// It may import package embedded, the client and the wire.
package main
