// Package strictjson reads JSON from strangers, token by token: RFC 8259 and not a byte more, valid UTF-8, no lone surrogates, no key twice in an object, a
// bound on nesting, nothing behind the value. It imports nothing of the project.
//
// A [Reader] walks over the text once, in linear time, and copies nothing but strings that hold escapes, so that what it gives shares
// memory with the text. It was written instead of taking a library's token reader because documents need the digits of numbers as they stand, the
// place of every error, and one pass that no input can make slow; it takes less than half of the time of goccy's jsontext, which was the alternative.
package strictjson

import (
	"fmt"
	"math/bits"
	"strconv"
	"unicode/utf8"
)

// Kind is the kind of a value.
type Kind uint8

// The kinds of values. [None] stands where no value begins.
const (
	None Kind = iota
	Null
	Bool
	Number
	String
	Array
	Object
)

var kindNames = [...]string{None: "nothing", Null: "null", Bool: "true or false", Number: "a number", String: "a string", Array: "an array", Object: "an object"}

// String names the kind for a message.
func (k Kind) String() string { return kindNames[k] }

// Error says what is wrong with a text, and where.
type Error struct {
	Offset  int // bytes
	Message string
	TooDeep bool // the text nests deeper than the reader allows
}

func (e *Error) Error() string { return fmt.Sprintf("%s at byte %d", e.Message, e.Offset) }

// Reader reads one JSON value. Methods must be called in the order of the text: [Reader.Kind] tells what comes, then one of the methods that take a value. After
// an error every method gives that error.
type Reader struct {
	text     string
	pos      int
	maxDepth int
	open     []container
	keys     []string // of the open objects, each one's behind those of its parent
	err      error

	openBuffer [8]container // where open and keys begin: most texts need no more
	keysBuffer [32]string
}

type container struct {
	object bool
	filled bool                // an element or key was read
	keys   int                 // where its keys begin
	many   map[string]struct{} // the keys, once there are too many to compare one by one
}

// fewKeys is how many keys of an object are compared one by one.
const fewKeys = 24

// New reads a text whose objects and arrays may nest to maxDepth.
func New(text string, maxDepth int) *Reader {
	r := &Reader{}
	r.Reset(text, maxDepth)
	return r
}

// Reset starts a reader on another text, as [New] does, with the memory that it has.
func (r *Reader) Reset(text string, maxDepth int) {
	if r.open == nil {
		r.open, r.keys = r.openBuffer[:0], r.keysBuffer[:0]
	}
	r.text, r.pos, r.maxDepth, r.err = text, 0, maxDepth, nil
	r.open, r.keys = r.open[:0], r.keys[:0]
}

// Release lets go of the text and of all that shares memory with it, and keeps the reader's own.
func (r *Reader) Release() {
	r.text, r.pos, r.err = "", 0, nil
	clear(r.open[:cap(r.open)])
	clear(r.keys[:cap(r.keys)])
	r.open, r.keys = r.open[:0], r.keys[:0]
}

// Offset is the place of the reader in bytes. Behind [Reader.Kind] it is where the next value begins, behind a value its end.
func (r *Reader) Offset() int { return r.pos }

// Kind tells the kind of the value that comes, without taking it.
func (r *Reader) Kind() Kind {
	if r.err != nil {
		return None
	}
	r.space()
	if r.pos >= len(r.text) {
		return None
	}
	switch c := r.text[r.pos]; {
	case c == '"':
		return String
	case c == '{':
		return Object
	case c == '[':
		return Array
	case c == 't' || c == 'f':
		return Bool
	case c == 'n':
		return Null
	case c == '-' || isDigit(c):
		return Number
	}
	return None
}

// Enter goes into the object or array that comes.
func (r *Reader) Enter() error {
	kind := r.Kind()
	if r.err != nil {
		return r.err
	}
	if kind != Object && kind != Array {
		return r.fail("expected an object or array")
	}
	if len(r.open) == r.maxDepth {
		r.err = &Error{Offset: r.pos, Message: fmt.Sprintf("nested deeper than %d", r.maxDepth), TooDeep: true}
		return r.err
	}
	r.pos++
	r.open = append(r.open, container{object: kind == Object, keys: len(r.keys)})
	return nil
}

