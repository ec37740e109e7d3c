package engine

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math/bits"

	"github.com/jetseek/jetseek/engine/schema"
)

// Digest is a sum, modulo 2^128 and little-endian, of hashes of things: it does not depend on their order, and things can be taken out again. Equal
// digests at equal sequences mean equal content; a digest is no protection against somebody who writes documents to make two sums meet.
type Digest [16]byte

// String gives the digest in hex.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

func (d *Digest) add(o Digest) {
	lo, carry := bits.Add64(binary.LittleEndian.Uint64(d[:]), binary.LittleEndian.Uint64(o[:]), 0)
	hi, _ := bits.Add64(binary.LittleEndian.Uint64(d[8:]), binary.LittleEndian.Uint64(o[8:]), carry)
	binary.LittleEndian.PutUint64(d[:], lo)
	binary.LittleEndian.PutUint64(d[8:], hi)
}

func (d *Digest) sub(o Digest) {
	lo, borrow := bits.Sub64(binary.LittleEndian.Uint64(d[:]), binary.LittleEndian.Uint64(o[:]), 0)
	hi, _ := bits.Sub64(binary.LittleEndian.Uint64(d[8:]), binary.LittleEndian.Uint64(o[8:]), borrow)
	binary.LittleEndian.PutUint64(d[:], lo)
	binary.LittleEndian.PutUint64(d[8:], hi)
}

// What a hash stands for is its first byte, so that no document can look like a schema.
const (
	hashedDocument byte = iota + 1
	hashedCollection
	hashedDropped
	hashedOwnership
	hashedQuarantine
	hashedKept
)

func half(sum [sha256.Size]byte) (h [16]byte) {
	copy(h[:], sum[:])
	return h
}

// contentHash is what a document's state keeps of its source.
func contentHash(source []byte) [16]byte { return half(sha256.Sum256(source)) }

// documentDigest is what one live document adds to its slot's digest: kind, version u64, content hash, id.
func documentDigest(id []byte, version uint64, content [16]byte) Digest {
	var space [1 + 8 + 16 + 128]byte
	b := append(space[:0], hashedDocument)
	b = binary.LittleEndian.AppendUint64(b, version)
	b = append(b, content[:]...)
	b = append(b, id...)
	return half(sha256.Sum256(b))
}

// collectionDigest covers a collection: its incarnation, name, schema and documents.
func collectionDigest(c *collection) Digest {
	b := []byte{hashedCollection}
	b = binary.LittleEndian.AppendUint64(b, uint64(c.incarnation))
	b = binary.LittleEndian.AppendUint64(b, c.version)
	b = append(b, c.documents[:]...)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(c.name)))
	b = append(b, c.name...)
	b = append(b, c.canonical...)
	return half(sha256.Sum256(b))
}

func droppedDigest(c schema.Incarnation) Digest {
	return half(sha256.Sum256(binary.LittleEndian.AppendUint64([]byte{hashedDropped}, uint64(c))))
}

func ownershipDigest(epoch uint64, owned *SlotSet) Digest {
	b := binary.LittleEndian.AppendUint64([]byte{hashedOwnership}, epoch)
	for _, w := range owned.bits {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return half(sha256.Sum256(b))
}

// root covers everything.
func (s *state) root() Digest {
	d := s.fixed()
	for _, c := range s.collections {
		d.add(collectionDigest(c))
	}
	return d
}

// rest covers everything but documents.
func (s *state) rest() Digest {
	d := s.fixed()
	for _, c := range s.collections {
		empty := *c
		empty.documents = Digest{}
		d.add(collectionDigest(&empty))
	}
	return d
}

// fixed covers what belongs to no present collection.
func (s *state) fixed() Digest {
	d := s.quarantine.sum
	d.add(s.window.sum)
	for _, c := range s.dropped {
		d.add(droppedDigest(c))
	}
	d.add(ownershipDigest(s.epoch, s.owned))
	return d
}
