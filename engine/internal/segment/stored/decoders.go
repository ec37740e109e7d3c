package stored

import (
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// decoders are the zstd decoders of one segment, at rest: one for each goroutine that reads at the same time, as long as the garbage collector leaves them.
type decoders struct{ resting sync.Pool }

// decode gives the content of a block, which has this many bytes; no block of any bytes takes more memory than the largest that is written.
func (d *decoders) decode(payload []byte, size int) ([]byte, error) {
	decoder, err := d.take()
	if err != nil {
		return nil, err
	}
	defer d.resting.Put(decoder)
	content, err := decoder.DecodeAll(payload, make([]byte, 0, size))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	if len(content) != size {
		return nil, fmt.Errorf("%w: content of %d bytes, want %d", ErrCorrupt, len(content), size)
	}
	return content, nil
}

func (d *decoders) take() (*zstd.Decoder, error) {
	if decoder, ok := d.resting.Get().(*zstd.Decoder); ok {
		return decoder, nil
	}
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(maxBlock))
	if err != nil {
		return nil, fmt.Errorf("decoder of zstd: %w", err)
	}
	return decoder, nil
}
