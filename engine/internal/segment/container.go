package segment

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"

	"github.com/jetseek/jetseek/engine/internal/segment/cursor"
)

// Errors of [Open].
var (
	// ErrCorrupt: the bytes are no segment, or no longer the one that was written.
	ErrCorrupt = errors.New("corrupt segment")
	// ErrNewer: the segment has a format that this version does not know.
	ErrNewer = errors.New("segment of a newer format")
)

const (
	formatVersion = 1
	headerLen     = 8
	footerLen     = 12
	headerMagic   = "JSSG"
	footerMagic   = "GSSJ"
	maxFields     = 1 << 16
)

type kind byte

const (
	kindMeta kind = iota + 1
	kindIDs
	kindIDTable
	kindVersion
	kindBirthSeq
	kindBirthLog
	kindBirthIndex
	kindSlot
	kindContent
	kindStored
)

const (
	kindLengths kind = iota + 20
	kindTerms
	kindPostings
	kindPositions
	kindExact
	kindExactPostings
	kindOrdinals
	kindInts
	kindFloats
)

// container collects sections. Each is appended to buf, or given to part, between one end and the next. With a sink, bytes leave memory at the latest when their
// section ends.
type container struct {
	buf, toc []byte
	sections uint64
	start    int       // of the present section in buf
	gone     uint64    // bytes of the present section that the sink has
	crc      uint32    // of these
	sink     io.Writer // nil: sections stay in buf
	err      error     // the first one of the sink
}

func (c *container) reset(sink io.Writer) {
	c.buf, c.toc, c.sections = append(c.buf[:0], headerMagic...), c.toc[:0], 0
	c.buf = binary.LittleEndian.AppendUint16(c.buf, formatVersion)
	c.buf = append(c.buf, 0, 0)
	c.start, c.gone, c.crc, c.sink, c.err = len(c.buf), 0, 0, sink, nil
}

// part appends to the present section, without a copy when there is a sink.
func (c *container) part(b []byte) {
	if c.sink == nil {
		c.buf = append(c.buf, b...)
		return
	}
	c.drain()
	c.give(b)
	c.gone, c.crc = c.gone+uint64(len(b)), crc32.Update(c.crc, castagnoli(), b)
}

// drain gives the sink what is in buf.
func (c *container) drain() {
	section := c.buf[c.start:]
	c.give(c.buf)
	c.gone, c.crc = c.gone+uint64(len(section)), crc32.Update(c.crc, castagnoli(), section)
	c.buf, c.start = c.buf[:0], 0
}

// drainBytes is how much of a section is collected before the sink gets it.
const drainBytes = 1 << 20

// relieve gives the sink what is in buf when that has become much.
func (c *container) relieve() {
	if c.sink != nil && len(c.buf) >= drainBytes {
		c.drain()
	}
}

// end makes everything since the last end a section.
func (c *container) end(k kind, field int) {
	if c.sink != nil {
		c.drain()
	}
	section := c.buf[c.start:]
	c.toc = append(c.toc, byte(k))
	c.toc = binary.AppendUvarint(c.toc, uint64(field))
	c.toc = binary.AppendUvarint(c.toc, c.gone+uint64(len(section)))
	c.toc = binary.LittleEndian.AppendUint32(c.toc, crc32.Update(c.crc, castagnoli(), section))
	c.sections++
	c.start, c.gone, c.crc = len(c.buf), 0, 0
}

// section writes a whole section.
func (c *container) section(k kind, field int, b []byte) {
	c.part(b)
	c.end(k, field)
}

func (c *container) give(b []byte) {
	if c.err == nil && len(b) > 0 {
		_, c.err = c.sink.Write(b)
	}
}

// handOver is the size from which finish gives the memory itself away instead of a copy.
const handOver = 1 << 20

// finish ends the segment and gives it, in memory of about its size, or nil when it went to the sink.
func (c *container) finish() []byte {
	toc := append(binary.AppendUvarint(nil, c.sections), c.toc...)
	tail := binary.LittleEndian.AppendUint32(toc, uint32(len(toc)))
	tail = binary.LittleEndian.AppendUint32(tail, checksum(toc))
	tail = append(tail, footerMagic...)
	if c.sink != nil {
		c.drain()
		c.give(tail)
		c.sink = nil
		return nil
	}
	whole := append(c.buf, tail...)
	if len(whole) < handOver || cap(whole) > len(whole)+len(whole)/4 {
		c.buf = whole[:0]
		return bytes.Clone(whole)
	}
	c.buf = nil
	return whole
}

// reserve makes room for a segment of about that many bytes.
func (c *container) reserve(bytes int) { c.buf = slices.Grow(c.buf, bytes) }

// readSections checks the frame and every checksum, and gives each section to visit.
func readSections(b []byte, visit func(k kind, field int, section []byte) error) error {
	return readFrame(b, func(k kind, field int, section []byte, crc uint32) error {
		if checksum(section) != crc {
			return fmt.Errorf("%w: checksum", ErrCorrupt)
		}
		return visit(k, field, section)
	})
}

// checkedBytes is how much of a section checkFrame reads at once.
const checkedBytes = 1 << 20

// checkFrame verifies the checksums of a segment's bytes as [Segment.Check] does.
func checkFrame(b []byte, wait func(bytes int) error) error {
	return readFrame(b, func(_ kind, _ int, section []byte, crc uint32) error {
		sum := uint32(0)
		for chunk := range slices.Chunk(section, checkedBytes) {
			if err := wait(len(chunk)); err != nil {
				return err
			}
			sum = crc32.Update(sum, castagnoli(), chunk)
		}
		if sum != crc {
			return fmt.Errorf("%w: checksum", ErrCorrupt)
		}
		return nil
	})
}

// readFrame checks the frame and gives each section, with the checksum that it should have, to visit.
func readFrame(b []byte, visit func(k kind, field int, section []byte, crc uint32) error) error {
	if len(b) < headerLen+footerLen || string(b[:4]) != headerMagic || string(b[len(b)-4:]) != footerMagic {
		return fmt.Errorf("%w: no segment", ErrCorrupt)
	}
	if v := binary.LittleEndian.Uint16(b[4:]); v > formatVersion {
		return fmt.Errorf("%w: %d", ErrNewer, v)
	} else if v != formatVersion || b[6] != 0 || b[7] != 0 {
		return fmt.Errorf("%w: header", ErrCorrupt)
	}
	end := len(b) - footerLen
	length := int(binary.LittleEndian.Uint32(b[end:]))
	if length > end-headerLen || checksum(b[end-length:end]) != binary.LittleEndian.Uint32(b[end+4:]) {
		return fmt.Errorf("%w: table of contents", ErrCorrupt)
	}
	toc, at := cursor.New(b[end-length:end]), headerLen
	for range toc.Len() {
		k, field, n, crc := kind(toc.Byte()), toc.Uvarint(), toc.Uvarint(), toc.Fixed32()
		if !toc.OK() || field >= maxFields || n > uint64(end-length-at) {
			return fmt.Errorf("%w: table of contents", ErrCorrupt)
		}
		section := b[at : at+int(n) : at+int(n)]
		at += int(n)
		if err := visit(k, int(field), section, crc); err != nil {
			return fmt.Errorf("section %d of field %d: %w", k, field, err)
		}
	}
	if !toc.OK() || toc.Left() != 0 || at != end-length {
		return fmt.Errorf("%w: table of contents", ErrCorrupt)
	}
	return nil
}

func checksum(b []byte) uint32 { return crc32.Checksum(b, castagnoli()) }

func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }
