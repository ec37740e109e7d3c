package stored

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sort"

	"github.com/jetseek/jetseek/engine/internal/segment/cursor"
)

// ErrCorrupt says that bytes are no stored sources.
var ErrCorrupt = errors.New("corrupt stored sources")

// maxBlock bounds what a block may claim to hold: the largest document and its company.
const maxBlock = 80 << 20

const (
	directoryEntry = 12
	trailer        = 8
)

// Reader reads stored sources, of a section or those that a [Keeper] has collected. It may be used from any goroutine. The zero value has no documents.
type Reader struct {
	b         []byte // the blocks of a section
	directory []byte
	kept      []keptBlock // instead of these, blocks in memory
	keptBytes int
	docs      int
	decoders  *decoders
}

// Open reads the frame.
func Open(b []byte) (Reader, error) {
	if len(b) < trailer {
		return Reader{}, fmt.Errorf("%w: %d bytes", ErrCorrupt, len(b))
	}
	end := len(b) - trailer
	blocks, docs := uint64(binary.LittleEndian.Uint32(b[end:])), binary.LittleEndian.Uint32(b[end+4:])
	if blocks*directoryEntry > uint64(end) || blocks > uint64(docs) || blocks == 0 && docs > 0 {
		return Reader{}, fmt.Errorf("%w: %d blocks of %d documents in %d bytes", ErrCorrupt, blocks, docs, len(b))
	}
	dir := end - int(blocks)*directoryEntry
	return Reader{b: b[:dir], directory: b[dir:end], docs: int(docs), decoders: &decoders{}}, nil
}

// Docs gives the number of documents.
func (r *Reader) Docs() int { return r.docs }

// Doc gives a document's source. The bytes may alias the reader's: copy them to keep them.
func (r *Reader) Doc(doc uint32) ([]byte, error) {
	b, err := r.Block(doc)
	if err != nil {
		return nil, err
	}
	return b.Doc(doc)
}

// CheckCodecs tells whether all blocks are of codecs that there are, without decoding any.
func (r *Reader) CheckCodecs() error {
	for i := range r.blocks() {
		b, err := r.Block(r.first(i))
		if err != nil {
			return err
		}
		if b.codec != Plain && b.codec != Zstd {
			return fmt.Errorf("%w: codec %d of the block of document %d", ErrCorrupt, b.codec, b.First)
		}
	}
	return nil
}

// Bytes gives the size of all blocks.
func (r *Reader) Bytes() int { return len(r.b) + r.keptBytes }

// Kept gives the size of the blocks that are in memory beside any section.
func (r *Reader) Kept() int { return r.keptBytes }

// Block is a block of documents. It is decoded when it is read first; to be copied as it is it need not be.
type Block struct {
	First    uint32 // its first document
	n        int
	codec    Codec
	raw      []byte // as it lies
	payload  []byte // of raw
	size     int    // of the content
	decoders *decoders
	kept     *keptBlock // where it lies in memory

	content []byte // nil until decoded
	sources int    // where they start in content
}

// Len gives the number of documents of the block.
func (b *Block) Len() int { return b.n }

// Block gives the block that holds a document, not decoded.
func (r *Reader) Block(doc uint32) (Block, error) {
	i := sort.Search(r.blocks(), func(i int) bool { return r.first(i) > doc }) - 1
	if i < 0 || int(doc) >= r.docs {
		return Block{}, fmt.Errorf("%w: no document %d", ErrCorrupt, doc)
	}
	b := Block{First: r.first(i), decoders: r.decoders}
	last := uint32(r.docs)
	if i+1 < r.blocks() {
		last = r.first(i + 1)
	}
	if r.kept != nil {
		b.kept, b.raw = &r.kept[i], r.kept[i].raw
	} else {
		start, end := r.start(i), r.start(i+1)
		if start > end || end > uint64(len(r.b)) || last <= doc {
			return Block{}, fmt.Errorf("%w: block %d at %d to %d", ErrCorrupt, i, start, end)
		}
		b.raw = r.b[start:end]
	}
	b.n = int(last - b.First)
	c := cursor.New(b.raw)
	b.codec = Codec(c.Byte())
	size := c.Uvarint()
	b.payload = c.Bytes(c.Left())
	if !c.OK() || size > maxBlock {
		return Block{}, fmt.Errorf("%w: block %d has a content of %d bytes", ErrCorrupt, i, size)
	}
	b.size = int(size)
	return b, nil
}

func (r *Reader) blocks() int { return len(r.kept) + len(r.directory)/directoryEntry }

func (r *Reader) first(block int) uint32 {
	if r.kept != nil {
		return r.kept[block].first
	}
	return binary.LittleEndian.Uint32(r.directory[block*directoryEntry:])
}

// start gives where a block of a section starts, and that behind the last one.
func (r *Reader) start(block int) uint64 {
	if block == len(r.directory)/directoryEntry {
		return uint64(len(r.b))
	}
	return binary.LittleEndian.Uint64(r.directory[block*directoryEntry+4:])
}

// open decodes what the block holds, once.
func (b *Block) open() error {
	if b.content != nil {
		return nil
	}
	content, err := b.decode()
	if err != nil {
		return fmt.Errorf("block of document %d: %w", b.First, err)
	}
	lengths := cursor.New(content)
	for range b.n {
		if lengths.Uvarint(); !lengths.OK() {
			return fmt.Errorf("%w: %d lengths in the block of document %d", ErrCorrupt, b.n, b.First)
		}
	}
	b.content, b.sources = content, lengths.Offset()
	return nil
}

func (b *Block) decode() ([]byte, error) {
	switch b.codec {
	case Plain:
		return b.payload, nil
	case Zstd:
		return b.decoders.decode(b.payload, b.size)
	}
	return nil, fmt.Errorf("%w: codec %d", ErrCorrupt, b.codec)
}

// Doc gives the source of a document of the block. The bytes are the block's.
func (b *Block) Doc(doc uint32) ([]byte, error) {
	if err := b.open(); err != nil {
		return nil, err
	}
	lengths := cursor.New(b.content)
	from := uint64(b.sources)
	for range doc - b.First {
		if from += lengths.Uvarint(); from > uint64(len(b.content)) {
			break
		}
	}
	n := lengths.Uvarint()
	if !lengths.OK() || from > uint64(len(b.content)) || n > uint64(len(b.content))-from {
		return nil, fmt.Errorf("%w: source of document %d", ErrCorrupt, doc)
	}
	return b.content[from : from+n : from+n], nil
}

// Each visits the documents of the block in order. Of a block in memory the checksum is verified before.
func (b *Block) Each(visit func(doc uint32, source []byte)) error {
	if err := b.kept.check(); err != nil {
		return err
	}
	if err := b.open(); err != nil {
		return err
	}
	lengths := cursor.New(b.content)
	sources := cursor.At(b.content, b.sources)
	for i := range b.n {
		source := sources.Bytes(int(min(lengths.Uvarint(), maxBlock)))
		if !sources.OK() {
			return fmt.Errorf("%w: source of document %d", ErrCorrupt, b.First+uint32(i))
		}
		visit(b.First+uint32(i), source)
	}
	return nil
}
