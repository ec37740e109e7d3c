package wire_test

import (
	"bytes"
	"encoding/hex"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/outcome"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/schema"
	"github.com/jetseek/jetseek/subjects/wire"
)

// form is a binary form under test: a value, how it is written, and how it is read.
type form struct {
	value  any
	encode func(any) []byte
	decode func([]byte) (any, error)
}

func formOf[T any](value T, appendTo func([]byte, *T) []byte, decode func([]byte) (*T, error)) form {
	return form{
		value:  value,
		encode: func(v any) []byte { t := v.(T); return appendTo(nil, &t) },
		decode: func(b []byte) (any, error) {
			t, err := decode(b)
			if err != nil {
				return nil, err
			}
			return *t, nil
		},
	}
}

func payloadOf[T any](value T, appendTo func([]byte, *T) []byte, decode func([]byte) (T, error)) form {
	return formOf(value, appendTo, func(b []byte) (*T, error) {
		t, err := decode(b)
		return &t, err
	})
}

var (
	testLog    = wire.UUID{0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff}
	testDigest = wire.Digest{0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef}
	testHead   = wire.Head{Call: 7, Round: 1, Slot: 2, Collection: 0xabc, SchemaVersion: 3, Epoch: 1, MinSeq: 17, BudgetMs: 900}
	testFrame  = wire.Frame{Call: 7, Round: 1, Slot: 2, Last: true, Seq: 300, Epoch: 1, Fingerprint: 0xfeed, Incarnation: 0xbeef}
	testLeases = []wire.LeaseEntry{{Member: "g0/n1", Incarnation: 0xbeef, G: 280, DurationMs: 15000}}
	testSource = []byte(`{"id":"a","n":1}`)
	testPlace  = query.Candidate{ID: "d1", Score: 3, Keys: []query.Key{{Kind: query.KeyInt, Int: 1999}}}
	testDoc    = wire.Doc{Found: true, ID: "a", Version: 3, Source: testSource}
)

