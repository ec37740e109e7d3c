package wire

import (
	"encoding/binary"
	"fmt"

	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/schema"
)

// Frame stands in front of every reply of a member. A reply is one or more frames, numbered from 0; lists of frames add up in order, and what is not a list
// stands the same in each.
type Frame struct {
	Call        uint64 // these three as in the request
	Round       uint32
	Slot        uint32
	N           uint32 // number of the frame
	Last        bool
	Seq         uint64 // of the snapshot
	Epoch       uint64 // of the ownership in the snapshot
	Fingerprint uint64 // of the request's weights
	Incarnation uint64 // of the member
	Err         *Error // nil: it worked; else no body follows
}

// Reply begins the frame of the one-frame answer to a request.
func (h *Head) Reply() Frame {
	return Frame{Call: h.Call, Round: h.Round, Slot: h.Slot, Last: true}
}

// StatsReply answers a [StatsRequest], in the order in which it asked.
type StatsReply struct {
	Frame
	Stats bm25.Stats
	Near  [][]query.Expansion // of each fuzzy word asked for, in the order of [query.CompareExpansions]
}

// SearchReply answers a [SearchRequest]: the best in the total order.
type SearchReply struct {
	Frame
	Total      uint64 // documents of the group that match; above the request's CountTo: at least so many
	LeftOut    uint32 // found at the pinned snapshot and deleted since
	Candidates []query.Candidate
	Fresh      *bm25.Stats // the snapshot has other statistics than the request believes, and this is all that the reply tells; nil: it has them
	Aggs       []byte      // partial results of aggregations, as package agg encodes them; nil: none. Those of a decoded reply alias the message
	AggsErr    *Error      // why there are none though they were asked for
	Profile    []byte      // what the member did, as JSON ([GroupProfile]); nil: nobody asked. That of a decoded reply aliases the message
}

// DocsReply answers a [DocsRequest]: one an id, in order.
type DocsReply struct {
	Frame
	Docs []Doc
}

// GetReply answers a [GetRequest].
type GetReply struct {
	Frame
	Doc Doc
}

// Doc is a document, or its absence. Source of a decoded one aliases the message.
type Doc struct {
	Found   bool
	ID      string
	Version uint64
	Source  []byte
}

// PingReply answers a [PingRequest].
type PingReply struct {
	Frame
	State      string
	Applied    uint64
	ContentSeq uint64
	Documents  uint64
	Digest     Digest
}

// DecodeFrame reads the frame of any binary reply, for routing before the rest is decoded.
func DecodeFrame(b []byte) (Frame, error) {
	r := openAny(b, kindStatsReply, kindSearchReply, kindDocsReply, kindGetReply, kindPingReply, kindSlotsReply, kindExplainReply, kindHasReply,
		kindDigestReply, kindRepairReply, kindQuarantineReply, kindCompleteReply)
	f := readFrame(r)
	return f, r.err
}

// AppendStatsReply appends the binary form to dst.
func AppendStatsReply(dst []byte, p *StatsReply) []byte {
	dst = appendFrame(append(dst, binaryV1, kindStatsReply), &p.Frame)
	if p.Err != nil {
		return dst
	}
	return appendNear(appendStats(dst, &p.Stats), p.Near)
}

func appendNear(dst []byte, near [][]query.Expansion) []byte {
	dst = appendUvarint(dst, uint64(len(near)))
	for _, list := range near {
		dst = appendUvarint(dst, uint64(len(list)))
		for _, e := range list {
			dst = appendUvarint(appendUvarint(appendStr(dst, e.Term), uint64(e.Edits)), e.DF)
		}
	}
	return dst
}

func readNear(r *reader) [][]query.Expansion {
	var near [][]query.Expansion
	for range r.count(1) {
		var list []query.Expansion
		for range r.count(3) {
			list = append(list, query.Expansion{Term: r.str(schema.MaxExactBytes), Edits: int(r.uvarint32()), DF: r.uvarint()})
		}
		near = append(near, list)
	}
	return near
}

