package strictjson

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

func check(text string, depth int) error {
	r := New(text, depth)
	if err := r.Skip(); err != nil {
		return err
	}
	return r.End()
}

func TestTokens(t *testing.T) {
	r := New(` {"a":[1,-2.5e+3,true,null,"x\n"],"b":{}} `, 5)
	var got []string
	note := func(s string, err error) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, s)
	}
	if r.Kind() != Object || r.Enter() != nil {
		t.Fatal("no object")
	}
	key, _, err := r.Key()
	note(key, err)
	if r.Kind() != Array || r.Enter() != nil {
		t.Fatal("no array")
	}
	for {
		more, err := r.More()
		if err != nil {
			t.Fatal(err)
		}
		if !more {
			break
		}
		if r.Kind() == String {
			note(r.String())
		} else {
			note(r.Raw())
		}
	}
	key, _, err = r.Key()
	note(key, err)
	note(r.Raw())
	if _, more, err := r.Key(); more || err != nil || r.End() != nil {
		t.Fatal("not at the end")
	}
	if want := "a 1 -2.5e+3 true null x\n b {}"; strings.Join(got, " ") != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestSpecialBytesAreFoundAnywhere puts every byte at every place of a string that is longer than two words, and expects what encoding/json and utf8 say of it.
func TestSpecialBytesAreFoundAnywhere(t *testing.T) {
	for c := range 256 {
		for at := range 20 {
			inside := []byte("abcdefghijklmnopqrst")
			inside[at] = byte(c)
			text := `"` + string(inside) + `"`
			var want string
			valid := json.Unmarshal([]byte(text), &want) == nil && utf8.ValidString(text)
			r := New(text, 1)
			got, err := r.String()
			if err == nil {
				err = r.End()
			}
			if (err == nil) != valid || valid && got != want {
				t.Errorf("byte %#x at %d: %q, %v; want %q, valid %v", c, at, got, err, want, valid)
			}
		}
	}
}

func TestErrorsHaveAPlace(t *testing.T) {
	for _, c := range []struct {
		text   string
		offset int
		deep   bool
	}{
		{``, 0, false}, {`[1,]`, 3, false}, {`{"a":1,"a":2}`, 7, false}, {`{"a" 1}`, 5, false}, {`[1 2]`, 3, false}, {`"\q"`, 1, false}, {`[[[1]]]`, 2, true},
		{`1 1`, 2, false}, {`tru`, 0, false}, {`[-]`, 2, false}, {`"abc`, 4, false}, {`{1:2}`, 1, false}, {`[}`, 1, false},
	} {
		err := check(c.text, 2)
		var e *Error
		if !errors.As(err, &e) || e.Offset != c.offset || e.TooDeep != c.deep {
			t.Errorf("%s: %v, want byte %d, too deep %v", c.text, err, c.offset, c.deep)
		}
	}
}

// Whoever reads an array by keys, or an object by elements, gets an error whatever the text is; so does who has entered nothing.
func TestContainersAreReadAsWhatTheyAre(t *testing.T) {
	for _, text := range []string{`[}`, `[]`, `["a":1}`, `["a"]`, `[`} {
		r := New(text, 4)
		if err := r.Enter(); err != nil {
			t.Fatal(err)
		}
		if _, ok, err := r.Key(); ok || err == nil {
			t.Errorf("%s was read as an object: %v, %v", text, ok, err)
		}
		if r.End() == nil {
			t.Errorf("%s: the error is forgotten", text)
		}
	}
	for _, text := range []string{`{]`, `{}`, `{1]`, `{"a":1}`, `{`} {
		r := New(text, 4)
		if err := r.Enter(); err != nil {
			t.Fatal(err)
		}
		if more, err := r.More(); more || err == nil {
			t.Errorf("%s was read as an array: %v, %v", text, more, err)
		}
	}
	if _, err := New(`]`, 4).More(); err == nil {
		t.Error("an element of nothing")
	}
	if _, _, err := New(`}`, 4).Key(); err == nil {
		t.Error("a key of nothing")
	}
}

func TestAnErrorStays(t *testing.T) {
	r := New(`[x]`, 4)
	_ = r.Enter()
	_, _ = r.More()
	first := r.Skip()
	if first == nil {
		t.Fatal("no error")
	}
	_, more := r.More()
	_, s := r.String()
	_, n := r.Number()
	_, b := r.Bool()
	for i, err := range []error{more, s, n, b, r.Null(), r.Skip(), r.End(), r.Enter()} {
		if err != first {
			t.Errorf("call %d: %v", i, err)
		}
	}
}

func TestManyKeysAreTakenOnce(t *testing.T) {
	var b strings.Builder
	for i := range 100 {
		b.WriteString(`"k` + strings.Repeat("x", i) + `":1,`)
	}
	if err := check(`{`+b.String()+`"last":1}`, 2); err != nil {
		t.Error(err)
	}
	for _, again := range []string{"k", "kxx", "k" + strings.Repeat("x", 99)} {
		if check(`{`+b.String()+`"`+again+`":1}`, 2) == nil {
			t.Errorf("%s twice was taken", again)
		}
	}
	if err := check(`[{"a":{"a":1},"b":{"a":1}},{"a":1}]`, 4); err != nil {
		t.Errorf("the same key in different objects: %v", err)
	}
}

func FuzzReader(f *testing.F) {
	for _, seed := range []string{`{"a":[1,-2.5e+3,true,null,"x\n\ud83d\ude00"],"b":{}}`, `[[[]]]`, `"\u00e9"`, `-0.0`, "\"\xc3\xa9\"", `{"":{"":""}}`, `1e5 `, `"\/\b"`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		err := check(text, 1000)
		if err != nil {
			return
		}
		if !json.Valid([]byte(text)) || !utf8.ValidString(text) {
			t.Fatalf("%q was taken", text)
		}
		if r := New(text, 1000); r.Kind() == String {
			got, _ := r.String()
			var want string
			if err := json.Unmarshal([]byte(text), &want); err != nil || got != want {
				t.Fatalf("%q: %q, want %q", text, got, want)
			}
		}
	})
}