// forms are the values whose bytes stand in testdata.
func forms() map[string]form {
	failed := testFrame
	failed.Err = wire.NewError(fault.Unavailable, wire.ReasonNotServing, "no lease")
	return map[string]form{
		"stats_request": formOf(wire.StatsRequest{Head: testHead, Pin: true, Fields: []string{"title", "body"}, Terms: []bm25.FieldTerm{{Field: "body", Term: "gc"}},
			Fuzzy: []query.FuzzyQuestion{{Field: "body", Word: "gopher", Edits: 2, Prefix: 1, Most: 50}}},
			wire.AppendStatsRequest, wire.DecodeStatsRequest),
		"stats_reply": formOf(wire.StatsReply{Frame: testFrame, Stats: bm25.Stats{Fields: []bm25.FieldStats{{Docs: 1000, TotalLen: 5000}, {}}, DF: []uint64{42}},
			Near: [][]query.Expansion{{{Term: "gopher", DF: 7}, {Term: "gophers", Edits: 1, DF: 3}}}},
			wire.AppendStatsReply, wire.DecodeStatsReply),
		"search_request": formOf(wire.SearchRequest{
			Head: testHead, Query: &query.MatchAll{Boost: 1}, Filters: []query.Node{&query.MatchNone{}}, Score: true, Limit: 10, CountTo: 300, Fingerprint: 0xfeed,
			Weights: []bm25.Weight{{W: 2.5, C0: 0.3, C1: 0.009}}, Sort: []query.SortKey{{By: query.ByField, Field: "year", Type: schema.Long, Desc: true}},
		}, wire.AppendSearchRequest, wire.DecodeSearchRequest),
		"walk_request": formOf(wire.SearchRequest{
			Head: testHead, Query: &query.MatchAll{Boost: 1}, Filters: []query.Node{&query.MatchNone{}}, Score: true, Limit: 10, CountTo: 300, Fingerprint: 0xfeed,
			Weights: []bm25.Weight{{W: 2.5, C0: 0.3, C1: 0.009}}, Sort: []query.SortKey{{By: query.ByField, Field: "year", Type: schema.Long, Desc: true}}, After: &testPlace, Collapse: true,
			Belief: &wire.Belief{Fields: []string{"text"}, Terms: []bm25.FieldTerm{{Field: "text", Term: "of"}}, Stats: bm25.Stats{Fields: []bm25.FieldStats{{Docs: 7, TotalLen: 300}}, DF: []uint64{5}}},
		}, wire.AppendSearchRequest, wire.DecodeSearchRequest),
		"cursor": formOf(wire.Cursor{
			Collection: 0xabc, Name: "default", Groups: []wire.GroupSeq{{Group: "g0", Seq: 17}, {Group: "g1", Seq: 300}}, HeldMs: 1000,
			Total: wire.Total{Value: 1315, Relation: "eq"}, Body: []byte("{}"), After: testPlace,
		}, wire.AppendCursor, wire.DecodeCursor),
		"search_reply": formOf(wire.SearchReply{Frame: testFrame, Total: 1315, LeftOut: 1, Candidates: []query.Candidate{
			{ID: "d1", Score: 31138512896, Keys: []query.Key{{Kind: query.KeyInt, Int: -3}, {Kind: query.KeyFloat, Float: 0.5}, {Kind: query.KeyString, Str: "red"}, {}}},
			{ID: "d22", Keys: []query.Key{{Kind: query.KeyInt, Int: -4}, {}, {Kind: query.KeyString}, {}}},
		}}, wire.AppendSearchReply, wire.DecodeSearchReply),
		"other_search_reply": formOf(wire.SearchReply{Frame: testFrame, Fresh: &bm25.Stats{Fields: []bm25.FieldStats{{Docs: 7, TotalLen: 300}}, DF: []uint64{5, 0}}}, wire.AppendSearchReply, wire.DecodeSearchReply),
		"failed_reply":       formOf(wire.SearchReply{Frame: failed}, wire.AppendSearchReply, wire.DecodeSearchReply),
		"docs_request":       formOf(wire.DocsRequest{Head: testHead, IDs: []string{"a", "b/c"}}, wire.AppendDocsRequest, wire.DecodeDocsRequest),
		"docs_reply": formOf(wire.DocsReply{Frame: testFrame, Docs: []wire.Doc{testDoc, {ID: "b/c", Source: []byte{}}}},
			wire.AppendDocsReply, wire.DecodeDocsReply),
		"get_request": formOf(wire.GetRequest{Head: testHead, ID: "a"}, wire.AppendGetRequest, wire.DecodeGetRequest),
		"get_reply":   formOf(wire.GetReply{Frame: testFrame, Doc: testDoc}, wire.AppendGetReply, wire.DecodeGetReply),
		"has_request": formOf(wire.HasRequest{Head: testHead, Deleted: []wire.Deletion{{ID: "a", Seq: 300}, {ID: "b/c", Seq: 7}}}, wire.AppendHasRequest, wire.DecodeHasRequest),
		"has_reply":   formOf(wire.HasReply{Frame: testFrame, Births: []uint64{0, 299}}, wire.AppendHasReply, wire.DecodeHasReply),
		"explain_request": formOf(wire.ExplainRequest{
			Head: testHead, ID: "a", Query: &query.TextTerm{Field: "body", Term: "gc", Boost: 1}, Fields: []string{"body"}, Terms: []bm25.FieldTerm{{Field: "body", Term: "gc"}},
			Stats: bm25.Stats{Fields: []bm25.FieldStats{{Docs: 1000, TotalLen: 5000}}, DF: []uint64{42}},
		}, wire.AppendExplainRequest, wire.DecodeExplainRequest),
		"explain_reply": formOf(wire.ExplainReply{Frame: testFrame, Found: true, Explanation: []byte("{}")}, wire.AppendExplainReply, wire.DecodeExplainReply),
		"ping_request":  formOf(wire.PingRequest{Head: testHead}, wire.AppendPingRequest, wire.DecodePingRequest),
		"ping_reply": formOf(wire.PingReply{Frame: testFrame, State: "serving", Applied: 300, ContentSeq: 290, Documents: 11300, Digest: testDigest},
			wire.AppendPingReply, wire.DecodePingReply),
		"digest_request": formOf(wire.DigestRequest{Head: testHead, At: 300, Collections: []schema.Incarnation{0xabc}}, wire.AppendDigestRequest, wire.DecodeDigestRequest),
		"digest_reply": formOf(wire.DigestReply{Frame: testFrame, Root: testDigest, Rest: wire.Digest{15: 1}, Documents: []wire.CollectionDigest{{Collection: 0xabc, Digest: testDigest}},
			Slots: []wire.SlotDigests{{Collection: 0xabc, Slots: []wire.SlotDigest{{Slot: 5, Documents: 300, Digest: testDigest}, {Slot: 16383, Documents: 1, Digest: wire.Digest{1}}}}}},
			wire.AppendDigestReply, wire.DecodeDigestReply),
		"repair_request": formOf(wire.RepairRequest{Head: testHead, At: 300, Slots: []wire.SelectedSlots{{Collection: 0xabc, Ranges: []wire.SlotRange{{From: 0, To: 99}, {From: 16383, To: 16383}}}}},
			wire.AppendRepairRequest, wire.DecodeRepairRequest),
		"repair_reply":       formOf(wire.RepairReply{Frame: testFrame, Phase: wire.RepairFailed, Documents: 300, Reason: "no"}, wire.AppendRepairReply, wire.DecodeRepairReply),
		"quarantine_request": formOf(wire.QuarantineRequest{Head: testHead}, wire.AppendQuarantineRequest, wire.DecodeQuarantineRequest),
		"quarantine_reply": formOf(wire.QuarantineReply{Frame: testFrame, Ops: []wire.Quarantined{
			{Place: wire.Place{Seq: 300, Op: 3}, Kind: wire.KindPut, Collection: 0xabc, Slot: 16383, ID: "a", Reason: "panic"},
			{Place: wire.Place{Seq: 301}, Kind: wire.KindDelete, Superseded: true, ID: "b"}}}, wire.AppendQuarantineReply, wire.DecodeQuarantineReply),
		"complete_request": formOf(wire.CompleteRequest{Head: testHead, Question: query.CompletionQuestion{Field: "body", Exact: true, Prefix: "go", Most: 1000}},
			wire.AppendCompleteRequest, wire.DecodeCompleteRequest),
		"complete_reply": formOf(wire.CompleteReply{Frame: testFrame, Completions: query.Completions{Terms: []query.TermCount{{Term: "gopher", DF: 300}, {Term: "go", DF: 7}}, Rest: 3}},
			wire.AppendCompleteReply, wire.DecodeCompleteReply),
		"report": formOf(wire.Report{
			Group: "g0", Member: "g0/n1", Incarnation: 0xbeef, Counter: 12, Seq: 300, Serving: true, Leases: testLeases,
			Outcomes: []outcome.Outcome{{Code: outcome.Created, Version: 1}, {Code: outcome.VersionConflict, Version: 200}, {Code: outcome.Updated, Version: 1, Repeated: true}},
		}, wire.AppendReport, wire.DecodeReport),
		"watermark": formOf(wire.Watermark{
			Group: "g0", Member: "g0/n1", Incarnation: 0xbeef, Counter: 9, Applied: 300, ContentSeq: 290, Head: 301, Epoch: 1, Documents: 11300,
			Digest: testDigest, State: "serving", Leases: testLeases,
		}, wire.AppendWatermark, wire.DecodeWatermark),
		"error": formOf(wire.Error{Code: fault.BadQuery, Message: "unbalanced ( at 14", Position: 14, Durable: wire.NotDurable},
			wire.AppendError, wire.DecodeError),
		"lease":      payloadOf(wire.Lease{Member: "g0/n1", Incarnation: 0xbeef, DurationMs: 15000, Mark: 300, Digest: testDigest}, wire.AppendLease, wire.DecodeLease),
		"release":    payloadOf(wire.Release{Member: "g0/n1", Incarnation: 0xbeef}, wire.AppendRelease, wire.DecodeRelease),
		"evict":      payloadOf(wire.Evict{Member: "g0/n1", Incarnation: 0xbeef, G: 300}, wire.AppendEvict, wire.DecodeEvict),
		"own":        payloadOf(wire.Own{Epoch: 1, Ranges: []wire.SlotRange{{From: 0, To: 99}, {From: 16383, To: 16383}}}, wire.AppendOwn, wire.DecodeOwn),
		"genesis":    payloadOf(wire.Genesis{Log: testLog, Group: "g0", Generation: 1, FirstSeq: 1, By: "g0/n1"}, wire.AppendGenesis, wire.DecodeGenesis),
		"quarantine": payloadOf(wire.Quarantine{Place: wire.Place{Seq: 300, Op: 3}, Member: "g0/n1", Reason: "panic"}, wire.AppendQuarantine, wire.DecodeQuarantine),
		"pin":        payloadOf(wire.Pin{At: 300}, wire.AppendPin, wire.DecodePin),
		"commit":     payloadOf(wire.Commit{Own: 300}, wire.AppendCommit, wire.DecodeCommit),
		"record":     formOf(testRecord(0, nil), wire.AppendRecord, wire.DecodeRecord),
		"record_signed": formOf(testRecord(9, bytes.Repeat([]byte{0xaa}, 32)),
			wire.AppendRecord, wire.DecodeRecord),
	}
}

