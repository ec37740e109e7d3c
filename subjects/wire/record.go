package wire

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"strconv"

	"github.com/jetseek/jetseek/engine/schema"
)

// ErrNewerLog is the error for a record of a later format or with a kind that this version does not know. A member that meets it cannot go on: what
// it skipped might decide what follows.
var ErrNewerLog = errors.New("log of a newer version")

// UUID names one log, whatever its stream is called.
type UUID [16]byte

// String gives 32 hex digits.
func (u UUID) String() string { return hex.EncodeToString(u[:]) }

// MarshalText gives 32 hex digits.
func (u UUID) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, u[:]), nil }

// UnmarshalText takes 32 hex digits.
func (u *UUID) UnmarshalText(b []byte) error {
	if len(b) != 2*len(u) {
		return fmt.Errorf("uuid of %d characters: 32 hex digits", len(b))
	}
	if _, err := hex.Decode(u[:], b); err != nil {
		return fmt.Errorf("uuid: %w", err)
	}
	return nil
}

// Kind is what an operation of the log does. The numbers are part of the format; the list is append-only.
type Kind uint8

// The kinds of operations.
const (
	KindGenesis        Kind = iota + 1 // the log's first message: its uuid ([Genesis])
	KindOwn                            // the slots the group owns from here on ([Own])
	KindSchema                         // a schema record of its own
	KindDropCollection                 // an incarnation ends
	KindPut                            // a document
	KindDelete                         // a document goes
	KindLease                          // a member may serve ([Lease])
	KindRelease                        // an incarnation's leases end ([Release])
	KindEvict                          // somebody else's lease has run out ([Evict])
	KindBarrier                        // a place in the log to compare members at
	KindCheckpoint                     // digests are reported at this place
	KindPin                            // members keep their snapshot at this place
	KindCommit                         // guarded: ownership is decided of every operation between two places ([Commit])
	KindQuarantine                     // an operation is set aside by all ([Quarantine])
	KindRequeue                        // an operation that was set aside is tried again ([Again]): with a body the put, without one the delete
	KindFence                          // a move: operations on its slots are refused from here on
	KindClose                          // a move: requests of older epochs are refused from here on
	KindOpen                           // a move: its slots are owned here from here on
	KindCancel                         // a move ends without effect
	KindBegin                          // a move's attempt starts at its target
	KindImport                         // a move's documents
	KindDrop                           // a move: its slots' documents go
	KindRefound                        // the log goes on from a member's state
	kindEnd
)

// NoCondition is the IfVersion of an operation without one.
const NoCondition = -1

// Record is one message of a group's log.
type Record struct {
	Header
	Schemas []SchemaRecord // applied before the operations
	Ops     []Op
}

// Header is what a record says about itself.
type Header struct {
	Log     UUID
	Sender  uint64 // incarnation of the sending process
	Counter uint64 // with Sender the Nats-Msg-Id ([MsgID]); 0 for leases, which have none
	Epoch   uint64 // of the sender's map
	TimeMs  int64  // the sender's clock, ms since 1970: for people, nothing may depend on it
	KeyID   uint32 // 0: unsigned
	MAC     []byte // 32 bytes when KeyID is not 0, else nil
	Reply   string // where outcomes are reported ([subjects.ReportSubject]), or ""; at most 255 bytes
}

// SchemaRecord puts a version of a collection's schema into the log; the highest version wins.
type SchemaRecord struct {
	Collection schema.Incarnation
	Version    uint64
	Name       string
	Schema     []byte // canonical JSON
}

// Op is one operation of a record. Body and ObjectDigest of a decoded one alias the message.
type Op struct {
	Kind          Kind
	Collection    schema.Incarnation
	SchemaVersion uint64
	Slot          uint16
	ID            string
	RequestKey    string // of a put or delete that may come again ([RequestKey]); "" without; at most 1,024 bytes
	IfVersion     int64  // [NoCondition], 0 (only if absent), or the version that must stand
	Body          []byte // put: the source; control kinds: their payload
	Object        string // instead of Body: the name of an object
	ObjectDigest  []byte // 32 bytes, the object's SHA-256
}

// RequestKey names one write of a request that may be repeated: line is its line in a bulk, from 1, and 0 for a request of one write.
func RequestKey(request string, line int) string { return request + "/" + strconv.Itoa(line) }