func appendStats(dst []byte, s *bm25.Stats) []byte {
	dst = appendUvarint(dst, uint64(len(s.Fields)))
	for _, f := range s.Fields {
		dst = appendUvarint(appendUvarint(dst, f.Docs), f.TotalLen)
	}
	dst = appendUvarint(dst, uint64(len(s.DF)))
	for _, df := range s.DF {
		dst = appendUvarint(dst, df)
	}
	return dst
}

func readStats(r *reader) bm25.Stats {
	var s bm25.Stats
	if n := r.count(2); n > 0 {
		s.Fields = make([]bm25.FieldStats, n)
	}
	for i := range s.Fields {
		s.Fields[i] = bm25.FieldStats{Docs: r.uvarint(), TotalLen: r.uvarint()}
	}
	if n := r.count(1); n > 0 {
		s.DF = make([]uint64, n)
	}
	for i := range s.DF {
		s.DF[i] = r.uvarint()
	}
	return s
}

// DecodeStatsReply reads the binary form.
func DecodeStatsReply(b []byte) (*StatsReply, error) {
	r := open(b, kindStatsReply)
	p := &StatsReply{Frame: readFrame(r)}
	if p.Err != nil {
		return finish(p, "stats reply", r)
	}
	p.Stats = readStats(r)
	p.Near = readNear(r)
	return finish(p, "stats reply", r)
}

// AppendSearchReply appends the binary form to dst.
func AppendSearchReply(dst []byte, p *SearchReply) []byte {
	dst = appendFrame(append(dst, binaryV1, kindSearchReply), &p.Frame)
	if p.Err != nil {
		return dst
	}
	if p.Fresh != nil {
		return appendStats(append(dst, 1), p.Fresh)
	}
	dst = appendUvarint(append(dst, 0), p.Total)
	dst = appendUvarint(dst, uint64(p.LeftOut))
	profiled := byte(0)
	if p.Profile != nil {
		profiled = replyProfile
	}
	switch {
	case p.AggsErr != nil:
		dst = appendError(append(dst, aggsFailed|profiled), p.AggsErr)
	case p.Aggs != nil:
		dst = appendStr(append(dst, aggsThere|profiled), p.Aggs)
	default:
		dst = append(dst, aggsNone|profiled)
	}
	if p.Profile != nil {
		dst = appendStr(dst, p.Profile)
	}
	return appendCandidates(dst, p.Candidates)
}

// What a search reply says of aggregations.
const (
	aggsNone = iota
	aggsThere
	aggsFailed

	replyProfile = 4 // added where a profile follows
)

// DecodeSearchReply reads the binary form. All ids and string keys are cut from one string.
func DecodeSearchReply(b []byte) (*SearchReply, error) {
	r := open(b, kindSearchReply)
	p := &SearchReply{Frame: readFrame(r)}
	if p.Err != nil {
		return finish(p, "search reply", r)
	}
	if r.flag() {
		fresh := readStats(r)
		p.Fresh = &fresh
		return finish(p, "search reply", r)
	}
	p.Total = r.uvarint()
	p.LeftOut = r.uvarint32()
	kind := r.u8()
	switch kind &^ replyProfile {
	case aggsNone:
	case aggsThere:
		p.Aggs = r.bytes(len(b))
	case aggsFailed:
		p.AggsErr = readError(r)
	default:
		r.fail("aggregations of kind %d", kind)
	}
	if kind&replyProfile != 0 {
		p.Profile = r.bytes(len(b))
	}
	p.Candidates = readCandidates(r)
	return finish(p, "search reply", r)
}

// AppendDocsReply appends the binary form to dst.
func AppendDocsReply(dst []byte, p *DocsReply) []byte {
	dst = appendFrame(append(dst, binaryV1, kindDocsReply), &p.Frame)
	if p.Err != nil {
		return dst
	}
	dst = appendUvarint(dst, uint64(len(p.Docs)))
	for i := range p.Docs {
		dst = appendDoc(dst, &p.Docs[i])
	}
	return dst
}

