package wire_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"reflect"
	"strings"
	"testing"

	"github.com/jetseek/jetseek/subjects/wire"
)

func TestKindsHaveTheirNumbers(t *testing.T) {
	// The numbers stand in logs: a kind never changes its own.
	for i, k := range []wire.Kind{
		wire.KindGenesis, wire.KindOwn, wire.KindSchema, wire.KindDropCollection, wire.KindPut, wire.KindDelete, wire.KindLease, wire.KindRelease,
		wire.KindEvict, wire.KindBarrier, wire.KindCheckpoint, wire.KindPin, wire.KindCommit, wire.KindQuarantine, wire.KindRequeue, wire.KindFence,
		wire.KindClose, wire.KindOpen, wire.KindCancel, wire.KindBegin, wire.KindImport, wire.KindDrop, wire.KindRefound,
	} {
		if int(k) != i+1 {
			t.Errorf("kind %d should be %d", k, i+1)
		}
	}
}

func TestRecordsOfANewerVersion(t *testing.T) {
	r := testRecord(0, nil)
	newerFormat := wire.AppendRecord(nil, &r)
	newerFormat[4] = 2
	newerKind := wire.AppendRecord(nil, &r)
	newerKind[68] = 24
	binary.LittleEndian.PutUint32(newerKind[len(newerKind)-4:], crc32.Checksum(newerKind[:len(newerKind)-4], crc32.MakeTable(crc32.Castagnoli)))
	for name, b := range map[string][]byte{"format": newerFormat, "kind": newerKind} {
		if _, err := wire.DecodeRecord(b); !errors.Is(err, wire.ErrNewerLog) || errors.Is(err, wire.ErrMalformed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := wire.DecodeRecord([]byte("JSLG")); !errors.Is(err, wire.ErrMalformed) {
		t.Errorf("a stump: %v", err)
	}
}

func TestBodiesAliasTheMessage(t *testing.T) {
	rec := testRecord(0, nil)
	b := wire.AppendRecord(nil, &rec)
	got, err := wire.DecodeRecord(b)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(b, testSource)
	b[at] = '!'
	if got.Ops[0].Body[0] != '!' {
		t.Error("the body was copied")
	}
	if got.Ops[0].ID != "a" {
		t.Error("the id shares memory with the message")
	}
}

func TestSignedPart(t *testing.T) {
	rec := testRecord(9, bytes.Repeat([]byte{0xaa}, 32))
	b := wire.AppendRecord(nil, &rec)
	signed := wire.SignedPart(b)
	if !bytes.Equal(b[len(signed):len(signed)+32], rec.MAC) || len(b) != len(signed)+36 {
		t.Errorf("%d of %d bytes are signed", len(signed), len(b))
	}
}

func TestMsgID(t *testing.T) {
	if got := wire.MsgID(0xabc, 17); got != "0000000000000abc-17" {
		t.Error(got)
	}
}

// A batch must give the bytes that the whole record has, and stay under its limit.
func TestBatchIsTheRecord(t *testing.T) {
	want := testRecord(0, nil)
	batch := wire.NewBatch(64 << 10)
	for range 3 { // again after a reset
		for i := range want.Ops {
			if !batch.Add(&want.Ops[i]) {
				t.Fatal("does not fit")
			}
			if i == 0 && !batch.AddSchema(&want.Schemas[0]) { // schemas come when they come
				t.Fatal("does not fit")
			}
		}
		if batch.Len() != len(want.Ops) {
			t.Errorf("%d operations", batch.Len())
		}
		size := batch.Size()
		got := batch.Bytes(&want.Header)
		if !bytes.Equal(got, wire.AppendRecord(nil, &want)) || len(got) > size {
			t.Errorf("got %x of at most %d", got, size)
		}
		again := want.Header
		again.Counter++
		if rec, err := wire.DecodeRecord(batch.Bytes(&again)); err != nil || rec.Counter != want.Counter+1 || !reflect.DeepEqual(rec.Ops, want.Ops) {
			t.Errorf("under another header: %+v, %v", rec, err)
		}
		batch.Reset()
	}
}

func TestBatchStaysUnderItsLimit(t *testing.T) {
	const limit = 4096
	batch := wire.NewBatch(limit)
	op := wire.Op{Kind: wire.KindPut, ID: "a", IfVersion: wire.NoCondition, Body: make([]byte, 100)}
	n := 0
	for batch.Add(&op) {
		n++
	}
	header := wire.Header{Reply: strings.Repeat("r", 255), KeyID: 1, MAC: make([]byte, 32)}
	b := batch.Bytes(&header)
	rec, err := wire.DecodeRecord(b)
	if err != nil || len(rec.Ops) != n || n < 30 || len(b) > limit {
		t.Errorf("%d operations in %d bytes, %v", n, len(b), err)
	}
	if batch.AddSchema(&wire.SchemaRecord{Schema: make([]byte, 100)}) {
		t.Error("a schema went past the limit")
	}
	if b := batch.Bytes(&header); len(b) > limit {
		t.Errorf("%d bytes after what was refused", len(b))
	}
	batch.Reset()
	op.Body = make([]byte, limit)
	if batch.Add(&op) || batch.Len() != 0 {
		t.Error("an operation larger than a message was taken")
	}
}

func TestAddingToABatchAllocatesNothing(t *testing.T) {
	batch := wire.NewBatch(1 << 20)
	op := wire.Op{Kind: wire.KindPut, ID: "doc-1", IfVersion: wire.NoCondition, Body: make([]byte, 1000)}
	for batch.Add(&op) {
	}
	batch.Reset()
	if allocs := testing.AllocsPerRun(500, func() {
		if !batch.Add(&op) {
			t.Fatal("full")
		}
	}); allocs != 0 {
		t.Errorf("%v allocations an operation", allocs)
	}
}

func TestOwnershipThatContradictsItself(t *testing.T) {
	for name, ranges := range map[string][]wire.SlotRange{
		"backwards":    {{From: 2, To: 1}},
		"overlapping":  {{From: 0, To: 5}, {From: 5, To: 6}},
		"touching":     {{From: 0, To: 5}, {From: 6, To: 6}},
		"out of order": {{From: 9, To: 9}, {From: 0, To: 5}},
		"past the end": {{From: 0, To: 16384}},
	} {
		if got, err := wire.DecodeOwn(wire.AppendOwn(nil, &wire.Own{Ranges: ranges})); !errors.Is(err, wire.ErrMalformed) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	whole := wire.Own{Epoch: 1, Ranges: []wire.SlotRange{{From: 0, To: 16383}}}
	if got, err := wire.DecodeOwn(wire.AppendOwn(nil, &whole)); err != nil || !reflect.DeepEqual(got, whole) {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestUUIDsAsText(t *testing.T) {
	var u wire.UUID
	for _, bad := range []string{"", "00", strings.Repeat("0", 31), strings.Repeat("g", 32), strings.Repeat("0", 33)} {
		if u.UnmarshalText([]byte(bad)) == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
	if err := u.UnmarshalText([]byte(testLog.String())); err != nil || u != testLog || u.String() != "00112233445566778899aabbccddeeff" {
		t.Errorf("%s, %v", u, err)
	}
}
