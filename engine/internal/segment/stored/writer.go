package stored

import (
	"encoding/binary"

	"github.com/klauspost/compress/s2"
)

// blockBytes is the size of content at which a block ends.
const blockBytes = 16 << 10

const (
	codecPlain = 0
	codecS2    = 1
)

// Writer builds stored sources. The zero value is ready and compresses nothing.
type Writer struct {
	Compress bool // blocks that follow

	buf, directory []byte
	docs, blocks   uint32
	lengths        []byte // content of the block under construction
	sources        []byte
	scratch        []byte
}

// Reset starts anew and keeps the memory.
func (w *Writer) Reset(compress bool) {
	w.Compress = compress
	w.buf, w.directory, w.lengths, w.sources = w.buf[:0], w.directory[:0], w.lengths[:0], w.sources[:0]
	w.docs, w.blocks = 0, 0
}

// Add appends a document.
func (w *Writer) Add(source []byte) {
	w.lengths = binary.AppendUvarint(w.lengths, uint64(len(source)))
	w.sources = append(w.sources, source...)
	w.docs++
	if len(w.sources) >= blockBytes {
		w.endBlock(uint32(w.docs))
	}
}

// AddBlock appends all documents of a block as they are, when it is worth keeping: false when they must be added one by one.
func (w *Writer) AddBlock(b *Block) bool {
	if b.codec == codecPlain && (w.Compress || len(b.content) < blockBytes) {
		return false
	}
	w.endBlock(w.docs)
	w.enter(w.docs)
	w.docs += uint32(b.n)
	w.buf = append(w.buf, b.raw...)
	return true
}

// Finish gives the bytes; they are the writer's until the next Reset.
func (w *Writer) Finish() []byte {
	w.endBlock(w.docs)
	w.buf = append(w.buf, w.directory...)
	w.buf = binary.LittleEndian.AppendUint32(w.buf, w.blocks)
	return binary.LittleEndian.AppendUint32(w.buf, w.docs)
}

// endBlock writes the block under construction, whose documents end before the given one.
func (w *Writer) endBlock(end uint32) {
	if len(w.lengths) == 0 {
		return
	}
	content := append(w.lengths, w.sources...)
	w.enter(end - countVarints(w.lengths))
	if w.Compress {
		w.scratch = s2.Encode(w.scratch[:cap(w.scratch)], content)
		w.buf = append(w.buf, codecS2)
		w.buf = binary.AppendUvarint(w.buf, uint64(len(content)))
		w.buf = append(w.buf, w.scratch...)
	} else {
		w.buf = append(w.buf, codecPlain)
		w.buf = binary.AppendUvarint(w.buf, uint64(len(content)))
		w.buf = append(w.buf, content...)
	}
	w.lengths, w.sources = content[:0], w.sources[:0]
}

func (w *Writer) enter(first uint32) {
	w.directory = binary.LittleEndian.AppendUint32(w.directory, first)
	w.directory = binary.LittleEndian.AppendUint64(w.directory, uint64(len(w.buf)))
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
