package wire

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// Lease is the payload of [KindLease]: the member may serve for the duration, counted by its own clock from before the publish. With it the member tells what it
// held at the last mark that it has passed: every member that applies the record has passed it too, and compares.
type Lease struct {
	Member      string // "g0/n1"
	Incarnation uint64
	DurationMs  uint32
	Mark        uint64 // sequence of the mark; 0: none yet
	Digest      Digest // of all that the member held there
}

// Release is the payload of [KindRelease]: the leases of this incarnation of the member end.
type Release struct {
	Member      string
	Incarnation uint64
}

// Evict is the payload of [KindEvict]: lease G of this incarnation of the member has certainly run out. If the incarnation has taken another meanwhile it means nothing.
type Evict struct {
	Member      string
	Incarnation uint64
	G           uint64 // sequence of its newest lease, as the sender knew it
}

// Own is the payload of [KindOwn]: the group owns exactly these slots from here on.
type Own struct {
	Epoch  uint64
	Ranges []SlotRange // ascending, disjoint, not touching
}

// Has tells whether the slot is among the ranges.
func (o *Own) Has(slot uint16) bool {
	_, found := slices.BinarySearchFunc(o.Ranges, slot, func(r SlotRange, slot uint16) int {
		switch {
		case r.To < slot:
			return -1
		case r.From > slot:
			return 1
		}
		return 0
	})
	return found
}

// SlotRange is a range of slots, both ends included.
type SlotRange struct{ From, To uint16 }

// Genesis is the payload of [KindGenesis].
type Genesis struct {
	Log        UUID
	Group      string
	Generation uint32 // of the group's stream, from 1
	FirstSeq   uint64 // the sequence of this message
	By         string // the member that wrote it
}

// Commit is the payload of [KindCommit]: the ownership entry at sequence Own was the newest when the record was stored, for its publish was guarded by that. So
// ownership is decided of every operation between the two.
type Commit struct {
	Own uint64
}

// Pin is the payload of [KindPin]: members keep their snapshot at the place of the record; or, where At is not 0, the one that they keep from an earlier record at
// that sequence for longer.
type Pin struct {
	At uint64
}

// AppendLease appends the payload to dst.
func AppendLease(dst []byte, l *Lease) []byte {
	dst = appendStr(dst, l.Member)
	dst = appendU64(dst, l.Incarnation)
	dst = appendUvarint(appendUvarint(dst, uint64(l.DurationMs)), l.Mark)
	return append(dst, l.Digest[:]...)
}

// DecodeLease reads the payload of a lease.
func DecodeLease(b []byte) (Lease, error) {
	r := &reader{b: b}
	l := Lease{Member: r.str(MaxNameBytes), Incarnation: r.u64(), DurationMs: r.uvarint32(), Mark: r.uvarint(), Digest: readDigest(r)}
	return l, payloadError("lease", r)
}

// AppendRelease appends the payload to dst.
func AppendRelease(dst []byte, l *Release) []byte {
	return appendU64(appendStr(dst, l.Member), l.Incarnation)
}

// DecodeRelease reads the payload of a release.
func DecodeRelease(b []byte) (Release, error) {
	r := &reader{b: b}
	l := Release{Member: r.str(MaxNameBytes), Incarnation: r.u64()}
	return l, payloadError("release", r)
}

// AppendEvict appends the payload to dst.
func AppendEvict(dst []byte, e *Evict) []byte {
	return appendUvarint(appendU64(appendStr(dst, e.Member), e.Incarnation), e.G)
}

// DecodeEvict reads the payload of an eviction.
func DecodeEvict(b []byte) (Evict, error) {
	r := &reader{b: b}
	e := Evict{Member: r.str(MaxNameBytes), Incarnation: r.u64(), G: r.uvarint()}
	return e, payloadError("evict", r)
}

// AppendPin appends the payload to dst.
func AppendPin(dst []byte, p *Pin) []byte { return appendUvarint(dst, p.At) }

// DecodePin reads the payload of a pin.
func DecodePin(b []byte) (Pin, error) {
	r := &reader{b: b}
	p := Pin{At: r.uvarint()}
	return p, payloadError("pin", r)
}

// AppendOwn appends the payload to dst.
func AppendOwn(dst []byte, o *Own) []byte {
	dst = appendUvarint(dst, o.Epoch)
	return appendRanges(dst, o.Ranges)
}

// DecodeOwn reads the payload of an ownership entry, whose ranges it checks.
func DecodeOwn(b []byte) (Own, error) {
	r := &reader{b: b}
	o := Own{Epoch: r.uvarint(), Ranges: readRanges(r)}
	return o, payloadError("own", r)
}

func appendRanges(dst []byte, ranges []SlotRange) []byte {
	dst = appendUvarint(dst, uint64(len(ranges)))
	for _, s := range ranges {
		dst = binary.LittleEndian.AppendUint16(dst, s.From)
		dst = binary.LittleEndian.AppendUint16(dst, s.To)
	}
	return dst
}

// readRanges reads ranges of slots that are ascending, disjoint and do not touch.
func readRanges(r *reader) (ranges []SlotRange) {
	next := 0 // the least slot that a range may begin at
	for range r.count(4) {
		p := r.take(4)
		s := SlotRange{From: binary.LittleEndian.Uint16(p), To: binary.LittleEndian.Uint16(p[2:])}
		if int(s.From) < next || s.To < s.From || s.To > 1<<14-1 {
			r.fail("range %d to %d", s.From, s.To)
			break
		}
		next = int(s.To) + 2
		ranges = append(ranges, s)
	}
	return ranges
}

// AppendGenesis appends the payload to dst.
func AppendGenesis(dst []byte, g *Genesis) []byte {
	dst = append(dst, g.Log[:]...)
	dst = appendStr(dst, g.Group)
	dst = appendUvarint(dst, uint64(g.Generation))
	dst = appendUvarint(dst, g.FirstSeq)
	return appendStr(dst, g.By)
}

// DecodeGenesis reads the payload of a genesis.
func DecodeGenesis(b []byte) (Genesis, error) {
	r := &reader{b: b}
	var g Genesis
	copy(g.Log[:], r.take(len(g.Log)))
	g.Group = r.str(MaxNameBytes)
	g.Generation = r.uvarint32()
	g.FirstSeq = r.uvarint()
	g.By = r.str(MaxNameBytes)
	return g, payloadError("genesis", r)
}

// AppendCommit appends the payload to dst.
func AppendCommit(dst []byte, c *Commit) []byte { return appendUvarint(dst, c.Own) }

// DecodeCommit reads the payload of a commit record.
func DecodeCommit(b []byte) (Commit, error) {
	r := &reader{b: b}
	c := Commit{Own: r.uvarint()}
	return c, payloadError("commit", r)
}

func payloadError(what string, r *reader) error {
	if err := r.end(); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}