func testRecord(key uint32, mac []byte) wire.Record {
	sha := make([]byte, 32)
	for i := range sha {
		sha[i] = byte(i)
	}
	return wire.Record{
		Header: wire.Header{Log: testLog, Sender: 7, Counter: 12, Epoch: 1, TimeMs: 1700000000000, KeyID: key, MAC: mac,
			Reply: "_INBOX_JETSEEK.c.0000000000000007.report"},
		Schemas: []wire.SchemaRecord{{Collection: 0xabc, Version: 2, Name: "default", Schema: []byte("{}")}},
		Ops: []wire.Op{
			{Kind: wire.KindPut, Collection: 0xabc, SchemaVersion: 2, Slot: 16383, ID: "a", IfVersion: 0, Body: testSource},
			{Kind: wire.KindDelete, Collection: 0xabc, SchemaVersion: 2, Slot: 5, ID: "b", RequestKey: "r1/1", IfVersion: wire.NoCondition, Body: []byte{}},
			{Kind: wire.KindPut, Collection: 0xabc, SchemaVersion: 2, Slot: 5, ID: "c", IfVersion: wire.NoCondition, Object: "big-1", ObjectDigest: sha},
		},
	}
}

// The bytes in testdata were made by hand from the layout in doc.go; a change of them is a change of the protocol.
func TestGoldenBytes(t *testing.T) {
	for name, f := range forms() {
		t.Run(name, func(t *testing.T) {
			want := golden(t, name)
			if got := f.encode(f.value); !bytes.Equal(got, want) {
				t.Errorf("encoded\n%x, want\n%x", got, want)
			}
			got, err := f.decode(want)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, f.value) {
				t.Errorf("decoded\n%+v, want\n%+v", got, f.value)
			}
		})
	}
}

