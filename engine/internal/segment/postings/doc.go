// Package postings holds posting lists: for one term, the documents that hold it, how often, and where. It turns lists into bytes and walks the
// bytes again; it knows no files and imports only packages cursor and labels. [Blocks] reads a list a block at a time, for loops that score; [Iterator] a posting at a time.
//
// A list lies in two byte strings, which the caller concatenates over all terms of a field: documents (with frequencies and skip data) and
// positions. Both need [Slack] bytes behind the last list, since packed numbers are read eight bytes at a time.
//
//	list of one document     nothing in the documents: the [Ref] holds the document and its frequency
//	list of n < 128          tail(n)
//	list of n >= 128         skip(blocks) block(n/128) tail(n%128)                   text: skip(blocks) runs block(n/128) tail(n%128)
//	skip      lastDoc u32, end u32                   for each block, the tail counts as one; end: of the block, from the first block's start
//	runs      end u32, for each 32 blocks: of the run's impacts, from here behind these numbers
//	          impacts of the list, then for each run impacts of the run and impacts of each of its blocks; an only run has none of its own
//	impacts   n u8 (1..8), n * (freq uvarint, length uvarint), each less the pair before it: pairs of which, for any posting that they stand for,
//	          one has at least its frequency and at most its document's length; frequencies and lengths rise
//	block     docBits u8, documents bit-packed as gap-1 from the document before (the first of a list: from -1)
//	  text:   docBits u8, freqBits u8, posBits u8, posStart uvarint, documents as above, frequencies bit-packed as freq-1
//	tail      documents as uvarint gap-1
//	  text:   posStart uvarint when there are blocks before it; then uvarint (gap-1)<<1 | 1 when the frequency is 1, else (gap-1)<<1 and then uvarint frequency
//
// Positions of a document are a first one and then gaps, in order. Those of a block are bit-packed with one width, so that the n-th
// is found by multiplication; those of tails and of single documents are uvarints. posStart is where the block's positions start in the list's.
//
// Bit-packed: number i of width w lies in bits i*w to (i+1)*w-1 of the little-endian bit string; 128 numbers take 16*w bytes.
//
// Impacts bound a score for every N, df, average length and boost, since the score of a posting rises with frequency and falls with length: pairs,
// not scores, are stored so that statistics may change under them. They lie apart from the blocks, so that blocks which cannot matter are not even touched.
// A list shorter than a block has none: its at most 127 postings are cheap to look at.
//
// Example: a text list of documents 3 and 7 with frequencies 1 and 2 at positions {4} and {0, 9}: documents 07 06 02 (gap-1 is 3, so 3<<1|1;
// then gap-1 is 3 again, 3<<1, and frequency 2); positions 04 00 09.
package postings
