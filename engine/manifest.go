package engine

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/jetseek/jetseek/engine/internal/docset"
	"github.com/jetseek/jetseek/engine/internal/segment/cursor"
	"github.com/jetseek/jetseek/engine/schema"
)

// The manifest is the state of an index at one sequence, less what its segment files hold. Format 1; numbers are little-endian; uvarint is that of
// encoding/binary; a string is its length as uvarint and its bytes.
//
//	manifest    "JSMF" format u16 zero u16, body, crc32c u32 of all before it
//	body        seq u64, content seq u64, epoch u64, owned slots (bit s%64 of word s/64) u64 * 256, root digest [16], quarantine,
//	            attachment string, kept outcomes string, dropped uvarint {incarnation u64}* ascending, collections uvarint, collection* by incarnation
//	kept        entries ever added u64, then the entries held, oldest first: request key (half of a SHA-256) [16], id (likewise) [16], slot u16, kind u8,
//	outcomes    outcome u8, version u64
//	quarantine  digest [16], operations uvarint, {sequence u64, place u32, kind u8, superseded u8, collection u64, slot u32, id string, reason string}* by place
//	collection  incarnation u64, schema version uvarint, name string, schema (canonical JSON) string, files uvarint, file*, slots uvarint, slot*
//	file        number u64 (its name in 16 hex digits), length uvarint, identity u32 (the checksum of its table of contents),
//	            deleted documents string: a roaring bitmap in its portable format, empty when all live
//	slot        slot minus the one before it (the first: itself) uvarint, live documents uvarint (not 0), their digest [16]
const (
	manifestMagic  = "JSMF"
	manifestFormat = 1
	manifestFrame  = 12
	// manifestBytes bounds a manifest that is read: one of a thousand collections with documents in all slots has half of it.
	manifestBytes = 1 << 30
)

// manifest is a manifest, read.
type manifest struct {
	state state // its collections have no parts yet
	root  Digest
	files []manifestFile
}

// manifestFile is a segment file that a manifest names.
type manifestFile struct {
	collection int // in the state
	number     uint64
	length     int64
	identity   uint32
	deleted    *roaring.Bitmap // nil: none
}

// errManifest says that bytes are no manifest.
var errManifest = errors.New("corrupt manifest")

