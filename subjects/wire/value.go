package wire

import (
	"encoding/json"
	"math"
	"strconv"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/schema/strictjson"
)

// The readers below take the value of a key. A value of another type is bad_request, naming the key; null is no value of any type.

func wrongType(key, want string) error { return fault.New(fault.BadRequest, "%s is not %s", key, want) }

// expect refuses a value that is not of a kind.
func expect(key string, r *strictjson.Reader, kind strictjson.Kind, want string) error {
	switch r.Kind() {
	case kind:
		return nil
	case strictjson.None:
		return r.Skip() // says what is broken
	}
	return wrongType(key, want)
}

func readText(key string, r *strictjson.Reader) (string, error) {
	if err := expect(key, r, strictjson.String, "a string"); err != nil {
		return "", err
	}
	return r.String()
}

func readBool(key string, r *strictjson.Reader) (bool, error) {
	if err := expect(key, r, strictjson.Bool, "true or false"); err != nil {
		return false, err
	}
	return r.Bool()
}

// readWhole takes a number without fraction or exponent. What does not fit is cut to what no page can have.
func readWhole(key string, r *strictjson.Reader) (int64, error) {
	const want = "a whole number"
	if err := expect(key, r, strictjson.Number, want); err != nil {
		return 0, err
	}
	digits, err := r.Number()
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	switch {
	case err == nil:
		return n, nil
	case !isRange(err):
		return 0, wrongType(key, want)
	case digits[0] == '-':
		return math.MinInt64, nil
	}
	return math.MaxInt64, nil
}

func readSequence(key string, r *strictjson.Reader) (uint64, error) {
	const want = "a sequence"
	if err := expect(key, r, strictjson.Number, want); err != nil {
		return 0, err
	}
	digits, err := r.Number()
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil {
		return 0, wrongType(key, want)
	}
	return n, nil
}

func readFloat(key string, r *strictjson.Reader) (float64, error) {
	const want = "a number"
	if err := expect(key, r, strictjson.Number, want); err != nil {
		return 0, err
	}
	digits, err := r.Number()
	if err != nil {
		return 0, err
	}
	f, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		return 0, wrongType(key, want)
	}
	return f, nil
}

// readWord takes one of some words; any other string is an error of the given code.
func readWord(code fault.Code, key string, r *strictjson.Reader, words ...string) (string, error) {
	s, err := readText(key, r)
	if err != nil {
		return "", err
	}
	for _, w := range words {
		if s == w {
			return s, nil
		}
	}
	return "", fault.New(code, "%s is %s, not one of %q", key, fault.Quote(s), words)
}

// readList takes an array, element by element, by a reader of one.
func readList[T any](key, want string, r *strictjson.Reader, one func(key string, r *strictjson.Reader) (T, error)) ([]T, error) {
	if err := expect(key, r, strictjson.Array, want); err != nil {
		return nil, err
	}
	if err := r.Enter(); err != nil {
		return nil, err
	}
	list := []T{}
	for {
		more, err := r.More()
		if err != nil || !more {
			return list, err
		}
		item, err := one(key, r)
		if err != nil {
			return nil, err
		}
		list = append(list, item)
	}
}

func readTexts(key string, r *strictjson.Reader) ([]string, error) {
	return readList(key, "a list of strings", r, readText)
}

// readRaw takes a value of any type as it stands.
func readRaw(r *strictjson.Reader) (json.RawMessage, error) {
	raw, err := r.Raw()
	return json.RawMessage(raw), err
}

// readQuery takes a query as it stands: a string in query syntax, or the JSON form.
func readQuery(key string, r *strictjson.Reader) (json.RawMessage, error) {
	if kind := r.Kind(); kind != strictjson.String && kind != strictjson.Object && kind != strictjson.None {
		return nil, wrongType(key, "a string or an object")
	}
	return readRaw(r)
}

// eachKey takes an object, key by key; field must take the key's value.
func eachKey(key, want string, r *strictjson.Reader, field func(key string, r *strictjson.Reader) error) error {
	if err := expect(key, r, strictjson.Object, want); err != nil {
		return err
	}
	if err := r.Enter(); err != nil {
		return err
	}
	for {
		name, ok, err := r.Key()
		if err != nil || !ok {
			return err
		}
		if err := field(name, r); err != nil {
			return err
		}
	}
}
