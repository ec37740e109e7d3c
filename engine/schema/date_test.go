package schema

import (
	"math"
	"testing"
	"time"
)

func TestParseDate(t *testing.T) {
	for _, c := range []struct {
		text string
		want int64
	}{
		{"1970-01-01T00:00:00Z", 0},
		{"1970-01-01T01:00:00+01:00", 0},
		{"1969-12-31t23:59:59.999999999z", -1},
		{"2024-02-29T23:59:59Z", 1709251199000000000},
		{"2024-03-10T06:30:00-05:30", 1710072000000000000},
		{"2001-09-09T01:46:40.5Z", 1000000000500000000},
		{"1677-09-21T00:12:43.145224192Z", math.MinInt64},
		{"2262-04-11T23:47:16.854775807Z", math.MaxInt64},
	} {
		got, ok := ParseDate(c.text)
		if !ok || got != c.want {
			t.Errorf("%s: %d %v, want %d", c.text, got, ok, c.want)
		}
		if back, ok := ParseDate(FormatDate(got)); !ok || back != got {
			t.Errorf("%s: written as %s", c.text, FormatDate(got))
		}
	}
	for _, text := range []string{
		"", "yesterday", "2024-01-01", "2024-01-01T00:00:00", "2023-02-29T00:00:00Z", "2024-04-31T00:00:00Z", "2024-13-01T00:00:00Z", "2024-00-10T00:00:00Z",
		"2024-01-01T24:00:00Z", "2024-01-01T10:60:00Z", "2016-12-31T23:59:60Z", "2024-01-01T00:00:00+24:00", "2024-01-01T00:00:00+0100", "2024-01-01 00:00:00Z",
		"2024-01-01T00:00:00.Z", "2024-01-01T00:00:00.1234567891Z", "2024-01-01T00:00:00,5Z", "+024-01-01T00:00:00Z", "1677-09-21T00:12:43.145224191Z",
		"2262-04-11T23:47:16.854775808Z", "0001-01-01T00:00:00Z", "2024-01-01T00:00:00ZZ", "2024-1-01T00:00:00Z ",
	} {
		if ns, ok := ParseDate(text); ok {
			t.Errorf("%q is %d", text, ns)
		}
	}
}

func TestDateSpan(t *testing.T) {
	at := func(text string) int64 {
		when, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			t.Fatal(err)
		}
		return when.UnixNano()
	}
	for _, c := range []struct{ text, from, to string }{
		{"2020", "2020-01-01T00:00:00Z", "2020-12-31T23:59:59.999999999Z"},
		{"2020-02", "2020-02-01T00:00:00Z", "2020-02-29T23:59:59.999999999Z"},
		{"2019-12", "2019-12-01T00:00:00Z", "2019-12-31T23:59:59.999999999Z"},
		{"1969-12-31", "1969-12-31T00:00:00Z", "1969-12-31T23:59:59.999999999Z"},
		{"2020-05-01T12:00:00+02:00", "2020-05-01T10:00:00Z", "2020-05-01T10:00:00Z"},
	} {
		if in, ok := DateSpan(c.text); !ok || in != (Span{Lo: at(c.from), Hi: at(c.to)}) {
			t.Errorf("%s: %s to %s, %d (%v)", c.text, FormatDate(in.Lo), FormatDate(in.Hi), in.Outside, ok)
		}
	}
	for text, want := range map[string]Span{
		"2262":                           {Lo: at("2262-01-01T00:00:00Z"), Hi: math.MaxInt64},
		"1677-09":                        {Lo: math.MinInt64, Hi: at("1677-09-30T23:59:59.999999999Z")},
		"3000":                           {Outside: 1},
		"2262-04-12":                     {Outside: 1},
		"2262-04-11T23:47:16.854775808Z": {Outside: 1},
		"9999-12-31T23:59:59Z":           {Outside: 1},
		"1600-05":                        {Outside: -1},
		"0001-01-01T00:00:00Z":           {Outside: -1},
		"1677-09-21T00:12:43.145224191Z": {Outside: -1},
	} {
		if in, ok := DateSpan(text); !ok || in != want {
			t.Errorf("%s: %+v (%v), want %+v", text, in, ok, want)
		}
	}
	for _, text := range []string{"", "20", "20200", "2020-13", "2020-02-30", "2020-5", "2020-05-1", "2020/05", "-200"} {
		if _, ok := DateSpan(text); ok {
			t.Errorf("%q is a date", text)
		}
	}
}

func TestParseEpochMs(t *testing.T) {
	for _, c := range []struct {
		text string
		want int64
		ok   bool
	}{
		{"0", 0, true}, {"-1", -1000000, true}, {"1710072000000", 1710072000000000000, true},
		{"9223372036854", 9223372036854000000, true}, {"9223372036855", 0, false}, {"-9223372036855", 0, false}, {"1.0", 0, false}, {"1e3", 0, false}, {"", 0, false},
	} {
		if got, ok := ParseEpochMs(c.text); got != c.want || ok != c.ok {
			t.Errorf("%q: %d %v", c.text, got, ok)
		}
	}
}

func TestEpochSpan(t *testing.T) {
	for text, want := range map[string]Span{
		"0": {}, "-1": {Lo: -1e6, Hi: -1e6}, "1.0": {Lo: 1e6, Hi: 1e6}, "9223372036854": {Lo: 9223372036854e6, Hi: 9223372036854e6},
		"9223372036855": {Outside: 1}, "-9223372036855": {Outside: -1}, "1e30": {Outside: 1}, "-99999999999999999999": {Outside: -1},
	} {
		if in, ok := EpochSpan(text); !ok || in != want {
			t.Errorf("%s: %+v (%v), want %+v", text, in, ok, want)
		}
	}
	for _, text := range []string{"", "0.5", "-1e-3", "x", "2020-01"} {
		if in, ok := EpochSpan(text); ok {
			t.Errorf("%q is %+v", text, in)
		}
	}
}