func appendString[T ~string | ~[]byte](b []byte, s T) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// appendManifest writes a state all of whose parts are in files.
func appendManifest(b []byte, s *state) ([]byte, error) {
	start := len(b)
	b = binary.LittleEndian.AppendUint16(append(b, manifestMagic...), manifestFormat)
	b = append(b, 0, 0)
	for _, n := range []uint64{s.seq, s.contentSeq, s.epoch} {
		b = binary.LittleEndian.AppendUint64(b, n)
	}
	for _, w := range s.owned.bits {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	root := s.root()
	b = s.quarantine.append(append(b, root[:]...))
	b = appendString(b, s.attachment)
	b = appendString(b, s.window.append(nil))
	b = binary.AppendUvarint(b, uint64(len(s.dropped)))
	for _, c := range s.dropped {
		b = binary.LittleEndian.AppendUint64(b, uint64(c))
	}
	b = binary.AppendUvarint(b, uint64(len(s.collections)))
	for _, c := range s.collections {
		var err error
		if b, err = c.appendManifest(b); err != nil {
			return nil, fmt.Errorf("collection %s: %w", c.name, err)
		}
	}
	return binary.LittleEndian.AppendUint32(b, checksum(b[start:])), nil
}

func checksum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

func (c *collection) appendManifest(b []byte) ([]byte, error) {
	b = binary.LittleEndian.AppendUint64(b, uint64(c.incarnation))
	b = binary.AppendUvarint(b, c.version)
	b = appendString(appendString(b, c.name), c.canonical)
	b = binary.AppendUvarint(b, uint64(len(c.parts)))
	for _, p := range c.parts {
		b = binary.LittleEndian.AppendUint64(b, p.file.number)
		b = binary.AppendUvarint(b, uint64(p.file.length))
		b = binary.LittleEndian.AppendUint32(b, p.file.identity)
		var deleted []byte
		if p.alive < p.seg.Docs() {
			var err error
			if deleted, err = p.deleted().ToBytes(); err != nil {
				return nil, fmt.Errorf("deleted documents: %w", err)
			}
		}
		b = appendString(b, deleted)
	}
	slots, last := 0, uint16(0)
	c.slots.each(func(uint16, Digest, uint32) { slots++ })
	b = binary.AppendUvarint(b, uint64(slots))
	c.slots.each(func(slot uint16, d Digest, docs uint32) {
		b = binary.AppendUvarint(b, uint64(slot-last))
		b = binary.AppendUvarint(b, uint64(docs))
		b = append(b, d[:]...)
		last = slot
	})
	return b, nil
}

// deleted gives the documents that do not live.
func (p *part) deleted() *roaring.Bitmap {
	gone := docset.Full(p.seg.Docs())
	for i := range gone {
		gone[i] &^= p.live[i]
	}
	m := roaring.FromDense(gone, false)
	m.RunOptimize()
	return m
}

// readManifest reads a manifest, of which nothing is believed.
func readManifest(b []byte) (*manifest, error) {
	if len(b) < manifestFrame || string(b[:4]) != manifestMagic {
		return nil, fmt.Errorf("%w: no manifest", errManifest)
	}
	if v := binary.LittleEndian.Uint16(b[4:]); v > manifestFormat {
		return nil, fmt.Errorf("the manifest has format %d, of a newer version: run the version that wrote it", v)
	} else if v != manifestFormat || b[6] != 0 || b[7] != 0 {
		return nil, fmt.Errorf("%w: header", errManifest)
	}
	end := len(b) - 4
	if checksum(b[:end]) != binary.LittleEndian.Uint32(b[end:]) {
		return nil, fmt.Errorf("%w: checksum", errManifest)
	}
	c := cursor.New(b[8:end])
	m := &manifest{}
	m.read(&c)
	for i := range c.Len() {
		if err := m.readCollection(&c, i); err != nil {
			return nil, fmt.Errorf("%w: collection %d: %w", errManifest, i, err)
		}
	}
	if !c.OK() || c.Left() > 0 {
		return nil, fmt.Errorf("%w: %d bytes", errManifest, len(b))
	}
	if root := m.state.root(); root != m.root {
		return nil, fmt.Errorf("%w: its digest is %s and should be %s", errManifest, root, m.root)
	}
	return m, nil
}

// read reads what stands before the collections.
func (m *manifest) read(c *cursor.Cursor) {
	s := &m.state
	s.seq, s.contentSeq, s.epoch = c.Fixed64(), c.Fixed64(), c.Fixed64()
	s.owned = &SlotSet{}
	for i := range s.owned.bits {
		s.owned.bits[i] = c.Fixed64()
	}
	copy(m.root[:], c.Bytes(len(m.root)))
	s.quarantine = readQuarantine(c)
	s.attachment = bytes.Clone(c.Bytes(c.Len()))
	var err error
	if s.window, err = readWindow(c.Bytes(c.Len())); err != nil {
		c.Fail()
	}
	for range c.Len() {
		id := schema.Incarnation(c.Fixed64())
		if n := len(s.dropped); n > 0 && id <= s.dropped[n-1] {
			c.Fail()
		}
		if !c.OK() {
			return
		}
		s.dropped = append(s.dropped, id)
	}
}

func (m *manifest) readCollection(c *cursor.Cursor, i int) error {
	found := &collection{incarnation: schema.Incarnation(c.Fixed64()), version: c.Uvarint(), name: string(c.Bytes(c.Len()))}
	found.canonical = bytes.Clone(c.Bytes(c.Len()))
	var err error
	if found.schema, err = schema.Parse(found.canonical); err != nil {
		return fmt.Errorf("schema: %w", err)
	}
	if i > 0 && found.incarnation <= m.state.collections[i-1].incarnation {
		return errors.New("not in order")
	}
	for range c.Len() {
		f := manifestFile{collection: i, number: c.Fixed64(), length: int64(c.Uvarint() & (1<<62 - 1)), identity: c.Fixed32()}
		if b := c.Bytes(c.Len()); len(b) > 0 {
			if f.deleted, err = readDeleted(b); err != nil {
				return err
			}
		}
		if !c.OK() {
			return io.ErrUnexpectedEOF
		}
		m.files = append(m.files, f)
	}
	slot := uint64(0)
	for j := range c.Len() {
		gap, docs := c.Uvarint(), c.Uint32()
		digest := c.Bytes(len(Digest{}))
		if slot += gap; !c.OK() || slot >= Slots || docs == 0 || j > 0 && gap == 0 || gap >= Slots {
			return errors.New("slots")
		}
		at, count := found.slots.at(uint16(slot), 0)
		*at, *count = Digest(digest), docs
		found.documents.add(*at)
	}
	if !c.OK() {
		return io.ErrUnexpectedEOF
	}
	m.state.collections = append(m.state.collections, found)
	return nil
}

// readDeleted reads a bitmap of deleted documents.
func readDeleted(b []byte) (*roaring.Bitmap, error) {
	m := roaring.New()
	if err := m.UnmarshalBinary(b); err != nil {
		return nil, fmt.Errorf("deleted documents: %w", err)
	}
	if err := m.Validate(); err != nil && m.GetCardinality() > 0 {
		return nil, fmt.Errorf("deleted documents: %w", err)
	}
	return m, nil
}

// writeManifest makes a state the one that a crash leaves. When it fails late the manifest of before or the new one may be left, so that the files of both stay.
func (f *files) writeManifest(ctx context.Context, s *state) error {
	b, err := appendManifest(nil, s)
	if err != nil {
		return fmt.Errorf("manifest: %w", err)
	}
	set := newFileSet(s.filesOf())
	_, err = f.writeSynced(ctx, false, manifestName, func(w io.Writer) error { _, err := w.Write(b); return err })
	if err == nil {
		err = f.folder.Sync()
	}
	before := f.durable
	defer before.release()
	if err != nil {
		defer set.release()
		both := slices.Concat(before.list(), set.list())
		slices.SortFunc(both, func(a, b *segmentFile) int { return cmp.Compare(a.number, b.number) })
		f.durable = newFileSet(slices.Compact(both))
		f.seq.Store(0) // the next Flush writes one again, whatever has changed
		return fmt.Errorf("write the manifest: %w", err)
	}
	f.durable = set
	f.seq.Store(s.seq)
	return nil
}
