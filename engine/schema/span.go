package schema

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// Span is what a value of a query means on the scale of a long or date field: its ends are equal for a whole number or an instant, those of a span of time for
// a short date. For a fraction Lo is the whole number above and Hi the one below, so that none lies between.
type Span struct {
	Lo, Hi  int64
	Outside int // -1 or 1: all of it lies below or above what 64 bits hold, and the ends say nothing
}

// DateSpan reads a date of a query as nanoseconds since the epoch: an instant for a whole timestamp, the year, month or day in UTC for 2020, 2020-05 or
// 2020-05-01. What lies beyond 64 bits of nanoseconds in part is cut off there.
func DateSpan(s string) (Span, bool) {
	if at, ok := parseTimestamp(s); ok {
		return between(at, at), true
	}
	padded := s
	switch len(s) {
	case len("2006"):
		padded += "-01-01"
	case len("2006-01"):
		padded += "-01"
	}
	year, month, day, ok := parseDay(padded)
	if !ok {
		return Span{}, false
	}
	start := time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	var next time.Time
	switch len(s) {
	case len("2006"):
		next = start.AddDate(1, 0, 0)
	case len("2006-01"):
		next = start.AddDate(0, 1, 0)
	default:
		next = start.AddDate(0, 0, 1)
	}
	return between(start, next.Add(-time.Nanosecond)), true
}

// between gives the span from one instant to another.
func between(first, last time.Time) Span {
	lo, okLo := unixNano(first)
	hi, okHi := unixNano(last)
	const epoch = 1970
	switch {
	case !okLo && first.Year() > epoch:
		return Span{Outside: 1}
	case !okHi && last.Year() < epoch:
		return Span{Outside: -1}
	}
	if !okLo {
		lo = math.MinInt64
	}
	if !okHi {
		hi = math.MaxInt64
	}
	return Span{Lo: lo, Hi: hi}
}

// EpochSpan reads a whole number of milliseconds since the epoch as nanoseconds.
func EpochSpan(token string) (Span, bool) {
	const limit = math.MaxInt64 / int64(time.Millisecond)
	in, ok := WholeSpan(token)
	switch {
	case !ok || in.Lo > in.Hi: // a fraction
		return Span{}, false
	case in.Outside != 0:
		return in, true
	case in.Lo > limit:
		return Span{Outside: 1}, true
	case in.Lo < -limit:
		return Span{Outside: -1}, true
	}
	ns := in.Lo * int64(time.Millisecond)
	return Span{Lo: ns, Hi: ns}, true
}

// IsDecimal tells whether a word is a number as people and JSON write it: digits, perhaps with sign, point and exponent.
func IsDecimal(s string) bool {
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

// WholeSpan reads a decimal number as whole numbers, exactly, and never makes more of it than its digits, whatever its exponent.
func WholeSpan(s string) (Span, bool) {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return Span{Lo: n, Hi: n}, true
	}
	if !IsDecimal(s) {
		return Span{}, false
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
			return Span{Outside: -1}, true
		}
		return Span{Outside: 1}, true
	case negative && fraction:
		return Span{Lo: -int64(size), Hi: -int64(size) - 1}, true
	case negative:
		return Span{Lo: -int64(size), Hi: -int64(size)}, true
	case fraction:
		return Span{Lo: int64(size) + 1, Hi: int64(size)}, true
	}
	return Span{Lo: int64(size), Hi: int64(size)}, true
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
