package stored

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sort"

	"github.com/klauspost/compress/s2"

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

// Reader reads stored sources. It may be used from any goroutine. The zero value has no documents.
type Reader struct {
	b         []byte // the blocks
	directory []byte
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

// Bytes gives the size of all blocks.
func (r *Reader) Bytes() int { return len(r.b) }

// Block is a block of documents. It is decoded when it is read first; to be copied as it is it need not be.
type Block struct {
	First    uint32 // its first document
	n        int
	codec    Codec
	raw      []byte // as it lies
	payload  []byte // of raw
	size     int    // of the content
	decoders *decoders

	content []byte // nil until decoded
	sources int    // where they start in content
}

// Len gives the number of documents of the block.
func (b *Block) Len() int { return b.n }

// Block gives the block that holds a document, not decoded.
func (r *Reader) Block(doc uint32) (Block, error) {
	blocks := len(r.directory) / directoryEntry
	i := sort.Search(blocks, func(i int) bool { return r.first(i) > doc }) - 1
	if i < 0 || int(doc) >= r.docs {
		return Block{}, fmt.Errorf("%w: no document %d", ErrCorrupt, doc)
	}
	end, last := uint64(len(r.b)), uint32(r.docs)
	if i+1 < blocks {
		end, last = r.start(i+1), r.first(i+1)
	}
	start := r.start(i)
	if start > end || end > uint64(len(r.b)) || last <= doc {
		return Block{}, fmt.Errorf("%w: block %d at %d to %d", ErrCorrupt, i, start, end)
	}
	b := Block{First: r.first(i), raw: r.b[start:end], decoders: r.decoders}
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

func (r *Reader) first(block int) uint32 {
	return binary.LittleEndian.Uint32(r.directory[block*directoryEntry:])
}

func (r *Reader) start(block int) uint64 {
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
	case S2:
		n, err := s2.DecodedLen(b.payload)
		if err != nil || n != b.size {
			return nil, fmt.Errorf("%w: compressed size", ErrCorrupt)
		}
		content, err := s2.Decode(nil, b.payload)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
		}
		return content, nil
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

// Each visits the documents of the block in order.
func (b *Block) Each(visit func(doc uint32, source []byte)) error {
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
