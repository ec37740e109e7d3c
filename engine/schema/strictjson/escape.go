package strictjson

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// escaped takes the rest of a string that began at start and has its first escape at i.
func (r *Reader) escaped(start, i int) (string, error) {
	out := append(make([]byte, 0, i-start+64), r.text[start:i]...)
	for i < len(r.text) {
		c := r.text[i]
		switch {
		case c == '"':
			if !utf8.Valid(out) {
				return "", r.fail("a string is not valid UTF-8")
			}
			r.pos = i + 1
			return string(out), nil
		case c < ' ':
			r.pos = i
			return "", r.fail("a control character stands in a string")
		case c != '\\':
			out = append(out, c)
			i++
			continue
		}
		r.pos = i
		if i+1 >= len(r.text) {
			break
		}
		if r.text[i+1] != 'u' {
			plain := unescape(r.text[i+1])
			if plain == 0 {
				return "", r.fail("a string holds an unknown escape")
			}
			out = append(out, plain)
			i += 2
			continue
		}
		char, size := unicodeEscape(r.text[i:])
		if size == 0 {
			return "", r.fail("a string holds a broken \\u escape or half of a surrogate pair")
		}
		out = utf8.AppendRune(out, char)
		i += size
	}
	r.pos = len(r.text)
	return "", r.fail("a string does not end")
}

// unescape gives the character that a one-letter escape stands for, or 0.
func unescape(c byte) byte {
	switch c {
	case '"', '\\', '/':
		return c
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return 0
}

// unicodeEscape reads \uXXXX, or a pair of them that is one character, and gives its length; 0 where it is none.
func unicodeEscape(s string) (char rune, size int) {
	const one = len(`\u0000`)
	unit, ok := hexUnit(s)
	if !ok {
		return 0, 0
	}
	if !utf16.IsSurrogate(unit) {
		return unit, one
	}
	low, ok := hexUnit(s[one:])
	if char = utf16.DecodeRune(unit, low); !ok || char == utf8.RuneError {
		return 0, 0
	}
	return char, 2 * one
}

func hexUnit(s string) (rune, bool) {
	if len(s) < len(`\u0000`) || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	unit, err := strconv.ParseUint(s[2:6], 16, 16)
	return rune(unit), err == nil
}
