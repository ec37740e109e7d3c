// Package agg is what a search tells of all that it matches: definitions of aggregations as users write them, the partial results of segments and groups, their
// merge, and the final values. It may import packages query, schema, strictjson and fault.
//
// A partial result is the same whatever the documents are divided by: sums are exact integers (of longs in ones, of doubles in units of 2^-1074) that are rounded once, at
// the end; buckets, distinct values and hashes are sets that are united. So the merge of any parts, in any order, gives the bits of one machine with all documents.
//
// Values are 64-bit integers: longs, dates (ns since the epoch) and bools (0, 1) as they are, doubles as numbers of their order ([Ordered]). Keys of buckets are such
// values in terms; numbers of intervals in histogram (as [Ordered] doubles where values or interval are no integers); ms since the epoch in date_histogram; places in the
// request in range and filters. Exact strings are themselves.
//
// # The encoding of partial results
//
// Both sides know the definitions, so that it tells only values. Unsigned numbers are uvarints, signed ones zigzag varints.
//
//	partials     one after the other, in the order of the definitions
//	stats, sum…  count; if not 0: least, greatest (signed), sum
//	sum          shift*2 + 1 if negative | length | magnitude, big-endian, without its trailing zero bits, which are the shift
//	percentiles  runs | per run: distance from the greatest value before (the first: from -2^63) | values*2 + 1 if they are not all the same | then the distance of the greatest of them
//	cardinality  hashes | per hash, ascending: distance from the one before
//	terms of strings       buckets | per bucket: bytes in common with the key before | length and bytes of the rest | count | partials below
//	terms, *histogram      buckets | per bucket: distance from the key before (the first: from -2^63) | count | partials below
//	terms                  after the buckets: documents of those left out | most documents of one of these
//	range, filters         per bucket of the request: count | partials below
//	missing                count | partials below
//	top_hits               count | hits | per hit: a candidate, as package query encodes it
//
// So 3 values 5, 5 and 7 of a long under stats are 03 0a 0e 00 01 11: count 3, least 5, greatest 7, shift 0, one byte, 17.
//
// # What a group is asked for
//
// A percentile needs few of the values, terms few of the buckets. So a group first tells about as many runs or buckets as [Bounded] says: of percentiles runs of about as
// many values each, of which the least, the greatest and the number are known; of terms the largest buckets, and a bound of those left out. [Narrow] tells from what all groups have
// said what else the answer can depend on, and asks for that alone: the values between the bounds of a wanted rank; buckets with a T-th of the documents of the last bucket shown, where T is the
// number of groups (one without that many in any group cannot be shown), and then what each group has of the buckets that may be shown. What it leaves out is proven to change nothing. It
// serves the percentiles and terms that stand in no bucket; terms when they are ordered by the number of documents, descending, and any such number will do.
//
// # Distinct values
//
// cardinality keeps the 100,001 least of 64-bit hashes of the values. When there are fewer they are counted; else the greatest of them tells how dense they lie: an estimate, by 0.3 %
// on average, that depends on the set of values alone. Hashes of numbers are one to one.
package agg
