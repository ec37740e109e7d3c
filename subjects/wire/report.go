package wire

import (
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/jetseek/jetseek/engine/outcome"
)

// Report tells a record's sender what became of its operations; one goes to [Header.Reply] when they are applied and searchable.
type Report struct {
	Group       string
	Member      string // "g0/n1"
	Incarnation uint64
	Counter     uint64 // of the record: names it even to a sender whose PubAck was lost
	Seq         uint64
	Serving     bool // the member is in state serving
	Outcomes    []outcome.Outcome
	Leases      []LeaseEntry // the lease table before Seq, by member and incarnation
}

// LeaseEntry is a line of the lease table, which follows from the log.
type LeaseEntry struct {
	Member      string `json:"member"`
	Incarnation uint64 `json:"incarnation"`
	G           uint64 `json:"g"` // sequence of the newest lease
	DurationMs  uint32 `json:"duration_ms"`
}

// Watermark tells how far a member is: after it has applied, coalesced, and regularly while idle.
type Watermark struct {
	Group       string       `json:"group"`
	Member      string       `json:"member"` // "g0/n1"
	Incarnation uint64       `json:"incarnation"`
	Counter     uint64       `json:"counter"` // rises with every watermark of the incarnation: an older one that comes late is ignored
	Applied     uint64       `json:"applied"`
	ContentSeq  uint64       `json:"content_seq"`
	Head        uint64       `json:"head"` // the stream's last sequence, as far as the member knows
	Epoch       uint64       `json:"epoch"`
	Documents   uint64       `json:"documents"`
	Digest      Digest       `json:"digest"` // of the content at Applied
	State       string       `json:"state"`
	Leases      []LeaseEntry `json:"leases"` // the lease table at Applied
}

// Digest is a content digest; hex in JSON.
type Digest [16]byte

// MarshalText gives 32 hex digits.
func (d Digest) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, d[:]), nil }

// UnmarshalText takes 32 hex digits.
func (d *Digest) UnmarshalText(b []byte) error { return (*UUID)(d).UnmarshalText(b) }

// String gives 32 hex digits.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// outcomeRepeated stands in the byte of an outcome's code when it was decided before.
const outcomeRepeated = 0x80

// AppendReport appends the binary form to dst.
func AppendReport(dst []byte, p *Report) []byte {
	dst = append(dst, binaryV1, kindReport)
	dst = appendStr(dst, p.Group)
	dst = appendStr(dst, p.Member)
	dst = appendU64(dst, p.Incarnation)
	dst = appendUvarint(dst, p.Counter)
	dst = appendUvarint(dst, p.Seq)
	dst = appendFlag(dst, p.Serving)
	dst = appendUvarint(dst, uint64(len(p.Outcomes)))
	for _, o := range p.Outcomes {
		code := uint8(o.Code)
		if o.Repeated {
			code |= outcomeRepeated
		}
		dst = appendUvarint(append(dst, code), o.Version)
	}
	return appendLeases(dst, p.Leases)
}

// DecodeReport reads the binary form.
func DecodeReport(b []byte) (*Report, error) {
	r := open(b, kindReport)
	p := &Report{Group: r.str(MaxNameBytes), Member: r.str(MaxNameBytes), Incarnation: r.u64(), Counter: r.uvarint(), Seq: r.uvarint(), Serving: r.flag()}
	if n := r.count(2); n > 0 {
		p.Outcomes = make([]outcome.Outcome, n)
	}
	for i := range p.Outcomes {
		code := r.u8()
		p.Outcomes[i] = outcome.Outcome{Code: outcome.Code(code &^ outcomeRepeated), Version: r.uvarint(), Repeated: code&outcomeRepeated != 0}
	}
	p.Leases = readLeases(r)
	return finish(p, "report", r)
}

// AppendWatermark appends the binary form to dst.
func AppendWatermark(dst []byte, w *Watermark) []byte {
	dst = append(dst, binaryV1, kindWatermark)
	dst = appendStr(dst, w.Group)
	dst = appendStr(dst, w.Member)
	dst = appendU64(dst, w.Incarnation)
	for _, v := range [...]uint64{w.Counter, w.Applied, w.ContentSeq, w.Head, w.Epoch, w.Documents} {
		dst = appendUvarint(dst, v)
	}
	dst = append(dst, w.Digest[:]...)
	dst = appendStr(dst, w.State)
	return appendLeases(dst, w.Leases)
}

// DecodeWatermark reads either form.
func DecodeWatermark(b []byte) (*Watermark, error) {
	if IsJSON(b) {
		w := new(Watermark)
		if err := json.Unmarshal(b, w); err != nil {
			return nil, fmt.Errorf("watermark: %w", malformed(err))
		}
		return w, nil
	}
	r := open(b, kindWatermark)
	w := &Watermark{Group: r.str(MaxNameBytes), Member: r.str(MaxNameBytes), Incarnation: r.u64()}
	for _, p := range [...]*uint64{&w.Counter, &w.Applied, &w.ContentSeq, &w.Head, &w.Epoch, &w.Documents} {
		*p = r.uvarint()
	}
	copy(w.Digest[:], r.take(len(w.Digest)))
	w.State = r.str(MaxNameBytes)
	w.Leases = readLeases(r)
	return finish(w, "watermark", r)
}

func appendLeases(dst []byte, list []LeaseEntry) []byte {
	dst = appendUvarint(dst, uint64(len(list)))
	for i := range list {
		dst = appendStr(dst, list[i].Member)
		dst = appendU64(dst, list[i].Incarnation)
		dst = appendUvarint(dst, list[i].G)
		dst = appendUvarint(dst, uint64(list[i].DurationMs))
	}
	return dst
}

func readLeases(r *reader) []LeaseEntry {
	n := r.count(11)
	if n == 0 {
		return nil
	}
	list := make([]LeaseEntry, n)
	for i := range list {
		list[i] = LeaseEntry{Member: r.str(MaxNameBytes), Incarnation: r.u64(), G: r.uvarint(), DurationMs: r.uvarint32()}
	}
	return list
}
