package wire

// Batch builds a record operation by operation, so that a coordinator can pack what arrives while an earlier message is under way, and knows the size at
// every step. One goroutine uses it. An operation costs its encoding and no allocation once the buffer has grown.
type Batch struct {
	maxBytes int
	buf      []byte // header and operations
	schemas  []byte
	ops      int
	nschemas int
}

// tailBytes is the most that stands behind operations and schemas.
const tailBytes = maxReplyBytes + macBytes + crcBytes

// NewBatch makes an empty batch for messages of at most maxBytes.
func NewBatch(maxBytes int) *Batch {
	b := &Batch{maxBytes: maxBytes}
	b.Reset()
	return b
}

// Reset empties the batch and keeps its memory; what [Batch.Bytes] gave before is overwritten by what follows.
func (b *Batch) Reset() {
	b.buf = append(b.buf[:0], make([]byte, headerBytes)...)
	b.schemas = b.schemas[:0]
	b.ops, b.nschemas = 0, 0
}

// Add appends an operation, or gives false and changes nothing when the message would grow past its limit. An operation that does not fit an empty
// batch is too large for a message.
func (b *Batch) Add(op *Op) bool {
	n := len(b.buf)
	if b.Size()+len(op.Body) > b.maxBytes { // do not copy what cannot fit
		return false
	}
	b.buf = appendOp(b.buf, op)
	if b.Size() > b.maxBytes {
		b.buf = b.buf[:n]
		return false
	}
	b.ops++
	return true
}

// AddSchema adds a schema record in front of all operations, or gives false and changes nothing when it does not fit.
func (b *Batch) AddSchema(s *SchemaRecord) bool {
	n := len(b.schemas)
	b.schemas = appendSchema(b.schemas, s)
	if b.Size() > b.maxBytes || b.nschemas == 1<<16-1 {
		b.schemas = b.schemas[:n]
		return false
	}
	b.nschemas++
	return true
}

// Len is the number of operations.
func (b *Batch) Len() int { return b.ops }

// Size is the most bytes that [Batch.Bytes] would give now.
func (b *Batch) Size() int { return len(b.buf) + len(b.schemas) + tailBytes }

// Bytes gives the record under a header. It is valid until the next call of a method; it may be asked for again, under another header.
func (b *Batch) Bytes(h *Header) []byte {
	n := len(b.buf)
	out := append(b.buf, b.schemas...)
	out = sealRecord(out, 0, h, b.ops, n-headerBytes, b.nschemas)
	b.buf = out[:n]
	return out
}
