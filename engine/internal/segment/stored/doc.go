// Package stored keeps the documents' sources: appended in order, compressed by blocks, fetched by number. It knows no files and imports only
// package cursor.
//
//	stored   block* directory(blocks) blocks u32 docs u32
//	block    codec u8, size uvarint, payload       codec 0: the payload is the content; 1: the content's S2 block; size: of the content
//	content  length(docs of the block) uvarint, sources one after the other
//	directory  first u32, start u64                first document of the block, and where it starts
//
// A block ends with the document that takes it to 16 KiB. Small segments are not compressed: they live for a few merges only. S2 was chosen over zstd
// for the speed of merging (4 times faster to write, 4 times to read, 0.7 of the ratio); the codec is a byte, so another one is a number away.
package stored
