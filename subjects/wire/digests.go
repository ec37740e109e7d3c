package wire

import (
	"encoding/binary"

	"github.com/jetseek/jetseek/engine/schema"
)

// DigestRequest asks a member what it held at a mark, in digests: a lease, a barrier or a checkpoint record of the log, of which it remembers the last ones. It is answered in
// every state but without a lease too, since nobody is shown a document by it. The slots of collections are told only where they are named.
type DigestRequest struct {
	Head
	At          uint64 // the mark's sequence, which is waited for
	Collections []schema.Incarnation
}

// DigestReply answers a [DigestRequest].
type DigestReply struct {
	Frame
	Root      Digest             // of all
	Rest      Digest             // of all that is no document
	Documents []CollectionDigest // of every collection that has documents, by incarnation
	Slots     []SlotDigests      // of those that were named
}

// CollectionDigest is the digest of the documents of a collection.
type CollectionDigest struct {
	Collection schema.Incarnation
	Digest     Digest
}

// SlotDigests are the digests of the slots of a collection, ascending; those without documents are left out.
type SlotDigests struct {
	Collection schema.Incarnation
	Slots      []SlotDigest
}

// SlotDigest is the digest of the documents of a slot, and how many they are.
type SlotDigest struct {
	Slot      uint16
	Documents uint32
	Digest    Digest
}

// RepairRequest has a member prove what it held at a mark by a replay of the log, and mend itself if it is in the wrong. It is answered at once, with how far that is: the same
// request asks again.
type RepairRequest struct {
	Head
	At    uint64          // the mark's sequence
	Whole bool            // all that the member holds is in doubt
	Slots []SelectedSlots // else the documents of these slots, by incarnation
}

// SelectedSlots is some slots of a collection.
type SelectedSlots struct {
	Collection schema.Incarnation
	Ranges     []SlotRange // ascending, disjoint, not touching
}

// RepairReply answers a [RepairRequest].
type RepairReply struct {
	Frame
	Phase     string // running, right (the log says what the member held), repaired, failed
	Documents uint64 // that were mended
	Reason    string // of failed
}

// The phases of a repair.
const (
	RepairRunning  = "running"
	RepairRight    = "right"
	RepairRepaired = "repaired"
	RepairFailed   = "failed"
)

// AppendDigestRequest appends the binary form to dst.
func AppendDigestRequest(dst []byte, q *DigestRequest) []byte {
	dst = appendHead(append(dst, binaryV1, kindDigestRequest), &q.Head)
	dst = appendUvarint(appendUvarint(dst, q.At), uint64(len(q.Collections)))
	for _, c := range q.Collections {
		dst = appendU64(dst, uint64(c))
	}
	return dst
}

// DecodeDigestRequest reads the binary form.
func DecodeDigestRequest(b []byte) (*DigestRequest, error) {
	r := open(b, kindDigestRequest)
	q := &DigestRequest{Head: readHead(r), At: r.uvarint()}
	for range r.count(8) {
		q.Collections = append(q.Collections, schema.Incarnation(r.u64()))
	}
	return finish(q, "digest request", r)
}

// AppendDigestReply appends the binary form to dst.
func AppendDigestReply(dst []byte, p *DigestReply) []byte {
	dst = appendFrame(append(dst, binaryV1, kindDigestReply), &p.Frame)
	if p.Err != nil {
		return dst
	}
	dst = append(append(dst, p.Root[:]...), p.Rest[:]...)
	dst = appendUvarint(dst, uint64(len(p.Documents)))
	for i := range p.Documents {
		dst = append(appendU64(dst, uint64(p.Documents[i].Collection)), p.Documents[i].Digest[:]...)
	}
	dst = appendUvarint(dst, uint64(len(p.Slots)))
	for i := range p.Slots {
		dst = appendU64(dst, uint64(p.Slots[i].Collection))
		dst = appendUvarint(dst, uint64(len(p.Slots[i].Slots)))
		for _, s := range p.Slots[i].Slots {
			dst = binary.LittleEndian.AppendUint16(dst, s.Slot)
			dst = append(appendUvarint(dst, uint64(s.Documents)), s.Digest[:]...)
		}
	}
	return dst
}

