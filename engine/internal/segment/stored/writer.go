package stored

import (
	"encoding/binary"
	"fmt"

	"github.com/klauspost/compress/zstd"
)

// blockBytes is the size of content at which a block ends.
const blockBytes = 16 << 10

// Codec is how the content of a block is written.
type Codec byte

// The codecs, each with its number in the format.
const (
	Plain Codec = 0
	Zstd  Codec = 2
)

// Writer writes stored sources to a function, block by block. It keeps one block in memory.
type Writer struct {
	codec Codec
	out   func([]byte)

	written      uint64
	directory    []byte
	docs, blocks uint32
	lengths      []byte // content of the block under construction
	sources      []byte
	head, packed []byte
	zstd         *zstd.Encoder // made for the first block that needs it
}

// Reset starts anew and keeps the memory: blocks of a codec that go to out, which must not keep the bytes that it is given.
func (w *Writer) Reset(codec Codec, out func([]byte)) {
	w.codec, w.out = codec, out
	w.directory, w.lengths, w.sources = w.directory[:0], w.lengths[:0], w.sources[:0]
	w.written, w.docs, w.blocks = 0, 0, 0
}

// Add appends a document.
func (w *Writer) Add(source []byte) {
	w.lengths = binary.AppendUvarint(w.lengths, uint64(len(source)))
	w.sources = append(w.sources, source...)
	w.docs++
	if len(w.sources) >= blockBytes {
		w.endBlock()
	}
}

// AddBlock appends all documents of a block as they are, when it is worth keeping: false when they must be added one by one. Of a block in memory the checksum is verified.
func (w *Writer) AddBlock(b *Block) (bool, error) {
	if b.codec < w.codec || b.codec == Plain && len(b.payload) < blockBytes {
		return false, nil
	}
	if err := b.kept.check(); err != nil {
		return false, err
	}
	w.endBlock()
	w.enter(w.docs)
	w.docs += uint32(b.n)
	w.write(b.raw)
	return true, nil
}

// Finish writes what is left.
func (w *Writer) Finish() {
	w.endBlock()
	w.directory = binary.LittleEndian.AppendUint32(w.directory, w.blocks)
	w.directory = binary.LittleEndian.AppendUint32(w.directory, w.docs)
	w.write(w.directory)
	w.out = nil
}

func (w *Writer) write(b []byte) {
	w.out(b)
	w.written += uint64(len(b))
}

// endBlock writes the block under construction.
func (w *Writer) endBlock() {
	if len(w.lengths) == 0 {
		return
	}
	size := len(w.lengths) + len(w.sources)
	w.enter(w.docs - countVarints(w.lengths))
	w.head = binary.AppendUvarint(append(w.head[:0], byte(w.codec)), uint64(size))
	w.write(w.head)
	if w.codec == Plain {
		w.write(w.lengths)
		w.write(w.sources)
	} else {
		w.write(w.compress(append(w.lengths, w.sources...)))
	}
	w.lengths, w.sources = w.lengths[:0], w.sources[:0]
}

func (w *Writer) compress(content []byte) []byte {
	if w.zstd == nil {
		var err error
		w.zstd, err = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false), zstd.WithLowerEncoderMem(true))
		if err != nil {
			panic(fmt.Sprintf("stored: options of zstd: %v", err)) // they are constants
		}
	}
	w.packed = w.zstd.EncodeAll(content, w.packed[:0])
	return w.packed
}

func (w *Writer) enter(first uint32) {
	w.directory = binary.LittleEndian.AppendUint32(w.directory, first)
	w.directory = binary.LittleEndian.AppendUint64(w.directory, w.written)
	w.blocks++
}

// countVarints counts the last bytes of varints.
func countVarints(b []byte) uint32 {
	n := uint32(0)
	for _, c := range b {
		if c < 0x80 {
			n++
		}
	}
	return n
}
