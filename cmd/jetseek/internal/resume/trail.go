package resume

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
)

// Trail passes a file's bytes on and takes the digest of those that its reader is done with: of what was read, not of what the file holds later.
type Trail struct {
	from  io.Reader
	sum   hash.Hash
	taken int64        // bytes that are in sum
	ahead bytes.Buffer // bytes that were read since: what the reader buffers, and what is under way
}

// NewTrail makes the trail of a reader that stands at the beginning of its file.
func NewTrail(from io.Reader) *Trail { return &Trail{from: from, sum: sha256.New()} }

// Read passes bytes on.
func (t *Trail) Read(p []byte) (int, error) {
	n, err := t.from.Read(p)
	t.ahead.Write(p[:n])
	return n, err
}

// Advance takes the bytes before an offset, which was read and must not fall.
func (t *Trail) Advance(end int64) {
	part := t.ahead.Next(int(end - t.taken))
	t.sum.Write(part)
	t.taken += int64(len(part))
}

// Place gives the place that the trail stands at, behind so many documents.
func (t *Trail) Place(documents int) Place {
	return Place{Documents: documents, End: t.taken, SHA256: hex.EncodeToString(t.sum.Sum(nil))}
}