// DecodeDocsReply reads the binary form.
func DecodeDocsReply(b []byte) (*DocsReply, error) {
	r := open(b, kindDocsReply)
	p := &DocsReply{Frame: readFrame(r)}
	if p.Err != nil {
		return finish(p, "docs reply", r)
	}
	if n := r.count(4); n > 0 {
		p.Docs = make([]Doc, n)
	}
	for i := range p.Docs {
		p.Docs[i] = readDoc(r)
	}
	return finish(p, "docs reply", r)
}

// AppendGetReply appends the binary form to dst.
func AppendGetReply(dst []byte, p *GetReply) []byte {
	dst = appendFrame(append(dst, binaryV1, kindGetReply), &p.Frame)
	if p.Err != nil {
		return dst
	}
	return appendDoc(dst, &p.Doc)
}

// DecodeGetReply reads the binary form.
func DecodeGetReply(b []byte) (*GetReply, error) {
	r := open(b, kindGetReply)
	p := &GetReply{Frame: readFrame(r)}
	if p.Err == nil {
		p.Doc = readDoc(r)
	}
	return finish(p, "get reply", r)
}

// AppendPingReply appends the binary form to dst.
func AppendPingReply(dst []byte, p *PingReply) []byte {
	dst = appendFrame(append(dst, binaryV1, kindPingReply), &p.Frame)
	if p.Err != nil {
		return dst
	}
	dst = appendStr(dst, p.State)
	dst = appendUvarint(appendUvarint(appendUvarint(dst, p.Applied), p.ContentSeq), p.Documents)
	return append(dst, p.Digest[:]...)
}

// DecodePingReply reads the binary form.
func DecodePingReply(b []byte) (*PingReply, error) {
	r := open(b, kindPingReply)
	p := &PingReply{Frame: readFrame(r)}
	if p.Err != nil {
		return finish(p, "ping reply", r)
	}
	p.State = r.str(MaxNameBytes)
	p.Applied, p.ContentSeq, p.Documents = r.uvarint(), r.uvarint(), r.uvarint()
	copy(p.Digest[:], r.take(len(p.Digest)))
	return finish(p, "ping reply", r)
}

func appendFrame(dst []byte, f *Frame) []byte {
	dst = appendUvarint(dst, f.Call)
	dst = appendUvarint(dst, uint64(f.Round))
	dst = appendUvarint(dst, uint64(f.Slot))
	dst = appendUvarint(dst, uint64(f.N))
	dst = appendFlag(dst, f.Last)
	dst = appendUvarint(dst, f.Seq)
	dst = appendUvarint(dst, f.Epoch)
	dst = appendU64(dst, f.Fingerprint)
	dst = appendU64(dst, f.Incarnation)
	dst = appendFlag(dst, f.Err != nil)
	if f.Err != nil {
		dst = appendError(dst, f.Err)
	}
	return dst
}

func readFrame(r *reader) Frame {
	f := Frame{
		Call:        r.uvarint(),
		Round:       r.uvarint32(),
		Slot:        r.uvarint32(),
		N:           r.uvarint32(),
		Last:        r.flag(),
		Seq:         r.uvarint(),
		Epoch:       r.uvarint(),
		Fingerprint: r.u64(),
		Incarnation: r.u64(),
	}
	if r.flag() {
		f.Err = readError(r)
	}
	return f
}

func appendDoc(dst []byte, d *Doc) []byte {
	dst = appendFlag(dst, d.Found)
	dst = appendStr(dst, d.ID)
	dst = appendUvarint(dst, d.Version)
	return appendStr(dst, d.Source)
}

func readDoc(r *reader) Doc {
	return Doc{Found: r.flag(), ID: r.str(MaxIDBytes), Version: r.uvarint(), Source: r.bytes(len(r.b))}
}

