package engine

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/jetseek/jetseek/engine/outcome"
)

// KeptOutcomes is how many outcomes of operations with a request key an index remembers: those of the last ones.
const KeptOutcomes = 65_536

// window holds the outcomes of the last operations that had a request key and were decided, so that one which comes again is answered as the first time and done once. It
// is part of the state, and of its digest. Entries are numbered from 0 in the order of the log; number n stands at n modulo the size. Pages are shared between
// snapshots and copied before they are changed, like those of slotTable. The zero value is empty.
type window struct {
	round uint64
	added uint64 // entries ever; the last KeptOutcomes of them are held
	pages *[windowPages]*windowPage
	sum   Digest // of the entries held, each with its number
}

const (
	pageOutcomes = 256
	windowPages  = KeptOutcomes / pageOutcomes
)

type windowPage struct {
	round   uint64
	entries [pageOutcomes]kept
}

// kept is the outcome of one operation with a request key.
type kept struct {
	key  keyHash
	id   [16]byte // of the document, a hash
	slot uint16   // of the document: the entries of a slot go where it goes
	kind OpKind
	code outcome.Code

	version uint64
}

// keyHash names a request key within its collection: the first half of a SHA-256, so that long keys take no more room than short ones.
type keyHash [16]byte

func hashKey(op *Op) keyHash {
	var space [8 + 128]byte
	b := binary.LittleEndian.AppendUint64(space[:0], uint64(op.Collection))
	return half(sha256.Sum256(append(b, op.Key...)))
}

func hashDocument(id string) [16]byte {
	var space [128]byte
	return half(sha256.Sum256(append(space[:0], id...)))
}

// first and end bound the numbers of the entries that are held.
func (w *window) first() uint64 { return w.added - min(w.added, KeptOutcomes) }
func (w *window) end() uint64   { return w.added }

// at gives an entry that is held.
func (w *window) at(n uint64) *kept {
	n %= KeptOutcomes
	return &w.pages[n/pageOutcomes].entries[n%pageOutcomes]
}

// add takes an entry in, and tells which one, if any, left for it.
func (w *window) add(k kept, round uint64) (left kept, full bool) {
	n := w.added
	full = n >= KeptOutcomes
	place := w.change(n%KeptOutcomes, round)
	if full {
		left = *place
		w.sum.sub(left.digest(n - KeptOutcomes))
	}
	*place = k
	w.sum.add(k.digest(n))
	w.added++
	return left, full
}

// change gives a place for changing it in this round.
func (w *window) change(at, round uint64) *kept {
	if w.pages == nil || w.round != round {
		pages := [windowPages]*windowPage{}
		if w.pages != nil {
			pages = *w.pages
		}
		w.pages, w.round = &pages, round
	}
	p := w.pages[at/pageOutcomes]
	switch {
	case p == nil:
		p = &windowPage{round: round}
		w.pages[at/pageOutcomes] = p
	case p.round != round:
		c := *p
		c.round = round
		p = &c
		w.pages[at/pageOutcomes] = p
	}
	return &p.entries[at%pageOutcomes]
}

// digest is what entry n adds to the digest of the state.
func (k *kept) digest(n uint64) Digest {
	var space [1 + 8 + keptBytes]byte
	b := binary.LittleEndian.AppendUint64(append(space[:0], hashedKept), n)
	return half(sha256.Sum256(k.append(b)))
}

// keptBytes is the size of an entry in bytes: key 16, id 16, slot u16, kind u8, outcome u8, version u64, integers little-endian.
const keptBytes = 16 + 16 + 2 + 1 + 1 + 8

func (k *kept) append(b []byte) []byte {
	b = append(append(b, k.key[:]...), k.id[:]...)
	b = binary.LittleEndian.AppendUint16(b, k.slot)
	b = append(b, byte(k.kind), byte(k.code))
	return binary.LittleEndian.AppendUint64(b, k.version)
}

// append gives the window as bytes: the number of entries ever added, u64, then the entries held, oldest first.
func (w *window) append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint64(b, w.added)
	for n := w.first(); n < w.end(); n++ {
		b = w.at(n).append(b)
	}
	return b
}

// errWindow says that bytes are no window.
var errWindow = errors.New("no window of outcomes")

// readWindow reads what append gave.
func readWindow(b []byte) (window, error) {
	if len(b) < 8 {
		return window{}, fmt.Errorf("%w: %d bytes", errWindow, len(b))
	}
	var w window
	added := binary.LittleEndian.Uint64(b)
	held := min(added, KeptOutcomes)
	if b = b[8:]; uint64(len(b)) != held*keptBytes {
		return window{}, fmt.Errorf("%w: %d bytes for %d entries", errWindow, len(b), held)
	}
	w.added = added - held
	for ; len(b) > 0; b = b[keptBytes:] {
		k := kept{
			key: keyHash(b), id: [16]byte(b[16:]), slot: binary.LittleEndian.Uint16(b[32:]),
			kind: OpKind(b[34]), code: outcome.Code(b[35]), version: binary.LittleEndian.Uint64(b[36:]),
		}
		if k.slot >= Slots || k.kind != OpPut && k.kind != OpDelete || k.code.String() == "" {
			return window{}, fmt.Errorf("%w: an entry of slot %d, kind %d and outcome %d", errWindow, k.slot, k.kind, k.code)
		}
		*w.change(w.added%KeptOutcomes, 0) = k
		w.sum.add(k.digest(w.added))
		w.added++
	}
	return w, nil
}

// numbers gives the numbers of the entries held by their keys.
func (w *window) numbers() map[keyHash]uint64 {
	numbers := make(map[keyHash]uint64)
	for n := w.first(); n < w.end(); n++ {
		numbers[w.at(n).key] = n
	}
	return numbers
}

// once applies an operation with a request key, unless one with the key was decided among the last ones: then its outcome is given, and nothing is done. The key
// of another id or kind is a conflict.
func (a *applying) once(m *Message, i int) (outcome.Outcome, bool, error) {
	op := &m.Ops[i]
	key, id := hashKey(op), hashDocument(op.ID)
	if n, ok := a.index.keys[key]; ok {
		first := a.state.window.at(n)
		if first.id != id || first.kind != op.Kind {
			return verdict(outcome.KeyConflict), false, nil
		}
		return outcome.Outcome{Code: first.code, Version: first.version, Repeated: true}, false, nil
	}
	out, _, err := a.write(m, i)
	if err != nil {
		return out, false, err
	}
	k := kept{key: key, id: id, slot: op.Slot, kind: op.Kind, code: out.Code, version: out.Version}
	a.index.keys[key] = a.state.window.added
	if left, full := a.state.window.add(k, a.round); full {
		delete(a.index.keys, left.key)
	}
	return out, true, nil
}
