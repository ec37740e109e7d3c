package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
)

// binaryV1 is the first byte of every binary message but records of the log.
const binaryV1 = 0xB1

// Limits of what a message may hold. They bound what a decoder allocates beside the length of its input.
const (
	MaxIDBytes    = 1024    // of a document's id
	MaxNameBytes  = 1024    // of a field's, group's, member's or state's name
	MaxTermBytes  = 1024    // of a term
	MaxTextBytes  = 1 << 16 // of an error's message
	maxReplyBytes = 255     // of a reply inbox
	maxCandidates = 1 << 16 // of one frame; more than any page
)

// ErrMalformed is wrapped by the errors of all decoders but [ErrNewerLog]: the bytes are not a message of that kind.
var ErrMalformed = errors.New("malformed message")

// reader takes a message apart. The first fault sticks, and what is read after it is zero; the message's decoder checks it once, at the end.
type reader struct {
	b   []byte
	err error
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: %s", ErrMalformed, fmt.Sprintf(format, args...))
		r.b = nil
	}
}

// take gives the next n bytes, which alias the input.
func (r *reader) take(n int) []byte {
	if n < 0 || n > len(r.b) {
		r.fail("%d bytes wanted, %d left", n, len(r.b))
		return nil
	}
	b := r.b[:n:n]
	r.b = r.b[n:]
	return b
}

func (r *reader) u8() uint8 {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) u64() uint64 {
	if b := r.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (r *reader) f64() float64 { return math.Float64frombits(r.u64()) }

func (r *reader) flag() bool {
	switch v := r.u8(); v {
	case 0:
		return false
	case 1:
		return true
	default:
		r.fail("flag %d", v)
		return false
	}
}

func (r *reader) uvarint() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.fail("broken varint")
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *reader) uvarint32() uint32 {
	v := r.uvarint()
	if v > math.MaxUint32 {
		r.fail("%d does not fit 32 bits", v)
		return 0
	}
	return uint32(v)
}

func (r *reader) varint() int64 {
	v, n := binary.Varint(r.b)
	if n <= 0 {
		r.fail("broken varint")
		return 0
	}
	r.b = r.b[n:]
	return v
}

// count reads the length of a list whose items take at least itemBytes each, so that a short message cannot claim a long list.
func (r *reader) count(itemBytes int) int {
	v := r.uvarint()
	if v > uint64(len(r.b)/itemBytes) {
		r.fail("list of %d in %d bytes", v, len(r.b))
		return 0
	}
	return int(v)
}

// bytes reads a length and as many bytes, which alias the input.
func (r *reader) bytes(limit int) []byte {
	v := r.uvarint()
	if v > uint64(limit) {
		r.fail("length %d, at most %d", v, limit)
		return nil
	}
	return r.take(int(v))
}

func (r *reader) str(limit int) string { return string(r.bytes(limit)) }

// end gives the fault, if there was one, or an error if bytes are left.
func (r *reader) end() error {
	if r.err == nil && len(r.b) > 0 {
		r.fail("%d bytes too many", len(r.b))
	}
	return r.err
}

// open starts reading a binary message of a kind.
func open(b []byte, kind uint8) *reader { return openAny(b, kind) }

// openAny starts reading a binary message of one of some kinds.
func openAny(b []byte, kinds ...uint8) *reader {
	r := &reader{b: b}
	if got := r.u8(); got != binaryV1 {
		r.fail("first byte %#x", got)
	}
	if got := r.u8(); !slices.Contains(kinds, got) {
		r.fail("a message of kind %d", got)
	}
	return r
}

func appendStr[S ~string | ~[]byte](dst []byte, s S) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(s)))
	return append(dst, s...)
}

func appendU64(dst []byte, v uint64) []byte { return binary.LittleEndian.AppendUint64(dst, v) }

func appendF64(dst []byte, v float64) []byte { return appendU64(dst, math.Float64bits(v)) }

func appendUvarint(dst []byte, v uint64) []byte { return binary.AppendUvarint(dst, v) }

func appendFlag(dst []byte, v bool) []byte {
	if v {
		return append(dst, 1)
	}
	return append(dst, 0)
}

// IsJSON tells whether a message is in its JSON form.
func IsJSON(b []byte) bool { return len(b) > 0 && b[0] == '{' }
