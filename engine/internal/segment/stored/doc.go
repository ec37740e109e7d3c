// Package stored keeps the documents' sources: appended in order, compressed by blocks, fetched by number. It knows no files and imports only
// packages cursor and labels.
//
//	stored   block* directory(blocks) blocks u32 docs u32
//	block    codec u8, size uvarint, payload       codec 0: the payload is the content; 2: its zstd frame; size: of the content
//	content  length(docs of the block) uvarint, sources one after the other
//	directory  first u32, start u64                first document of the block, and where it starts
//
// A block ends with the document that takes it to 16 KiB, so that a hit costs one such block. Which codec is the caller's choice: none in memory, where segments are merged again
// and again, and in a flush of it to a file, which is on the way of writers; zstd at its fastest in merged files, where a block is written once and copied as it is by the
// merges that follow. In memory a block has memory of its own, so that these merges pass it on ([Keeper]).
package stored
