package feed

import (
	"errors"
	"io"
)

// Limits of a batch: a message of NATS takes 1 MiB unless it is configured otherwise. A document that is larger alone is a batch of its own.
const (
	batchDocuments = 500
	batchBytes     = 700 << 10
)

// Batch is some documents of one file, in order.
type Batch struct {
	Documents []Document
	Bytes     int64 // that were read of the file's documents for it
}

// Lines gives the batch as a bulk takes it.
func (b *Batch) Lines() []byte {
	lines := make([]byte, 0, b.Bytes)
	for _, d := range b.Documents {
		lines = append(append(lines, d.JSON...), '\n')
	}
	return lines
}

// Batcher packs the documents of a reader.
type Batcher struct {
	from  *Reader
	ahead *Document // read, and too much for the batch before
	err   error     // of the reader
}

// NewBatcher makes the batcher of a reader.
func NewBatcher(from *Reader) *Batcher { return &Batcher{from: from} }

// Next gives the next batch, or io.EOF. What was read before an error is given before the error is.
func (b *Batcher) Next() (*Batch, error) {
	batch := new(Batch)
	for len(batch.Documents) < batchDocuments {
		d, ok := b.document()
		if !ok {
			break
		}
		size := int64(len(d.JSON) + 1)
		if len(batch.Documents) > 0 && batch.Bytes+size > batchBytes {
			b.ahead = &d
			break
		}
		batch.Documents, batch.Bytes = append(batch.Documents, d), batch.Bytes+size
	}
	if len(batch.Documents) == 0 {
		return nil, b.err
	}
	return batch, nil
}

func (b *Batcher) document() (Document, bool) {
	if b.ahead != nil {
		d := *b.ahead
		b.ahead = nil
		return d, true
	}
	if b.err != nil {
		return Document{}, false
	}
	d, err := b.from.Next()
	b.err = err
	return d, err == nil
}

// IsEnd tells the end of a file from a fault.
func IsEnd(err error) bool { return errors.Is(err, io.EOF) }