// DecodeDigestReply reads the binary form, whose order it checks.
func DecodeDigestReply(b []byte) (*DigestReply, error) {
	r := open(b, kindDigestReply)
	p := &DigestReply{Frame: readFrame(r)}
	if p.Err != nil {
		return finish(p, "digest reply", r)
	}
	p.Root, p.Rest = readDigest(r), readDigest(r)
	for i := range r.count(24) {
		c := CollectionDigest{schema.Incarnation(r.u64()), readDigest(r)}
		if i > 0 && c.Collection <= p.Documents[i-1].Collection {
			r.fail("collections are not in order")
		}
		p.Documents = append(p.Documents, c)
	}
	for range r.count(9) {
		c := SlotDigests{Collection: schema.Incarnation(r.u64())}
		for i := range r.count(19) {
			s := SlotDigest{readSlot(r), r.uvarint32(), readDigest(r)}
			if i > 0 && s.Slot <= c.Slots[i-1].Slot {
				r.fail("slot %d", s.Slot)
			}
			c.Slots = append(c.Slots, s)
		}
		p.Slots = append(p.Slots, c)
	}
	return finish(p, "digest reply", r)
}

func readDigest(r *reader) (d Digest) {
	copy(d[:], r.take(len(d)))
	return d
}

func readSlot(r *reader) uint16 {
	b := r.take(2)
	if b == nil {
		return 0
	}
	slot := binary.LittleEndian.Uint16(b)
	if slot > 1<<14-1 {
		r.fail("slot %d", slot)
	}
	return slot
}

// AppendRepairRequest appends the binary form to dst.
func AppendRepairRequest(dst []byte, q *RepairRequest) []byte {
	dst = appendHead(append(dst, binaryV1, kindRepairRequest), &q.Head)
	dst = appendFlag(appendUvarint(dst, q.At), q.Whole)
	dst = appendUvarint(dst, uint64(len(q.Slots)))
	for i := range q.Slots {
		dst = appendRanges(appendU64(dst, uint64(q.Slots[i].Collection)), q.Slots[i].Ranges)
	}
	return dst
}

// DecodeRepairRequest reads the binary form, whose ranges it checks.
func DecodeRepairRequest(b []byte) (*RepairRequest, error) {
	r := open(b, kindRepairRequest)
	q := &RepairRequest{Head: readHead(r), At: r.uvarint(), Whole: r.flag()}
	for i := range r.count(9) {
		s := SelectedSlots{schema.Incarnation(r.u64()), readRanges(r)}
		if i > 0 && s.Collection <= q.Slots[i-1].Collection {
			r.fail("collections are not in order")
		}
		q.Slots = append(q.Slots, s)
	}
	return finish(q, "repair request", r)
}

// AppendRepairReply appends the binary form to dst.
func AppendRepairReply(dst []byte, p *RepairReply) []byte {
	dst = appendFrame(append(dst, binaryV1, kindRepairReply), &p.Frame)
	if p.Err != nil {
		return dst
	}
	return appendStr(appendUvarint(appendStr(dst, p.Phase), p.Documents), p.Reason)
}

// DecodeRepairReply reads the binary form.
func DecodeRepairReply(b []byte) (*RepairReply, error) {
	r := open(b, kindRepairReply)
	p := &RepairReply{Frame: readFrame(r)}
	if p.Err != nil {
		return finish(p, "repair reply", r)
	}
	p.Phase, p.Documents, p.Reason = r.str(MaxNameBytes), r.uvarint(), r.str(MaxTextBytes)
	return finish(p, "repair reply", r)
}