const (
	recordMagic    = "JSLG"
	recordFormat   = 1
	headerBytes    = 68
	keyOffset      = 64 // of the key id
	crcBytes       = 4
	macBytes       = 32
	minOpBytes     = 14 // kind, flags, collection and four varints
	minSchemaBytes = 11

	opRequestKey = 1
	opIfVersion  = 2
	opObject     = 4
)

// MsgID is the Nats-Msg-Id under which a record is stored once.
func MsgID(sender, counter uint64) string { return fmt.Sprintf("%016x-%d", sender, counter) }

// AppendRecord appends the encoded record to dst.
func AppendRecord(dst []byte, r *Record) []byte {
	start := len(dst)
	dst = append(dst, make([]byte, headerBytes)...)
	for i := range r.Ops {
		dst = appendOp(dst, &r.Ops[i])
	}
	opsBytes := len(dst) - start - headerBytes
	for i := range r.Schemas {
		dst = appendSchema(dst, &r.Schemas[i])
	}
	return sealRecord(dst, start, &r.Header, len(r.Ops), opsBytes, len(r.Schemas))
}

// sealRecord writes the header at start and the tail at the end, when operations and schemas are in place.
func sealRecord(dst []byte, start int, h *Header, ops, opsBytes, schemas int) []byte {
	if len(h.Reply) > maxReplyBytes {
		panic(fmt.Sprintf("wire: reply inbox of %d bytes", len(h.Reply)))
	}
	if (h.KeyID != 0) != (len(h.MAC) == macBytes) {
		panic(fmt.Sprintf("wire: key id %d with a MAC of %d bytes", h.KeyID, len(h.MAC)))
	}
	p := dst[start : start+headerBytes]
	copy(p, recordMagic)
	p[4] = recordFormat
	p[5] = uint8(len(h.Reply))
	binary.LittleEndian.PutUint16(p[6:], uint16(schemas))
	binary.LittleEndian.PutUint32(p[8:], uint32(ops))
	binary.LittleEndian.PutUint32(p[12:], uint32(opsBytes))
	copy(p[16:], h.Log[:])
	binary.LittleEndian.PutUint64(p[32:], h.Sender)
	binary.LittleEndian.PutUint64(p[40:], h.Counter)
	binary.LittleEndian.PutUint64(p[48:], h.Epoch)
	binary.LittleEndian.PutUint64(p[56:], uint64(h.TimeMs))
	binary.LittleEndian.PutUint32(p[64:], h.KeyID)
	dst = append(dst, h.Reply...)
	dst = append(dst, h.MAC...)
	return binary.LittleEndian.AppendUint32(dst, checksum(dst[start:]))
}

// checksum is the CRC32C; [crc32.MakeTable] keeps the table of this polynomial.
func checksum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

// DecodeRecord takes a record apart. Its bodies, schemas, digests and MAC alias b. Errors wrap [ErrMalformed] or [ErrNewerLog].
func DecodeRecord(b []byte) (*Record, error) {
	if len(b) < headerBytes+crcBytes || string(b[:4]) != recordMagic {
		return nil, fmt.Errorf("%w: no record in %d bytes", ErrMalformed, len(b))
	}
	if b[4] != recordFormat {
		return nil, fmt.Errorf("record format %d: %w", b[4], ErrNewerLog)
	}
	body := b[:len(b)-crcBytes]
	if got, want := checksum(body), binary.LittleEndian.Uint32(b[len(body):]); got != want {
		return nil, fmt.Errorf("%w: checksum %08x instead of %08x", ErrMalformed, got, want)
	}
	rec := &Record{Header: Header{
		Log:     UUID(b[16:32]),
		Sender:  binary.LittleEndian.Uint64(b[32:]),
		Counter: binary.LittleEndian.Uint64(b[40:]),
		Epoch:   binary.LittleEndian.Uint64(b[48:]),
		TimeMs:  int64(binary.LittleEndian.Uint64(b[56:])),
		KeyID:   binary.LittleEndian.Uint32(b[64:]),
	}}
	r := &reader{b: body[headerBytes:]}
	ops := &reader{b: r.take(int(binary.LittleEndian.Uint32(b[12:])))}
	if err := decodeOps(ops, rec, binary.LittleEndian.Uint32(b[8:])); err != nil {
		return nil, err
	}
	decodeSchemas(r, rec, binary.LittleEndian.Uint16(b[6:]))
	rec.Reply = string(r.take(int(b[5])))
	if rec.KeyID != 0 {
		rec.MAC = r.take(macBytes)
	}
	if err := r.end(); err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	return rec, nil
}

