package stored

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

// Keeper collects sources in memory, for a [Reader] of them. Each block has memory of its own, so that a merge takes whole blocks over without a copy, and a block
// goes with the last reader that has it.
type Keeper struct {
	kept  []keptBlock
	docs  int
	bytes int

	// Of the block under construction.
	sources [][]byte
	lengths []byte // theirs, as they are written
	content int    // bytes of the sources
}

// keptBlock is a plain block in memory. Its checksum is what a section of a file has as a whole.
type keptBlock struct {
	first uint32
	raw   []byte
	crc   uint32
}

// Reset starts anew.
func (k *Keeper) Reset() {
	clear(k.sources) // what was left of a merge that broke off
	*k = Keeper{sources: k.sources[:0], lengths: k.lengths[:0]}
}

// Add appends a document, whose bytes must stay until the next call that is no Add.
func (k *Keeper) Add(source []byte) {
	k.sources = append(k.sources, source)
	k.content += len(source)
	k.lengths = binary.AppendUvarint(k.lengths, uint64(len(source)))
	if k.content >= blockBytes {
		k.endBlock()
	}
}

// AddBlock appends all documents of a block of another Keeper as they are, when it is worth keeping: false when they must be added one by one.
func (k *Keeper) AddBlock(b *Block) (bool, error) {
	if b.kept == nil || len(b.payload) < blockBytes {
		return false, nil
	}
	k.endBlock()
	k.enter(b.kept.raw, b.kept.crc, b.n) // the checksum goes with it: nothing is read
	return true, nil
}

// Finish gives the sources.
func (k *Keeper) Finish() Reader {
	k.endBlock()
	r := Reader{kept: k.kept, keptBytes: k.bytes, docs: k.docs}
	k.kept = nil
	return r
}

func (k *Keeper) enter(raw []byte, crc uint32, docs int) {
	k.kept = append(k.kept, keptBlock{first: uint32(k.docs), raw: raw, crc: crc})
	k.docs += docs
	k.bytes += len(raw)
}

func (k *Keeper) endBlock() {
	if len(k.sources) == 0 {
		return
	}
	size := len(k.lengths) + k.content
	raw := make([]byte, 0, 1+binary.MaxVarintLen64+size)
	raw = binary.AppendUvarint(append(raw, byte(Plain)), uint64(size))
	raw = append(raw, k.lengths...)
	for _, source := range k.sources {
		raw = append(raw, source...)
	}
	k.enter(raw, crc32.Checksum(raw, castagnoli()), len(k.sources))
	clear(k.sources)
	k.sources, k.lengths, k.content = k.sources[:0], k.lengths[:0], 0
}

// Check verifies the checksums of sources in memory; before it reads a block it says how many bytes to wait, whose error ends it. Damage is [ErrCorrupt]. Those of a
// section have the section's checksum.
func (r *Reader) Check(wait func(bytes int) error) error {
	for i := range r.kept {
		b := &r.kept[i]
		if err := wait(len(b.raw)); err != nil {
			return err
		}
		if err := b.check(); err != nil {
			return err
		}
	}
	return nil
}

// check verifies the checksum of a block in memory; one of a section, which is nil here, has none of its own.
func (b *keptBlock) check() error {
	if b != nil && crc32.Checksum(b.raw, castagnoli()) != b.crc {
		return fmt.Errorf("%w: checksum of the block of document %d", ErrCorrupt, b.first)
	}
	return nil
}

func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }
