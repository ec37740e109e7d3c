// Package docvalues holds columns: for each document of a segment, none, one or several 64-bit values. Longs, dates and bools are stored as they
// are, doubles as numbers of their order ([Ordered]), exact strings as ordinals of the field's dictionary, lengths as counts. It knows no files and imports only packages cursor and labels.
//
//	column     flags u8, lane u8, docs uvarint, values uvarint, base u64, presence?, starts?, {least value, greatest value}*, value(values)
//	flags      1: several values a document (starts), 2: some documents have none (presence), never both; 4: bounds of blocks
//	presence   one bit a document, ceil(docs/64) u64
//	starts     u32 * (docs+1): values of document d are starts[d] to starts[d+1]-1, ascending
//	value      lane bytes, little-endian, to which base is added modulo 2^64; lane is 0, 1, 2, 4 or 8; 0: all values are base
//	least      with flag 4, unless lane is 0: bounds of the values of each block of 128 documents; of a block without values all bits are set, and none in greatest
//
// Lanes are whole bytes, since odd widths cost more time at each access than they save in space. Without starts there is one value a document;
// those of absent documents mean nothing.
//
// Columns of fields have bounds, 1/64 of the size of one value a document: a [Span] of values passes over blocks that have none of them, and takes those whole that have no others.
package docvalues
