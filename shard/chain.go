package shard

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/jetseek/jetseek/subjects/wire"
)

// place is a place in a log that a member has reached, and what the log was up to there. Two members at one sequence have applied the same messages when
// their chains are equal; a member that finds another chain, or another message, at a place where it has been looks at a log that was rewritten.
type place struct {
	log     wire.UUID
	seq     uint64
	payload [sha256.Size]byte // SHA-256 of message seq
	chain   [sha256.Size]byte // H(chain before || seq || payload), from zeros before message 1
}

// next gives the place after the message that follows, whose payload has the hash.
func (p place) next(payload [sha256.Size]byte) place {
	var b [2*sha256.Size + 8]byte
	copy(b[:], p.chain[:])
	binary.LittleEndian.PutUint64(b[sha256.Size:], p.seq+1)
	copy(b[sha256.Size+8:], payload[:])
	return place{log: p.log, seq: p.seq + 1, payload: payload, chain: sha256.Sum256(b[:])}
}

// The form of a place on disk: magic, uuid, sequence, payload hash, chain, and the first bytes of the SHA-256 of all that.
const (
	placeMagic    = "JSPL1\n\x00\x00"
	placeSumBytes = 8
	placeBytes    = len(placeMagic) + len(wire.UUID{}) + 8 + 2*sha256.Size + placeSumBytes
)

// errNoPlace is the error for bytes that are no place.
var errNoPlace = errors.New("no place in a log")

// Append appends the place to dst.
func (p place) Append(dst []byte) []byte {
	start := len(dst)
	dst = append(dst, placeMagic...)
	dst = append(dst, p.log[:]...)
	dst = binary.LittleEndian.AppendUint64(dst, p.seq)
	dst = append(dst, p.payload[:]...)
	dst = append(dst, p.chain[:]...)
	sum := sha256.Sum256(dst[start:])
	return append(dst, sum[:placeSumBytes]...)
}

// decodePlace reads what [place.Append] made, and nothing else.
func decodePlace(b []byte) (place, error) {
	if len(b) != placeBytes || string(b[:len(placeMagic)]) != placeMagic {
		return place{}, fmt.Errorf("%w in %d bytes", errNoPlace, len(b))
	}
	body := b[:placeBytes-placeSumBytes]
	if sum := sha256.Sum256(body); string(sum[:placeSumBytes]) != string(b[len(body):]) {
		return place{}, fmt.Errorf("%w: its checksum differs", errNoPlace)
	}
	var p place
	body = body[len(placeMagic):]
	body = body[copy(p.log[:], body):]
	p.seq = binary.LittleEndian.Uint64(body)
	body = body[8:]
	body = body[copy(p.payload[:], body):]
	copy(p.chain[:], body)
	return p, nil
}
