package schema

import (
	"math"
	"strconv"
	"time"
)

// ParseDate reads an RFC 3339 timestamp as nanoseconds since the epoch. It refuses days, hours and offsets that do not exist, second 60, more digits than
// nanoseconds have, and dates that 64 bits of nanoseconds cannot hold.
func ParseDate(s string) (ns int64, ok bool) {
	at, ok := parseTimestamp(s)
	if !ok {
		return 0, false
	}
	return unixNano(at)
}

// parseTimestamp reads an RFC 3339 timestamp of any year.
func parseTimestamp(s string) (at time.Time, ok bool) {
	const shortest = len("2006-01-02T15:04:05Z")
	if len(s) < shortest || s[10]|0x20 != 't' || s[13] != ':' || s[16] != ':' {
		return at, false
	}
	year, month, day, ok := parseDay(s[:10])
	hour, okHour := number(s[11:13], 0, 23)
	minute, okMinute := number(s[14:16], 0, 59)
	second, okSecond := number(s[17:19], 0, 59)
	if !ok || !okHour || !okMinute || !okSecond {
		return at, false
	}
	rest := s[19:]
	fraction := 0
	if rest[0] == '.' {
		if fraction, rest, ok = parseFraction(rest[1:]); !ok {
			return at, false
		}
	}
	offset, ok := parseOffset(rest)
	return time.Date(year, month, day, hour, minute, second, fraction, time.UTC).Add(-offset), ok
}

// unixNano is time.Time.UnixNano that tells when the result does not fit.
func unixNano(t time.Time) (int64, bool) {
	ns := t.UnixNano()
	return ns, time.Unix(0, ns).Equal(t)
}

// parseFraction reads the digits of a fraction of a second as nanoseconds.
func parseFraction(s string) (ns int, rest string, ok bool) {
	const digits = 9
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	if n == 0 || n > digits {
		return 0, "", false
	}
	ns, _ = strconv.Atoi(s[:n])
	for range digits - n {
		ns *= 10
	}
	return ns, s[n:], true
}

// parseOffset reads Z or ±hh:mm.
func parseOffset(s string) (time.Duration, bool) {
	if s == "Z" || s == "z" {
		return 0, true
	}
	if len(s) != len("+00:00") || (s[0] != '+' && s[0] != '-') || s[3] != ':' {
		return 0, false
	}
	hours, okHours := number(s[1:3], 0, 23)
	minutes, okMinutes := number(s[4:6], 0, 59)
	offset := time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute
	if s[0] == '-' {
		offset = -offset
	}
	return offset, okHours && okMinutes
}

// parseDay reads 2006-01-02, a day that the calendar has.
func parseDay(s string) (year int, month time.Month, day int, ok bool) {
	if len(s) != len("2006-01-02") || s[4] != '-' || s[7] != '-' {
		return 0, 0, 0, false
	}
	year, okYear := number(s[:4], 0, 9999)
	monthNumber, okMonth := number(s[5:7], 1, 12)
	day, okDay := number(s[8:10], 1, 31)
	if !okYear || !okMonth || !okDay {
		return 0, 0, 0, false
	}
	month = time.Month(monthNumber)
	return year, month, day, time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Month() == month
}

// number reads digits as a number from low to high.
func number(s string, low, high int) (int, bool) {
	n := 0
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = n*10 + int(s[i]-'0')
	}
	return n, low <= n && n <= high
}

// ParseEpochMs reads a whole number of milliseconds since the epoch as nanoseconds.
func ParseEpochMs(token string) (ns int64, ok bool) {
	const nsPerMs = int64(time.Millisecond)
	ms, err := strconv.ParseInt(token, 10, 64)
	if err != nil || ms > math.MaxInt64/nsPerMs || ms < math.MinInt64/nsPerMs {
		return 0, false
	}
	return ms * nsPerMs, true
}

// FormatDate gives nanoseconds since the epoch as RFC 3339 in UTC, with nanoseconds.
func FormatDate(ns int64) string {
	return time.Unix(0, ns).UTC().Format("2006-01-02T15:04:05.000000000Z07:00")
}