// appendCandidates appends the list; every candidate must have as many keys as the first.
func appendCandidates(dst []byte, list []query.Candidate) []byte {
	nkeys, arena := 0, 0
	if len(list) > 0 {
		nkeys = len(list[0].Keys)
	}
	for i := range list {
		if len(list[i].Keys) != nkeys {
			panic(fmt.Sprintf("wire: candidate %d has %d keys, the first has %d", i, len(list[i].Keys), nkeys))
		}
		arena += len(list[i].ID)
		for j := range list[i].Keys {
			arena += len(list[i].Keys[j].Str)
		}
	}
	dst = appendUvarint(dst, uint64(len(list)))
	dst = appendUvarint(dst, uint64(nkeys))
	dst = appendUvarint(dst, uint64(arena))
	for i := range list {
		dst = appendUvarint(dst, uint64(len(list[i].ID)))
		dst = binary.AppendVarint(dst, list[i].Score)
		for j := range list[i].Keys {
			dst = appendKey(dst, &list[i].Keys[j])
		}
	}
	for i := range list {
		dst = append(dst, list[i].ID...)
		for j := range list[i].Keys {
			dst = append(dst, list[i].Keys[j].Str...)
		}
	}
	return dst
}

func appendKey(dst []byte, k *query.Key) []byte {
	dst = append(dst, uint8(k.Kind))
	switch k.Kind {
	case query.KeyInt:
		return binary.AppendVarint(dst, k.Int)
	case query.KeyFloat:
		return appendF64(dst, k.Float)
	case query.KeyString:
		return appendUvarint(dst, uint64(len(k.Str)))
	}
	return dst
}

// readCandidates reads the list in two passes: lengths first, then strings out of the arena at the end.
func readCandidates(r *reader) []query.Candidate {
	n := r.count(2)
	nkeys := r.uvarint()
	arenaBytes := r.uvarint()
	if n > maxCandidates || nkeys > query.MaxKeys || n > 0 && nkeys > uint64(len(r.b)/n) || arenaBytes > uint64(len(r.b)) {
		r.fail("%d candidates with %d keys and %d bytes of strings in %d bytes", n, nkeys, arenaBytes, len(r.b))
	}
	if n == 0 || r.err != nil {
		if arenaBytes > 0 || nkeys > 0 {
			r.fail("keys or strings without candidates")
		}
		return nil
	}
	at := len(r.b) - int(arenaBytes)
	arena := arenaReader{rest: string(r.b[at:])}
	r.b = r.b[:at]
	list := make([]query.Candidate, n)
	var keys []query.Key
	if nkeys > 0 {
		keys = make([]query.Key, n*int(nkeys))
	}
	for i := range list {
		c := &list[i]
		c.ID = arena.cut(r, r.uvarint())
		c.Score = r.varint()
		if nkeys > 0 {
			c.Keys, keys = keys[:nkeys:nkeys], keys[nkeys:]
		}
		for j := range c.Keys {
			readKey(r, &arena, &c.Keys[j])
		}
	}
	if arena.rest != "" {
		r.fail("%d bytes of strings too many", len(arena.rest))
	}
	return list
}

func readKey(r *reader, arena *arenaReader, k *query.Key) {
	k.Kind = query.KeyKind(r.u8())
	switch k.Kind {
	case query.KeyMissing:
	case query.KeyInt:
		k.Int = r.varint()
	case query.KeyFloat:
		if k.Float = r.f64(); k.Float != k.Float {
			r.fail("a key that is not a number")
		}
	case query.KeyString:
		k.Str = arena.cut(r, r.uvarint())
	default:
		r.fail("key of kind %d", k.Kind)
	}
}

// arenaReader cuts strings off one string.
type arenaReader struct{ rest string }

func (a *arenaReader) cut(r *reader, n uint64) string {
	if n > uint64(len(a.rest)) {
		r.fail("string of %d bytes, %d left", n, len(a.rest))
		return ""
	}
	s := a.rest[:n]
	a.rest = a.rest[n:]
	return s
}