// More tells whether the entered array has one more element, which must then be taken; where it has none, it leaves the array.
func (r *Reader) More() (bool, error) {
	return r.next(Array)
}

// Key gives the next key of the entered object, whose value must then be taken; where there is none, it leaves the object and gives false.
func (r *Reader) Key() (key string, ok bool, err error) {
	if ok, err = r.next(Object); !ok {
		return "", false, err
	}
	r.space()
	at := r.pos
	if key, err = r.string(); err != nil {
		return "", false, err
	}
	if !r.remember(key) {
		r.pos = at
		return "", false, r.fail("key %s twice in one object", short(key))
	}
	r.space()
	if r.pos >= len(r.text) || r.text[r.pos] != ':' {
		return "", false, r.fail("expected : behind a key")
	}
	r.pos++
	return key, true, nil
}

// next moves to the next element of the innermost container, or out of it. The container must be of the kind that the caller reads.
func (r *Reader) next(kind Kind) (bool, error) {
	if r.err != nil {
		return false, r.err
	}
	if len(r.open) == 0 || r.open[len(r.open)-1].object != (kind == Object) {
		return false, r.fail("expected to be in %s", kind)
	}
	closing := byte(']')
	if kind == Object {
		closing = '}'
	}
	r.space()
	if r.pos >= len(r.text) {
		return false, r.fail("the text ends too early")
	}
	inner := &r.open[len(r.open)-1]
	if r.text[r.pos] == closing {
		r.pos++
		r.keys = r.keys[:inner.keys]
		r.open = r.open[:len(r.open)-1]
		return false, nil
	}
	if inner.filled {
		if r.text[r.pos] != ',' {
			return false, r.fail("expected , or %c", closing)
		}
		r.pos++
	}
	inner.filled = true
	return true, nil
}

// remember notes a key of the innermost object, and tells whether it is new there.
func (r *Reader) remember(key string) bool {
	inner := &r.open[len(r.open)-1]
	if inner.many != nil {
		before := len(inner.many)
		inner.many[key] = struct{}{}
		return len(inner.many) > before
	}
	seen := r.keys[inner.keys:]
	for _, k := range seen {
		if k == key {
			return false
		}
	}
	r.keys = append(r.keys, key)
	if len(seen) >= fewKeys {
		inner.many = make(map[string]struct{}, 2*fewKeys)
		for _, k := range r.keys[inner.keys:] {
			inner.many[k] = struct{}{}
		}
	}
	return true
}

// String takes a string.
func (r *Reader) String() (string, error) {
	if kind := r.Kind(); kind != String {
		return "", r.fail("expected a string")
	}
	return r.string()
}

// Number takes a number as it stands in the text.
func (r *Reader) Number() (string, error) {
	if kind := r.Kind(); kind != Number {
		return "", r.fail("expected a number")
	}
	start := r.pos
	if r.text[r.pos] == '-' {
		r.pos++
	}
	switch {
	case r.pos < len(r.text) && r.text[r.pos] == '0':
		r.pos++
	case !r.digits():
		return "", r.fail("a number has no digits")
	}
	if r.pos < len(r.text) && r.text[r.pos] == '.' {
		r.pos++
		if !r.digits() {
			return "", r.fail("a number has no digits behind its point")
		}
	}
	if r.pos < len(r.text) && r.text[r.pos]|0x20 == 'e' {
		r.pos++
		if r.pos < len(r.text) && (r.text[r.pos] == '+' || r.text[r.pos] == '-') {
			r.pos++
		}
		if !r.digits() {
			return "", r.fail("a number has no digits in its exponent")
		}
	}
	return r.text[start:r.pos], nil
}

func (r *Reader) digits() bool {
	start := r.pos
	for r.pos < len(r.text) && isDigit(r.text[r.pos]) {
		r.pos++
	}
	return r.pos > start
}

// Bool takes true or false.
func (r *Reader) Bool() (bool, error) {
	switch {
	case r.Kind() != Bool:
	case r.word("true"):
		return true, nil
	case r.word("false"):
		return false, nil
	}
	return false, r.fail("expected true or false")
}

// Null takes null.
func (r *Reader) Null() error {
	if r.Kind() == Null && r.word("null") {
		return nil
	}
	return r.fail("expected null")
}

func (r *Reader) word(w string) bool {
	if len(r.text)-r.pos < len(w) || r.text[r.pos:r.pos+len(w)] != w {
		return false
	}
	r.pos += len(w)
	return true
}

