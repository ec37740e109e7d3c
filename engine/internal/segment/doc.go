// Package segment is the immutable part of an index: some documents of one collection, inverted, in one string of bytes. A [Builder] makes one from
// documents, [Merger] one from several, [Open] reads it, whether it lies in memory or in a mapped file. It imports the engine's vocabulary (analysis),
// docset, and the packages below it, each of which owns the form of one kind of section.
//
// # Format 1
//
// Numbers are little-endian; uvarint is that of encoding/binary; column is package docvalues; those of fields have bounds of blocks.
//
//	segment   "JSSG" format u16 zero u16, section*, toc, footer
//	toc       sections uvarint, {kind u8, field uvarint, length uvarint, crc32c u32}*      in the order of the sections, without gaps
//	footer    length of toc u32, crc32c of toc u32, "GSSJ"
//
// Sections lie behind the header without gaps. Everything is under a checksum (Castagnoli): sections and toc by their own, the header by being constant. meta
// comes first, then the other sections of the segment, then those of the fields in their order. Documents are numbered from 0, below 2^31, in the order in which they
// were added; a merge keeps that of its inputs.
//
// testdata/tiny.txt is a whole segment of two documents, byte by byte, as jetseek segment dump --full prints it; a test reads it back.
//
//	kind  section of the segment (field 0)
//	1     meta: collection u64, docs uvarint, logs uvarint, log uuid [16]*, fields uvarint, {length uvarint, name}* by name ascending
//	2     ids: start u32 * (docs+1), bytes        the id of document d is bytes start(d) to start(d+1)-1 of these
//	3     id table: u64 * a power of two, see below
//	4     column: version of each document
//	5     column: sequence of the operation that created it
//	6     column: number of the log, in meta, of that operation
//	7     column: index of that operation in its message
//	8     column: slot
//	9     content hashes: [16]*docs, the first half of the source's SHA-256
//	10    stored sources: package stored
//
//	kind  section of field number n of meta
//	20    column: length of each document's text in tokens; 0: the document does not have the field
//	21    dictionary of analysed terms: package termdict
//	22    their documents and frequencies: package postings, 8 zero bytes behind the last list
//	23    their positions, likewise
//	24    dictionary of exact values
//	25    their documents, as 22
//	26    column: ordinals in the dictionary of exact values, distinct: the lists of 25 by document
//	27    column: longs, dates (ns since the epoch), bools (0, 1)
//	28    column: doubles, none of which is NaN, infinite or -0, as numbers of their order: their bits, in which, if the sign is set, all others are turned over
//
// A text field has 20 to 23, with exact values also 24 to 26; a keyword field 24 to 26; others 27 or 28. Analysed terms and exact values of one field are
// two name spaces.
//
// The id table is a hash table with linear probing, of the least power of two of entries, 2 or more, of which documents fill 3/4 at most: an entry is 0 or the
// upper half of the id's hash and, in the lower half, its document plus one. The hash is the first eight bytes of the id's SHA-256 as a number, which nobody can
// aim; probing starts at its lower bits. Ids of a segment are distinct.
//
// [Verify] proves all of this of a segment, [Dump] prints it.
package segment
