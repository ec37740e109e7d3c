package segment

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/jetseek/jetseek/engine/internal/segment/termdict"
)

// HashID hashes an id for [Segment.Find].
func HashID(id string) uint64 {
	sum := sha256.Sum256([]byte(id))
	return binary.LittleEndian.Uint64(sum[:])
}

const (
	docPart  = uint64(1)<<32 - 1
	hashPart = ^docPart
)

// tableSlots gives the size of the id table for a number of documents: a power of two, at most 3/4 full.
func tableSlots(docs int) int {
	n := 2
	for n*3 < docs*4 {
		n *= 2
	}
	return n
}

// enterID enters a document, whose id has this hash, in a table that has room.
func enterID(table []uint64, doc int, hash uint64) {
	mask := uint64(len(table) - 1)
	i := hash & mask
	for table[i] != 0 {
		i = (i + 1) & mask
	}
	table[i] = hash&hashPart | uint64(doc+1)
}

// Find gives the document with an id, dead or alive; hash is the id's [HashID].
func (s *Segment) Find(id string, hash uint64) (uint32, bool) {
	if s.filter.lacks(hash) {
		return 0, false
	}
	slots := len(s.idTable) / 8
	mask := uint64(slots - 1)
	for i, n := hash&mask, 0; n < slots; i, n = (i+1)&mask, n+1 {
		e := binary.LittleEndian.Uint64(s.idTable[8*i:])
		if e == 0 {
			break
		}
		if e&hashPart != hash&hashPart {
			continue
		}
		if doc := e&docPart - 1; doc < uint64(s.docs) && string(s.ID(uint32(doc))) == id {
			return uint32(doc), true
		}
	}
	return 0, false
}

// ID gives a document's id. The bytes are the segment's.
func (s *Segment) ID(doc uint32) []byte {
	return s.idBytes[binary.LittleEndian.Uint32(s.idStarts[4*doc:]):binary.LittleEndian.Uint32(s.idStarts[4*doc+4:])]
}

// IDHead gives the first eight bytes of a document's id as a number, in the order of ids; missing bytes count as zero.
func (s *Segment) IDHead(doc uint32) uint64 {
	start, end := binary.LittleEndian.Uint32(s.idStarts[4*doc:]), binary.LittleEndian.Uint32(s.idStarts[4*doc+4:])
	if after := s.idBytes[start:]; len(after) >= 8 {
		return binary.BigEndian.Uint64(after) &^ (math.MaxUint64 >> (8 * (end - start)))
	}
	return termdict.Head(s.idBytes[start:end])
}

// openIDs splits the section of ids and checks that no id can lie outside of it.
func (s *Segment) openIDs(section []byte) error {
	if len(section) < 4*(s.docs+1) {
		return fmt.Errorf("%w: ids of %d documents in %d bytes", ErrCorrupt, s.docs, len(section))
	}
	s.idStarts, s.idBytes = section[:4*(s.docs+1)], section[4*(s.docs+1):]
	prev := uint32(0)
	for d := range s.docs + 1 {
		start := binary.LittleEndian.Uint32(s.idStarts[4*d:])
		if start < prev || uint64(start) > uint64(len(s.idBytes)) {
			return fmt.Errorf("%w: ids", ErrCorrupt)
		}
		prev = start
	}
	return nil
}

func (s *Segment) openIDTable(section []byte) error {
	if len(section) != 8*tableSlots(s.docs) {
		return fmt.Errorf("%w: id table of %d bytes for %d documents", ErrCorrupt, len(section), s.docs)
	}
	s.idTable = section
	return nil
}
