package query

import (
	"math"
	"strconv"
	"strings"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/schema"
)

// This file resolves exact values and ranges by the types of their fields.

// misfit is the error for a value of JSON that its field's type does not hold.
func misfit(f *schema.Field, v Value) error {
	return fault.New(fault.BadField, "field %s is %s and cannot be %s", fault.Quote(f.Name), f.Type, fault.Quote(v.Text))
}

// exact gives the node for one value of a field that is no text, with a constant score. It fails where the value does not fit the type.
func exact(f *schema.Field, v Value, c scope) (Node, error) {
	switch f.Type {
	case schema.Keyword:
		if v.Kind != WordValue && v.Kind != StringValue {
			return nil, misfit(f, v)
		}
		return &KeywordSet{Field: f.Name, Values: []string{v.Text}, Boost: c.leaf()}, nil
	case schema.Double:
		x, err := doubleValue(f, v)
		if err != nil {
			return nil, err
		}
		return &DoubleRange{Field: f.Name, Lo: x, Hi: x, IncLo: true, IncHi: true, Boost: c.leaf()}, nil
	}
	in, err := spanOf(f, v)
	switch {
	case err != nil:
		return nil, err
	case in.outside != 0:
		return &MatchNone{}, nil
	}
	return longRange(f, in.lo, in.hi, c), nil
}

// longRange gives the values from lo to hi; nothing when there are none.
func longRange(f *schema.Field, lo, hi int64, c scope) Node {
	if lo > hi {
		return &MatchNone{}
	}
	return &LongRange{Field: f.Name, Lo: lo, Hi: hi, Boost: c.leaf()}
}

// span is what a value means on the scale of int64: its ends are equal for a whole number, those of a span of time for a short date. For a fraction lo is the whole
// number above and hi the one below, so that none lies between.
type span struct {
	lo, hi  int64
	outside int // -1 or 1: the value lies below or above all int64, and the ends say nothing
}

// spanOf reads a value of a long, date or bool field.
func spanOf(f *schema.Field, v Value) (span, error) {
	word := v.Kind == WordValue
	switch f.Type {
	case schema.Long:
		if in, ok := wholeAround(v.Text); ok && (word || v.Kind == NumberValue) {
			return in, nil
		}
	case schema.Bool:
		if (v.Text == "true" || v.Text == "false") && (word || v.Kind == BoolValue) {
			n := schema.BoolInt(v.Text == "true")
			return span{lo: n, hi: n}, nil
		}
	case schema.Date:
		if from, to, ok := schema.DateSpan(v.Text); ok && (word || v.Kind == StringValue) {
			return span{lo: from, hi: to}, nil
		}
		if ns, ok := schema.ParseEpochMs(v.Text); ok && (word || v.Kind == NumberValue) {
			return span{lo: ns, hi: ns}, nil
		}
	}
	return span{}, misfit(f, v)
}

// doubleValue reads a value of a double field. Beyond the largest double it is infinite, which no document holds.
func doubleValue(f *schema.Field, v Value) (float64, error) {
	if (v.Kind != WordValue && v.Kind != NumberValue) || !isDecimal(v.Text) {
		return 0, misfit(f, v)
	}
	x, _ := strconv.ParseFloat(v.Text, 64) // what is too large becomes infinite
	return x + 0, nil                      // -0 is 0
}

// isDecimal tells whether a word is a number as people and JSON write it: digits, perhaps with sign, point and exponent.
func isDecimal(s string) bool {
	s = strings.TrimPrefix(strings.TrimPrefix(s, "-"), "+")
	mantissa, exponent, scientific := strings.Cut(strings.ToLower(s), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	if whole+fraction == "" || !allDigits(whole+fraction) {
		return false
	}
	if !scientific {
		return true
	}
	exponent = strings.TrimPrefix(strings.TrimPrefix(exponent, "-"), "+")
	return exponent != "" && allDigits(exponent)
}

func allDigits(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' }) < 0
}

// wholeAround reads a decimal number exactly, and never makes more of it than its digits, whatever its exponent.
func wholeAround(s string) (span, bool) {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return span{lo: n, hi: n}, true
	}
	if !isDecimal(s) {
		return span{}, false
	}
	negative := strings.HasPrefix(s, "-")
	digits, fraction := splitDecimal(s)
	size, err := strconv.ParseUint("0"+digits, 10, 64)
	limit := uint64(math.MaxInt64)
	if negative {
		limit++
	}
	switch {
	case err != nil || size > limit || size == limit && fraction:
		if negative {
			return span{outside: -1}, true
		}
		return span{outside: 1}, true
	case negative && fraction:
		return span{lo: -int64(size), hi: -int64(size) - 1}, true
	case negative:
		return span{lo: -int64(size), hi: -int64(size)}, true
	case fraction:
		return span{lo: int64(size) + 1, hi: int64(size)}, true
	}
	return span{lo: int64(size), hi: int64(size)}, true
}

// splitDecimal gives the digits of the whole part of a decimal number without sign, cut to 25 where that is beyond 64 bits anyway, and tells whether anything but
// zeros stands behind the point.
func splitDecimal(s string) (whole string, fraction bool) {
	mantissa, exponentText, _ := strings.Cut(strings.ToLower(strings.TrimLeft(s, "+-")), "e")
	before, behind, _ := strings.Cut(mantissa, ".")
	digits := before + behind
	exponent, err := strconv.Atoi(exponentText)
	if err != nil && exponentText != "" {
		exponent = math.MaxInt32
		if strings.HasPrefix(exponentText, "-") {
			exponent = -exponent
		}
	}
	point := len(before) + max(min(exponent, 1<<20), -1<<20)
	leading := len(digits) - len(strings.TrimLeft(digits, "0"))
	digits, point = digits[leading:], point-leading
	const enough = 25 // digits; 64 bits have 20
	switch {
	case digits == "" || point <= 0:
		return "", digits != ""
	case point > enough:
		return strings.Repeat("9", enough), false
	case point >= len(digits):
		return digits + strings.Repeat("0", point-len(digits)), false
	}
	return digits[:point], strings.Trim(digits[point:], "0") != ""
}