// Skip takes a value of any kind, and checks it like every other.
func (r *Reader) Skip() (err error) {
	switch r.Kind() {
	case Object, Array:
		return r.skipContainer()
	case String:
		_, err = r.string()
	case Number:
		_, err = r.Number()
	case Bool:
		_, err = r.Bool()
	case Null:
		err = r.Null()
	default:
		err = r.fail("expected a value")
	}
	return err
}

// skipContainer takes an object or array; its recursion is bounded by the reader's depth.
func (r *Reader) skipContainer() error {
	object := r.Kind() == Object
	if err := r.Enter(); err != nil {
		return err
	}
	for {
		var more bool
		var err error
		if object {
			_, more, err = r.Key()
		} else {
			more, err = r.More()
		}
		if err != nil || !more {
			return err
		}
		if err := r.Skip(); err != nil {
			return err
		}
	}
}

// Raw takes a value of any kind and gives its text.
func (r *Reader) Raw() (string, error) {
	r.Kind()
	start := r.pos
	if err := r.Skip(); err != nil {
		return "", err
	}
	return r.text[start:r.pos], nil
}

// End fails unless nothing but space is left.
func (r *Reader) End() error {
	if r.err != nil {
		return r.err
	}
	r.space()
	if r.pos < len(r.text) {
		return r.fail("something stands behind the value")
	}
	return nil
}

func (r *Reader) space() {
	for r.pos < len(r.text) {
		switch r.text[r.pos] {
		case ' ', '\t', '\n', '\r':
			r.pos++
		default:
			return
		}
	}
}

// fail notes the first error, at the present place.
func (r *Reader) fail(format string, args ...any) error {
	if r.err == nil {
		if r.pos >= len(r.text) {
			format, args = "the text ends too early", nil
		}
		r.err = &Error{Offset: r.pos, Message: fmt.Sprintf(format, args...)}
	}
	return r.err
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// short quotes a key for a message, cut to 64 bytes.
func short(key string) string {
	const limit = 64
	if len(key) > limit {
		return strconv.Quote(key[:limit]) + "…"
	}
	return strconv.Quote(key)
}

// string takes the string whose opening quote comes.
func (r *Reader) string() (string, error) {
	if r.err != nil {
		return "", r.err
	}
	if r.pos >= len(r.text) || r.text[r.pos] != '"' {
		return "", r.fail("expected a string")
	}
	start := r.pos + 1
	ascii := true
	for i := start; i < len(r.text); i++ {
		if i += plainPrefix(r.text[i:]); i == len(r.text) {
			break
		}
		switch c := r.text[i]; {
		case c == '"':
			if !ascii && !utf8.ValidString(r.text[start:i]) {
				return "", r.fail("a string is not valid UTF-8")
			}
			r.pos = i + 1
			return r.text[start:i], nil
		case c == '\\':
			return r.escaped(start, i)
		case c < ' ':
			r.pos = i
			return "", r.fail("a control character stands in a string")
		case c >= utf8.RuneSelf:
			for ascii = false; i+1 < len(r.text) && r.text[i+1] >= utf8.RuneSelf; i++ {
			}
		}
	}
	r.pos = len(r.text)
	return "", r.fail("a string does not end")
}

// plainPrefix is how many bytes at the beginning of s are certainly ASCII without quotes, backslashes and control characters: all up to the first other one, or to the last
// few bytes. Eight are looked at together, as a document's texts are read several times on their way and most of their bytes are plain.
func plainPrefix(s string) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	n := 0
	for ; len(s)-n >= 8; n += 8 {
		eight := s[n : n+8]
		x := uint64(eight[0]) | uint64(eight[1])<<8 | uint64(eight[2])<<16 | uint64(eight[3])<<24 |
			uint64(eight[4])<<32 | uint64(eight[5])<<40 | uint64(eight[6])<<48 | uint64(eight[7])<<56
		// The high bit of a byte is set where the byte is below what is subtracted, or above one where it is: the lowest bit is right.
		quote, backslash := x^ones*'"', x^ones*'\\'
		if special := (x | (x - ones*' ') | (quote - ones) | (backslash - ones)) & highs; special != 0 {
			return n + bits.TrailingZeros64(special)/8
		}
	}
	return n
}