// Whatever is cut off or added, and whatever byte is changed, a decoder gives an error or a value, and never reads past its input.
func TestBrokenBytes(t *testing.T) {
	for name, f := range forms() {
		t.Run(name, func(t *testing.T) {
			whole := golden(t, name)
			for n := range whole {
				if v, err := f.decode(whole[:n:n]); err == nil {
					t.Errorf("the first %d of %d bytes are %+v", n, len(whole), v)
				}
			}
			if v, err := f.decode(append(bytes.Clone(whole), 0)); err == nil {
				t.Errorf("with a byte more it is %+v", v)
			}
			for i := range whole {
				for _, x := range []byte{0x01, 0x80, 0xff} {
					broken := bytes.Clone(whole)
					broken[i] ^= x
					if _, err := f.decode(broken); err == nil && strings.HasPrefix(name, "record") {
						t.Errorf("byte %d is another and the record was taken", i)
					}
				}
			}
		})
	}
}

// Head and frame are read alone, for admission and routing, as they are read with the rest.
func TestHeadsAndFramesAlone(t *testing.T) {
	for name := range forms() {
		head, headErr := wire.DecodeHead(golden(t, name))
		frame, frameErr := wire.DecodeFrame(golden(t, name))
		if isRequest := strings.HasSuffix(name, "_request"); (headErr == nil) != isRequest || isRequest && head != testHead {
			t.Errorf("%s has the head %+v, %v", name, head, headErr)
		}
		if isReply := strings.HasSuffix(name, "_reply"); (frameErr == nil) != isReply || isReply && frame.Seq != testFrame.Seq {
			t.Errorf("%s has the frame %+v, %v", name, frame, frameErr)
		}
	}
}

func golden(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	var all []byte
	for line := range strings.Lines(string(text)) {
		digits, _, _ := strings.Cut(line, "#")
		b, err := hex.DecodeString(strings.TrimSpace(digits))
		if err != nil {
			t.Fatalf("%s: %q: %v", name, line, err)
		}
		all = append(all, b...)
	}
	return all
}
