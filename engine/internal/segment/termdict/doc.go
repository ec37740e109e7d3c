// Package termdict is a sorted dictionary: terms by bytes, each with its ordinal and the place of its posting list. It knows no files and imports
// only packages cursor, labels and postings.
//
//	dictionary   block* start(blocks) u32 terms u32 flags u8      flags: 1 when lists have frequencies and positions
//	block        docBase uvarint, posBase uvarint, entry(1..8)    bases: where the block's first list starts
//	entry        shared uvarint, rest uvarint, rest bytes         shared: bytes in common with the term before, 0 at the start of a block
//	             df uvarint
//	             df 1: doc uvarint; text: freq uvarint, posLen uvarint
//	             else: docLen uvarint; text: posLen uvarint
//
// start(i) is where block i starts. All blocks but the last have 8 entries, so that an ordinal leads to its block. A lookup is a binary search
// over the blocks' first terms, which are whole, and a walk over one block.
//
// An automaton over bytes drives a walk that passes over blocks in which nothing can match ([Dict.Match]): for wildcards, expressions and edit distances.
//
// Blocks were measured against a finite-state transducer: the same speed of lookup, an order of magnitude faster to build and to scan.
package termdict
