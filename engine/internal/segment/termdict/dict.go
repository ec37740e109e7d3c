package termdict

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/jetseek/jetseek/engine/internal/segment/cursor"
	"github.com/jetseek/jetseek/engine/internal/segment/postings"
)

// ErrCorrupt says that bytes are no dictionary.
var ErrCorrupt = errors.New("corrupt term dictionary")

const trailer = 5 // terms u32, flags u8

// Dict reads a dictionary. It may be used from any goroutine. The zero value has no terms.
type Dict struct {
	b      []byte   // the blocks
	starts []byte   // u32 each
	heads  []uint64 // of the blocks' first terms: a search in them touches a fraction of the memory that one in the blocks would
	terms  int
	text   bool
}

// Open reads the frame of a dictionary, and keeps eight bytes of heap for each block of terms; entries are read, and their faults found, when they are asked for.
func Open(b []byte) (Dict, error) {
	if len(b) < trailer {
		return Dict{}, fmt.Errorf("%w: %d bytes", ErrCorrupt, len(b))
	}
	end := len(b) - trailer
	terms, flags := int(binary.LittleEndian.Uint32(b[end:])), b[len(b)-1]
	blocks := (terms + blockLen - 1) / blockLen
	if flags > 1 || blocks > end/4 {
		return Dict{}, fmt.Errorf("%w: %d terms, flags %d in %d bytes", ErrCorrupt, terms, flags, len(b))
	}
	d := Dict{b: b[:end-4*blocks], starts: b[end-4*blocks : end], terms: terms, text: flags == 1, heads: make([]uint64, blocks)}
	for i := range d.heads {
		d.heads[i] = ^uint64(0) // a block that cannot be read stands behind every term
		if e := d.entries(i); e.next() {
			d.heads[i] = Head(e.rest)
		}
	}
	return d, nil
}

// Head gives a term's first eight bytes as a number in their order, by which most comparisons are decided; missing bytes count as zero.
func Head[T string | []byte](term T) uint64 {
	if len(term) >= 8 {
		return uint64(term[0])<<56 | uint64(term[1])<<48 | uint64(term[2])<<40 | uint64(term[3])<<32 |
			uint64(term[4])<<24 | uint64(term[5])<<16 | uint64(term[6])<<8 | uint64(term[7])
	}
	var h uint64
	for i := range len(term) {
		h |= uint64(term[i]) << (56 - 8*i)
	}
	return h
}

// Len gives the number of terms.
func (d *Dict) Len() int { return d.terms }

// Lookup finds a term: its ordinal and list. The third result is false when there is no such term, or the bytes are corrupt.
func (d *Dict) Lookup(term string) (int, postings.Ref, bool) {
	block := d.block(term)
	if block < 0 {
		return 0, postings.Ref{}, false
	}
	e := d.entries(block)
	match := 0 // bytes of term that the entry before has in common with it
	for e.next() {
		if e.shared < match {
			break
		}
		if e.shared > match {
			continue
		}
		match += commonPrefix(e.rest, term[match:])
		if match == len(term) {
			if match == e.shared+len(e.rest) {
				return e.ord, e.ref, true
			}
			break
		}
		if at := match - e.shared; at < len(e.rest) && e.rest[at] > term[match] {
			break
		}
	}
	return 0, postings.Ref{}, false
}

// Seek gives an iterator on the first term at or behind the given one. It reads whole terms into its own buffer.
func (d *Dict) Seek(term string) *Iterator {
	it := &Iterator{dict: d, block: max(d.block(term), 0)}
	it.entries = d.entries(it.block)
	for it.Next() && string(it.term) < term {
	}
	return it
}

// Ceil gives the ordinal of the first term at or behind the given one, Len when there is none.
func (d *Dict) Ceil(term string) int {
	it := d.Seek(term)
	if !it.valid {
		return d.terms
	}
	return it.Ord()
}

// Term appends the term of an ordinal to dst; nothing when there is none.
func (d *Dict) Term(dst []byte, ord int) []byte {
	if ord < 0 || ord >= d.terms {
		return dst
	}
	from := len(dst)
	e := d.entries(ord / blockLen)
	for range ord%blockLen + 1 {
		if !e.next() || e.shared > len(dst)-from {
			return dst[:from]
		}
		dst = append(dst[:from+e.shared], e.rest...)
	}
	return dst
}

