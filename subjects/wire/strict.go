package wire

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/jetseek/jetseek/engine/fault"
)

// maxNesting bounds the nesting of a body's JSON. A query of the greatest depth that package query takes needs less.
const maxNesting = 256

// member is one key and its value of a JSON object, the value as it was sent.
type member struct {
	key   string
	value json.RawMessage
}

// strictObject splits a body into the members of its one JSON object, in order. What is no object, has trailing bytes, or has a key twice in any
// object is bad_request; nesting past the limit is limit_exceeded.
func strictObject(raw []byte) ([]member, error) {
	if err := checkNesting(raw); err != nil {
		return nil, err
	}
	if !json.Valid(raw) || !utf8.Valid(raw) {
		return nil, fault.New(fault.BadRequest, "the body is not JSON")
	}
	w := &walker{b: raw}
	w.blanks()
	if w.b[w.i] != '{' {
		return nil, fault.New(fault.BadRequest, "the body is not a JSON object")
	}
	var members []member
	w.object(func(key string, value []byte) { members = append(members, member{key, value}) })
	if w.err != nil {
		return nil, w.err
	}
	return members, nil
}

// checkNesting comes before the validation, which recurses.
func checkNesting(raw []byte) error {
	depth, inString := 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			if depth++; depth > maxNesting {
				return fault.New(fault.LimitExceeded, "the body is nested more than %d deep", maxNesting)
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return nil
}

// walker goes once over JSON that is known to be valid, and finds keys that an object has twice.
type walker struct {
	b   []byte
	i   int
	err error
}

func (w *walker) blanks() {
	for w.i < len(w.b) && w.b[w.i] <= ' ' {
		w.i++
	}
}

// value passes over one value and gives its bytes.
func (w *walker) value() []byte {
	w.blanks()
	start := w.i
	switch w.b[w.i] {
	case '{':
		w.object(nil)
	case '[':
		w.array()
	case '"':
		w.str()
	default:
		for w.i < len(w.b) && !strings.ContainsRune(",]} \t\r\n", rune(w.b[w.i])) {
			w.i++
		}
	}
	return w.b[start:w.i]
}

func (w *walker) array() {
	w.i++
	for w.blanks(); w.b[w.i] != ']'; w.blanks() {
		if w.b[w.i] == ',' {
			w.i++
			continue
		}
		w.value()
	}
	w.i++
}

func (w *walker) object(visit func(key string, value []byte)) {
	w.i++
	var keys keySet
	for w.blanks(); w.b[w.i] != '}'; w.blanks() {
		if w.b[w.i] == ',' {
			w.i++
			continue
		}
		key := unquote(w.str())
		if !keys.add(key) && w.err == nil {
			w.err = fault.New(fault.BadRequest, "the key %s stands twice", fault.Quote(key))
		}
		w.blanks()
		w.i++ // the colon
		value := w.value()
		if visit != nil {
			visit(key, value)
		}
	}
	w.i++
}

// str passes over a string and gives it with its quotes.
func (w *walker) str() []byte {
	start := w.i
	for w.i++; w.b[w.i] != '"'; w.i++ {
		if w.b[w.i] == '\\' {
			w.i++
		}
	}
	w.i++
	return w.b[start:w.i]
}

func unquote(quoted []byte) string {
	if !slices.Contains(quoted, '\\') {
		return string(quoted[1 : len(quoted)-1])
	}
	var s string
	if err := json.Unmarshal(quoted, &s); err != nil {
		panic("wire: a string of valid JSON does not decode: " + err.Error())
	}
	return s
}

// keySet is the keys of one object; most have few.
type keySet struct {
	few  []string
	many map[string]struct{}
}

func (k *keySet) add(key string) bool {
	if k.many == nil {
		if slices.Contains(k.few, key) {
			return false
		}
		if k.few = append(k.few, key); len(k.few) > 16 {
			k.many = make(map[string]struct{}, 2*len(k.few))
			for _, s := range k.few {
				k.many[s] = struct{}{}
			}
		}
		return true
	}
	if _, ok := k.many[key]; ok {
		return false
	}
	k.many[key] = struct{}{}
	return true
}