// SignedPart gives the part of an encoded record that its MAC covers.
func SignedPart(b []byte) []byte { return b[:max(0, len(b)-macBytes-crcBytes)] }

func decodeOps(r *reader, rec *Record, count uint32) error {
	if uint64(count) > uint64(len(r.b)/minOpBytes) {
		return fmt.Errorf("%w: %d operations in %d bytes", ErrMalformed, count, len(r.b))
	}
	if count > 0 {
		rec.Ops = make([]Op, count)
	}
	for i := range rec.Ops {
		if len(r.b) > 0 && (r.b[0] == 0 || r.b[0] >= uint8(kindEnd)) {
			return fmt.Errorf("operation %d has kind %d: %w", i, r.b[0], ErrNewerLog)
		}
		rec.Ops[i] = readOp(r)
	}
	if err := r.end(); err != nil {
		return fmt.Errorf("operations: %w", err)
	}
	return nil
}

func decodeSchemas(r *reader, rec *Record, count uint16) {
	if int(count) > len(r.b)/minSchemaBytes {
		r.fail("%d schemas in %d bytes", count, len(r.b))
		return
	}
	if count > 0 {
		rec.Schemas = make([]SchemaRecord, count)
	}
	for i := range rec.Schemas {
		rec.Schemas[i] = readSchema(r)
	}
}

func appendOp(dst []byte, op *Op) []byte {
	var flags uint8
	if op.RequestKey != "" {
		flags |= opRequestKey
	}
	if op.IfVersion >= 0 {
		flags |= opIfVersion
	}
	if op.Object != "" {
		flags |= opObject
	}
	dst = append(dst, uint8(op.Kind), flags)
	dst = appendU64(dst, uint64(op.Collection))
	dst = appendUvarint(dst, op.SchemaVersion)
	dst = appendUvarint(dst, uint64(op.Slot))
	dst = appendStr(dst, op.ID)
	if flags&opRequestKey != 0 {
		dst = appendStr(dst, op.RequestKey)
	}
	if flags&opIfVersion != 0 {
		dst = appendUvarint(dst, uint64(op.IfVersion))
	}
	if flags&opObject != 0 {
		dst = appendStr(dst, op.Object)
		return append(dst, op.ObjectDigest[:32]...)
	}
	return appendStr(dst, op.Body)
}

func readOp(r *reader) Op {
	op := Op{Kind: Kind(r.u8()), IfVersion: NoCondition}
	flags := r.u8()
	if flags > opRequestKey|opIfVersion|opObject {
		r.fail("flags %#x of an operation", flags)
	}
	op.Collection = schema.Incarnation(r.u64())
	op.SchemaVersion = r.uvarint()
	slot := r.uvarint()
	if slot > 1<<14-1 {
		r.fail("slot %d", slot)
	}
	op.Slot = uint16(slot)
	op.ID = r.str(MaxIDBytes)
	if flags&opRequestKey != 0 {
		if op.RequestKey = r.str(MaxNameBytes); op.RequestKey == "" {
			r.fail("empty request key")
		}
	}
	if flags&opIfVersion != 0 {
		if op.IfVersion = int64(r.uvarint()); op.IfVersion < 0 {
			r.fail("if_version past int64")
		}
	}
	if flags&opObject != 0 {
		if op.Object = r.str(MaxNameBytes); op.Object == "" {
			r.fail("object without a name")
		}
		op.ObjectDigest = r.take(32)
		return op
	}
	op.Body = r.bytes(len(r.b))
	return op
}

func appendSchema(dst []byte, s *SchemaRecord) []byte {
	dst = appendU64(dst, uint64(s.Collection))
	dst = appendUvarint(dst, s.Version)
	dst = appendStr(dst, s.Name)
	return appendStr(dst, s.Schema)
}

func readSchema(r *reader) SchemaRecord {
	return SchemaRecord{
		Collection: schema.Incarnation(r.u64()),
		Version:    r.uvarint(),
		Name:       r.str(MaxNameBytes),
		Schema:     r.bytes(len(r.b)),
	}
}