// block gives the block that must hold a term if any does: the last one whose first term is not behind it; -1 when there is none.
func (d *Dict) block(term string) int {
	head := Head(term)
	from, n := 0, len(d.heads) // among these n blocks is the first one behind the term, if there is one
	for n > 0 {
		half := n / 2
		if at := from + half; d.heads[at] < head || d.heads[at] == head && !d.behind(at, term) {
			from, n = at+1, n-half-1
		} else {
			n = half
		}
	}
	return from - 1
}

// behind tells whether the first term of a block lies behind a term.
func (d *Dict) behind(block int, term string) bool {
	e := d.entries(block)
	return !e.next() || string(e.rest) > term
}

// entries reads the entries of a block in order.
func (d *Dict) entries(block int) entries {
	if block >= len(d.starts)/4 {
		return entries{}
	}
	e := entries{
		b:    d.b,
		ord:  block*blockLen - 1,
		left: min(blockLen, d.terms-block*blockLen),
		text: d.text,
	}
	e.docEnd, e.at = cursor.Uvarint(d.b, int(binary.LittleEndian.Uint32(d.starts[4*block:])))
	e.posEnd, e.at = cursor.Uvarint(d.b, e.at)
	return e
}

type entries struct {
	b              []byte
	at             int // of the next entry in b; above its length: the bytes are corrupt
	left, ord      int
	text           bool
	shared         int
	rest           []byte
	ref            postings.Ref
	docEnd, posEnd uint64 // of the list before
}

// next reads an entry; false behind the last one, or when the bytes are corrupt.
func (e *entries) next() bool {
	if e.left == 0 {
		return false
	}
	b, at := e.b, e.at
	var shared, rest uint64
	if at+1 < len(b) && b[at]|b[at+1] < 0x80 { // mostly
		shared, rest, at = uint64(b[at]), uint64(b[at+1]), at+2
	} else {
		shared, at = cursor.Uvarint(b, at)
		rest, at = cursor.Uvarint(b, at)
	}
	if at > len(b) || rest > uint64(len(b)-at) {
		return e.fail()
	}
	e.rest = b[at : at+int(rest) : at+int(rest)]
	df, at := cursor.Uvarint(b, at+int(rest))
	var doc, freq, docLen, posLen uint64
	if df == 1 {
		doc, at = cursor.Uvarint(b, at)
		if e.text {
			freq, at = cursor.Uvarint(b, at)
		}
	} else {
		docLen, at = cursor.Uvarint(b, at)
	}
	if e.text {
		posLen, at = cursor.Uvarint(b, at)
	}
	if at > len(b) || max(shared, df, doc, freq) > math.MaxUint32 {
		return e.fail()
	}
	e.shared, e.at = int(shared), at
	e.ref = postings.Ref{DF: uint32(df), Doc: uint32(doc), Freq: uint32(freq), DocOff: e.docEnd, DocLen: docLen, PosOff: e.posEnd, PosLen: posLen}
	e.docEnd += docLen
	e.posEnd += posLen
	e.left--
	e.ord++
	return true
}

// fail makes this and all later calls of next give false.
func (e *entries) fail() bool {
	e.left, e.at = 0, len(e.b)+1
	return false
}

// ok tells whether all bytes read so far were entries.
func (e *entries) ok() bool { return e.at <= len(e.b) }

// Iterator walks terms in order.
type Iterator struct {
	dict    *Dict
	block   int
	entries entries
	term    []byte
	valid   bool
}

// All gives an iterator before the first term: call Next first.
func (d *Dict) All() *Iterator { return &Iterator{dict: d, entries: d.entries(0)} }

// Valid tells whether the iterator stands on a term.
func (it *Iterator) Valid() bool { return it.valid }

// Next goes to the next term; false when there is none.
func (it *Iterator) Next() bool {
	if it.entries.left == 0 && (it.block+1)*blockLen < it.dict.terms {
		it.block++
		it.entries = it.dict.entries(it.block)
	}
	it.valid = it.entries.next() && it.entries.shared <= len(it.term)
	if it.valid {
		it.term = append(it.term[:it.entries.shared], it.entries.rest...)
	}
	return it.valid
}

// Term gives the term; the bytes are the iterator's until Next.
func (it *Iterator) Term() []byte { return it.term }

// Ord gives the term's ordinal.
func (it *Iterator) Ord() int { return it.entries.ord }

// Ref gives the term's list.
func (it *Iterator) Ref() postings.Ref { return it.entries.ref }
